//go:build agents

package realagents

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"aburn/internal/lab/testkit/model"
	"aburn/logfmt"
)

// addWorktree makes a linked git worktree beside the project.
func (w *world) addWorktree() string {
	w.Helper()
	dir := filepath.Join(w.home, "linked")
	w.git("worktree", "add", "-q", "-b", "side", dir)
	return dir
}

func TestClaudeInASubdirectory(t *testing.T) {
	scenario{
		files:  map[string]string{"sub/deep/file.txt": "x\n"},
		script: one(model.Calls(bash("pwd; cd ..; pwd")), model.Calls(bash("cd / && echo elsewhere")), model.Text("all done")),
		play: func(w *world) {
			w.startClaude(filepath.Join(w.project, "sub", "deep"), "do the thing", free(sessionA)...).wait()
		},
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL 0
			toolu_main_1_0 TOOL 0`,
		check: func(w *world) {
			w.order(sessionA, "SESSION_START PROMPT STOP SESSION_END")
			if _, err := os.Stat(filepath.Join(w.project, "sub", ".oss")); err == nil {
				w.Error("a second .oss was made in the sub-directory")
			}
		},
	}.run(t)
}

func TestClaudeInAWorktree(t *testing.T) {
	scenario{
		prepare: func(w *world) { w.addWorktree() },
		script: one(
			model.Calls(tool("Write", map[string]any{"file_path": "$HOME/linked/new.txt", "content": "new\n"})),
			model.Calls(bash("echo hi")), model.Text("all done"),
		),
		play: func(w *world) {
			w.startClaude(filepath.Join(w.home, "linked"), "do the thing", free(sessionA)...).wait()
		},
		transcript: claudeCalls,
		calls: `
			toolu_main_0_0 TOOL -
			toolu_main_1_0 TOOL 0`,
		check: func(w *world) { w.inWorktree("new.txt") },
	}.run(t)
}

// TestClaudeMakesAWorktree: the client's own worktree lies inside the project, where .oss is.
func TestClaudeMakesAWorktree(t *testing.T) {
	scenario{
		script:     one(model.Calls(bash("echo hi; pwd")), model.Text("all done")),
		play:       func(w *world) { w.claude("do the thing", free(sessionA, "--worktree", "tree")...) },
		transcript: claudeCalls,
		calls:      "toolu_main_0_0 TOOL 0",
		check: func(w *world) {
			for _, e := range w.entries(w.project) {
				if e.Wt != ".claude/worktrees/tree" {
					w.Errorf("wt is %q in %s", e.Wt, e.Human())
				}
			}
		},
	}.run(t)
}

// inWorktree holds all entries to the linked worktree, and paths to its root.
func (w *world) inWorktree(path string) {
	w.Helper()
	for _, e := range w.entries(w.project) {
		if e.Event != logfmt.Checkpoint && !strings.HasSuffix(e.Wt, "linked") {
			w.Errorf("wt is %q in %s", e.Wt, e.Human())
		}
		if got := datum(e, "path"); got != "" && got != path {
			w.Errorf("path is %q, want %q", got, path)
		}
	}
	if _, err := os.Stat(filepath.Join(w.home, "linked", ".oss")); err == nil {
		w.Error("a second .oss was made in the worktree")
	}
}

func TestCodexInAWorktreeAndASubdirectory(t *testing.T) {
	scenario{
		prepare: func(w *world) { w.addWorktree() },
		script: one(
			model.Calls(patch("*** Add File: new.txt\n+new\n")), model.Text("one done"),
			model.Calls(command("pwd; exit 6")), model.Text("two done"),
		),
		play: func(w *world) {
			w.codexExec(filepath.Join(w.home, "linked"), "do the thing")
			w.write(filepath.Join(w.home, "linked", "sub", "file.txt"), "x\n")
			w.codexExec(filepath.Join(w.home, "linked", "sub"), "do the thing")
		},
		transcript: codexCalls,
		calls: `
			call_main_0_0 TOOL -
			call_main_2_0 TOOL_FAILED 6`,
		check: func(w *world) { w.inWorktree("new.txt") },
	}.run(t)
}

// TestThreeAgentsAtOnce has two sessions of Claude Code and one of Codex in one project. Each answers only when all have asked,
// so that their calls overlap.
func TestThreeAgentsAtOnce(t *testing.T) {
	scenario{
		script: func() model.Script {
			gate := newGate(3)
			turns := func(call func(string) model.Call) []model.Turn {
				return []model.Turn{
					{Calls: []model.Call{call("echo one")}, Before: gate.pass},
					{Calls: []model.Call{call("echo two; exit 2")}, Before: gate.pass},
					{Calls: []model.Call{call("echo three")}, Before: gate.pass},
					model.Text("all done"),
				}
			}
			return model.Script{
				{Name: "a", When: model.HeaderContains("X-Claude-Code-Session-Id", sessionA), Turns: turns(bash)},
				{Name: "b", When: model.HeaderContains("X-Claude-Code-Session-Id", sessionB), Turns: turns(bash)},
				{Name: "codex", Turns: turns(command)},
			}
		},
		play: func(w *world) {
			running := []*process{
				w.startClaude(w.project, "do the thing", free(sessionA)...),
				w.startClaude(w.project, "do the thing", free(sessionB)...),
				w.startCodex(w.project, "do the thing"),
			}
			for _, p := range running {
				p.wait()
			}
		},
		transcript: func(w *world) []call { return append(w.claudeCalls(), w.codexCalls()...) },
		calls: `
			toolu_a_0_0 TOOL 0
			toolu_a_1_0 TOOL_FAILED 2
			toolu_a_2_0 TOOL 0
			toolu_b_0_0 TOOL 0
			toolu_b_1_0 TOOL_FAILED 2
			toolu_b_2_0 TOOL 0
			call_codex_0_0 TOOL 0
			call_codex_1_0 TOOL_FAILED 2
			call_codex_2_0 TOOL 0`,
		check: func(w *world) {
			for _, session := range []string{sessionA, sessionB, w.threads()[0]} {
				w.order(session, "SESSION_START PROMPT STOP SESSION_END")
			}
		},
	}.run(t)
}

// gate lets requests through in groups of n: nobody goes on before all have come.
type gate struct {
	mu      sync.Mutex
	n, here int
	open    chan struct{}
}

func newGate(n int) *gate { return &gate{n: n, open: make(chan struct{})} }

func (g *gate) pass(ctx context.Context) {
	g.mu.Lock()
	open := g.open
	if g.here++; g.here == g.n {
		g.here, g.open = 0, make(chan struct{})
		close(open)
	}
	g.mu.Unlock()
	select {
	case <-open:
	case <-ctx.Done():
	}
}
