package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A launcher that ends leaves the terminal as it is by then. Node.js puts back what it saw when it began: in the background
// that may be the raw mode in which a shell reads a line, and somebody else's question stands there by the time it ends.
func TestLauncherLeavesTheTerminal(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("this machine has no node")
	}
	for _, end := range []struct {
		by   string
		does func(p *os.Process, goOn string) error
		want string
	}{
		{"itself", func(_ *os.Process, goOn string) error { return os.WriteFile(goOn, []byte("\n"), 0) }, "exit status 7"},
		{"a signal", func(p *os.Process, _ string) error { return p.Signal(syscall.SIGTERM) }, "signal: terminated"},
	} {
		t.Run(end.by, func(t *testing.T) {
			dir := t.TempDir()
			launcher := launcherWith(t, dir, "#!/bin/sh\ncd \""+dir+"\"\necho started >started\nread _ <go-on\nexit 7\n")
			started, goOn := filepath.Join(dir, "started"), filepath.Join(dir, "go-on")
			for _, path := range []string{started, goOn} {
				if err := unix.Mkfifo(path, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			master, slave := openTerminal(t)
			go io.Copy(io.Discard, master)
			cooked := setTerminal(t, slave, func(m *unix.Termios) { m.Lflag |= unix.ICANON | unix.ECHO })
			setTerminal(t, slave, func(m *unix.Termios) { m.Lflag &^= unix.ICANON | unix.ECHO })
			cmd := exec.Command(node, launcher)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.ReadFile(started); err != nil { // waits for the native aburn
				t.Fatal(err)
			}
			setTerminal(t, slave, func(m *unix.Termios) { *m = cooked })
			if err := end.does(cmd.Process, goOn); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || err.Error() != end.want {
				t.Errorf("the launcher ended with %v, want %s", err, end.want)
			}
			if is := setTerminal(t, slave, func(*unix.Termios) {}); is.Lflag != cooked.Lflag {
				t.Errorf("the terminal was changed: %#x became %#x", cooked.Lflag, is.Lflag)
			}
		})
	}
}

// Where Node.js can, the launcher becomes the native aburn: no second process waits for it, and arguments, environment and exit code are its own.
// A node that can't is given an execve that tells what it was called with.
func TestLauncherBecomesTheNative(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("this machine has no node")
	}
	dir := t.TempDir()
	launcher := launcherWith(t, dir, "#!/bin/sh\necho \"$$ $# $2 $GREETING\"\nexit 7\n")
	cmd := exec.Command(node, launcher, "cost", "two words")
	cmd.Env = append(os.Environ(), "GREETING=hello")
	can, _ := exec.Command(node, "-p", "typeof process.execve").Output()
	if strings.TrimSpace(string(can)) != "function" {
		stub := filepath.Join(dir, "stub.js")
		text := `process.execve = (file, args) => { console.log([process.pid, args.length - 1, args[2], process.env.GREETING].join(" ")); process.exit(7); };`
		if err := os.WriteFile(stub, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Args = []string{node, "--require", stub, launcher, "cost", "two words"}
	}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if err == nil || err.Error() != "exit status 7" || out.String() != fmt.Sprintf("%d 2 two words hello\n", cmd.Process.Pid) || errs.Len() > 0 {
		t.Errorf("%v, %q, %q; the launcher was process %d", err, out.String(), errs.String(), cmd.Process.Pid)
	}
}

// launcherWith installs the launcher as npm does, with a script as the native aburn, and is its path.
func launcherWith(t *testing.T, dir, script string) string {
	t.Helper()
	own := filepath.Join("node_modules", "@aburn", npmPlatform(here))
	err := write(dir, []file{
		{"node_modules/aburn/package.json", 0o644, fmt.Appendf(nil, `{"optionalDependencies":{"@aburn/%s":"1.0.0"}}`, npmPlatform(here))},
		{"node_modules/aburn/bin/aburn.js", 0o755, npmLauncher},
		{filepath.ToSlash(filepath.Join(own, "package.json")), 0o644, []byte("{}")},
		{filepath.ToSlash(filepath.Join(own, "bin", "aburn")), 0o755, []byte(script)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules", "aburn", "bin", "aburn.js")
}

func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no /dev/ptmx: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// setTerminal changes a terminal's mode, and is the mode then.
func setTerminal(t *testing.T, tty *os.File, change func(*unix.Termios)) unix.Termios {
	t.Helper()
	mode, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	change(mode)
	if err := unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, mode); err != nil {
		t.Fatal(err)
	}
	return *mode
}
