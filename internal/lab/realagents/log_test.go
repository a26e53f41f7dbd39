//go:build agents

package realagents

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/testkit/agents"
	"aburn/logfmt"
)

// entries reads .oss/workflow.log of dir. It reads the bytes itself, so that a fault of the journal's reader cannot hide one of
// its writer; aburn verify runs beside it.
func (w *world) entries(dir string) []logfmt.Entry {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".oss", "workflow.log"))
	if err != nil {
		w.Fatal(err)
	}
	for _, secret := range []string{w.home, agents.DummyKey} {
		if bytes.Contains(data, []byte(secret)) {
			w.Errorf("the log holds %q", secret)
		}
	}
	var entries []logfmt.Entry
	for line := range bytes.Lines(data) {
		line, ended := bytes.CutSuffix(line, []byte("\n"))
		switch logfmt.Classify(line) {
		case logfmt.EntryLine:
			e, err := logfmt.Parse(line)
			if err != nil || !ended || e.Edited {
				w.Errorf("log line %q: %v, ended %v, edited %v", line, err, ended, e.Edited)
			}
			entries = append(entries, e)
		case logfmt.Damage:
			w.Errorf("damage in the log: %q", line)
		}
	}
	// In an untrusted project nothing shows that the log is whole; damage it has none.
	if r := w.run(dir, "aburn", "verify"); r.code != 0 && !(strings.Contains(r.stdout, "no damage was found in it") &&
		strings.Contains(r.stderr, "this user has not trusted the project")) {
		w.Errorf("aburn verify: exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if w.Failed() {
		w.Logf("log of %s:\n%s", dir, data)
	}
	return entries
}

// logged waits until the project's log has n entries of an event: a client may show a question before its hook has run, and end the hook
// when the question is answered.
func (w *world) logged(event logfmt.Event, n int) {
	w.Helper()
	w.holds(fmt.Sprintf("the log has %d %s", n, event), func() bool {
		data, _ := os.ReadFile(filepath.Join(w.project, ".oss", "workflow.log"))
		return bytes.Count(data, []byte(`"event":"`+string(event)+`"`)) >= n
	})
}

// datum is one value of an entry's data as text; "" = absent.
func datum(e logfmt.Entry, path string) string { return gjson.GetBytes(e.Data, path).String() }

func agentID(e logfmt.Entry) string {
	if e.Agent == nil {
		return ""
	}
	return e.Agent.ID
}

// of selects the entries with one of the events.
func of(entries []logfmt.Entry, events ...logfmt.Event) []logfmt.Entry {
	var some []logfmt.Entry
	for _, e := range entries {
		for _, event := range events {
			if e.Event == event {
				some = append(some, e)
			}
		}
	}
	return some
}

// inSession selects the entries of one session.
func inSession(entries []logfmt.Entry, session string) []logfmt.Entry {
	var some []logfmt.Entry
	for _, e := range entries {
		if string(e.Session) == session {
			some = append(some, e)
		}
	}
	return some
}

// events is the order of events as one line, tool calls left out: "SESSION_START PROMPT STOP SESSION_END".
func events(entries []logfmt.Entry) string {
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(string(e.Event), "TOOL") {
			names = append(names, string(e.Event))
		}
	}
	return strings.Join(names, " ")
}

// order holds the events of a session, tool calls left out, to a line.
func (w *world) order(session, want string) {
	w.Helper()
	if got := events(inSession(w.entries(w.project), session)); got != want {
		w.Errorf("events of %s:\n%s\nwant:\n%s", session, got, want)
	}
}
