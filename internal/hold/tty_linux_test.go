package hold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// onTerminal lets a detached holder give a shell script a terminal.
func (s *stage) onTerminal(script string) Began {
	s.Helper()
	s.offer()
	s.Setenv("BE_A_HOLDER", "1")
	err := Detach(os.Environ(), s.tree, []string{os.Args[0], s.dir, "1"})
	os.Unsetenv("BE_A_HOLDER")
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l := Launch{Dir: s.tree, Argv: []string{"/bin/bash", "--norc", "-c", script}, Size: Size{80, 24},
		Env: []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", MarkVariable + "=" + s.mark}}
	if err := Hand(ctx, s.dir, 1, l); err != nil {
		s.Fatal(err)
	}
	b, err := Await(ctx, s.dir, 1)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		End(context.Background(), s.dir, 1)
	})
	return b
}

// Setenv is that of a test.
func (s *stage) Setenv(key, value string) { s.TB.(*testing.T).Setenv(key, value) }

// shows waits for a text on the screen.
func (s *stage) shows(text string) (now Shown) {
	s.Helper()
	s.until("the screen shows "+text, func() bool {
		var err error
		if now, err = Look(context.Background(), s.dir, 1); err != nil {
			s.Fatal(err)
		}
		return strings.Contains(strings.Join(now.Lines, "\n"), text)
	})
	return now
}

// view is a viewer that keeps what it gets.
type view struct {
	*View
	got chan string
}

func (s *stage) view(kind byte, content string) *view {
	s.Helper()
	v, err := See(s.dir, 1)
	if err == nil {
		err = v.Send(kind, content)
	}
	if err != nil {
		s.Fatal(err)
	}
	w := &view{v, make(chan string, 10_000)}
	go func() {
		defer close(w.got)
		for {
			_, text, err := v.Receive()
			if err != nil {
				return
			}
			w.got <- text
		}
	}()
	s.Cleanup(func() { v.Close() })
	return w
}

func (s *stage) gets(v *view, text string) {
	s.Helper()
	all, late := "", time.After(patience)
	for !strings.Contains(all, text) {
		select {
		case part, more := <-v.got:
			if !more {
				s.Fatalf("the view ends, and %q was not in %q", text, all)
			}
			all += part
		case <-late:
			s.Fatalf("never %q in %q", text, all)
		}
	}
}

func (s *stage) send(v *view, kind byte, content string) {
	s.Helper()
	if err := v.Send(kind, content); err != nil {
		s.Fatal(err)
	}
}

func TestTerminalOfItsOwn(t *testing.T) {
	s := newStage(t)
	s.onTerminal(`stty size; echo before; read -r a; echo "got $a"; stty size; read -r b; exit 5`)
	s.shows("24 80\nbefore")
	typist := s.view('t', "100x30")
	s.gets(typist, "before") // what was printed before it came
	s.send(typist, 'k', "hello\r")
	s.gets(typist, "got hello")
	looker := s.view('w', "")
	s.gets(looker, "30 100")
	if now := s.shows("got hello"); now.Touched.IsZero() {
		t.Error("nobody is seen to have typed")
	}
	// Who only looks neither types nor changes the size.
	s.send(looker, 'k', "x\r")
	s.send(looker, 'z', "20x5")
	if _, err := ask(t.Context(), s.dir, 1, 's', "", 's'); err != nil {
		t.Fatal(err)
	}
	if now := s.shows("30 100"); len(now.Lines) != 30 {
		t.Error(now)
	}
	looker.Close()
	// The agent ends of it, and its holder may be gone before it says that the keys arrived.
	if err := Press(t.Context(), s.dir, 1, "enough\r"); err != nil && !errors.Is(err, ErrGone) {
		t.Fatal(err)
	}
	if e := s.over(); e.Code != 5 {
		t.Errorf("%+v", e)
	}
	for range typist.got { // it ends with the agent
	}
	if _, err := See(s.dir, 1); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if _, err := os.Stat(Path(s.dir, "tty", 1)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the socket is still there")
	}
}

