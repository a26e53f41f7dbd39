package notify

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/lockfile"
)

// asNotifier is the first argument that makes this test binary a user's command; the second says which, the third is a
// folder for it.
const asNotifier = "-as-notifier"

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == asNotifier {
		if err := run(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// run is what a command of a user's may do.
func run(kind, dir string) error {
	switch kind {
	case "good":
		return keepInput(dir)
	case "noisy":
		for range 100 {
			noise := []byte(strings.Repeat("noise ", 10_000))
			os.Stdout.Write(noise)
			os.Stderr.Write(noise)
		}
		return keepInput(dir)
	case "failing":
		os.Exit(3)
	case "deaf":
		return os.Stdin.Close()
	case "hanging parent":
		if err := exec.Command(os.Args[0], notifier("hanging child", dir)[1:]...).Start(); err != nil {
			return err
		}
		return hold(dir, "command")
	case "hanging":
		return hold(dir, "command")
	case "hanging child":
		return hold(dir, "child")
	case "careless": // leaves a child that keeps its input open
		child := exec.Command(os.Args[0], notifier("slow child", dir)[1:]...)
		child.Stdin = os.Stdin
		return child.Start()
	case "slow child":
		time.Sleep(3 * reapDelay)
		return os.WriteFile(filepath.Join(dir, "child lived on"), nil, 0o600)
	}
	return errors.New("no such command")
}

// keepInput appends what comes on stdin to a file.
func keepInput(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "told"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, os.Stdin)
	return errors.Join(err, f.Close())
}

// hold takes a lock of the folder and keeps it until the process is killed.
func hold(dir, name string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	if _, err := lockfile.Acquire(root, name, 0); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+" holds"), nil, 0o600); err != nil {
		return err
	}
	time.Sleep(10 * time.Minute)
	return nil
}

// waitFor waits for a file that a notifier makes.
func waitFor(t *testing.T, dir, name string) {
	t.Helper()
	for end := time.Now().Add(soon); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return
		}
	}
	t.Fatalf("%q did not come", name)
}

// mustBeDead fails if the process that holds a lock of dir goes on living.
func mustBeDead(t *testing.T, dir, name string) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	l, err := lockfile.Acquire(root, name, soon)
	if err != nil {
		t.Fatalf("the %s lives: %v", name, err)
	}
	l.Release()
}

func notifier(kind, dir string) []string { return []string{os.Args[0], asNotifier, kind, dir} }

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCommandGetsJSON(t *testing.T) {
	for _, kind := range []string{"good", "noisy"} {
		dir, r := t.TempDir(), newReports()
		n := New(Options{Command: notifier(kind, dir), Report: r.add, Timeout: soon})
		n.Tell(Notice{Key: "a", JSON: []byte(`{"n":1}` + "\n")})
		n.Tell(Notice{Key: "b", JSON: []byte(`{"n":2}` + "\n")})
		n.Close(soon)
		if got := read(t, filepath.Join(dir, "told")); got != "{\"n\":1}\n{\"n\":2}\n" {
			t.Errorf("%s: told %q", kind, got)
		}
		if len(r.all()) != 0 {
			t.Errorf("%s: reported %q", kind, r.all())
		}
	}
}

