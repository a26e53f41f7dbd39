package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// tmuxWorld is a shell in a tmux of its own, in which somebody types.
type tmuxWorld struct {
	*webWorld
	socket string
}

// newTmux starts the shell, in this many cells.
func newTmux(t *testing.T, w *webWorld, columns, rows int) *tmuxWorld {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("this machine has no tmux")
	}
	x := &tmuxWorld{w, filepath.Join(t.TempDir(), "tmux")}
	cmd := w.command("tmux", "-S", x.socket, "-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), "sh", "-i")
	cmd.Env = append(cmd.Env, "PS1=ready> ", "TERM=screen-256color", "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("tmux: %v\n%s", err, out)
	}
	t.Cleanup(func() { x.tmux("kill-server") })
	x.until("ready>", true)
	return x
}

func (x *tmuxWorld) tmux(args ...string) string {
	out, _ := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	return string(out)
}

func (x *tmuxWorld) shown(args ...string) string {
	return x.tmux(append([]string{"capture-pane", "-p"}, args...)...)
}

// until waits until the screen has a text, or until it has it no more.
func (x *tmuxWorld) until(text string, there bool) string {
	x.Helper()
	return x.shows(fmt.Sprintf("%q, there: %t", text, there), func(shown string) bool { return strings.Contains(shown, text) == there })
}

// shows waits until the screen is as it should be: it is drawn in more than one step.
func (x *tmuxWorld) shows(what string, is func(shown string) bool) string {
	x.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(25 * time.Millisecond) {
		shown := x.shown()
		if is(shown) {
			return shown
		}
		if time.Now().After(end) {
			x.Fatalf("%s: was waited for in vain\n%s", what, shown)
		}
	}
}

func (x *tmuxWorld) types(keys ...string) { x.tmux(append([]string{"send-keys"}, keys...)...) }

// modes are the terminal's, as stty says them.
func (x *tmuxWorld) modes() string {
	x.Helper()
	tty := strings.TrimSpace(x.tmux("display-message", "-p", "#{pane_tty}"))
	f, err := os.OpenFile(tty, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		x.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command("stty", "-a")
	cmd.Stdin = f
	out, err := cmd.Output()
	if err != nil {
		x.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(out), ";") // without the size
	_, rest, _ = strings.Cut(rest, "line =")
	return rest
}

// start runs aburn top in the shell, as a job with a known process.
func (x *tmuxWorld) start(variables string) (pid int) {
	x.Helper()
	path := filepath.Join(x.dir, "pid")
	os.Remove(path)
	x.types(fmt.Sprintf("%s sh -c 'echo $$ > %s; exec aburn top --no-ingest'", variables, path), "Enter")
	x.until("Enter detail", true) // the last line
	text, err := os.ReadFile(path)
	if err != nil {
		x.Fatal(err)
	}
	pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		x.Fatal(err)
	}
	return pid
}

