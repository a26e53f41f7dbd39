package attention

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/proc"
	"aburn/supervisor/state"
)

// The way to a session in tmux is its pane, with the socket of its own tmux; tmux takes the command. Nothing is said of a process that is
// gone, is another one now, or runs elsewhere.
func TestWayTo(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("this machine has no tmux")
	}
	socket := filepath.Join(t.TempDir(), "a socket")
	tmux := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	tmux("-f", "/dev/null", "new-session", "-d", "exec sleep 1000")
	t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
	tmux("split-window", "-d", "exec sleep 1000")
	pid, err := strconv.Atoi(tmux("display-message", "-p", "-t", "%1", "#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := proc.Lookup(pid)
	if !ok {
		t.Fatal("the pane's process is not seen")
	}
	item := Item{Proc: state.Proc{PID: int64(p.PID), Start: p.Start, Host: proc.Host()}}
	want := "tmux -S '" + socket + "' switch-client -t '%1' 2>/dev/null || tmux -S '" + socket + "' attach -t '%1'"
	way := WayTo(&item)
	for end := time.Now().Add(2 * time.Minute); way.Command == "" && time.Now().Before(end); time.Sleep(time.Millisecond) {
		way = WayTo(&item) // a new process has the environment of tmux' server until it is the pane's own program
	}
	if way.Where != "tmux %1" || way.Command != want {
		t.Errorf("%+v, want %s", way, want)
	}
	self, _ := proc.Self()
	item.Proc = state.Proc{PID: int64(self.PID), Start: self.Start, Host: proc.Host()}
	if way := WayTo(&item); os.Getenv("TMUX") == "" && (way.Command != "" || !strings.Contains(way.Where, "process "+strconv.Itoa(self.PID))) {
		t.Errorf("of this process: %+v", way)
	}
	for _, other := range []state.Proc{{}, {PID: int64(p.PID), Start: p.Start, Host: "elsewhere"}, {PID: int64(p.PID), Start: p.Start + 1, Host: proc.Host()}} {
		item.Proc = other
		if way := WayTo(&item); way != (Way{}) {
			t.Errorf("%+v leads to %+v", other, way)
		}
	}
}
