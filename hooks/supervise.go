package hooks

import (
	"os"
	"time"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/internal/settings"
	"aburn/logfmt"

	"github.com/tidwall/gjson"
)

// scene is the beginning or the end of a session's turn.
type scene struct {
	*recorder
	root     *os.Root
	journal  *journal.Journal
	settings *settings.Settings
	turn     *logfmt.Entry // PROMPT or STOP
	alone    bool          // no sub-agent of the session has ended
}

// turn is the run's PROMPT or STOP entry if it is the session's own and the project
// is this user's, else nil: only then anything is looked at or delivered.
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

// largeQueue is far more bytes than advice comes to: what else is in such a queue may
// take long.
const largeQueue = 256 << 10

// supervise looks, and then hands out what waits for the session.
func (r *Run) supervise(s scene) error {
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
	d := delivery{scene: s, queue: queue.New(s.root, key)}
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

func (s *scene) looking(key []byte, slow func()) Looking {
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
func (s *scene) typed() bool {
	return s.turn.Event == logfmt.Prompt && !gjson.GetBytes(s.turn.Data, "machine").Bool()
}
