package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// historied is a repository with a session of Claude Code, both with a clock of their own.
type historied struct {
	*exported
	repo    string
	now     time.Time
	records int
}

const whyID = "7b1c2f91-0000-4000-8000-000000000001"

func newHistoried(t *testing.T) *historied {
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &historied{exported: &exported{t, home}, repo: filepath.Join(home, "repo"), now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(h.repo, 0o700); err != nil {
		t.Fatal(err)
	}
	h.git("init", "-q", "-b", "main")
	return h
}

func (h *historied) git(args ...string) string {
	h.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.repo
	date := fmt.Sprintf("@%d +0000", h.now.Unix())
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@x", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@x",
		"GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.Fatalf("git %v: %s", args, out)
	}
	return strings.TrimSpace(string(out))
}

func (h *historied) write(name, text string) {
	h.Helper()
	if err := os.WriteFile(filepath.Join(h.repo, name), []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
}

// record appends a record to the session's transcript, a second after the last one.
func (h *historied) record(kind string, message map[string]any, more map[string]any) {
	h.Helper()
	h.now = h.now.Add(time.Second)
	h.records++
	r := map[string]any{"type": kind, "sessionId": whyID, "cwd": h.repo, "version": "2.1.329", "uuid": fmt.Sprintf("u%d", h.records), "parentUuid": nil,
		"timestamp": h.now.Format("2006-01-02T15:04:05.000Z"), "message": message}
	if h.records > 1 {
		r["parentUuid"] = fmt.Sprintf("u%d", h.records-1)
	}
	for k, v := range more {
		r[k] = v
	}
	line, err := json.Marshal(r)
	if err != nil {
		h.Fatal(err)
	}
	dir := filepath.Join(h.home, ".claude", "projects", "-repo") // of the folder where it began
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, whyID+".jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		h.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		h.Fatal(err)
	}
}

func (h *historied) prompt(text string) {
	h.record("user", map[string]any{"role": "user", "content": text}, nil)
}

// call records a call, does what it does, and records its result.
func (h *historied) call(tool string, input map[string]any, run func() string, result map[string]any) {
	id := fmt.Sprintf("toolu_%d", h.records)
	h.record("assistant", map[string]any{"id": "msg_" + id, "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "tool_use",
		"usage":   map[string]any{"input_tokens": 1000, "output_tokens": 100},
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}}, nil)
	output := run()
	h.record("user", map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}}},
		map[string]any{"toolUseResult": result})
}

func (h *historied) bash(command string, run func() string) {
	h.call("Bash", map[string]any{"command": command}, run, map[string]any{"stdout": "", "stderr": "", "interrupted": false})
}

// creates has the session create a file.
func (h *historied) creates(name, text string) {
	path := filepath.Join(h.repo, name)
	h.call("Write", map[string]any{"file_path": path, "content": text}, func() string { h.write(name, text); return "created" },
		map[string]any{"type": "create", "filePath": path, "content": text, "structuredPatch": []any{}})
}

func (h *historied) why(want int, args ...string) (out, errs string) {
	h.Helper()
	out, errs, code := h.run(append([]string{"-C", h.repo, "why"}, args...)...)
	if code != want {
		h.Fatalf("why %v: exit %d, want %d\n%s%s", args, code, want, out, errs)
	}
	return out, errs
}