// aburn top in a real terminal: it follows the log, shows a question whole, keeps to the size, goes to the background and comes back,
// and leaves the terminal as it was however it ends.
func TestTopInATerminal(t *testing.T) {
	world.Slow(t)
	w := newWebWorld(t, 0)
	const session = "aaaa1111-0000-4000-8000-000000000001"
	command := `psql "$DATABASE_URL" -c "ALTER TABLE cart_items ALTER COLUMN price TYPE numeric(12,4)" && make the-end-of-it`
	w.begin(session, "Fix rounding in cart totals")
	x := newTmux(t, w, 80, 24)
	before := x.modes()
	x.types("echo earlier work", "Enter")
	x.until("earlier work", true)
	x.start("")
	x.until("0 waiting · 0 stuck · 1 working", true)
	w.asks(session, command)
	x.until("1 waiting", true)
	x.types("Enter")
	x.shows("the whole question", func(shown string) bool {
		return strings.Contains(shown, "▸ ◆") && strings.Contains(shown, "permission") && strings.Contains(shown, "make the-end-of-it") &&
			strings.Contains(shown, "entry 4 of the log") && !strings.Contains(shown, "earlier work")
	})
	x.fits(80, 24)
	x.tmux("resize-window", "-x", "60", "-y", "14")
	x.fits(60, 14)
	x.tmux("resize-window", "-x", "80", "-y", "24")
	x.types("?")
	x.until("leaves for a while", true)
	x.types("q")
	x.until("leaves for a while", false)

	x.types("C-z")
	shown := x.until("Stopped", true)
	if !strings.Contains(shown, "earlier work") || x.modes() != before {
		t.Errorf("in the background the terminal is another one:\n%s\n%s\nbefore\n%s", shown, x.modes(), before)
	}
	w.hook(map[string]any{"session_id": session, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command},
		"tool_response": map[string]any{}, "tool_use_id": "toolu_" + session})
	x.types("fg", "Enter")
	x.until("0 waiting", true)
	x.types("/nothing", "Enter")
	x.until("Nothing has nothing in it", true)
	x.types("Escape", "q")
	x.gone(before)

	for _, end := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		pid := x.start("NO_COLOR=1")
		if shown := x.shown("-e"); strings.Contains(shown, "\x1b[") {
			t.Errorf("NO_COLOR shows %q", shown)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		p.Signal(end)
		x.gone(before)
	}
	x.start("")
	if shown := x.shown("-e"); !strings.Contains(shown, "\x1b[") {
		t.Error("it shows no colours where it may")
	}
	x.types("C-c")
	x.gone(before)
	x.types("TERM=dumb aburn top --no-ingest; echo printed once", "Enter")
	x.until("printed once\nready>", true)
}

// fits waits until the list is drawn for the terminal's size, and holds every line to it.
func (x *tmuxWorld) fits(columns, rows int) {
	x.Helper()
	shown := x.shows(fmt.Sprintf("a list of %d lines", rows), func(shown string) bool {
		lines := strings.Split(strings.TrimRight(shown, "\n"), "\n")
		return len(lines) == rows && strings.Contains(lines[0], "1 waiting") && strings.Contains(lines[rows-1], "Enter detail")
	})
	for _, line := range strings.Split(shown, "\n") {
		if plain.Width(line) > columns {
			x.Errorf("%d cells: %q", plain.Width(line), line)
		}
	}
}

// gone waits until the shell has the terminal again, as it was.
func (x *tmuxWorld) gone(before string) {
	x.Helper()
	x.shows("the screen before", func(shown string) bool {
		return !strings.Contains(shown, "waiting ·") && strings.Contains(shown, "earlier work")
	})
	x.types("echo back$((40+2))", "Enter")
	x.until("back42", true)
	if after := x.modes(); after != before {
		x.Errorf("the terminal is left as\n%s\nbefore\n%s", after, before)
	}
	x.types(`printf '\033[H\033[2J'; echo earlier work`, "Enter")
	x.until("back42", false)
}

// Where nobody looks, it prints once: lines for people, and the same as JSON.
func TestTopPrintsOnce(t *testing.T) {
	w := newWebWorld(t, 0)
	w.begin("aaaa1111-0000-4000-8000-000000000001", "Fix rounding in cart totals")
	w.asks("aaaa1111-0000-4000-8000-000000000001", "make migrate")
	for _, args := range [][]string{{"top"}, {"top", "--once"}} {
		out := w.aburn(append(args, "--no-ingest")...)
		words := strings.Join(strings.Fields(out), " ") // a long folder breaks its line
		if !strings.HasPrefix(words, "1 waiting · 0 stuck · 0 working amounts are unknown: no archive in ") || !strings.HasSuffix(words, " make migrate") ||
			strings.Contains(out, "\x1b") {
			t.Errorf("%v prints\n%s", args, out)
		}
	}
	w.stored("99990000-0000-4000-8000-000000000009").prompt("weed the garden")
	if out := w.aburn("top"); !strings.Contains(out, "1 waiting · 0 stuck · 0 working · today $") {
		t.Errorf("with an archive it prints\n%s", out)
	}
	out := w.aburn("top", "--json", "--no-ingest")
	for _, want := range []string{`"waiting":1`, `"group":"waiting","kind":"permission"`, `"quoted":"make migrate"`, `"proof":[4]`} {
		if !strings.Contains(out, want) {
			t.Errorf("--json lacks %s: %s", want, out)
		}
	}
}
