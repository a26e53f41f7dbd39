package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/claude"
)

// The sessions of drafts.
const (
	one = "11111111-0000-4000-8000-000000000001"
	two = "22222222-0000-4000-8000-000000000002"
)

// draft is a transcript that a test writes, in the shape of the client's. Ids of records are what the test calls them.
type draft struct {
	session string
	turn    string // the promptId of what follows
	lines   []string
	at      time.Time
}

func newDraft(session string) *draft {
	return &draft{session: session, turn: "t1", at: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
}

// put adds a line as it is.
func (d *draft) put(line string) { d.lines = append(d.lines, line) }

// record adds a record of the conversation. members are more of its members, after a comma.
func (d *draft) record(kind, id, parent, members string) {
	d.at = d.at.Add(time.Second)
	up := "null"
	if parent != "" {
		up = fmt.Sprintf("%q", parent)
	}
	if kind == "user" && d.turn != "" {
		members += fmt.Sprintf(`,"promptId":%q`, d.turn)
	}
	d.put(fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"type":%q%s,"uuid":%q,"timestamp":%q,"cwd":"/p","sessionId":%q,"version":"2.1.329"}`,
		up, kind, members, id, d.at.Format("2006-01-02T15:04:05.000Z"), d.session))
}

// text adds a user record with a text.
func (d *draft) text(id, parent, text string, members ...string) {
	d.record("user", id, parent, fmt.Sprintf(`,"message":{"role":"user","content":%q}`, text)+strings.Join(members, ""))
}

// says adds a response of one block; the response is called after its record.
func (d *draft) says(id, parent, block, stop string, members ...string) {
	d.record("assistant", id, parent, fmt.Sprintf(`,"message":{"id":"msg_%s","model":"m","role":"assistant","type":"message","stop_reason":%q,"content":[%s],`+
		`"usage":{"input_tokens":1,"output_tokens":1}}`, id, stop, block)+strings.Join(members, ""))
}

func (d *draft) answers(id, parent string, members ...string) {
	d.says(id, parent, `{"type":"text","text":"so"}`, "end_turn", members...)
}

// calls adds a call, which is called c and its record.
func (d *draft) calls(id, parent, tool, input string, members ...string) {
	d.says(id, parent, fmt.Sprintf(`{"type":"tool_use","id":"c%s","name":%q,"input":%s}`, id, tool, input), "tool_use", members...)
}

// result adds the result of the call in the record of.
func (d *draft) result(id, of, content string, failed bool, members ...string) {
	d.record("user", id, of, fmt.Sprintf(`,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%s","content":%s,"is_error":%t}]}`, of,
		content, failed)+
		strings.Join(members, ""))
}

// write makes the file of the draft below dir, and returns its path.
func (d *draft) write(t testing.TB, dir string) string {
	t.Helper()
	return file(t, filepath.Join(dir, "-p", d.session+".jsonl"), strings.Join(d.lines, "\n")+"\n")
}

func file(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads the draft, at once and in two goes from every line.
func (d *draft) read(t *testing.T) *tracetest.Sink {
	t.Helper()
	dir := t.TempDir()
	whole := d.lines
	path := d.write(t, dir)
	s := tracetest.Read(t, claude.New(), dir)
	for path, err := range s.Errors {
		t.Errorf("%s: %v", path, err)
	}
	for n := 1; n < len(whole); n++ {
		d.lines = whole[:n]
		d.write(t, dir)
		two := tracetest.Read(t, claude.New(), dir)
		d.lines = whole
		d.write(t, dir)
		if err := claude.New().Read(t.Context(), trace.Store{Path: path, Cursor: two.Cursors[path]}, two); err != nil {
			t.Fatal(err)
		}
		for id, want := range s.Traces {
			if got := two.Traces[id]; got == nil || asJSON(t, got) != asJSON(t, want) {
				t.Fatalf("cut after line %d, %s is\n%s\nnot\n%s", n, id, asJSON(t, got), asJSON(t, want))
			}
		}
	}
	return s
}

func asJSON(t testing.TB, tr *trace.SessionTrace) string {
	t.Helper()
	data, err := tr.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// only is the one trace of a draft.
func (d *draft) only(t *testing.T) *trace.SessionTrace {
	t.Helper()
	s := d.read(t)
	if len(s.Traces) != 1 || s.Traces[d.session] == nil {
		t.Fatalf("%d traces", len(s.Traces))
	}
	return s.Traces[d.session]
}

// story is the kind of each event, with what marks it: "~" before what was abandoned, "©" before copies, what it is after a colon.
func story(tr *trace.SessionTrace) string {
	var all []string
	for _, e := range tr.Events {
		word := e.Body.Kind()
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			word = "user"
			if b.Machine != "" {
				word += ":" + b.Machine
			}
			if b.Command != "" {
				word += b.Command
			}
		case *trace.AgentMessage:
			word = "agent"
		case *trace.ToolCall:
			word = "call:" + b.Tool
		case *trace.ToolResult:
			r := tr.Results[b.Result]
			word = "result:" + string(r.Status)
			if r.Denied != "" {
				word += ":" + r.Denied
			}
		case *trace.FileChange:
			word = "change:" + b.Path
		case *trace.Session:
			word = string(b.Marker)
		case *trace.SubagentSpawn:
			word = "spawn:" + b.Session
		}
		if e.Abandoned {
			word = "~" + word
		}
		if e.Copied != "" {
			word = "©" + word
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

func tells(t *testing.T, tr *trace.SessionTrace, want string) {
	t.Helper()
	if got := story(tr); got != want {
		t.Errorf("the story is\n%s\nnot\n%s", got, want)
	}
}
