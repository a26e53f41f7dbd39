package hooks

import (
	"os"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// boundary is the beginning or the end of a session's turn.
type boundary struct {
	*recorder
	root     *os.Root
	journal  *journal.Journal
	settings *settings.Settings
	turn     *logfmt.Entry // PROMPT or STOP
	alone    bool          // no sub-agent of the session has ended
}

// turn is the run's PROMPT or STOP entry, else nil. It is nil too in a sub-agent and in
// a project that this user does not trust: there is no look and no delivery there.
func (r *recorder) turn(entries []*logfmt.Entry) *logfmt.Entry {
	if !r.proj.Marked || r.payload.Session == "" || len(entries) == 0 || !r.agent.Own(r.payload) {
		return nil
	}
	switch e := entries[len(entries)-1]; e.Event {
	case logfmt.Prompt, logfmt.Stop:
		return e
	}
	return nil
}

// largeQueue is far more bytes than advice needs: such a queue may take long to read.
const largeQueue = 256 << 10

// supervise lets the supervisor look, and then delivers what waits for the session.
func (r *Run) supervise(s boundary) error {
	key, err := s.proj.Key()
	if err != nil {
		return nil // not marked any more
	}
	if info, err := s.root.Lstat(queue.Name); err == nil && info.Size() > largeQueue {
		r.guard()
	}
	if r.Look != nil {
		s.alone = r.Look(s.looking(key, r.guard))
	}
	d := delivery{boundary: s, queue: queue.New(s.root, key)}
	d.queue.Foreign = s.settings.Queue.Foreign
	answer, err := d.answer()
	if answer == nil {
		return err
	}
	if _, err := r.Stdout.Write(answer); err != nil {
		return err // the claim ends with its lease
	}
	return d.receipt(r.Start.Add(Deadline))
}

func (s *boundary) looking(key []byte, slow func()) Looking {
	l := Looking{
		Root: s.root, Project: s.proj, Journal: s.journal, Settings: s.settings, Key: key,
		Session: s.payload.Session, Transcript: s.payload.Transcript, Until: time.Now().Add(lookTime), Slow: slow,
	}
	if s.turn.Event == logfmt.Prompt {
		l.Prompt = s.turn.ID
	}
	return l
}

// typed reports whether a person wrote the prompt.
func (s *boundary) typed() bool {
	return s.turn.Event == logfmt.Prompt && !gjson.GetBytes(s.turn.Data, "machine").Bool()
}
