//go:build agents

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// deadline is for a session that hangs.
const deadline = 2 * time.Minute

// recording is the script of one recording.
type recording struct {
	name   string
	script model.Script
	codex  string // Codex's model; "" is the one with the plain tools
	more   []string
	play   func(*studio)
}

// studio is a throw-away user with one project. The first error stays.
type studio struct {
	home, project string
	model         *model.Server
	codex         string
	more          []string // environment
	err           error
	open          []*exec.Cmd
}

// files are the project.
var files = map[string]string{
	"go.mod":     "module stack\n\ngo 1.26\n",
	"doc.go":     "// Package stack is one.\npackage stack\n",
	"README.md":  "# stack\n",
	".gitignore": "*.tmp\n",
}

func (t recording) record() error {
	s := &studio{codex: t.codex, more: t.more}
	if s.codex == "" {
		s.codex = "gpt-5.5"
	}
	s.home = filepath.Join(os.Getenv(workVar), t.name)
	s.project = filepath.Join(s.home, "project")
	expand(t.script, s.project)
	server, err := model.Start(t.script, filepath.Join(os.Getenv(workVar), t.name+".requests"))
	if err != nil {
		return err
	}
	defer server.Close()
	s.model = server
	s.furnish()
	if s.err == nil {
		t.play(s)
	}
	for _, p := range s.open {
		s.end(p)
	}
	os.Remove(filepath.Join(s.project, "wait.tmp"))
	if s.err != nil {
		return s.err
	}
	return s.keep(t.name)
}

func (s *studio) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *studio) write(path, text string) {
	s.fail(os.MkdirAll(filepath.Dir(path), 0o700))
	s.fail(os.WriteFile(path, []byte(text), 0o600))
}

func (s *studio) furnish() {
	for name, text := range files {
		s.write(filepath.Join(s.project, name), text)
	}
	bin := filepath.Join(s.home, "bin")
	s.fail(os.MkdirAll(bin, 0o700))
	s.fail(os.Symlink(os.Getenv(claudeVar), filepath.Join(bin, "claude")))
	s.fail(os.Symlink(os.Getenv(codexVar), filepath.Join(bin, "codex")))
	s.write(filepath.Join(s.home, ".profile"), "PATH="+s.path()+":$PATH\n") // Codex's login shell sets it anew
	s.write(filepath.Join(s.home, ".codex", "config.toml"), agents.CodexConfig(s.model.URL(), s.codex, "danger-full-access", "never"))
	s.write(filepath.Join(s.home, ".claude.json"), `{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["`+agents.DummyKey+
		`"], "rejected": []},
		"projects": {"`+s.project+`": {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}}}`)
	s.run("git", "init", "-q", "-b", "main")
	s.run("git", "add", "-A")
	s.run("git", "-c", "user.name=user", "-c", "user.email=user@example.invalid", "commit", "-q", "-m", "first")
	s.run("aburn", "install-hooks", "--yes")
	s.run("aburn", "templates", "write", "--agent", "claude")
	s.run("go", "test", "./...") // fills the build cache
}

func (s *studio) path() string {
	return filepath.Join(os.Getenv(workVar), "bin") + ":" + filepath.Join(s.home, "bin") + ":/usr/local/go/bin"
}

func (s *studio) env() []string {
	cache, err := os.UserCacheDir()
	s.fail(err)
	env := agents.Env(s.home, s.path(), "GOCACHE="+filepath.Join(cache, "go-build"), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	env = append(env, agents.ClaudeEnv(s.model.URL())...)
	return append(append(env, agents.CodexEnv()...), s.more...)
}

// run runs a program of the studio to its end; only aburn and git have to succeed.
func (s *studio) run(name string, args ...string) {
	p := s.start(name, args...)
	s.wait(p)
	if p.Process != nil {
		s.end(p)
	}
}

func (s *studio) start(name string, args ...string) *exec.Cmd {
	path := name
	for _, dir := range filepath.SplitList(s.path() + ":/usr/bin:/bin") {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			path = filepath.Join(dir, name)
			break
		}
	}
	p := exec.Command(path, args...)
	var out bytes.Buffer
	p.Dir, p.Env, p.Stdout, p.Stderr = s.project, s.env(), &out, &out
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.WaitDelay = 5 * time.Second
	if s.err != nil {
		return p
	}
	if err := p.Start(); err != nil {
		s.fail(err)
		return p
	}
	s.open = append(s.open, p)
	return p
}

