//go:build agents

package realagents

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aburn/internal/testkit/agents"
	"aburn/internal/testkit/model"
	"aburn/trace"
	"aburn/trace/opencode"
	"aburn/trace/tracetest"
)

// startOpencode starts one non-interactive run of opencode in the project. The prompt goes in by stdin: as an argument it
// would be stored with quotes and backslashes.
func (w *world) startOpencode(prompt string, args ...string) *process {
	w.Helper()
	w.write(filepath.Join(w.home, ".config", "opencode", "opencode.json"), agents.OpencodeConfig(w.model.URL()))
	file := filepath.Join(w.home, "prompt.txt")
	w.write(file, prompt)
	w.more = agents.OpencodeEnv()
	shell := []string{"-c", `file=$1; shift; exec "$0" run "$@" < "$file"`, os.Getenv(opencodeVar), file}
	return w.start(w.project, "/bin/sh", append(shell, args...)...)
}

// opencodeStore is where it keeps its sessions.
func (w *world) opencodeStore() string {
	return filepath.Join(w.home, ".local", "share", "opencode", "opencode.db")
}

// storeHash is what is in the database and its log.
func (w *world) storeHash() string {
	w.Helper()
	var all string
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(w.opencodeStore() + end)
		if err != nil {
			w.Fatal(err)
		}
		all += fmt.Sprintf("%d %x\n", len(data), sha256.Sum256(data))
	}
	return all
}

// titles answers the requests that only want a title for the session.
func titles() *model.Conversation {
	return &model.Conversation{Name: "title", When: model.NoTools, Repeat: true, Turns: []model.Turn{model.Text("Scripted title")}}
}

func opencodeBash(command string) model.Call {
	return model.Call{Name: "bash", Input: map[string]any{"command": command, "description": "a command"}}
}

// oneOpencode is the only session of the store.
func (w *world) oneOpencode() *trace.SessionTrace {
	w.Helper()
	s := tracetest.Read(w, opencode.New(), w.opencodeStore())
	if len(s.Traces) != 1 || len(s.Errors) != 0 {
		w.Fatalf("%d sessions, %v", len(s.Traces), s.Errors)
	}
	return s.Ordered()[0]
}

// TestOpencodeIsReadWhileItWrites reads the store while a command runs, and while opencode writes, and lets it go on to
// its end: what is in the log is seen, nothing of the store is changed, and the agent notices nothing.
func TestOpencodeIsReadWhileItWrites(t *testing.T) {
	w := newWorld(t, "w", model.Script{titles(), {Name: "main", Turns: []model.Turn{
		model.Calls(opencodeBash("echo first; exit 3")), model.Calls(opencodeBash(untilEnd)), model.Calls(opencodeBash("echo last")), model.Text("all done"),
	}}}, nil)
	p := w.startOpencode("do the thing")
	w.waitFor(w.started())

	p.kill(syscall.SIGSTOP) // so that all that changes now is what we change
	before := w.storeHash()
	tr := w.oneOpencode()
	if after := w.storeHash(); after != before {
		t.Errorf("reading changed the store:\n%s%s", before, after)
	}
	if info, err := os.Stat(w.opencodeStore() + "-wal"); err != nil || info.Size() == 0 {
		t.Errorf("there is no log to be read: %v", err)
	}
	if c := tr.Count(); c.Calls != 2 || c.Failed != 1 || c.NoResult != 1 || tr.Outcome != trace.Killed || tr.Sources[0].How != "mode=ro" {
		t.Errorf("while the second command runs: %+v %s, read by %s", c, tr.Outcome, tr.Sources[0].How)
	}
	p.kill(syscall.SIGCONT)

	os.Remove(w.started())
	ended := make(chan result)
	go func() { ended <- p.wait() }()
	reads, calls := 0, 0
	for {
		select {
		case r := <-ended:
			if r.code != 0 {
				t.Errorf("opencode ended with %d: %s", r.code, r.stderr)
			}
			tr := w.oneOpencode()
			if c := tr.Count(); c.Calls != 3 || c.Failed != 1 || c.NoResult != 0 || c.Responses != 4 || tr.Outcome != trace.Completed {
				t.Errorf("at the end: %+v %s", c, tr.Outcome)
			}
			t.Logf("read %d times while opencode wrote", reads)
			return
		default:
			n := w.oneOpencode().Count().Calls
			if reads++; n < calls {
				t.Errorf("%d calls, and %d before", n, calls)
			}
			calls = n
		}
	}
}

// TestOpencodeKilled: a call without an end, in a store whose log nobody emptied.
func TestOpencodeKilled(t *testing.T) {
	w := newWorld(t, "w", model.Script{titles(), {Name: "main", Turns: []model.Turn{model.Calls(opencodeBash(untilEnd)), model.Text("never")}}}, nil)
	p := w.startOpencode("do the thing")
	w.waitFor(w.started())
	p.kill(syscall.SIGKILL)
	p.wait()
	os.Remove(w.started())
	tr := w.oneOpencode()
	if c := tr.Count(); c.Calls != 1 || c.NoResult != 1 || c.Failed != 0 || c.Interrupts != 0 || tr.Outcome != trace.Killed {
		t.Errorf("%+v %s (%s)", c, tr.Outcome, tr.OutcomeFrom)
	}
}
