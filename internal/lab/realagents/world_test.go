//go:build agents

package realagents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
)

// runDeadline is for a run that hangs, nothing else: the longest run takes some seconds, on a busy machine half a minute.
const runDeadline = 3 * time.Minute

// world is one throw-away user: a home, a git project in it, and a model that plays a script.
type world struct {
	testing.TB
	home, project string
	model         *model.Server
	codex         string   // Codex's model; decides which tools it offers
	more          []string // environment of this world's agents, beyond what all have
	shown         []string // exit code and stdout of each run of an agent, in order
}

// untilEnd is a command that runs until its test ends, whoever started it is killed or not: what it runs for is a file of the project.
const untilEnd = "touch '$PROJECT/started.tmp'; while [ -e '$PROJECT/started.tmp' ]; do sleep 0.1; done"

// started is the file that untilEnd makes, and whose end is its own.
func (w *world) started() string { return filepath.Join(w.project, "started.tmp") }

// newWorld makes a home and a project whose first commit holds files (path → content). Worlds that are compared have names of one
// length: the length of the project's path shows in the token counts that Codex tells its model.
func newWorld(t testing.TB, name string, script model.Script, files map[string]string) *world {
	t.Helper()
	dir := filepath.Join(os.Getenv(workVar), strings.ReplaceAll(t.Name(), "/", "."), name)
	w := &world{TB: t, home: filepath.Join(dir, "home"), codex: "gpt-5.5"}
	w.project = filepath.Join(w.home, "project")
	if err := os.MkdirAll(w.project, 0o700); err != nil {
		t.Fatal(err)
	}
	server, err := model.Start(expand(script, strings.NewReplacer("$PROJECT", w.project, "$HOME", w.home)), filepath.Join(dir, "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	w.model = server
	t.Cleanup(func() { os.Remove(w.started()) })
	w.write(".gitignore", "*.tmp\n")
	for path, content := range files {
		w.write(path, content)
	}
	// Codex runs commands in a login shell, whose /etc/profile may set PATH anew; a user's own profile puts it right.
	w.write(filepath.Join(w.home, ".profile"), "PATH="+w.bin()+":$PATH\n")
	for name, path := range map[string]string{"claude": w.claudePath(), "codex": w.codexPath()} {
		w.link(path, filepath.Join(w.home, "bin", name))
	}
	w.git("init", "-q", "-b", "main")
	w.commit("first")
	w.codexConfig("danger-full-access")
	return w
}

// link makes a link to target; a relative path is one of the project.
func (w *world) link(target, path string) {
	w.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.project, path)
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(target, path)); err != nil {
		w.Fatal(err)
	}
}

// expand is the script with this world's paths in the inputs of its calls. The original stays as it is: another world plays it too.
func expand(script model.Script, paths *strings.Replacer) model.Script {
	expanded := make(model.Script, len(script))
	for i, c := range script {
		conversation := *c
		conversation.Turns = slices.Clone(c.Turns)
		for j := range conversation.Turns {
			turn := &conversation.Turns[j]
			turn.Calls = slices.Clone(turn.Calls)
			for k := range turn.Calls {
				if input := turn.Calls[k].Input; input != nil {
					turn.Calls[k].Input = paths.Replace(encode(input))
				}
			}
		}
		expanded[i] = &conversation
	}
	return expanded
}

func encode(input any) string {
	if text, ok := input.(string); ok {
		return text
	}
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // a scenario holds what JSON cannot
	}
	return string(text)
}

// write makes a file of the project.
func (w *world) write(path, content string) {
	w.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.project, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.Fatal(err)
	}
}

// codexConfig writes Codex's own settings, with the sandbox of commands; "" is Codex's default, which for a folder that the user
// trusts is workspace-write, else read-only.
func (w *world) codexConfig(sandbox string, trusted ...string) {
	w.Helper()
	w.write(filepath.Join(w.home, ".codex", "config.toml"), agents.CodexConfig(w.model.URL(), w.codex, sandbox, "never", trusted...))
}

