package chain

import (
	"slices"
	"strings"
	"time"

	"aburn/internal/journal"
	"aburn/logfmt"
)

const (
	// missBound is how much of a never rotated file is searched, in bytes.
	missBound = 64 << 20
	// lookOn is how far past the last hit the search looks for predecessors, in bytes of entry
	// lines.
	lookOn = 1 << 20
	// maxMoments bounds the memory of a search in a log full of lifecycle entries.
	maxMoments = 100_000
)

// moment is a START, COMPLETE or FAILED of a command itself: without a phase or sub-agent.
type moment struct {
	cmd, wt string
	event   logfmt.Event
	session logfmt.SessionID
	entry   logfmt.Entry // without Extra, and without Data unless it is a COMPLETE
}

type place struct{ cmd, wt string }

// ending is what the log says newest of the end of a session.
type ending struct {
	at time.Time // of its SESSION_END; zero if it went on after that
}

// search reads the log backwards and keeps the moments of the watched commands.
type search struct {
	log     *Log
	q       Query
	targets []string                   // commands asked for
	watched []string                   // targets and their predecessors
	moments []moment                   // newest first
	hits    map[place]int              // index of the newest COMPLETE; for a target only in the session asked for
	last    map[place]logfmt.SessionID // whose entry about a watched command, a phase's included, is the newest
	ends    map[logfmt.SessionID]ending
	missing int  // targets without a COMPLETE here so far
	bounded bool // some relevant part of the log may be unread
}

func newSearch(l *Log, q Query, targets ...string) *search {
	s := &search{log: l, q: q, targets: targets, watched: slices.Clone(targets), missing: len(targets), hits: map[place]int{},
		last: map[place]logfmt.SessionID{}, ends: map[logfmt.SessionID]ending{}}
	for _, t := range targets {
		if p := predecessor(q.Model, t); p != "" && !slices.Contains(s.watched, p) {
			s.watched = append(s.watched, p)
		}
	}
	return s
}

// run reads until every answer is known, or up to the bound.
func (s *search) run() error {
	j := s.log.journal
	o, cut, err := s.bound(j)
	if err != nil {
		return err
	}
	since := 0 // bytes read since the last hit
	for line, err := range j.Backward(o) {
		if err != nil {
			return err
		}
		if line.Carried && cut {
			break // older than what lies unread between it and the bound
		}
		if since += len(line.JSON); s.missing == 0 && since > lookOn {
			s.bounded = true
			return nil
		}
		before := s.missing
		if s.keep(line.JSON) && s.known() {
			return nil
		}
		if s.missing < before {
			since = 0
		}
	}
	s.bounded = s.bounded || cut
	return nil
}

// bound decides how far to read, and whether that leaves part of a never rotated file unread.
func (s *search) bound(j *journal.Journal) (o journal.BackwardOptions, cut bool, err error) {
	if s.q.All {
		return o, false, nil
	}
	o.Newest = true
	segments, err := j.Segments()
	if err != nil {
		return o, false, err
	}
	if len(segments) > 1 {
		s.bounded = s.q.Session != "" // carried lines are of the latest session only
		return o, false, nil
	}
	o.Limit = missBound
	return o, len(segments) == 1 && segments[0].Size > missBound, nil
}

// keep keeps the line if it is a moment of a watched command, and reports whether it did.
func (s *search) keep(line []byte) bool {
	h, ok := logfmt.ParseHeader(line)
	if ok {
		s.note(&h, line)
	}
	if !ok || len(h.Phase) > 0 || h.Agent || !chained(h.Event) || !s.watches(h.Cmd) || len(s.moments) >= maxMoments {
		return false
	}
	e, err := logfmt.Parse(line)
	if err != nil {
		return false
	}
	m := moment{cmd: e.Cmd, wt: e.Wt, event: e.Event, session: e.Session, entry: e}
	at := place{m.cmd, m.wt}
	if _, again := s.hits[at]; again || m.event != logfmt.Complete || !s.ofSession(&m) {
		m.entry.Data, m.entry.Extra = nil, nil
	} else {
		s.hits[at] = len(s.moments)
		if m.wt == s.log.Worktree() && slices.Contains(s.targets, m.cmd) {
			s.missing--
		}
	}
	s.moments = append(s.moments, m)
	return true
}

// note keeps who worked on a command last, and whether sessions have ended. What was noted before is newer.
func (s *search) note(h *logfmt.Header, line []byte) {
	event := logfmt.Event(h.Event)
	works := event.Lifecycle() && !h.Agent
	if works && s.watches(h.Cmd) {
		at := place{string(h.Cmd), string(h.Wt)}
		if _, newer := s.last[at]; !newer && len(s.last) < maxMoments {
			s.last[at] = logfmt.SessionID(h.Session)
		}
	}
	if !works && event != logfmt.SessionEnd && event != logfmt.SessionStart && event != logfmt.Prompt {
		return // the hooks of a session that ends may be late with the others
	}
	if _, newer := s.ends[logfmt.SessionID(h.Session)]; newer || len(h.Session) == 0 || len(s.ends) >= maxMoments {
		return
	}
	var end ending
	if event == logfmt.SessionEnd && !h.Agent {
		if e, err := logfmt.Parse(line); err == nil {
			end.at = e.Time
		}
	}
	s.ends[logfmt.SessionID(h.Session)] = end
}

// leftBy is the session that left a started command: the one that worked on it last, if it has ended.
func (s *search) leftBy(m *moment) (by logfmt.SessionID, at time.Time) {
	by = m.session
	if s.q.Session == "" {
		by = s.last[place{m.cmd, m.wt}]
	}
	return by, s.ends[by].at
}

// ofSession reports whether m counts for the session asked for. The session restricts only the
// targets, because the chain is the project's. Its id may be shortened to its beginning or end of
// at least 4 characters, as in the other commands.
func (s *search) ofSession(m *moment) bool {
	id, want := string(m.session), string(s.q.Session)
	if want == "" || id == want || !slices.Contains(s.targets, m.cmd) {
		return true
	}
	return len(want) >= 4 && (strings.HasPrefix(id, want) || strings.HasSuffix(id, want))
}

func chained(event []byte) bool {
	switch logfmt.Event(event) {
	case logfmt.Start, logfmt.Complete, logfmt.Failed:
		return true
	}
	return false
}

func (s *search) watches(cmd []byte) bool {
	for _, w := range s.watched {
		if w == string(cmd) {
			return true
		}
	}
	return false
}

// here is the index of the newest COMPLETE in the caller's worktree, or -1.
func (s *search) here(cmd string) int {
	if i, ok := s.hits[place{cmd, s.log.Worktree()}]; ok {
		return i
	}
	return -1
}

// known reports whether more reading cannot change the answers: every target has its COMPLETE,
// and the last moment of its predecessor before that.
func (s *search) known() bool {
	if s.missing > 0 {
		return false
	}
	for _, t := range s.targets {
		p := predecessor(s.q.Model, t)
		if p != "" && s.before(p, s.here(t)) < 0 {
			return false
		}
	}
	return true
}

// before is the index of the newest moment of cmd in the same worktree that is older than the
// moment at i, or -1.
func (s *search) before(cmd string, i int) int {
	for k := i + 1; k < len(s.moments); k++ {
		if m := &s.moments[k]; m.cmd == cmd && m.wt == s.moments[i].wt {
			return k
		}
	}
	return -1
}
