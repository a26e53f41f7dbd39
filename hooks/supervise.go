package hooks

import (
	"os"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/internal/recent"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// moment is where advice may reach a session: the beginning or the end of its turn, or
// the end of a tool call in it.
type moment struct {
	*recorder
	root     *os.Root
	journal  *journal.Journal
	settings *settings.Settings
	env      func(string) string
	entry    *logfmt.Entry // PROMPT, STOP, TOOL or TOOL_FAILED
	looked   Looked
}

// momentOf is the run's PROMPT or STOP entry, or the end of a call that looks like part
// of a trouble, else nil. It is nil too in a sub-agent and in a project that this user
// does not trust: there is no look and no delivery there.
func (r *recorder) momentOf(entries []*logfmt.Entry) *logfmt.Entry {
	if len(entries) == 0 || !r.isAdvised() {
		return nil
	}
	switch e := entries[len(entries)-1]; e.Event {
	case logfmt.Prompt, logfmt.Stop:
		return e
	case logfmt.Tool, logfmt.ToolFailed:
		if r.suspects != (recent.Troubles{}) {
			return e
		}
	}
	return nil
}

// isAdvised reports whether the payload's session may be told anything.
func (r *recorder) isAdvised() bool {
	return r.proj.Marked && r.payload.Session != "" && r.agent.Own(r.payload)
}

// suspect says which of the wanted troubles the end of this call could be part of. It
// runs under the log's lock, on lines that are mostly in memory already.
func (r *recorder) suspect(t journal.Tail) recent.Troubles {
	if r.wanted == (recent.Troubles{}) || len(r.plan.Drafts) == 0 {
		return recent.Troubles{}
	}
	d := r.plan.Drafts[len(r.plan.Drafts)-1]
	if d.Event != logfmt.Tool && d.Event != logfmt.ToolFailed {
		return recent.Troubles{}
	}
	data := gjson.ParseBytes(d.Data.Bytes())
	return recent.Suspect(t.Backward(), r.who(), recent.Ended{
		Input: data.Get("input").Str, Sha256: data.Get("sha256").Str, Failed: d.Event == logfmt.ToolFailed,
		Phase: r.state.Phase, At: time.Now(),
	}, r.wanted)
}

// largeQueue is far more bytes than advice needs: such a queue may take long to read.
const largeQueue = 256 << 10

// supervise lets the supervisor look, and then delivers what waits for the session.
func (r *Run) supervise(s moment) error {
	key, err := s.proj.Key()
	if err != nil {
		return nil // not marked any more
	}
	if info, err := s.root.Lstat(queue.Name); err == nil && info.Size() > largeQueue {
		r.guard()
	}
	if r.Look != nil {
		s.looked = r.Look(s.looking(key, r.guard))
	}
	d := delivery{moment: s, queue: queue.New(s.root, key)}
	d.queue.Foreign = s.settings.Queue.Foreign
	answer, err := d.answer()
	if answer == nil {
		return err
	}
	if _, err := r.Stdout.Write(answer); err != nil {
		return err // the claim ends with its lease
	}
	return d.receipt(r.ready.Add(Deadline))
}

func (s *moment) looking(key []byte, slow func()) Looking {
	l := Looking{
		Root: s.root, Project: s.proj, Journal: s.journal, Settings: s.settings, Key: key,
		Session: s.payload.Session, Transcript: s.payload.Transcript, Until: time.Now().Add(lookTime), Slow: slow,
	}
	switch {
	case s.entry.Event == logfmt.Prompt:
		l.Prompt = s.entry.ID
	case s.inTurn():
		l.InTurn = s.settings.Deliver.InTurn
	}
	return l
}

// typed reports whether a person wrote the prompt.
func (s *moment) typed() bool {
	return s.entry.Event == logfmt.Prompt && !gjson.GetBytes(s.entry.Data, "machine").Bool()
}

// inTurn reports whether a tool call has ended.
func (s *moment) inTurn() bool {
	return s.entry.Event == logfmt.Tool || s.entry.Event == logfmt.ToolFailed
}
