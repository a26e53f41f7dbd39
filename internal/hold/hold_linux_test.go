package hold

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/proc"
)

// TestMain makes this binary a holder too.
func TestMain(m *testing.M) {
	if os.Getenv("BE_A_HOLDER") != "" {
		os.Exit(Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// patience is for a machine that hangs, nothing else.
const patience = 2 * time.Minute

// stage is one worker's folder and tree.
type stage struct {
	testing.TB
	dir, tree string
	cmd       *exec.Cmd
	mark      string
}

func newStage(t testing.TB) *stage {
	s := &stage{TB: t, dir: t.TempDir(), tree: t.TempDir(), mark: "test/" + strconv.Itoa(os.Getpid()) + t.Name()}
	t.Cleanup(func() {
		if s.cmd != nil && s.cmd.Process != nil {
			s.cmd.Process.Kill()
			s.cmd.Wait()
		}
		for _, p := range s.marked() {
			syscall.Kill(p.PID, syscall.SIGKILL)
		}
	})
	return s
}

// start lets a holder start a shell script.
func (s *stage) start(script string) Began {
	s.Helper()
	s.offer()
	s.cmd = exec.Command(os.Args[0], s.dir, "1")
	s.cmd.Env = append(os.Environ(), "BE_A_HOLDER=1")
	s.cmd.Stderr = os.Stderr // a pipe would be held open by what a dead holder leaves
	if err := s.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	return s.hand("/bin/sh", "-c", script)
}

func (s *stage) offer() {
	s.Helper()
	if err := Offer(s.dir, 1); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) hand(argv ...string) Began {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l := Launch{Dir: s.tree, Argv: argv, Env: []string{"PATH=" + os.Getenv("PATH"), MarkVariable + "=" + s.mark}}
	if err := Hand(ctx, s.dir, 1, l); err != nil {
		s.Fatal(err)
	}
	b, err := Await(ctx, s.dir, 1)
	if err != nil {
		s.Fatal(err)
	}
	return b
}

// marked are all processes of this stage, found by their environment.
func (s *stage) marked() (list []proc.Process) {
	for _, pid := range proc.All() {
		if p, ok := proc.Lookup(pid); ok && proc.Environ(pid, MarkVariable) == s.mark {
			list = append(list, p)
		}
	}
	return list
}

func (s *stage) until(what string, ok func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("never: %s", what)
		}
	}
}

func (s *stage) exists(name string) func() bool {
	return func() bool {
		_, err := os.Stat(filepath.Join(s.tree, name))
		return err == nil
	}
}

// over waits for the holder's end, checks that nothing is left of the tree, and returns the certificate.
func (s *stage) over() Ended {
	s.Helper()
	if s.cmd != nil {
		s.cmd.Wait()
	}
	s.until("certificate that all is gone", func() bool {
		e, err := ReadEnded(s.dir, 1)
		return err == nil && e.Swept
	})
	s.until("holder is gone", func() bool {
		held, err := Held(s.dir, 1)
		return !held && err == nil
	})
	if left := s.marked(); len(left) > 0 {
		s.Errorf("%d processes are left behind", len(left))
	}
	e, err := ReadEnded(s.dir, 1)
	if err != nil {
		s.Fatal(err)
	}
	return e
}

// family leaves three processes behind: a plain child, a session of its own, and a grandchild that ignores every request.
const family = `sleep 600 & setsid sleep 601 & (trap '' TERM HUP; (trap '' TERM HUP; touch ready; exec sleep 602) & wait) & while [ ! -e ready ]; do sleep ` +
	`0.01; done; `

func TestHolderCertifiesAndLeavesNothing(t *testing.T) {
	s := newStage(t)
	b := s.start(family + "exit 3")
	e := s.over()
	if e.Code != 3 || e.Signal != 0 || e.Asked || e.Left < 3 || e.Agent != b.Agent || e.Boot == "" || e.Up < b.Up {
		t.Errorf("%+v after %+v", e, b)
	}
	if s.cmd.ProcessState.ExitCode() != 3 {
		t.Error(s.cmd.ProcessState)
	}
	if _, err := os.Stat(Path(s.dir, "launch", 1)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the pipe with the environment is still there")
	}
}

func TestEndReachesAnAgentThatIgnoresIt(t *testing.T) {
	world.Slow(t)
	s := newStage(t)
	s.start(family + "trap '' TERM; touch up; while :; do sleep 600; done")
	s.until("agent is up", s.exists("up"))
	if err := End(t.Context(), s.dir, 1); err != nil {
		t.Fatal(err)
	}
	if e := s.over(); e.Code != -1 || e.Signal != int(syscall.SIGKILL) || !e.Asked {
		t.Errorf("%+v", e)
	}
	if err := End(t.Context(), s.dir, 1); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

func TestHolderOutlivesSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newStage(t)
			s.start("trap 'exit 7' HUP TERM QUIT; touch up; while [ ! -e enough ]; do sleep 0.01; done; exit 8")
			s.until("agent is up", s.exists("up"))
			s.cmd.Process.Signal(sig)
			want := 7
			if sig == syscall.SIGINT { // the terminal tells the agent itself
				want = 8
				os.WriteFile(filepath.Join(s.tree, "enough"), nil, 0o600)
			}
			if e := s.over(); e.Code != want || e.Asked != (want == 7) {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestAgentThatDoesNotStart(t *testing.T) {
	s := newStage(t)
	s.offer()
	s.cmd = exec.Command(os.Args[0], s.dir, "1")
	s.cmd.Env = append(os.Environ(), "BE_A_HOLDER=1")
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := Hand(t.Context(), s.dir, 1, Launch{Dir: s.tree, Argv: []string{filepath.Join(s.tree, "none")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Await(t.Context(), s.dir, 1); err == nil || err.Error() != "no such file or directory" {
		t.Error(err)
	}
	if e := s.over(); e.Code != 127 || e.Why == "" || e.Agent != (proc.Process{}) {
		t.Errorf("%+v", e)
	}
}

// A tmux session, its server, and a server that is killed: the certificate is written each time, and nothing is left.
func TestEndsOfTmux(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	for name, end := range map[string]func(tmux func(...string) string){
		"kill-session": func(tmux func(...string) string) { tmux("kill-session", "-t", "=w") },
		"kill-server":  func(tmux func(...string) string) { tmux("kill-server") },
		"kill -9": func(tmux func(...string) string) {
			pid, err := strconv.Atoi(strings.TrimSpace(tmux("display-message", "-p", "#{pid}")))
			if err != nil {
				t.Error(err)
				return
			}
			syscall.Kill(pid, syscall.SIGKILL)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			socket := filepath.Join(t.TempDir(), "s")
			tmux := func(args ...string) string {
				cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
				cmd.Env = append(os.Environ(), "BE_A_HOLDER=1", "TMUX=")
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("tmux %v: %v", args, err)
				}
				return string(out)
			}
			s.offer()
			tmux("new-session", "-d", "-s", "w", os.Args[0], s.dir, "1")
			t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
			s.hand("/bin/sh", "-c", family+"touch up; sleep 607; true")
			s.until("agent is up", s.exists("up"))
			end(tmux)
			if e := s.over(); e.Left < 3 && e.Code == 0 {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestLaunchRoundTrip(t *testing.T) {
	for _, l := range []Launch{
		{Dir: "/a b", Argv: []string{"x", "", "two\nlines"}, Env: []string{"A=1", "B="}, After: []string{"y"}, Waited: true},
		{Argv: []string{"x"}, Env: []string{}, After: []string{}},
	} {
		b, err := l.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadLaunch(bytes.NewReader(b))
		if err != nil || !reflect.DeepEqual(got, l) {
			t.Errorf("%+v, %v, want %+v", got, err, l)
		}
		for cut := range b {
			if _, err := ReadLaunch(bytes.NewReader(b[:cut])); err == nil {
				t.Errorf("the first %d bytes are a launch", cut)
			}
		}
	}
	if _, err := (Launch{Argv: []string{"a\x00b"}}).AppendTo(nil); err == nil {
		t.Error("a NUL was passed")
	}
	if _, err := ReadLaunch(strings.NewReader("\xff\xff\xff\xff")); err == nil {
		t.Error("4 GiB are a launch")
	}
}

func FuzzReadLaunch(f *testing.F) {
	b, _ := Launch{Dir: "d", Argv: []string{"a", "b"}, Env: []string{"E=1"}}.AppendTo(nil)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := ReadLaunch(bytes.NewReader(b)); err == nil && len(l.Argv) == 0 {
			t.Error("nothing to start")
		}
	})
}
