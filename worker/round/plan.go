// Package round decides what is due for workers while nobody looks at them, and does it: a round looks, brings messages that
// wait, keeps trees at the end of turns, runs gates, and tells a person what only a person can decide.
//
// # Invariants
//
//   - Plan is pure. What was done stands in the ledgers, so a round that was killed between any two steps is repeated by the
//     next one, which does what is left and nothing twice.
//   - A notice is told before the ledger says so: killed in between, it is told again, under the same id. Everything else is
//     done once.
//   - What failed is tried again later and later, and never faster because facts come and go.
package round

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/worker"
	"aburn/worker/ledger"
)

// Kind is what a step does.
type Kind string

// The steps, in the order in which a round does them.
const (
	Bring   Kind = "messages" // those that wait, and those that the agent's record shows
	Keep    Kind = "snapshot"
	Compare Kind = "overlap"
	Verify  Kind = "gates"
	Tell    Kind = "notice"
)

// Step is one thing that is due. The same Subject is the same thing.
type Step struct {
	Do      Kind
	Worker  string // "" is all of them
	Subject string
	Notice  *Notice
}

// Notice is something that a person should hear.
type Notice struct {
	Worker  string   `json:"worker"`
	Others  []string `json:"others,omitempty"` // that it is true of, too
	Key     string   `json:"key"`
	Subject string   `json:"subject"`
	Title   string   `json:"title"`
	Text    string   `json:"text"`
	Hint    string   `json:"hint,omitempty"` // a command
	Urgent  bool     `json:"urgent,omitempty"`

	subjects []string // of Others, where they differ
}

// ID is the same whenever the same is told.
func (n *Notice) ID() string { return n.Worker + "/" + n.Key + "/" + n.Subject }

// Keys of notices.
const (
	KeyNeeds    = "agent-needs-input"
	KeyStuck    = "agent-stuck"
	KeyExited   = "agent-exited"
	KeyIdle     = "agent-idle"
	KeyDone     = "agent-done"
	KeyUntold   = "message-not-accepted"
	KeyConflict = "overlap-conflict"
	KeyGates    = "gates-cannot-run"
	KeyMass     = "mass-death"
	KeySilent   = "no-signal"
)

// Seen is what is known of one worker.
type Seen struct {
	Name    string
	Worker  *worker.Worker
	Entries []ledger.Entry
	Said    string         // with aburn done or aburn ask
	Asks    string         // what it asks in its protocol
	Tree    bool           // its tree is there
	Clashes []ledger.Entry // conflicts with living workers that nobody was told of
	NoGates string         // why gates that should run cannot; "" if they can

	Attended bool // a person sits at its terminal
}

// Times after which something is due. They only delay: a clock that jumps repeats nothing and ends nothing.
const (
	settleTime = 5 * time.Second // for ends that come together, to be told together
	untoldTime = 2 * time.Minute // a message of aburn's own may wait so long
	silentTime = time.Minute     // after its last word an agent's turn counts as over
)

// Plan says what is due now. tried holds what this process attempted already.
func Plan(all []Seen, tried *Tried, now time.Time) (steps []Step) {
	for _, s := range all {
		for _, do := range []func(Seen, time.Time) (Step, bool){messages, snapshot, gates} {
			if step, ok := do(s, now); ok {
				steps = append(steps, step)
			}
		}
	}
	if step, ok := overlaps(all); ok {
		steps = append(steps, step)
	}
	for _, n := range notices(all, now) {
		steps = append(steps, Step{Do: Tell, Worker: n.Worker, Subject: n.Key + " " + n.Subject, Notice: &n})
	}
	steps = slices.DeleteFunc(steps, func(s Step) bool { return !tried.due(s, now) })
	order := []Kind{Bring, Keep, Compare, Verify, Tell}
	slices.SortStableFunc(steps, func(a, b Step) int { return cmp.Compare(slices.Index(order, a.Do), slices.Index(order, b.Do)) })
	return steps
}

// messages are due where something waits, or was heard and does not stand in the ledger.
func messages(s Seen, _ time.Time) (step Step, ok bool) {
	if s.Worker.Over() || s.Worker.State == worker.NotStarted {
		return step, false
	}
	var ids []string
	for _, m := range s.Worker.Messages {
		switch {
		case m.Receipt == worker.Waiting:
			ids = append(ids, m.ID)
		case m.Receipt == worker.Heard && m.Gen == s.Worker.Gen:
			ids = append(ids, m.ID+"!")
		}
	}
	subject := fmt.Sprintf("%s %d %s", strings.Join(ids, ","), s.Worker.Gen, moment(s.Worker))
	return Step{Do: Bring, Worker: s.Name, Subject: subject}, len(ids) > 0
}

// moment names what the agent said last.
func moment(w *worker.Worker) string { return strconv.FormatInt(w.Heard.UnixMilli(), 36) }

// snapshot is due when a turn is over, or the agent, and no state was kept since its last word.
func snapshot(s Seen, _ time.Time) (step Step, ok bool) {
	w := s.Worker
	if !s.Tree || w.Heard.IsZero() || !w.TurnOver && !w.Over() {
		return step, false
	}
	for _, e := range slices.Backward(s.Entries) {
		if e.Kind == worker.Snapshotted && e.At.After(w.Heard) && w.Changes != nil {
			return step, false
		}
	}
	return Step{Do: Keep, Worker: s.Name, Subject: strconv.Itoa(w.Gen) + " " + moment(w)}, true
}

// gates are due when the agent says that it is done and its turn is over: until then it may go on.
func gates(s Seen, now time.Time) (step Step, ok bool) {
	w := s.Worker
	if !w.Verifying() || s.NoGates != "" || !w.TurnOver && now.Sub(w.Heard) < silentTime {
		return step, false
	}
	return Step{Do: Verify, Worker: s.Name, Subject: fmt.Sprintf("%d %d %s", w.Gen, w.Tries(), moment(w))}, true
}

// overlaps are due when the state of a living tree was kept anew.
func overlaps(all []Seen) (step Step, ok bool) {
	var states []string
	for _, s := range all {
		for i := len(s.Entries) - 1; i >= 0 && s.Tree; i-- {
			if e := &s.Entries[i]; e.Kind == worker.Snapshotted {
				states = append(states, fmt.Sprintf("%s %d", s.Name, e.Seq))
				break
			}
		}
	}
	return Step{Do: Compare, Subject: strings.Join(states, ",")}, len(states) > 1
}
