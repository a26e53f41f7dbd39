//go:build agents

package realagents

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/testkit/agents"
	"aburn/internal/lab/testkit/model"
	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/opencode"
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

// TestOpencodeForkedAndReverted forks a session and takes its turn back, through the server, and goes on: the copies and
// what was taken back are in the story, and what they cost is counted once.
func TestOpencodeForkedAndReverted(t *testing.T) {
	w := newWorld(t, "w", model.Script{titles(), {Name: "main", Turns: []model.Turn{
		model.Calls(opencodeBash("echo first")), model.Text("one done"), model.Text("two done"),
	}}}, nil)
	w.startOpencode("first").wait()
	before := w.oneOpencode()

	server := w.serveOpencode()
	server.post("/session/"+before.ID+"/fork", `{}`)
	server.post("/session/"+before.ID+"/revert", `{"messageID":"`+before.Events[1].Record+`"}`)
	server.stop()
	s := tracetest.Read(t, opencode.New(), w.opencodeStore())
	var sum trace.Usage
	for id, tr := range s.Traces {
		sum.Add(tr.Usage)
		if r := tr.Relationships[0]; id != before.ID && (r.Kind != trace.Fork || r.Related != before.ID || r.Provenance != trace.Inferred) {
			t.Errorf("%s: %+v", id, r)
		}
	}
	if len(s.Traces) != 2 || sum != before.Usage {
		t.Errorf("%d sessions, %+v, before %+v", len(s.Traces), sum, before.Usage)
	}
	if tr := s.Traces[before.ID]; abandoned(tr) != len(tr.Events)-1 || tr.Count() != before.Count() {
		t.Errorf("reverted: %d of %d events, %+v, before %+v", abandoned(tr), len(tr.Events), tr.Count(), before.Count())
	}

	w.startOpencode("second", "-s", before.ID).wait() // with which opencode deletes what was reverted
	tr := tracetest.Read(t, opencode.New(), w.opencodeStore()).Traces[before.ID]
	if c := tr.Count(); c.Prompts != 2 || c.Calls != 1 || c.Responses != 3 || tr.Usage.Input != 300 || abandoned(tr) != len(before.Events)-1 ||
		tr.Outcome != trace.Completed {
		t.Errorf("after the next prompt: %+v, %+v, %d abandoned, %s", c, tr.Usage, abandoned(tr), tr.Outcome)
	}
}

// abandoned is how many events were taken back.
func abandoned(tr *trace.SessionTrace) (n int) {
	for _, e := range tr.Events {
		if e.Abandoned {
			n++
		}
	}
	return n
}

// opencodeServer is a running `opencode serve`.
type opencodeServer struct {
	w   *world
	p   *process
	url string
}

// serveOpencode starts it, without settings, which what is asked of it here needs not. Its first answer can hang for
// minutes without a network, and the second then comes at once.
func (w *world) serveOpencode() *opencodeServer {
	w.Helper()
	os.RemoveAll(filepath.Join(w.home, ".config", "opencode"))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	s := &opencodeServer{w: w, p: w.start(w.project, os.Getenv(opencodeVar), "serve", "--port", port), url: "http://127.0.0.1:" + port}
	patient := http.Client{Timeout: 10 * time.Second}
	for deadline := time.Now().Add(runDeadline); ; time.Sleep(50 * time.Millisecond) {
		r, err := patient.Get(s.url + "/session")
		if err == nil {
			r.Body.Close()
			return s
		}
		if time.Now().After(deadline) {
			w.Fatal(err)
		}
	}
}

func (s *opencodeServer) post(path, body string) {
	s.w.Helper()
	r, err := http.Post(s.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		s.w.Fatal(err)
	}
	defer r.Body.Close()
	if said, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusOK {
		s.w.Fatalf("%s: %s: %s", path, r.Status, said)
	}
}

func (s *opencodeServer) stop() {
	s.w.Helper()
	s.p.kill(syscall.SIGTERM)
	s.p.wait()
}