// TestWhy: a commit and its lines lead to the session, its prompt, its checks and its cost, also after a rebase and a squash; what a person
// committed is nobody's; and a clone elsewhere knows nothing.
func TestWhy(t *testing.T) {
	world.Slow(t)
	h := newHistoried(t)
	h.write("README", "one\n")
	h.git("add", ".")
	h.git("commit", "-qm", "start")
	start := h.git("rev-parse", "HEAD")

	h.prompt("write a parser")
	h.creates("parser.go", "package parser\n\nfunc Parse() {}\n")
	h.bash("go test ./...", func() string { return "ok" })
	h.git("checkout", "-qb", "topic")
	h.bash(`git add -A && git commit -m "add the parser"`, func() string { h.git("add", "-A"); return h.git("commit", "-m", "add the parser") })
	made := h.git("rev-parse", "HEAD")
	h.prompt("now its tests")
	h.creates("parser_test.go", "package parser\n")
	h.bash(`git add -A && git commit -qm "test the parser"`, func() string { h.git("add", "-A"); return h.git("commit", "-qm", "test the parser") })
	h.now = h.now.Add(time.Hour)

	out, _ := h.why(0, made)
	for _, want := range []string{"add the parser", "made by  Claude Code, session 7b1c2f91: its output names the commit", "prompt   “write a parser”",
		"checks   go test passed before it", "turn     ~$0.01 · claude-sonnet-4-5", "read it  aburn show 7b1c2f91 --at 1\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q:\n%s", want, out)
		}
	}
	if out, _, _ := h.run("show", "7b1c", "--at", "9"); strings.Contains(out, "write a parser") || !strings.Contains(out, "now its tests") {
		t.Errorf("--at 9 shows %s", out)
	}
	out, _ = h.why(0, "parser.go:3")
	if !strings.Contains(out, "line 3 · ") || !strings.Contains(out, "“write a parser”") || strings.Contains(out, "no change of") {
		t.Errorf("of a line: %s", out)
	}
	out, _ = h.why(0, "topic")
	if strings.Count(out, "made by") != 2 || strings.Contains(out, "start") {
		t.Errorf("of the branch: %s", out)
	}

	out, _ = h.why(1, start)
	if !strings.Contains(out, "no session that aburn knows made this commit") || !strings.Contains(out, "aburn looked at 1 session of this repository and") {
		t.Errorf("of the person's: %s", out)
	}

	h.git("checkout", "-q", "main")
	h.write("mine", "mine\n")
	h.git("add", ".")
	h.git("commit", "-qm", "mine")
	h.git("checkout", "-q", "topic")
	h.git("rebase", "-q", "main")
	out, _ = h.why(0, "HEAD~1")
	if !strings.Contains(out, "made by  Claude Code, session 7b1c2f91, as "+made[:10]+" (same patch, its") {
		t.Errorf("rebased: %s", out)
	}
	h.git("checkout", "-q", "main")
	h.git("merge", "-q", "--squash", "topic")
	h.git("commit", "-qm", "the parser and its tests")
	out, _ = h.why(0, "HEAD")
	if strings.Count(out, "made by") != 2 || !strings.Contains(out, "(squashed, ") || !strings.Contains(out, "“now its tests”") {
		t.Errorf("squashed: %s", out)
	}

	h.prompt("change it")
	h.creates("parser.go", "package parser\n\nfunc Parse() {}\n\nfunc More() {}\n")
	out, _ = h.why(0, "parser.go:4-5")
	if !strings.Contains(out, "lines 4–5 not committed") || !strings.Contains(out, "“change it”") {
		t.Errorf("not committed: %s", out)
	}
	var report struct {
		Path    string
		Commits []struct {
			Degree   string
			Sessions []struct{ Session, Prompt string }
		}
		Uncommitted []struct{ Session, Evidence string }
	}
	out, _ = h.why(0, "parser.go", "--json")
	if err := json.Unmarshal([]byte(out), &report); err != nil || report.Path != "parser.go" || len(report.Commits) != 1 ||
		report.Commits[0].Degree != "rewritten" || len(report.Uncommitted) != 1 || report.Uncommitted[0].Session != whyID ||
		report.Uncommitted[0].Evidence != "the file is as the session left it" {
		t.Errorf("%v: %+v", err, report)
	}

	h.write("mine", "more\n")
	h.git("commit", "-qam", "signed\n\nCo-Authored-By: Claude <noreply@anthropic.com>\nCo-Authored-By: Bob <bob@x>")
	out, _ = h.why(0, "HEAD")
	if !strings.Contains(out, "stated   Co-Authored-By: Claude <noreply@anthropic.com>") || strings.Contains(out, "Bob") {
		t.Errorf("stated: %s", out)
	}
	h.git("commit", "-q", "--allow-empty", "-m", "named\n\nClaude-Session: https://claude.ai/code/"+whyID)
	out, _ = h.why(0, "HEAD")
	if !strings.Contains(out, "maybe    Claude Code, session 7b1c2f91: its message names the session") {
		t.Errorf("named: %s", out)
	}

	side := filepath.Join(h.home, "side")
	h.git("worktree", "add", "-q", "-b", "side", side)
	main := h.repo
	h.repo = side
	h.prompt("work beside")
	h.creates("beside.go", "package parser\n")
	h.bash(`git add -A && git commit -qm "from a worktree"`, func() string { h.git("add", "-A"); return h.git("commit", "-qm", "from a worktree") })
	h.now = h.now.Add(time.Hour)
	h.repo = main
	out, _ = h.why(0, "side")
	if !strings.Contains(out, "it ran git commit with this message at that time") || !strings.Contains(out, "“work beside”") {
		t.Errorf("in a worktree: %s", out)
	}

	h.git("reflog", "expire", "--expire=now", "--all")
	out, _ = h.why(0, made)
	if !strings.Contains(out, "made by  Claude Code, session 7b1c2f91: its output names the commit") {
		t.Errorf("without reflogs: %s", out)
	}
	h.why(1, start)

	clone := filepath.Join(h.home, "clone")
	h.git("clone", "-q", h.repo, clone)
	h.repo = clone
	out, _ = h.why(1, "HEAD~2")
	if !strings.Contains(out, "aburn knows no session of this repository") {
		t.Errorf("of a clone: %s", out)
	}
	shallow := filepath.Join(h.home, "shallow")
	h.git("clone", "-q", "--depth", "1", "file://"+main, shallow)
	h.repo = shallow
	if _, errs := h.why(0, "HEAD"); !strings.Contains(errs, "the history of this clone begins at ") {
		t.Errorf("of a shallow clone: %s", errs)
	}
}

