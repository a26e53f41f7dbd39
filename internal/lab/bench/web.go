package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	projects "aburn/internal/project"
)

// The bounds of aburn web over maxUnits sessions: until a page's first byte, from an entry of a log until the page that shows it
// was fetched (the browser's swap not included), and what it takes while nothing happens.
const (
	maxFirstByte  = 50 * time.Millisecond
	maxLogToPage  = 60 * time.Millisecond
	maxIdleCPU    = 0.002
	maxIdleMemory = 80 << 20
)

// browsing is a running aburn web and the cookie that opens it.
type browsing struct {
	cmd    *exec.Cmd
	base   string
	cookie string
	shop   string     // the project that lives
	held   []*os.File // what the holders of its workers have open
}

// web measures `aburn web` on the archive of s.
func (p *page) web(w *world, s *store) error {
	b, began, err := s.browse(w)
	if err != nil {
		return err
	}
	defer b.stop()
	fmt.Fprintf(&p.b, "\n`aburn web` over that archive, all of it in trusted projects. First bytes are medians of %d rounds:\n\n", insightRounds)
	p.table("what", "measured", "bound")
	p.row("`aburn web`, from its start to its link", ms(began), "")
	if _, _, err := b.get("/sessions"); err != nil { // the first one makes the view
		return err
	}
	for _, at := range []string{"/assets/icon.svg", "/", "/sessions", "/cost?period=all", "/failures", "/health", b.session()} {
		took, size, err := b.firstByte(at)
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(at, "?")
		bound := limit("≤ 50 ms", took <= maxFirstByte)
		switch {
		case strings.HasPrefix(at, "/s/"):
			name = "a session"
		case strings.HasPrefix(at, "/assets/"):
			name, bound = "a file, to compare with", ""
		}
		p.row("first byte of "+name, fmt.Sprintf("%s, %d KB", ms(took), size>>10), bound)
	}
	half, late, err := b.entries(p.times(4 * insightRounds))
	if err != nil {
		return err
	}
	p.row("a log entry until the page that shows it is fetched, median", ms(half), "")
	p.row("a log entry until the page that shows it is fetched, p95", ms(late), limit("≤ 60 ms", late <= maxLogToPage))
	if half, late, err = b.five(p.times(4 * insightRounds)); err != nil {
		return err
	}
	p.row("five recorded sessions of both clients at once, an entry until the page that shows it is fetched, median", ms(half), "")
	p.row("the same, p95", ms(late), limit("≤ 60 ms", late <= maxLogToPage))
	p.idle(b)
	if err := p.board(b, filepath.Join(s.dir, "home")); err != nil {
		return err
	}
	return p.top(w, s)
}

// browse starts aburn web and takes its link.
func (s *store) browse(w *world) (b *browsing, began time.Duration, err error) {
	home := filepath.Join(s.dir, "home")
	b = &browsing{shop: filepath.Join(home, "shop")}
	if err := trust(home, b.shop); err != nil {
		return nil, 0, err
	}
	b.cmd = exec.Command(w.bin("aburn"), "web", "--print", "--no-ingest", "--port", "47900")
	b.cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + home, "ABURN_HOME=" + s.archive(), "TZ=UTC"}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	start := time.Now()
	if err := b.cmd.Start(); err != nil {
		return nil, 0, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	began = time.Since(start)
	link, perr := url.Parse(strings.TrimSpace(line))
	if err = errors.Join(err, perr); err == nil {
		b.base = "http://127.0.0.1:" + link.Port()
		err = b.comeIn(strings.TrimPrefix(link.Fragment, "k="))
	}
	if err != nil {
		b.stop()
	}
	return b, began, err
}

// trust makes the archive's projects and a living one this home's own.
func trust(home, shop string) error {
	before := os.Getenv("HOME")
	defer os.Setenv("HOME", before)
	os.Setenv("HOME", home)
	if err := os.MkdirAll(filepath.Join(shop, projects.OssDir), 0o700); err != nil {
		return err
	}
	for i := range fiveRecordings {
		dir := filepath.Join(home, "five", fmt.Sprint(i))
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, projects.OssDir), 0o700), projects.MarkHolding(dir)); err != nil {
			return err
		}
	}
	return errors.Join(projects.MarkHolding(shop), projects.MarkHolding("/home/user"))
}