// wait waits until p has ended, and leaves it a zombie: what it left running goes on until the recording ends, and the
// number of its group stays its own.
func (s *studio) wait(p *exec.Cmd) {
	if s.err != nil || p.Process == nil {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for errors.Is(unix.Waitid(unix.P_PID, p.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
		}
	}()
	select {
	case <-ended:
	case <-time.After(deadline):
		s.end(p)
		s.fail(fmt.Errorf("%s hangs\n%s", p.Path, p.Stdout))
	}
}

// end kills p's group and reaps p, once, in this order: a number that is nobody's may be anybody's by now.
func (s *studio) end(p *exec.Cmd) {
	if p.ProcessState != nil {
		return
	}
	syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	err := p.Wait()
	if name := filepath.Base(p.Path); err != nil && (name == "aburn" || name == "git") {
		s.fail(fmt.Errorf("%s: %w\n%s", name, err, p.Stdout))
	}
	if os.Getenv("ABURN_RECORD_SHOW") != "" {
		fmt.Printf("%s: %v\n%s\n", filepath.Base(p.Path), err, p.Stdout)
	}
}

// claude is one session, or turn of one, without a terminal.
func (s *studio) claude(prompt string, args ...string) { s.wait(s.startClaude(prompt, args...)) }

func (s *studio) startClaude(prompt string, args ...string) *exec.Cmd {
	return s.start("claude", append([]string{"-p", prompt, "--dangerously-skip-permissions"}, args...)...)
}

func (s *studio) codexExec(prompt string, args ...string) { s.wait(s.startCodex(prompt, args...)) }

func (s *studio) startCodex(prompt string, args ...string) *exec.Cmd {
	return s.start("codex", append(append([]string{"exec", "--dangerously-bypass-hook-trust"}, args...), prompt)...)
}

// until waits for something that the session does.
func (s *studio) until(what string, done func() bool) {
	for end := time.Now().Add(deadline); s.err == nil; time.Sleep(30 * time.Millisecond) {
		if done() {
			return
		}
		if time.Now().After(end) {
			s.fail(errors.New("never: " + what))
		}
	}
}

// waits is a command that runs until the recording ends, and says that it has begun.
const waits = "touch wait.tmp; while [ -e wait.tmp ]; do sleep 0.1; done"

func (s *studio) waiting() {
	s.until("the command that waits", func() bool { return s.left("wait.tmp") })
}

// thread is the id of Codex's first session.
func (s *studio) thread() string {
	paths, _ := filepath.Glob(filepath.Join(s.home, ".codex/sessions/*/*/*/*.jsonl"))
	if len(paths) == 0 {
		//lint:ignore ST1005 Codex is a name
		s.fail(errors.New("Codex has no session"))
		return ""
	}
	base := strings.TrimSuffix(filepath.Base(paths[0]), ".jsonl")
	return base[len(base)-36:]
}

// keep writes the log, without what tells this machine from others.
func (s *studio) keep(name string) error {
	text, err := os.ReadFile(filepath.Join(s.project, ".oss", "workflow.log"))
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	temporary := regexp.MustCompile(`/tmp/claude-[^ "<]*`) // where Claude Code keeps what background work prints
	neutral := strings.NewReplacer(s.home, "/home/user", os.Getenv(workVar), "/home/user", strings.TrimPrefix(s.home, "/root"), "", `"host":"`+host+`"`,
		`"host":"here"`)
	out := []byte(logfmt.FirstLine)
	for line := range bytes.Lines(text) {
		if logfmt.Classify(line) != logfmt.EntryLine {
			continue
		}
		e, err := logfmt.Parse(bytes.TrimSpace(line))
		if err != nil {
			return err
		}
		if e.Data != nil {
			e.Data = temporary.ReplaceAll([]byte(neutral.Replace(string(e.Data))), []byte("/tmp/tasks"))
		}
		if host := gjson.GetBytes(e.Data, "proc.host").Str; host != "" && host != "here" {
			return fmt.Errorf("proc has the host %q", host)
		}
		if out, err = e.AppendTo(out); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(kept, name+".log"), out, 0o644)
}

// left reports whether a file of the project is there.
func (s *studio) left(name string) bool {
	_, err := os.Stat(filepath.Join(s.project, name))
	return err == nil
}

// encode is an input as JSON text.
func encode(input map[string]any) string {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // a script holds what JSON cannot
	}
	return string(text)
}
