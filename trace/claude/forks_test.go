package claude_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/claude"
)

// original is a session of two turns, with the bookkeeping that the client writes in between.
func original() *draft {
	d := newDraft(one)
	d.text("p1", "", "first")
	d.put(`{"type":"atis-latch","atis":"","sessionId":"` + one + `"}`)
	d.answers("a1", "p1")
	d.turn = "t2"
	d.text("p2", "a1", "second")
	d.calls("1", "p2", "Agent", `{"description":"dig","prompt":"dig","subagent_type":"Explore"}`)
	d.result("r1", "1", `"dug"`, false, `,"toolUseResult":{"status":"completed","agentId":"x","agentType":"Explore"}`)
	d.answers("a2", "r1")
	d.record("system", "e2", "a2", `,"subtype":"stop_hook_summary"`)
	return d
}

// fork copies the conversation of d up to its n-th line, with more members on each record, and goes on with a turn of its own.
func (d *draft) fork(session string, n int, members string) *draft {
	f := newDraft(session)
	f.at = d.at
	for _, line := range d.lines[:n] {
		if strings.HasPrefix(line, `{"parentUuid"`) {
			line = strings.ReplaceAll(strings.ReplaceAll(line, d.session, session), `"promptId":"t2"`, `"promptId":"t1"`)
			f.put(strings.TrimSuffix(line, "}") + members + "}")
		}
	}
	f.turn = "t9"
	f.text("p9", "e2", "on my own")
	f.answers("a9", "p9")
	return f
}

// Forks of all kinds: what they copied is in their story and in no count, and they are forks of the original.
func TestForks(t *testing.T) {
	d := original()
	all := len(d.lines)
	for name, f := range map[string]*draft{
		"without a link": d.fork(two, all, ""),
		"by /branch":     d.fork(two, all, fmt.Sprintf(`,"forkedFrom":{"sessionId":%q,"messageUuid":"x"}`, one)),
		"whose responses name their session": func() *draft {
			f := d.fork(two, all, "")
			for i, line := range f.lines[:len(f.lines)-2] {
				if strings.Contains(line, `"type":"assistant"`) {
					f.lines[i] = strings.TrimSuffix(line, "}") + fmt.Sprintf(`,"requestSessionId":%q}`, one)
				}
			}
			return f
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d.write(t, dir)
			f.write(t, dir)
			s := tracetest.Read(t, claude.New(), dir)
			tracetest.CutFile(t, claude.New(), dir, filepath.Join("-p", two+".jsonl"), later)
			trace.Link(s.Ordered())
			tells(t, s.Traces[one], "user agent user call:Agent spawn:"+one+"/x result:completed agent stopped")
			tells(t, s.Traces[two], "©user ©agent ©user ©call:Agent ©spawn:"+one+"/x ©result:completed ©agent ©stopped user agent")
			if r := s.Traces[two].Relationships; len(r) != 1 || r[0].Kind != trace.Fork || r[0].Related != one ||
				(r[0].Provenance == trace.Inferred) != (name == "without a link") {
				t.Errorf("%+v", r)
			}
			if n := s.Traces[two].Count(); n.Prompts != 1 || n.Calls != 0 || n.Responses != 1 || n.Subagents != 0 || n.Events != 2 {
				t.Errorf("the fork counts %+v", n)
			}
			if u := s.Traces[two].Usage; u.Input != 1 {
				t.Errorf("the fork used %+v", u)
			}
			if n := s.Traces[one].Count(); n.Prompts != 2 || n.Calls != 1 || n.Responses != 3 {
				t.Errorf("the original counts %+v", n)
			}
			for _, tr := range s.Traces {
				if err := tr.Validate(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// stored is a sink in which the traces were linked before they are gone on with, as in an archive.
type stored struct {
	trace.Sink
	before *trace.SessionTrace
	got    *trace.SessionTrace
	cursor trace.Cursor
}

func (s *stored) Previous(string) (*trace.SessionTrace, error) { return s.before, nil }
func (s *stored) Trace(t *trace.SessionTrace) error            { s.got = t; return nil }
func (s *stored) Progress(int64)                               {}
func (s *stored) Done(c trace.Cursor, _ bool)                  { s.cursor = c }

// A linked trace that is gone on with and linked again is the one that was read at once and linked once.
func TestForkGrows(t *testing.T) {
	dir := t.TempDir()
	d := original()
	f := d.fork(two, len(d.lines), "")
	d.write(t, dir)
	whole := f.lines
	f.lines = whole[:len(whole)-1]
	path := f.write(t, dir)
	half := tracetest.Read(t, claude.New(), dir)
	trace.Link(half.Ordered())
	f.lines = whole
	f.write(t, dir)
	s := &stored{before: half.Traces[two]}
	if err := claude.New().Read(t.Context(), trace.Store{Path: path, Cursor: half.Cursors[path]}, s); err != nil {
		t.Fatal(err)
	}
	once := tracetest.Read(t, claude.New(), dir)
	trace.Link(once.Ordered())
	trace.Link([]*trace.SessionTrace{half.Traces[one], s.got})
	if got, want := asJSON(t, s.got), asJSON(t, once.Traces[two]); got != want {
		t.Errorf("in two goes\n%s\nat once\n%s", got, want)
	}
}

// Clients of 2025 began a new file on resume, whose first records name the session that they are from.
func TestContinuation(t *testing.T) {
	d := newDraft(one)
	d.turn = ""
	d.text("p1", "", "first")
	d.answers("a1", "p1")
	f := newDraft(two)
	f.turn = ""
	f.lines = append(f.lines, d.lines...)
	f.text("p2", "a1", "second")
	f.answers("a2", "p2")
	tr := f.only(t)
	tells(t, tr, "©user ©agent user agent")
	if r := tr.Relationships; len(r) != 1 || r[0].Kind != trace.Continuation || r[0].Related != one || r[0].Provenance != trace.Explicit {
		t.Errorf("%+v", r)
	}
	if n := tr.Count(); n.Prompts != 1 || n.Responses != 1 {
		t.Errorf("%+v", n)
	}
}
