//go:build agents

package realagents

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/pi"
)

// hookPi puts pi on this user's PATH, and aburn's extension into it.
func (w *world) hookPi() {
	w.Helper()
	w.link(os.Getenv(piVar), filepath.Join(w.home, "bin", "pi"))
	w.install("--agent", "pi")
}

// startPi starts one non-interactive run of pi in the project.
func (w *world) startPi(prompt string, args ...string) *process {
	w.Helper()
	w.write(filepath.Join(w.home, ".pi", "agent", "models.json"), agents.PiModels(w.model.URL()))
	w.write(filepath.Join(w.home, ".pi", "agent", "settings.json"), agents.PiSettings)
	w.more = agents.PiEnv()
	return w.start(w.project, os.Getenv(piVar), append(append([]string{"-p"}, args...), prompt)...)
}

func (w *world) piStore() *tracetest.Sink {
	w.Helper()
	s := tracetest.Read(w, pi.New(), filepath.Join(w.home, ".pi", "agent", "sessions"))
	for path, err := range s.Errors {
		w.Errorf("%s: %v", path, err)
	}
	return s
}

func piBash(command string) model.Call {
	return model.Call{Name: "bash", Input: map[string]any{"command": command}}
}

// TestPi: commands that succeed and fail, a file, an unknown tool, and aburn log in it: the log has it all in one session, and so has the
// store, call for call. Continued, it stays one session. Without the extension the model is told the same.
//
// Holds pi: basic, failing, stop, resume, uninstall.
func TestPi(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "hooked", model.Script{{Name: "main", Turns: []model.Turn{
		model.Calls(piBash("echo hi")), model.Calls(piBash("echo out; exit 7")),
		model.Calls(model.Call{Name: "write", Input: map[string]any{"path": "made.tmp", "content": "a\n"}}),
		model.Calls(model.Call{Name: "nosuch", Input: map[string]any{}}),
		model.Calls(piBash("aburn log build START")),
		model.Text("all done"), model.Text("again done"),
	}}}, nil)
	w.hookPi()
	extension := filepath.Join(w.home, ".pi", "agent", "extensions", "aburn.js")
	r := w.startPi("do the thing").wait()
	if r.code != 0 || !strings.Contains(r.stdout, "all done") {
		t.Fatalf("exit %d %s%s", r.code, r.stdout, r.stderr)
	}
	const want = "SESSION_START PROMPT TOOL_START:bash TOOL:bash0 TOOL_START:bash TOOL_FAILED:bash7 TOOL_START:write TOOL:write " +
		"TOOL_START:nosuch TOOL_FAILED:nosuch TOOL_START:bash START TOOL:bash0 STOP SESSION_END"
	if got := w.eventWords(); got != want {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
	entries := w.entries(w.project)
	for _, e := range entries {
		if e.Session != entries[0].Session || e.Source != "pi" && e.Source != "prompt" {
			t.Errorf("another session: %s", e.Human())
		}
	}
	tr := stored(t, w.piStore(), string(entries[0].Session))
	if n := tr.Count(); n.Calls != 5 || n.Failed != 2 || n.Prompts != 1 || n.Responses != 6 || tr.Outcome != trace.Completed || tr.Usage.CostUSD <= 0 {
		t.Errorf("the store has %+v, %s, %+v", n, tr.Outcome, tr.Usage)
	}
	if r := w.startPi("and again", "--continue").wait(); r.code != 0 || !strings.Contains(r.stdout, "again done") {
		t.Fatalf("exit %d %s%s", r.code, r.stdout, r.stderr)
	}
	if got := w.eventWords(); got != want+" SESSION_START PROMPT STOP SESSION_END" {
		t.Errorf("continued, the log has\n%s", got)
	}
	if n := len(w.piStore().Traces); n != 1 {
		t.Errorf("%d sessions", n)
	}
	w.aburn("uninstall-hooks", "--yes", "--agent", "pi")
	if _, err := os.Stat(extension); !os.IsNotExist(err) {
		t.Errorf("the extension is still there: %v", err)
	}
}

// TestPiFailed: an error of the provider ends the turn.
func TestPiFailed(t *testing.T) {
	t.Parallel()
	broken := model.Turn{Failure: &model.Failure{Status: 400, Type: "invalid_request_error", Message: "scripted failure"}}
	w := newWorld(t, "hooked", model.Script{{Name: "main", Repeat: true, Turns: []model.Turn{broken}}}, nil)
	w.hookPi()
	w.startPi("do the thing").wait()
	if got := w.eventWords(); got != "SESSION_START PROMPT TURN_FAILED SESSION_END" {
		t.Errorf("the log has %s", got)
	}
}

// TestPiKilled: at a kill the log has what happened until then, and the call stays open; SIGTERM ends it in order.
func TestPiKilled(t *testing.T) {
	for name, c := range map[string]struct {
		signal syscall.Signal
		want   string
	}{
		"KILL": {syscall.SIGKILL, "SESSION_START PROMPT TOOL_START:bash"},
		"TERM": {syscall.SIGTERM, "SESSION_START PROMPT TOOL_START:bash TOOL_FAILED:bash INTERRUPT SESSION_END"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "hooked", model.Script{{Name: "main", Turns: []model.Turn{model.Calls(piBash(untilEnd)), model.Text("never")}}}, nil)
			w.hookPi()
			p := w.startPi("do the thing")
			w.waitFor(w.started())
			p.kill(c.signal)
			p.wait()
			os.Remove(w.started())
			if got := w.eventWords(); got != c.want {
				t.Errorf("the log has %s", got)
			}
		})
	}
}

// TestPiWithoutTheHook: the hook is gone, fails or hangs, and the agent works on.
//
// Holds pi: missing.
func TestPiWithoutTheHook(t *testing.T) {
	for _, c := range []struct{ name, hook string }{{"gone", ""}, {"fails", "#!/bin/sh\nexit 2\n"}, {"hangs", "#!/bin/sh\nexec sleep 600\n"},
		{"says nonsense", "#!/bin/sh\ncat >/dev/null\necho nonsense\n"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "hooked", model.Script{{Name: "main", Turns: []model.Turn{model.Calls(piBash("touch ran.tmp")), model.Text("all done")}}}, nil)
			w.hookPi()
			extension := filepath.Join(w.home, ".pi", "agent", "extensions", "aburn.js")
			data, err := os.ReadFile(extension)
			if err != nil {
				t.Fatal(err)
			}
			hook := filepath.Join(w.home, "bin", "the-hook")
			w.write(extension, strings.Replace(string(data), filepath.Join(os.Getenv(workVar), "bin", "aburn-hook"), hook, 1))
			if c.hook != "" {
				w.write(hook, c.hook)
				if err := os.Chmod(hook, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r := w.startPi("do the thing").wait()
			if _, err := os.Stat(filepath.Join(w.project, "ran.tmp")); err != nil || r.code != 0 || !strings.Contains(r.stdout, "all done") || r.stderr != "" {
				t.Errorf("exit %d: %v\n%s%s", r.code, err, r.stdout, r.stderr)
			}
			if _, err := os.Stat(filepath.Join(w.project, ".oss", "workflow.log")); err == nil {
				t.Error("something was recorded, so the hook was not gone")
			}
		})
	}
}