// A paste is one only where the program takes such, and nothing in it ends it. Presses are no person's.
func TestPaste(t *testing.T) {
	s := newStage(t)
	s.onTerminal(`stty raw -echo; echo one; read -rn1 -d '' _; printf '\033[?2004htwo'; while IFS= read -rN1 c; do printf '%q ' "$c"; done`)
	s.shows("one")
	if err := Paste(t.Context(), s.dir, 1, "text"); err == nil || !strings.Contains(err.Error(), "no pastes") {
		t.Error(err)
	}
	if err := Press(t.Context(), s.dir, 1, "x"); err != nil {
		t.Fatal(err)
	}
	s.shows("two")
	if err := Paste(t.Context(), s.dir, 1, "a\nb\x1b[201~\r!"); err != nil {
		t.Fatal(err)
	}
	if now := s.shows(`\! $'\E' \[ 2 0 1 \~`); !strings.Contains(strings.Join(now.Lines, ""), `\[ 2 0 0 \~ a $'\n' b \[ 2 0 1 \~ $'\n' \!`) ||
		!now.Touched.IsZero() {
		t.Errorf("%q %v", now.Lines, now.Touched)
	}
}

// The holder answers what programs ask of terminals, once, also when somebody looks.
func TestTerminalAnswers(t *testing.T) {
	s := newStage(t)
	s.onTerminal(`stty raw -echo; printf ready; read -rsn1 -d '' _; printf '\r\nabc\033[6n'; IFS= read -rd R a; printf ' %q' "$a"; sleep 600`)
	s.shows("ready")
	looker := s.view('w', "")
	Press(t.Context(), s.dir, 1, "x")
	s.gets(looker, `\E[2;4'`)
	looker.Close()
	for part := range looker.got {
		if strings.Contains(part, "\x1b[6n") {
			t.Errorf("%q", part)
		}
	}
}

