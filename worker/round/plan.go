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
	"aburn/worker/react"
)

// Kind is what a step does.
type Kind string

// The steps, in the order in which a round does them.
const (
	Bring   Kind = "messages" // those that wait, and those that the agent's record shows
	Keep    Kind = "snapshot"
	Compare Kind = "overlap"
	Verify  Kind = "gates"
	Charge  Kind = "budget"
	React   Kind = "reaction"
	Tell    Kind = "notice"
)

// Step is one thing that is due. The same Subject is the same thing.
type Step struct {
	Do      Kind
	Worker  string // "" is all of them
	Subject string
	Notice  *Notice
	React   *react.Step
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
	KeyBudget   = "budget"
	KeyForge    = "forge-failed"
)

// Seen is what is known of one worker.
type Seen struct {
	Name    string
	Worker  *worker.Worker
	Entries []ledger.Entry
	Said    string         // with aburn done or aburn ask
	Asks    string         // what it asks in its protocol
	Screen  bool           // dialogs are seen on its screen
	Dialog  string         // and this one is
	Tree    bool           // its tree is there
	Clashes []ledger.Entry // conflicts with living workers that nobody was told of
	NoGates string         // why gates that should run cannot; "" if they can

	Limit    worker.Budget
	Attended bool // a person sits at its terminal
	Rules    react.Rules
}

// Times after which something is due. They only delay: a clock that jumps repeats nothing and ends nothing.
const (
	settleTime = 5 * time.Second // for ends that come together, to be told together
	untoldTime = 2 * time.Minute // a message of aburn's own may wait so long
	silentTime = time.Minute     // after its last word an agent's turn counts as over
	screenTold = 2 * time.Minute // after its launch the screen would have shown a dialog
)

// Plan says what is due now, with what is due for other reasons. tried holds what this process attempted already.
func Plan(all []Seen, tried *Tried, now time.Time, more ...Step) (steps []Step) {
	steps = more
	for _, s := range all {
		for _, do := range []func(Seen, time.Time) (Step, bool){messages, snapshot, gates, nudge, budget} {
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
	order := []Kind{Bring, Keep, Compare, Verify, Charge, React, Tell}
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

// countEvery is how often it is read what a worker at work has used up.
const countEvery = 5 * time.Second

// budget is compared while the agent works, and at the end of each turn, until it is used up. A person who then lets it go on
// has said so.
func budget(s Seen, now time.Time) (step Step, ok bool) {
	w := s.Worker
	if s.Limit == (worker.Budget{}) || w.Heard.IsZero() || w.Over() {
		return step, false
	}
	if slices.ContainsFunc(s.Entries, func(e ledger.Entry) bool { return e.Kind == worker.Budgeted && e.Full }) {
		return step, false
	}
	if last := w.Heard.Add(2 * countEvery); w.TurnOver && now.After(last) { // by then its store has all of the turn
		now = last
	}
	return Step{Do: Charge, Worker: s.Name, Subject: fmt.Sprintf("%d %d %t", w.Gen, now.Unix()/int64(countEvery.Seconds()), w.TurnOver)}, true
}

// nudges is how often an idle agent is told to go on, where no file says another number.
const nudges = 2

// nudge is due for an agent that sits idle, where a file says that it is told so.
func nudge(s Seen, now time.Time) (step Step, ok bool) {
	rule, w := s.Rules.Of(react.KeyIdle), s.Worker
	limit := rule.Retries
	if limit < 0 {
		limit = nudges
	}
	if !rule.Sends() || w.Spent(react.KeyIdle) >= limit || !sitsIdle(s, now) || w.Pull.Is != "" || react.Paused(s.Entries) {
		return step, false
	}
	text := "from aburn: you ended your turn and did not say that you are done. " + cmp.Or(rule.Message, "Go on with your task.") +
		" If you are done run `aburn done`, if you need a person `aburn ask`."
	r := &react.Step{Key: react.KeyIdle, Action: worker.ActionSend, Subject: proof(w), Text: text, Limit: limit}
	return Step{Do: React, Worker: s.Name, Subject: react.KeyIdle + " " + r.Subject, React: r}, true
}

// sitsIdle reports whether an agent's turn is over for so long that somebody should know.
func sitsIdle(s Seen, now time.Time) bool {
	w := s.Worker
	if st := w.Status(); st != worker.StatusIdle && st != worker.StatusToReview {
		return false
	}
	long := s.Rules.Of(react.KeyIdle).Threshold
	return !s.Attended && w.Reason != worker.AgentAcknowledged && now.Sub(w.Since) >= cmp.Or(long, worker.ReadyFor) && len(w.Open()) == 0
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
