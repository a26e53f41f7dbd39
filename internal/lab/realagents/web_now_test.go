//go:build agents

package realagents

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/testkit/model"
)

// nowPage is a running aburn web and a reader of its page Now.
type nowPage struct {
	*world
	http.Client
	base string
}

// web starts aburn web and comes in with its link.
func (w *world) web(args ...string) *nowPage {
	w.Helper()
	cmd := exec.Command(lookPath("aburn", w.env()), append([]string{"web", "--print", "--port", "47990"}, args...)...)
	cmd.Dir, cmd.Env = w.project, w.env()
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	link, perr := url.Parse(strings.TrimSpace(line))
	if err != nil || perr != nil {
		w.Fatalf("no link: %v %v", err, perr)
	}
	p := &nowPage{world: w, base: "http://127.0.0.1:" + link.Port()}
	p.Jar, _ = cookiejar.New(nil)
	r, _ := http.NewRequest("POST", p.base+"/auth", strings.NewReader(`{"code":"`+strings.TrimPrefix(link.Fragment, "k=")+`"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", p.base)
	got, err := p.Do(r)
	if err != nil || got.StatusCode != http.StatusOK {
		w.Fatalf("the link is not taken: %v", err)
	}
	got.Body.Close()
	return p
}

func (p *nowPage) text() string {
	p.Helper()
	got, err := p.Get(p.base + "/")
	if err != nil {
		p.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

// until asks for the page until it is as wanted.
func (p *nowPage) until(what string, is func(page string) bool) {
	p.Helper()
	var text string
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if text = p.text(); is(text) {
			return
		}
	}
	p.Fatalf("never %s:\n%s", what, text)
}

// cards is how many cards of a class the page has.
func cards(page, class string) int { return strings.Count(page, `class="card `+class+`"`) }

// listen collects when the stream of events says that Now has changed.
func (p *nowPage) listen() (told <-chan time.Time) {
	p.Helper()
	got, err := p.Get(p.base + "/events")
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { got.Body.Close() })
	times := make(chan time.Time, 10_000)
	go func() {
		for lines := bufio.NewScanner(got.Body); lines.Scan(); {
			if lines.Text() == "data: now" {
				times <- time.Now()
			}
		}
	}()
	return times
}

// TestFiveSessionsOnNow: three sessions of Claude Code and two of Codex at once, one of which asks. The page shows all five, the question
// with its whole command and since which entry, and none when they have ended. The log says how long an entry took to be told; what
// that may be is a row of `make bench`.
func TestFiveSessionsOnNow(t *testing.T) {
	t.Parallel()
	asked := "touch '$PROJECT/granted.txt' && echo " + strings.Repeat("much more than the log has ", 20) + "and-this-is-the-end-of-the-command"
	said := make(chan struct{}) // Codex lets go of a command after ten seconds, and its turn would end
	done := model.Turn{Text: "done", Before: func(ctx context.Context) {
		select {
		case <-said:
		case <-ctx.Done():
		}
	}}
	var script model.Script
	for i, call := range []model.Call{bash(untilSaid), bash(untilSaid), command(untilSaid), command(untilSaid)} {
		script = append(script, &model.Conversation{Name: fmt.Sprint("work", i), When: model.Contains(fmt.Sprintf("number%d", i)),
			Turns: []model.Turn{model.Calls(call), done}})
	}
	script = append(script, &model.Conversation{Name: "asks", Repeat: true, When: model.Contains("number4"),
		Turns: []model.Turn{model.Calls(bash(asked)), model.Text("done")}},
		&model.Conversation{Name: "other", Repeat: true, Turns: []model.Turn{model.Text("a title")}})
	w := newWorld(t, "hooked", script, nil)
	w.install()
	p := w.web("--no-notices")
	told := p.listen()
	written := w.watchLog(t)
	term := w.claudeTerminal("--session-id", sessionC, "--permission-mode", "default")
	running := []*process{
		w.startClaude(w.project, "number0", free(sessionA)...), w.startClaude(w.project, "number1", free(sessionB)...),
		w.startCodex(w.project, "number2"), w.startCodex(w.project, "number3"),
	}
	term.say("number4")
	p.until("shows four that work and one that waits", func(page string) bool { return cards(page, "works") == 4 && cards(page, "asks") == 1 })
	p.until("shows the question whole, out of the client's own file",
		func(page string) bool { return strings.Contains(page, "and-this-is-the-end-of-the-command") })
	page := p.text()
	for _, want := range []string{"Permission for Bash", " of the log · terminal pts/", "(1) Now"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	term.insist("Enter", func() bool { return isFile(w.project + "/granted.txt") }) // yes
	p.until("shows that it is answered", func(page string) bool { return cards(page, "asks") == 0 })
	close(said)
	w.write("said.tmp", "")
	for _, one := range running {
		one.wait()
	}
	term.say("/exit")
	term.gone()
	p.until("is empty", func(page string) bool { return cards(page, "works")+cards(page, "asks")+cards(page, "idle") == 0 })
	t.Logf("from a line of the log until it is told: %s", late(written(), told))
}

// watchLog collects when the project's log grew.
func (w *world) watchLog(t *testing.T) func() []time.Time {
	stop, ended := make(chan struct{}), make(chan struct{})
	var times []time.Time
	go func() {
		defer close(ended)
		size := int64(0)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			if st, err := os.Stat(w.project + "/.oss/workflow.log"); err == nil && st.Size() != size {
				size, times = st.Size(), append(times, st.ModTime())
			}
		}
	}()
	return func() []time.Time { close(stop); <-ended; return times }
}

// late words how long after each entry the stream told it.
func late(written []time.Time, told <-chan time.Time) string {
	var said []time.Time
	for len(told) > 0 {
		said = append(said, <-told)
	}
	var took []time.Duration
	for _, at := range written {
		if i := slices.IndexFunc(said, at.Before); i >= 0 {
			took = append(took, said[i].Sub(at))
		}
	}
	if len(took) == 0 {
		return "nothing"
	}
	slices.Sort(took)
	text, _ := json.Marshal(map[string]string{"median": took[len(took)/2].String(), "p95": took[len(took)*95/100].String(), "entries": fmt.Sprint(len(took))})
	return string(text)
}
