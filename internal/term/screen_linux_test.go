package term

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestKeysOf(t *testing.T) {
	for text, want := range map[string][]Key{
		"j": {"j"}, "jk": {"j", "k"}, "\x1b[A\x1bOBx": {"up", "down", "x"}, "\x1b": {"escape"}, "\r\x03": {"enter", "ctrl-c"}, "ä→": {"ä", "→"},
		"\x1b[38;5;1mq": {"q"}, "\x1bq/": {"escape", "q", "/"}, "\x1b[": nil, "\x00\xff": nil, "\x7f\b": {"backspace", "backspace"},
	} {
		if got := keysOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// pty is a terminal of so many cells, and its other end.
func pty(t *testing.T, columns, rows uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine has no /dev/ptmx: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close(); slave.Close() })
	return master, slave
}

func modes(t *testing.T, tty *os.File) unix.Termios {
	t.Helper()
	m, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *m
}

// Draw writes what has changed only, and a new size draws everything.
func TestScreenDrawsChanges(t *testing.T) {
	master, slave := pty(t, 20, 4)
	before := modes(t, slave)
	s, err := NewScreen(slave, slave)
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		b := make([]byte, 4096)
		n, _ := master.Read(b)
		return string(b[:n])
	}
	read() // the alternate screen
	s.Draw([]string{"one", "two"})
	if got := read(); got != "\x1b[2J\x1b[1;1H\x1b[2Kone\x1b[2;1H\x1b[2Ktwo" {
		t.Errorf("first: %q", got)
	}
	s.Draw([]string{"one", "three"})
	if got := read(); got != "\x1b[2;1H\x1b[2Kthree" {
		t.Errorf("then: %q", got)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 2, Col: 20}); err != nil {
		t.Fatal(err)
	}
	s.Draw([]string{"one", "three", "too much"})
	if got := read(); got != "\x1b[2J\x1b[1;1H\x1b[2Kone\x1b[2;1H\x1b[2Kthree" {
		t.Errorf("smaller: %q", got)
	}
	if modes(t, slave) == before {
		t.Error("the terminal is not raw")
	}
	s.Close()
	s.Close()
	s.Draw([]string{"nobody sees this"})
	if got := read(); got != leave || modes(t, slave) != before {
		t.Errorf("at the end: %q", got)
	}
}

const panicVariable = "ABURN_TEST_PANIC"

// A panic beside the screen leaves the terminal as it was, and its message is on the terminal's own screen.
func TestScreenAfterAPanic(t *testing.T) {
	if os.Getenv(panicVariable) != "" {
		s, err := NewScreen(os.Stdin, os.Stdout)
		if err != nil {
			panic(err)
		}
		s.Go(func() { panic("it broke") })
		time.Sleep(time.Minute)
		return
	}
	master, slave := pty(t, 80, 24)
	before := modes(t, slave)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestScreenAfterAPanic$")
	cmd.Env = append(os.Environ(), panicVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(master)
		said <- string(text)
	}()
	if err := cmd.Wait(); err == nil {
		t.Error("it did not end by the panic")
	}
	if modes(t, slave) != before {
		t.Error("the terminal stays raw")
	}
	slave.Close()
	text := <-said
	if _, after, ok := strings.Cut(text, leave); !ok || !strings.Contains(after, "it broke") {
		t.Errorf("%q", text)
	}
}