func TestCommandIsNotStartedInTheProject(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	n := New(Options{Command: Shell("pwd > here"), Env: func(string) string { return home }, Timeout: soon})
	n.Tell(Notice{Key: "a"})
	n.Close(soon)
	if _, err := os.Stat(filepath.Join(home, "here")); err != nil {
		t.Errorf("the command did not run in the user's home: %v", err)
	}
	r := newReports()
	if err := os.WriteFile(filepath.Join(dir, "planted"), []byte("#!/bin/sh\ntouch "+dir+"/ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", ".")
	n = New(Options{Command: []string{"planted"}, Env: func(string) string { return home }, Report: r.add})
	n.Tell(Notice{Key: "a"})
	n.Close(soon)
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil || len(r.all()) != 1 {
		t.Errorf("a program of the project's folder ran; reported %q", r.all())
	}
}

func TestFailingCommands(t *testing.T) {
	for kind, want := range map[string]string{
		"failing": "exit status 3",
		"deaf":    "",
		"missing": "no such file",
		"folder":  "permission denied",
	} {
		dir, r := t.TempDir(), newReports()
		argv := notifier(kind, dir)
		switch kind {
		case "missing":
			argv = []string{filepath.Join(dir, "missing")}
		case "folder":
			argv = []string{dir}
		}
		n := New(Options{Command: argv, Report: r.add, Timeout: soon})
		for i := range 5 {
			n.Tell(Notice{Key: fmt.Sprint(i), JSON: []byte(strings.Repeat("x", 10_000))})
		}
		n.Close(soon)
		got := r.all()
		if want == "" && len(got) != 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], "notify.command: ") || !strings.Contains(got[0], want)) {
			t.Errorf("%s: reported %q, want %q once", kind, got, want)
		}
	}
}

// A command that hangs is killed with its children, and the next notice is tried all the same.
func TestHangingCommandIsKilledWithItsChildren(t *testing.T) {
	world.Slow(t)
	if Shell("")[0] == "cmd" {
		t.Skip("there are no process groups here")
	}
	for timeout := time.Second; !beganAndWasKilled(t, timeout); timeout *= 2 {
		if timeout > soon {
			t.Fatal("the command does not begin")
		}
	}
}

// beganAndWasKilled is false where a slow machine did not start the command and its child within the timeout.
func beganAndWasKilled(t *testing.T, timeout time.Duration) bool {
	dir, r := t.TempDir(), newReports()
	n := New(Options{Command: notifier("hanging parent", dir), Timeout: timeout, Report: r.add})
	defer n.Close(0)
	n.Tell(Notice{Key: "a"})
	within(t, "the report", r.came)
	if os.Remove(filepath.Join(dir, "command holds")) != nil || os.Remove(filepath.Join(dir, "child holds")) != nil {
		return false
	}
	mustBeDead(t, dir, "command")
	mustBeDead(t, dir, "child")
	n.Tell(Notice{Key: "b"})
	for late := time.Now().Add(timeout); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "command holds")); err == nil {
			break
		}
		if time.Now().After(late) {
			return false
		}
	}
	n.Close(0)
	mustBeDead(t, dir, "command")
	mustBeDead(t, dir, "child")
	if got := r.all(); len(got) != 1 || !strings.Contains(got[0], fmt.Sprintf("no end after %v: killed", timeout)) {
		t.Errorf("reported %q", got)
	}
	return true
}

// When aburn ends, nobody is left behind and nothing is called a failure.
func TestCloseKills(t *testing.T) {
	dir, r := t.TempDir(), newReports()
	n := New(Options{Command: notifier("hanging", dir), Timeout: 10 * time.Minute, Report: r.add})
	n.Tell(Notice{Key: "a"})
	n.Tell(Notice{Key: "b"})
	waitFor(t, dir, "command holds")
	done := make(chan struct{})
	go func() { n.Close(0); close(done) }()
	within(t, "the end of Close", done)
	mustBeDead(t, dir, "command")
	if len(r.all()) != 0 {
		t.Errorf("reported %q", r.all())
	}
}

// What a command that went well leaves running is its user's business, and no failure.
func TestChildOfGoodCommandLives(t *testing.T) {
	world.Slow(t)
	dir, r := t.TempDir(), newReports()
	n := New(Options{Command: notifier("careless", dir), Report: r.add, Timeout: soon})
	n.Tell(Notice{Key: "a", JSON: []byte("{}\n")})
	n.Close(soon)
	waitFor(t, dir, "child lived on")
	if len(r.all()) != 0 {
		t.Errorf("reported %q", r.all())
	}
}
