package watch

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aburn/supervisor/watchlock"
)

// asWatcher makes this test binary a watcher of the folder that it names.
const asWatcher = "ABURN_WATCH_TEST"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asWatcher); dir != "" {
		root, err := os.OpenRoot(dir)
		if err != nil {
			panic(err)
		}
		o := Options{
			Root: root, Path: dir, Look: &looker{looks: make(chan struct{}, 10_000)},
			Started: func() { os.Stdout.WriteString("watching\n") }, Event: func(Event) {}, Problem: func(error) {},
		}
		if err := Run(context.Background(), o); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// watcher starts a process that watches, and returns it when it does, or what it says.
func watcher(t *testing.T, dir string) (*os.Process, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asWatcher+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	return cmd.Process, strings.TrimSpace(line)
}

func TestOneWatcherAProject(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	if _, running := watchlock.Running(root); running {
		t.Error("somebody watches before anybody does")
	}
	if _, err := os.Lstat(filepath.Join(dir, watchlock.LockName)); err == nil {
		t.Error("asking made a file")
	}
	first, said := watcher(t, dir)
	if said != "watching" {
		t.Fatalf("the first says %q", said)
	}
	if pid, running := watchlock.Running(root); !running || pid != first.Pid {
		t.Errorf("process %d, %v watches, want %d", pid, running, first.Pid)
	}
	var already *watchlock.RunningError
	if err := Run(t.Context(), Options{Root: root}); !errors.As(err, &already) || already.PID != first.Pid {
		t.Errorf("the second: %v, want a RunningError with process %d", err, first.Pid)
	}
	first.Kill()
	if _, said := watcher(t, dir); said != "watching" {
		t.Errorf("after kill -9 the next says %q", said)
	}
}

// What stands in watch.pid is shown, so it is a number or nothing, and it is never written through a link.
func TestPIDFile(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want int
	}{
		"number":  {func(p string) error { return os.WriteFile(p, []byte("12\n"), 0o600) }, 12},
		"text":    {func(p string) error { return os.WriteFile(p, []byte("\x1b[31m12\n"), 0o600) }, 0},
		"minus":   {func(p string) error { return os.WriteFile(p, []byte("-1\n"), 0o600) }, 0},
		"long":    {func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("1", 100)), 0o600) }, 0},
		"nothing": {func(p string) error { return nil }, 0},
		"folder":  {func(p string) error { return os.Mkdir(p, 0o700) }, 0},
		"link": {func(p string) error {
			return errors.Join(os.WriteFile(p+"2", []byte("12"), 0o600), os.Symlink(filepath.Base(p)+"2", p))
		}, 0},
	} {
		dir := t.TempDir()
		if err := c.make(filepath.Join(dir, watchlock.PIDName)); err != nil {
			t.Fatal(err)
		}
		if got := watchlock.WatcherPID(openRoot(t, dir)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		release, err := watchlock.Acquire(openRoot(t, dir))
		if err == nil {
			release()
		}
		if data, rerr := os.ReadFile(filepath.Join(dir, watchlock.PIDName+"2")); rerr == nil && string(data) != "12" {
			t.Errorf("%s: what the link leads to was written", name)
		}
		if name == "folder" || name == "link" {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
