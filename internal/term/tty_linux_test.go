package term

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal is the program's side of a new pseudo-terminal.
func openTerminal(t *testing.T, cols uint16) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
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
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: cols}); err != nil {
		t.Fatal(err)
	}
	return slave
}

func TestATerminalIsMeasuredAndColoured(t *testing.T) {
	tty := openTerminal(t, 137)
	for _, c := range []struct {
		name   string
		env    map[string]string
		plain  bool
		colour bool
	}{
		{"plain environment", nil, false, true},
		{"--no-color", nil, true, false},
		{"NO_COLOR", map[string]string{"NO_COLOR": "1"}, false, false},
		{"NO_COLOR empty does not count", map[string]string{"NO_COLOR": ""}, false, true},
		{"TERM=dumb", map[string]string{"TERM": "dumb"}, false, false},
	} {
		out := New(tty, func(k string) string { return c.env[k] }, c.plain)
		if !out.Terminal() || out.Width() != 137 {
			t.Errorf("%s: terminal %v, width %d", c.name, out.Terminal(), out.Width())
		}
		if got := out.Paint(Red, "x") != "x"; got != c.colour {
			t.Errorf("%s: coloured %v, want %v", c.name, got, c.colour)
		}
	}
}