func (w *world) git(args ...string) string {
	w.Helper()
	command := exec.Command("git", args...)
	command.Dir, command.Env = w.project, w.env()
	out, err := command.CombinedOutput()
	if err != nil {
		w.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// gitStatus is what an agent could see of aburn in the working tree.
func (w *world) gitStatus() string {
	w.Helper()
	return w.git("status", "--porcelain", "--untracked-files=all")
}

// commit has a fixed author and time, so that hashes are the same in every run.
func (w *world) commit(message string) {
	w.Helper()
	w.git("add", "-A")
	w.git("-c", "user.name=user", "-c", "user.email=user@example.invalid", "commit", "-q", "--allow-empty", "-m", message,
		"--date", "2026-01-01T00:00:00Z")
}

// bin is where this user has programs: aburn's, and what a test puts into ~/bin.
func (w *world) bin() string {
	return filepath.Join(os.Getenv(workVar), "bin") + ":" + filepath.Join(w.home, "bin")
}

// env is all that a process of this user gets.
func (w *world) env() []string {
	env := agents.Env(w.home, w.bin())
	env = append(env, agents.ClaudeEnv(w.model.URL())...)
	env = append(append(env, agents.CodexEnv()...), "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	return append(env, w.more...)
}

// result is how a process ended.
type result struct {
	stdout, stderr string
	code           int // -1 when it was killed
}

// run runs a program of PATH to its end.
func (w *world) run(dir, name string, args ...string) result {
	w.Helper()
	return w.start(dir, name, args...).wait()
}

// claude runs one non-interactive session of Claude Code in the project. Permission checks are off unless args say otherwise.
func (w *world) claude(prompt string, args ...string) result {
	w.Helper()
	return w.startClaude(w.project, prompt, args...).wait()
}

func (w *world) startClaude(dir, prompt string, args ...string) *process {
	w.Helper()
	return w.start(dir, w.claudePath(), append([]string{"-p", prompt}, args...)...)
}

func (w *world) claudePath() string { return os.Getenv(claudeVar) }
func (w *world) codexPath() string  { return os.Getenv(codexVar) }

// codexExec runs one non-interactive turn of Codex in dir.
func (w *world) codexExec(dir, prompt string, args ...string) result {
	w.Helper()
	return w.startCodex(dir, prompt, args...).wait()
}

func (w *world) startCodex(dir, prompt string, args ...string) *process {
	w.Helper()
	return w.start(dir, w.codexPath(), append([]string{"exec", "--dangerously-bypass-hook-trust"}, append(args, prompt)...)...)
}

// process is a running program with everything it started.
type process struct {
	*exec.Cmd
	w           *world
	cancel      context.CancelFunc
	out, errout bytes.Buffer
}

func (w *world) start(dir, name string, args ...string) *process {
	w.Helper()
	env := w.env()
	if !filepath.IsAbs(name) {
		name = lookPath(name, env)
	}
	ctx, cancel := context.WithTimeout(context.Background(), runDeadline)
	p := &process{Cmd: exec.CommandContext(ctx, name, args...), w: w, cancel: cancel}
	p.Dir, p.Env, p.Stdout, p.Stderr = dir, env, &p.out, &p.errout
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.Cancel = func() error { return p.kill(syscall.SIGKILL) }
	p.WaitDelay = 5 * time.Second // a child in the background may hold stdout
	if err := p.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(p.sweep)
	return p
}

// sweep ends what is left of the group. Once its first process was waited for and no other is left, the group's number may be
// anybody's: numbers come round within minutes. So only processes of this home are signalled.
func (p *process) sweep() {
	if p.ProcessState == nil {
		p.kill(syscall.SIGKILL)
		return
	}
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if group, err := syscall.Getpgid(pid); err != nil || group != p.Process.Pid {
			continue
		}
		if env, err := os.ReadFile(file); err == nil && strings.Contains("\x00"+string(env), "\x00HOME="+p.w.home+"\x00") {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// kill signals the process and every child that is still in its group.
func (p *process) kill(signal syscall.Signal) error { return syscall.Kill(-p.Process.Pid, signal) }

func (p *process) wait() result {
	p.w.Helper()
	defer p.cancel()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		p.w.Fatalf("%s: %v", filepath.Base(p.Path), err)
	}
	r := result{p.out.String(), p.errout.String(), p.ProcessState.ExitCode()}
	if filepath.Base(p.Path) == "aburn" {
		return r
	}
	p.w.shown = append(p.w.shown, fmt.Sprintf("exit %d: %s", r.code, strings.ReplaceAll(r.stdout, p.w.home, "$HOME")))
	p.w.Cleanup(func() {
		if p.w.Failed() {
			p.w.Logf("%s %s in %s: exit %d\n%s%s", filepath.Base(p.Path), strings.Join(p.Args[1:], " "), p.Dir, r.code, r.stdout, r.stderr)
		}
	})
	return r
}

// lookPath finds a program on the PATH of env, not on the test's own.
func lookPath(name string, env []string) string {
	for _, variable := range env {
		list, ok := strings.CutPrefix(variable, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if path := filepath.Join(dir, name); isFile(path) {
				return path
			}
		}
	}
	return name
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// waitFor polls until a file exists: the only way to know that a command inside an agent has come that far.
func (w *world) waitFor(path string) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if isFile(path) {
			return
		}
	}
	w.Fatalf("%s did not appear", path)
}

// killIn kills the client within a call: once the call has started, and its session file holds it.
// A client can start a call, and even end the one before it, before it has written them.
func (w *world) killIn(p *process, call string) {
	w.Helper()
	w.waitFor(w.started())
	w.waitRecorded(call)
	p.kill(syscall.SIGKILL)
	p.wait()
}

// waitRecorded waits until a session file of an agent in the home holds a call and what its answer cost, which Codex writes behind
// the calls of the answer.
func (w *world) waitRecorded(call string) {
	w.Helper()
	w.stored("call "+call, func(text string) bool {
		_, after, found := strings.Cut(text, `"`+call+`"`)
		return found && (!strings.Contains(text, `"session_meta"`) || strings.Contains(after, `"token_usage_record"`))
	})
}

// waitEnded waits until a session file of Codex holds what a call came to.
func (w *world) waitEnded(call string) {
	w.Helper()
	w.stored("the end of call "+call, func(text string) bool {
		for line := range strings.Lines(text) {
			if strings.Contains(line, `_call_output"`) && strings.Contains(line, `"`+call+`"`) && strings.HasSuffix(line, "\n") {
				return true
			}
		}
		return false
	})
}

// stored waits until a session file of an agent in the home is so.
func (w *world) stored(what string, is func(text string) bool) {
	w.Helper()
	for deadline := time.Now().Add(runDeadline); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		found := false
		for _, store := range []string{".claude/projects", ".codex/sessions", ".copilot/session-state"} {
			filepath.WalkDir(filepath.Join(w.home, store), func(path string, e fs.DirEntry, err error) error {
				if err == nil && strings.HasSuffix(path, ".jsonl") {
					text, _ := os.ReadFile(path)
					found = found || is(string(text))
				}
				return nil
			})
		}
		if found {
			return
		}
	}
	w.Fatalf("%s was not recorded", what)
}

// asked is the i-th request to the model.
func (w *world) asked(i int) *model.Request {
	w.Helper()
	asked := w.model.Asked()
	if i >= len(asked) {
		w.Fatalf("the model was asked %d times, not %d", len(asked), i+1)
	}
	return asked[i]
}

// twoAgents is a script for one short session of each agent.
func twoAgents() model.Script {
	return model.Script{
		{Name: "codex", When: model.Speaks(model.Responses), Turns: []model.Turn{model.Calls(command("exit 5")), model.Text("done")}},
		{Name: "claude", Turns: []model.Turn{model.Calls(bash("exit 3")), model.Text("done")}},
	}
}
