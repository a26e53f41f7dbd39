package kit

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"aburn/internal/term"
)

// defaultPager ends at once if all fits on the screen, and shows colours.
const defaultPager = "less -FRX"

// Paged has write print to stdout, on a terminal through $PAGER. A pager that a person leaves early ends the printing, which is no error.
// PAGER=cat switches paging off. While a pager runs, an interrupt is the pager's: one that is killed would leave the terminal without echo.
func (a *App) Paged(cmd *cli.Command, write func(out *term.Out) error) error {
	out := a.Screen(cmd)
	argv := a.pager()
	if !out.Terminal() || argv == nil {
		return write(out)
	}
	pager := exec.Command(argv[0], argv[1:]...)
	pager.Stdout, pager.Stderr = a.Stdout, os.Stderr
	if a.Getenv("LESSCHARSET") == "" { // without a locale, less shows bytes instead of marks
		pager.Env = append(os.Environ(), "LESSCHARSET=utf-8")
	}
	to, err := pager.StdinPipe()
	if err != nil {
		return err
	}
	if err := pager.Start(); err != nil {
		return write(out)
	}
	signal.Ignore(os.Interrupt) // not before: the pager would inherit it
	err = write(out.Onto(to))
	to.Close()
	pager.Wait() // how it ends is between it and the person
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// pager is the command line of the pager, nil for none.
func (a *App) pager() []string {
	line := strings.TrimSpace(a.Getenv("PAGER"))
	if line == "" {
		if _, err := exec.LookPath("less"); err != nil {
			return nil
		}
		line = defaultPager
	}
	if line == "cat" || runtime.GOOS == "windows" {
		return nil
	}
	return []string{"/bin/sh", "-c", line}
}