// TestWhyMistakes: each is a clear answer with a hint, and nothing is written.
func TestWhyMistakes(t *testing.T) {
	world.Slow(t)
	h := newHistoried(t)
	h.why(1, "HEAD")
	h.write("new", "a\nb\n")
	if out, _ := h.why(1, "new:1"); !strings.Contains(out, "line 1 not committed") {
		t.Errorf("before the first commit: %s", out)
	}
	h.git("add", ".")
	h.git("commit", "-qm", "first")
	h.write("binary", "a\x00b")
	if err := os.Symlink("new", filepath.Join(h.repo, "link")); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"nothing":     `"nothing" is neither a file nor a commit of this repository`,
		"new:3":       `"new" has only 2 lines`,
		"new:2-1":     `"new:2-1" is no range of lines`,
		"binary":      `"binary" is binary and has no lines`,
		"link":        `"link" is not a regular file`,
		".":           `"." is a folder`,
		"..":          `".." is a folder`,
		"a..b":        `"a..b" is no range of commits of this repository`,
		"HEAD..HEAD":  `"HEAD..HEAD" has no commit of its own`,
		"/etc/passwd": `"/etc/passwd" is outside of the repository`,
	} {
		_, errs, code := h.run("-C", h.repo, "why", "--", word)
		if code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s", word, code, errs)
		}
	}
	if _, errs, code := h.run("-C", h.home, "why", "HEAD"); code == 0 || !strings.Contains(errs, "is not in a git worktree") {
		t.Errorf("outside: %s", errs)
	}
	if os.Getuid() == 0 {
		foreign := filepath.Join(h.home, "foreign")
		h.git("clone", "-q", h.repo, foreign)
		if err := os.Chown(foreign, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, errs, code := h.run("-C", foreign, "why", "HEAD"); code == 0 || !strings.Contains(errs, "another user owns the repository") {
			t.Errorf("another user's: exit %d, %s", code, errs)
		}
	}
	if status := h.git("status", "--porcelain"); status != "?? binary\n?? link" {
		t.Errorf("it wrote %s", status)
	}
}