// top measures `aburn top --once` over the same archive and projects.
func (p *page) top(w *world, s *store) error {
	c, err := costs(p.times(insightRounds), nil, s.run(w, "top", w.bin("aburn"), "top", "--once", "--no-ingest"))
	if err == nil {
		p.row("`aburn top --once`, whole process, median", fmt.Sprintf("%s wall, %s CPU, %d MB", ms(c[0].wall), ms(c[0].cpu), c[0].peak>>20), "")
	}
	return err
}

func (b *browsing) stop() {
	b.cmd.Process.Signal(os.Interrupt)
	b.cmd.Wait()
	for _, f := range b.held {
		f.Close()
	}
}

func (b *browsing) comeIn(code string) error {
	r, err := http.NewRequest("POST", b.base+"/auth", strings.NewReader(`{"code":"`+code+`"}`))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", b.base)
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if b.cookie, _, _ = strings.Cut(got.Header.Get("Set-Cookie"), ";"); b.cookie == "" {
		return errors.New("aburn web takes no link")
	}
	return nil
}

// get is a page, and how long its first byte took.
func (b *browsing) get(at string) (text string, first time.Duration, err error) {
	r, err := http.NewRequest("GET", b.base+at, nil)
	if err != nil {
		return "", 0, err
	}
	r.Header.Set("Cookie", b.cookie)
	start := time.Now()
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer got.Body.Close()
	first = time.Since(start)
	body, err := io.ReadAll(got.Body)
	if got.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", at, got.Status)
	}
	return string(body), first, err
}

func (b *browsing) firstByte(at string) (took time.Duration, size int, err error) {
	var all []time.Duration
	for range insightRounds {
		text, first, err := b.get(at)
		if err != nil {
			return 0, 0, err
		}
		all, size = append(all, first), len(text)
	}
	slices.Sort(all)
	return median(all), size, nil
}

// session is the page of some session.
func (b *browsing) session() string {
	text, _, _ := b.get("/sessions?outcome=failed")
	_, rest, _ := strings.Cut(text, `<a href="/s/`)
	at, _, _ := strings.Cut(rest, `"`)
	return "/s/" + at
}

// entries appends entries to a log, each when the page shows the one before, and returns the median and the 95th percentile of what they
// took.
func (b *browsing) entries(n int) (half, most time.Duration, err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", b.base+"/events", nil)
	if err != nil {
		return 0, 0, err
	}
	r.Header.Set("Cookie", b.cookie)
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	f, err := os.OpenFile(filepath.Join(b.shop, projects.OssDir, "workflow.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var all []time.Duration
	for i := range n {
		session := fmt.Sprintf("bench%04d", i)
		line := fmt.Sprintf(`{"ts":"%s","cmd":"session","event":"PROMPT","session":"%s","source":"claude","data":{"head":"go on"}}`+"\n",
			time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), session)
		start := time.Now()
		if _, err := f.WriteString(line); err != nil {
			return 0, 0, err
		}
		for shown := false; !shown; {
			if !lines.Scan() {
				return 0, 0, errors.New("the stream of events ended")
			}
			if lines.Text() == "data: now" {
				text, _, err := b.get("/")
				if err != nil {
					return 0, 0, err
				}
				shown = strings.Contains(text, session)
			}
		}
		all = append(all, time.Since(start))
	}
	slices.Sort(all)
	return median(all), all[len(all)*95/100], nil
}

// idleTime is how long nothing happens, after idleAfter.
const idleAfter, idleTime = 3 * time.Second, 20 * time.Second

// idle adds what the server takes while nothing happens, where the system says so.
func (p *page) idle(b *browsing) {
	rest := idleTime
	if p.brief {
		rest = time.Second
	}
	time.Sleep(idleAfter)
	before, ok := cpuOf(b.cmd.Process.Pid)
	time.Sleep(rest)
	after, _ := cpuOf(b.cmd.Process.Pid)
	if !ok {
		return
	}
	share := float64(after-before) / float64(rest)
	p.row("idle, of a core", fmt.Sprintf("%.2f %%", 100*share), limit("≤ 0.2 %", share <= maxIdleCPU))
	memory := residentOf(b.cmd.Process.Pid)
	p.row("idle, memory", fmt.Sprintf("%d MB", memory>>20), limit("≤ 80 MB", memory <= maxIdleMemory))
}

// cpuOf is the processor time of a process so far, by Linux' account.
func cpuOf(pid int) (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond // fields behind the name; USER_HZ is 100
	a, _ := strconv.Atoi(f[user])
	c, _ := strconv.Atoi(f[system])
	return time.Duration(a+c) * tick, true
}

func residentOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseInt(kb, 10, 64)
	return n << 10
}
