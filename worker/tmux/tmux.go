// Package tmux runs agents in sessions of a tmux server of aburn's own, so that a person can come and go.
package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"aburn/internal/run"
	"aburn/worker/slot"
)

// socket is the name of the server (tmux -L): not the person's own.
const socket = "aburn"

// patience is for a server that hangs.
const patience = 20 * time.Second

// Runtime is the tmux on PATH.
type Runtime struct{ env []string }

// New gives the runtime; ok is false without tmux. The server is found by TMUX_TMPDIR and TMPDIR of environ.
func New(environ []string) (r *Runtime, ok bool) {
	_, err := exec.LookPath("tmux")
	return &Runtime{environment(environ)}, err == nil
}

// environment is what tmux itself sees. Its server keeps that for days; an agent's own environment comes from its holder.
func environment(environ []string) []string { return run.Clean(environ, "TMUX_TMPDIR") }

// Name of the runtime.
func (r *Runtime) Name() string { return "tmux" }

// Server of all sessions: with it, they end at once.
func (r *Runtime) Server() string { return r.Name() }

// Start runs argv as the only command of a new session. tmux starts it without a shell.
func (r *Runtime) Start(ctx context.Context, name, dir string, argv []string) (address string, err error) {
	args := append([]string{"new-session", "-d", "-s", name, "-c", dir, "-x", strconv.Itoa(slot.Width), "-y", strconv.Itoa(slot.Height), "--"}, argv...)
	for range ending {
		if _, err = r.tmux(ctx, args...); !isEnding(err) {
			break
		}
		time.Sleep(endingPause)
	}
	if err != nil {
		return "", err
	}
	return name, nil
}

// A server ends with its last session. Who meets it then is refused, and has made nothing: the next call begins a new server.
const ending, endingPause = 5, 50 * time.Millisecond

func isEnding(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && (strings.Contains(failed.Text, "server exited") || strings.Contains(failed.Text, "lost server"))
}

// Alive lists the sessions of the server.
func (r *Runtime) Alive(ctx context.Context) (map[string]bool, error) {
	there := map[string]bool{}
	out, err := r.tmux(ctx, "list-sessions", "-F", "#{session_name}")
	var failed *Error
	if errors.As(err, &failed) && (strings.HasPrefix(failed.Text, "no server running") || strings.Contains(failed.Text, "No such file or directory")) {
		return there, nil
	}
	if err != nil {
		return nil, err
	}
	for name := range strings.Lines(out) {
		there[strings.TrimSuffix(name, "\n")] = true
	}
	return there, nil
}

// Attach puts the person's terminal onto a session until the person leaves it.
func (r *Runtime) Attach(address string, readOnly bool) error {
	args := []string{"-L", socket, "attach-session", "-t", "=" + address}
	if readOnly {
		args = append(args, "-r")
	}
	cmd := exec.Command("tmux", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = r.env // without TMUX: the person may sit in a session of another server
	return cmd.Run()
}

// clientsEnd stands between the times of clients and the text of the screen, which may begin with anything.
const clientsEnd = "screen"

// Screen is what the session's only pane shows.
func (r *Runtime) Screen(ctx context.Context, address string) (s slot.Screen, err error) {
	target := "=" + address + ":"
	const where = "#{cursor_x} #{cursor_y} #{pane_dead} #{pane_in_mode}"
	// One call, so that cursor and text are of one moment.
	out, err := r.tmux(ctx, "display-message", "-p", "-t", target, where, ";", "list-clients", "-t", "="+address, "-F", "#{client_activity}", ";",
		"display-message", "-p", "-t", target, clientsEnd, ";", "capture-pane", "-p", "-t", target)
	if err != nil {
		return s, err
	}
	first, rest, _ := strings.Cut(out, "\n")
	var dead, mode int
	if n, err := fmt.Sscan(first, &s.X, &s.Y, &dead, &mode); n < 4 {
		return s, fmt.Errorf("tmux says where the cursor is as %q: %w", first, err)
	}
	if dead != 0 || mode != 0 {
		return s, errors.New("its pane is dead, or somebody scrolls in it")
	}
	for {
		var line string
		if line, rest, _ = strings.Cut(rest, "\n"); line == clientsEnd || line == "" {
			break
		}
		if at, err := strconv.ParseInt(line, 10, 64); err == nil && time.Unix(at, 0).After(s.Touched) {
			s.Touched = time.Unix(at, 0)
		}
	}
	for line := range strings.Lines(rest) {
		s.Lines = append(s.Lines, strings.TrimRight(line, " \n"))
	}
	return s, nil
}

// Paste puts text into the pane as a bracketed paste.
func (r *Runtime) Paste(ctx context.Context, address, text string) error {
	buffer := "aburn-" + address
	res, err := run.Do(ctx, run.Program{Argv: []string{"tmux", "-L", socket, "load-buffer", "-b", buffer, "-"}, Env: r.env, Timeout: patience,
		Stdin: strings.NewReader(text)})
	if err == nil && res.Code != 0 {
		err = &Error{res.Code, strings.TrimSpace(string(res.Stderr))}
	}
	if err == nil {
		_, err = r.tmux(ctx, "paste-buffer", "-p", "-d", "-b", buffer, "-t", "="+address+":")
	}
	return err
}

// Press presses one key.
func (r *Runtime) Press(ctx context.Context, address string, k slot.Key) error {
	_, err := r.tmux(ctx, "send-keys", "-t", "="+address+":", string(k))
	return err
}

// Error is a call of tmux that failed.
type Error struct {
	Code int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("tmux: exit %d: %s", e.Code, e.Text) }

func (r *Runtime) tmux(ctx context.Context, args ...string) (string, error) {
	res, err := run.Do(ctx, run.Program{Argv: append([]string{"tmux", "-L", socket}, args...), Env: r.env, Timeout: patience})
	if err != nil {
		return "", err
	}
	if res.Code != 0 {
		text, _, _ := strings.Cut(strings.TrimSpace(string(res.Stderr)), "\n")
		return "", &Error{res.Code, text}
	}
	return string(res.Stdout), nil
}
