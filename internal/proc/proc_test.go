package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// The process is what started the shells in between, not they.
func TestAgent(t *testing.T) {
	if os.Getenv("AGENT_PROCESS") != "" {
		p, ok := Agent(os.Getppid())
		fmt.Print(p, ok)
		os.Exit(0)
	}
	self := numbered(t)
	for _, script := range []string{`"$0" -test.run=TestAgent; true`, `sh -c "\"$0\" -test.run=TestAgent; true"; true`} {
		cmd := exec.Command("/bin/sh", "-c", script, os.Args[0])
		cmd.Env = append(os.Environ(), "AGENT_PROCESS=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint(self, true); string(out) != want {
			t.Errorf("%s: %s, want %s", script, out, want)
		}
	}
}

// What the answers of a system mean, whichever it is: Linux and macOS ask differently and judge alike.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     Process
		now   stat
		found bool
		gone  bool
		want  Life
	}{
		{"the same", Process{7, 5}, stat{Process: Process{7, 5}}, true, false, Runs},
		{"a reused number", Process{7, 5}, stat{Process: Process{7, 6}}, true, false, Gone},
		{"a reused number of a dead one", Process{7, 5}, stat{Process: Process{7, 6}, dead: true}, true, false, Gone},
		{"not reaped", Process{7, 5}, stat{Process: Process{7, 5}, dead: true}, true, false, Gone},
		{"not reaped, and the start is unknown", Process{7, 0}, stat{Process: Process{7, 5}, dead: true}, true, false, Gone},
		{"the start was not recorded", Process{7, 0}, stat{Process: Process{7, 5}}, true, false, Unknown},
		{"a sandbox hides the start", Process{7, 5}, stat{Process: Process{7, 0}}, true, false, Unknown},
		{"no such process", Process{7, 5}, stat{}, false, true, Gone},
		{"hidden", Process{7, 5}, stat{}, false, false, Unknown},
	} {
		if got := judge(c.p, c.now, c.found, func() bool { return c.gone }); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func numbered(t *testing.T) Process {
	t.Helper()
	self, ok := Self()
	if !ok || self.Start == 0 || Host() == "" {
		t.Skip("this system does not tell when a process started")
	}
	return self
}

// A process runs, and is gone once it was killed, also while nobody asked for its
// exit code and when another one has its number. What cannot be known is unknown.
func TestOf(t *testing.T) {
	self := numbered(t)
	for _, c := range []struct {
		p    Process
		host string
		want Life
	}{
		{self, Host(), Runs},
		{self, "elsewhere", Unknown},
		{self, "", Unknown},
		{self, Host() + "/4026532000", Unknown}, // inside of a container that we are outside of
		{Process{self.PID, self.Start + 1}, Host(), Gone},
		{Process{self.PID, 0}, Host(), Unknown},
		{Process{0, 0}, Host(), Unknown},
		{Process{-1, 5}, Host(), Unknown},
		{Process{1 << 30, 5}, Host(), Gone},
		{Process{1 << 30, 0}, Host(), Gone},
	} {
		if got, looked := Of(c.p, c.host), NewLook().Of(c.p, c.host); got != c.want || looked != c.want {
			t.Errorf("%+v of %q: %v, in a look %v, want %v", c.p, c.host, got, looked, c.want)
		}
	}
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s, ok := read(cmd.Process.Pid)
	if !ok || Of(s.Process, Host()) != Runs {
		t.Fatalf("a running process: %+v, %v", s, ok)
	}
	look := NewLook()
	look.Of(s.Process, Host())
	cmd.Process.Signal(syscall.SIGKILL)
	for deadline := time.Now().Add(time.Minute); Of(s.Process, Host()) != Gone; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a killed process still runs")
		}
	}
	if look.Of(s.Process, Host()) != Runs || NewLook().Of(s.Process, Host()) != Gone {
		t.Error("a look is of one moment")
	}
	cmd.Wait()
	if Of(s.Process, Host()) != Gone {
		t.Error("a process that is no more")
	}
}