// A viewer that does not read holds up nobody, and then sees what the others see.
func TestSlowViewer(t *testing.T) {
	world.Slow(t)
	s := newStage(t)
	s.onTerminal(`read -rn1; yes 'a long line of text that is printed many times' | head -c 3000000; echo; echo the end; sleep 600`)
	slow, err := See(s.dir, 1)
	if err == nil {
		err = slow.Send('t', "80x24")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	slow.Send('k', "x")
	s.shows("the end") // it was not held up
	all := ""
	for !strings.Contains(all, "the end") {
		_, text, err := slow.Receive()
		if err != nil {
			t.Fatal(err)
		}
		all += text
	}
	if len(all) > 2_500_000 {
		t.Errorf("%d bytes were kept for one that did not read", len(all))
	}
}

// Whatever is killed, nothing is left: of a viewer the agent hears nothing, and with its holder the terminal goes.
func TestKilledAroundATerminal(t *testing.T) {
	s := newStage(t)
	b := s.onTerminal(`setsid sleep 601 & echo up; read -r a; echo "got $a"; sleep 600`)
	s.shows("up")
	cmd := exec.Command(os.Args[0], "-test.run=TestBeAViewer")
	cmd.Env = append(os.Environ(), "BE_A_VIEWER="+s.dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out.Read(make([]byte, 1))
	cmd.Process.Kill()
	cmd.Wait()
	Press(t.Context(), s.dir, 1, "more\r")
	s.shows("got more")
	viewer := s.view('t', "80x24")
	syscall.Kill(b.Holder.PID, syscall.SIGKILL)
	for range viewer.got {
	}
	if _, err := Look(t.Context(), s.dir, 1); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	s.until("the agent had its terminal taken", func() bool { return !slices.Contains(s.marked(), b.Agent) })
	if _, err := EndRest(t.Context(), Rest{Dir: s.dir, Began: []Began{b}, Marks: []string{s.mark}}); err != nil {
		t.Fatal(err)
	}
	if left := s.marked(); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
}

func TestBeAViewer(t *testing.T) {
	dir := os.Getenv("BE_A_VIEWER")
	if dir == "" {
		t.Skip("a viewer of another test's")
	}
	v, err := See(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	v.Send('t', "80x24")
	v.Receive()
	os.Stdout.WriteString("x")
	time.Sleep(patience)
}

// What is no viewer is sent away, and a worker's folder may have a long path.
func TestStrangersAtTheSocket(t *testing.T) {
	s := newStage(t)
	s.dir += strings.Repeat("/a-long-name-of-a-folder", 8)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.onTerminal("echo up; sleep 600")
	s.shows("up")
	for _, text := range []string{"GET / HTTP/1.1\r\n\r\n", string(frame(nil, 'v', "9")), "v\xff\xff\xff\xff"} {
		v, err := See(s.dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		v.f.Close()
		fd, err := unixSocket()
		if err == nil {
			err = connect(fd, Path(s.dir, "tty", 1))
		}
		if err != nil {
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), "stranger")
		f.WriteString(text)
		if n, err := f.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%q was answered", text)
		}
		f.Close()
	}
	st, err := os.Stat(Path(s.dir, "tty", 1))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Error(st.Mode(), err)
	}
	s.shows("up")
}

// A viewer that is far behind may go at any moment: the agent keeps its terminal.
func TestSlowViewerGoes(t *testing.T) {
	s := newStage(t)
	b := s.onTerminal(`while :; do printf '%0200d\n' 1; done`)
	s.shows("0001")
	for range world.Storm(10) {
		v, err := See(s.dir, 1)
		if err == nil {
			err = v.Send('w', "")
		}
		if err == nil {
			_, _, err = v.Receive() // it is shown something
		}
		if err != nil {
			t.Fatal(err)
		}
		printed := s.printed(t)
		s.until("more was printed than waits for a viewer", func() bool { return s.printed(t)-printed > 4*maxBehind })
		v.Close()
	}
	s.shows("0001")
	if held, err := Held(s.dir, 1); !held || err != nil || !slices.Contains(s.marked(), b.Agent) {
		t.Error("the agent was lost with a viewer", held, err)
	}
}

// A viewer that asks on and on and reads no answer is sent away before its answers fill the holder's memory.
func TestViewerThatOnlyAsks(t *testing.T) {
	s := newStage(t)
	s.onTerminal("seq -s, 500; echo up; sleep 600") // an answer is a screen full of text
	s.shows("up")
	v, err := See(s.dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	questions := strings.Repeat(string(frame(nil, 's', "")), 1000)
	for asked := 0; err == nil; asked++ {
		if asked == 1000 { // the answers are more than 50 MB
			t.Fatal("the holder keeps all answers")
		}
		_, err = v.f.WriteString(questions)
	}
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	s.shows("up")
}

// printed is how much the agent wrote so far, by what the kernel counts.
func (s *stage) printed(t *testing.T) (n int64) {
	b, err := ReadBegan(s.dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", b.Agent.PID))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(data), "rchar: %d\nwchar: %d", new(int64), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A screen full of colours is larger than what waits for a viewer, and is shown all the same.
func TestColourfulScreen(t *testing.T) {
	s := newStage(t)
	s.onTerminal(`echo ready; read -r _; for ((y = 0; y < 60; y++)); do for ((x = 0; x < 190; x++)); do printf '\033[38;2;%d;%d;200;48;2;%d;%d;100mx' $x $y ` +
		`$y $x; done; done; printf '\033[0m\033[Hthe end'; sleep 600`)
	typist := s.view('t', "190x60")
	s.gets(typist, "ready")
	s.send(typist, 'k', "\r")
	s.shows("the end")
	s.gets(s.view('w', ""), "the end")
}

// What an agent left may hold its terminal, and a viewer may read nothing: the holder ends all the same.
func TestCloseWaitsForNobody(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	x, err := openTTY(dir, 1, Size{80, 24})
	if err != nil {
		t.Fatal(err)
	}
	held, err := syscall.Dup(int(x.slave.Fd())) // as what was left does
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(held)
	x.running()
	v, err := See(dir, 1)
	if err == nil {
		err = v.Send('w', "")
	}
	if err == nil {
		_, _, err = v.Receive()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	line := []byte(strings.Repeat("x", 1000) + "\n")
	waits := func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(x.viewers) == 1 && x.viewers[0].lost
	}
	for late := time.Now().Add(patience); !waits(); {
		if _, err := syscall.Write(held, line); err != nil || time.Now().After(late) {
			t.Fatal("the viewer is not behind", err)
		}
	}
	over := make(chan struct{})
	go func() { defer close(over); x.close() }()
	select {
	case <-over:
	case <-time.After(patience):
		t.Error("the holder waits for a viewer that does not read")
	}
}
