package backtest

import (
	"time"

	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

// Alert is an issue, from the first judgement that listed its signature.
type Alert struct {
	Type       supervisor.Type
	Session    logfmt.SessionID // "" = the chain
	Agent      string
	Signature  string
	At         time.Time  // when it was first raised
	Entry      state.Mark // the newest entry then
	Since      state.Mark // since when it was true, as the issue says
	Confidence float64    // when it was raised
	Max        float64    // the highest confidence
	Queued     time.Time  // when it first exceeded the queue's threshold; zero: never
	Gone       time.Time  // when it was last resolved; zero while it is open
	GoneAt     state.Mark // the newest entry then
	Raised     int        // how often it was raised after being gone
	Says       string
	Evidence   []state.Mark
	Verdict    Verdict // by the labels

	round int
}

// Above reports whether the alert ever exceeded the queue's threshold.
func (a *Alert) Above() bool { return !a.Queued.IsZero() }

// Delay is the time from Since to At; false if the entries' times do not tell.
func (a *Alert) Delay() (time.Duration, bool) { return delay(a.Since, a.At) }

func delay(since state.Mark, at time.Time) (time.Duration, bool) {
	if !since.Is() {
		return 0, false
	}
	d := at.Sub(since.Time())
	return max(d, 0), d > -lag && d <= longest
}

// alerts are those of one replay.
type alerts struct {
	known map[string]*Alert
	list  []*Alert
	open  []*Alert
	round int
}

func (s *alerts) update(issues []supervisor.Issue, last state.Mark, in supervisor.Input) {
	if len(issues) == 0 && len(s.open) == 0 {
		return
	}
	s.round++
	for i := range issues {
		if supervisor.LevelOf(&issues[i], in.Limits) != "" {
			s.raise(&issues[i], last, in)
		}
	}
	standing := s.open[:0]
	for _, a := range s.open {
		if a.round == s.round {
			standing = append(standing, a)
		} else {
			a.Gone, a.GoneAt = in.Now, last
		}
	}
	s.open = standing
}

func (s *alerts) raise(i *supervisor.Issue, last state.Mark, in supervisor.Input) {
	a := s.known[i.Signature]
	if a == nil {
		if s.known == nil {
			s.known = map[string]*Alert{}
		}
		a = &Alert{
			Type: i.Type, Session: i.Session, Agent: i.Agent, Signature: i.Signature, At: in.Now, Entry: last,
			Since: i.Since, Confidence: i.Confidence, Says: i.Says, Evidence: i.Evidence,
		}
		s.known[i.Signature] = a
		s.list = append(s.list, a)
	}
	if a.Raised == 0 || !a.Gone.IsZero() {
		a.Raised++
		a.Gone, a.GoneAt = time.Time{}, state.Mark{}
		s.open = append(s.open, a)
	}
	a.round = s.round
	a.Max = max(a.Max, i.Confidence)
	if a.Queued.IsZero() && supervisor.LevelOf(i, in.Limits) == supervisor.Queue {
		a.Queued = in.Now
	}
}

// standing are the open alerts, in the order in which they were raised.
func (s *alerts) standing() []*Alert {
	var list []*Alert
	for _, a := range s.list {
		if a.Gone.IsZero() {
			list = append(list, a)
		}
	}
	return list
}
