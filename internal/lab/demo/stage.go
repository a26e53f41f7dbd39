package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/web/demo"
)

// stage is the throw-away home and project of one demo.
type stage struct {
	dir, bin, project string
	home              string
	week              *demo.Demo // the sessions of a week, nil if others are shown
}

// newStage makes a home with recorded sessions: those of a week in three projects, or a few old ones that show all forms.
func newStage(old bool) (*stage, error) {
	dir, err := os.MkdirTemp("", "aburn-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, bin: filepath.Join(dir, "bin"), project: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	if !old {
		if err := s.liveAWeek(); err != nil {
			return nil, err
		}
	}
	// With an .oss of its own the project is not taken for part of one above the folder for temporary files.
	config := filepath.Join(s.home, ".config", "aburn")
	for _, d := range []string{s.bin, filepath.Join(s.project, ".oss"), config} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	// The demo reads the sessions itself: what a hook starts would outlive it.
	if err := os.WriteFile(filepath.Join(config, "settings.json"), []byte(`{"archive":{"at_session_end":false}}`), 0o600); err != nil {
		return nil, err
	}
	if !old {
		return s, nil
	}
	return s, s.leaveSessions()
}

// liveAWeek gives the stage the home of aburn web's demo. The executables find it by HOME, this process keeps its own.
func (s *stage) liveAWeek() (err error) {
	before := os.Environ()
	s.week, err = demo.New()
	s.home = os.Getenv("HOME")
	for _, variable := range before {
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}
	return err
}

// leaveSessions puts the sessions that agents left there into the home, as old as they say.
func (s *stage) leaveSessions() error {
	left, err := fs.Sub(sessions, "testdata/home")
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.home, left); err != nil {
		return err
	}
	then := time.Date(2025, 11, 20, 12, 0, 0, 0, time.UTC)
	return fs.WalkDir(left, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(filepath.Join(s.home, path), then, then)
	})
}

func (s *stage) clear() {
	os.RemoveAll(s.dir)
	if s.week != nil {
		s.week.Clear()
	}
}

// build compiles executables and makes the project. It compiles as `go run` did this program: what both import is compiled once.
func (s *stage) build(names ...string) error {
	args := []string{"build", "-ldflags=-s -w", "-o", s.bin + "/"}
	for _, name := range names {
		args = append(args, "./cmd/"+name)
	}
	build := exec.Command("go", args...)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return s.quiet(s.command("aburn", "init"))
}

// command is one of our executables in the project, with a home of its own.
func (s *stage) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.project
	cmd.Env = []string{"PATH=" + s.bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + s.home,
		"CLAUDE_PROJECT_DIR=" + s.project, "TERM=" + os.Getenv("TERM"), "COLORTERM=" + os.Getenv("COLORTERM"), "LANG=" + os.Getenv("LANG")}
	if no, set := os.LookupEnv("NO_COLOR"); set {
		cmd.Env = append(cmd.Env, "NO_COLOR="+no)
	}
	return cmd
}

func (s *stage) quiet(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// played is what came of playing steps.
type played struct {
	hooks, commands int
	handed          string // the last text that a hook gave to the agent
}

// play gives each payload to a hook process, and does what the session did
// besides: it wrote files, and it ran aburn itself.
func (s *stage) play(steps []step) (p played, err error) {
	for _, st := range steps {
		p.hooks++
		handed, err := s.hook(st)
		if err != nil {
			return p, err
		}
		if handed != "" {
			p.handed = handed
		}
		if st.Event != "PreToolUse" {
			continue
		}
		switch {
		case st.Tool == "Write":
			err = s.writeFile(st)
		case strings.HasPrefix(st.Input.Command, "aburn "):
			err = s.runCommand(st)
			p.commands++
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// hook gives one payload to a hook, and is the text that the agent gets from it.
func (s *stage) hook(st step) (string, error) {
	hook := s.command("aburn-hook", "claude")
	hook.Stdin = bytes.NewReader(bytes.ReplaceAll(st.payload, []byte(recordedProject), []byte(s.project)))
	var errs bytes.Buffer
	hook.Stderr = &errs
	out, err := hook.Output()
	if err != nil {
		return "", fmt.Errorf("aburn-hook at %s: %w\n%s", st.Event, err, errs.String())
	}
	if len(out) == 0 {
		return "", nil
	}
	var answer struct {
		Output struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return "", fmt.Errorf("aburn-hook at %s answered %q: %w", st.Event, out, err)
	}
	return answer.Output.Context, nil
}

func (s *stage) writeFile(st step) error {
	path, ok := strings.CutPrefix(st.Input.Path, recordedProject+"/")
	if !ok || !filepath.IsLocal(path) {
		return fmt.Errorf("recording writes outside its project: %s", st.Input.Path)
	}
	path = filepath.Join(s.project, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(st.Input.Content), 0o644)
}

func (s *stage) runCommand(st step) error {
	shell := s.command("aburn")
	sh, err := exec.LookPath("sh")
	if err != nil {
		return err
	}
	shell.Path, shell.Args = sh, []string{"sh", "-c", st.Input.Command}
	shell.Env = append(shell.Env, "CLAUDE_CODE_SESSION_ID="+st.Session)
	return s.quiet(shell)
}

// show runs aburn as a person would: on this terminal. That it exits with 1 because something is wrong is no error
// here.
func (s *stage) show(args ...string) error {
	cmd := s.command("aburn", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 &&
		slices.Contains([]string{"supervisor", "overlap", "merge", "send"}, args[0]) {
		return nil
	}
	return err
}
