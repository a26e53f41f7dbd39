//go:build unix

package tmux

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A session that begins while the server ends with its last one begins after all. What tmux refuses for another reason, or
// again and again, is refused.
func TestServerThatEnds(t *testing.T) {
	for name, c := range map[string]struct {
		says   string
		times  string
		fails  bool
		called int
	}{
		"it ends":           {"server exited unexpectedly", "2", false, 3},
		"it ends each time": {"server exited unexpectedly", "99", true, ending},
		"the name is taken": {"duplicate session: w", "99", true, 1},
	} {
		dir := t.TempDir()
		shim := "#!/bin/sh\necho call >> " + dir + "/calls\n[ $(wc -l < " + dir + "/calls) -gt " + c.times + " ] && exit 0\necho '" + c.says + "' >&2\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(shim), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		r, _ := New(os.Environ())
		_, err := r.Start(t.Context(), "w", dir, []string{"true"})
		calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
		if n := strings.Count(string(calls), "call"); (err != nil) != c.fails || n != c.called {
			t.Errorf("%s: %v after %d calls", name, err, n)
		}
	}
}

// What an agent prints is never taken for what tmux says of its clients, whose latest key holds back what aburn types.
func TestScreenThatSpeaksOfClients(t *testing.T) {
	dir := t.TempDir()
	r, ok := New(append(os.Environ(), "TMUX_TMPDIR="+dir))
	if !ok {
		t.Skip("no tmux")
	}
	t.Cleanup(func() { r.tmux(context.Background(), "kill-server") })
	address, err := r.Start(t.Context(), "w", dir, []string{"/bin/sh", "-c", "printf 'client 4102444800\\nclient\\n\\nhello'; cat"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"client 4102444800", "client", "", "hello"}
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		s, err := r.Screen(t.Context(), address)
		if err == nil && slices.Contains(s.Lines, "hello") {
			if !slices.Equal(s.Lines[:s.Y+1], want) || !s.Touched.IsZero() {
				t.Errorf("%q, touched %v", s.Lines, s.Touched)
			}
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%v %q", err, s.Lines)
		}
	}
}
