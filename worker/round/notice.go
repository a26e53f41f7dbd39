package round

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/react"
)

// massLeast is how many ends at once are one event.
const massLeast = 3

// notices are all that nobody was told yet. Of many that ended at once one is told, for all.
func notices(all []Seen, now time.Time) (list []Notice) {
	var ended []Notice
	for _, s := range all {
		for _, n := range []*Notice{state(s, now), unanswered(s, now), blocked(s), silent(s, now)} {
			switch {
			case n == nil || told(s.Entries, n.Key, n.Subject):
			case n.Key == KeyExited:
				ended = append(ended, *n)
			default:
				list = append(list, *n)
			}
		}
		list = append(list, clashes(s)...)
		list = append(list, budgets(s)...)
	}
	list = append(list, together(ended)...)
	if n := complete(all); n != nil && len(list) == 0 && !told(all[0].Entries, n.Key, n.Subject) {
		list = append(list, *n)
	}
	return list
}

// budgets are what was found of a budget while it lasts. That it is used up is told by the worker's state.
func budgets(s Seen) (list []Notice) {
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Kind != worker.Budgeted || e.Full {
			continue
		}
		n := Notice{Worker: s.Name, Key: KeyBudget, Subject: e.Limit + " " + e.Is, Title: fmt.Sprintf("%s used up %d %% of its budget", s.Name, worker.BudgetShare),
			Text: e.Spent + " of " + e.Limit, Hint: "aburn ps --cost " + s.Name}
		if e.Is == worker.BudgetUnpriced {
			n.Title, n.Text = s.Name+"'s budget cannot be seen as a whole", "it is in dollars, and what its model costs is not known: "+e.Spent
		}
		if !told(s.Entries, n.Key, n.Subject) {
			list = append(list, n)
		}
	}
	return list
}

// told reports whether the ledger says that a person heard of it.
func told(entries []ledger.Entry, key, subject string) bool {
	return slices.ContainsFunc(entries, func(e ledger.Entry) bool {
		return e.Kind == worker.Reacted && e.Action == worker.ActionNotify && e.Key == key && e.Subject == subject
	})
}

// state is what a person should know of where a worker stands.
func state(s Seen, now time.Time) *Notice {
	w := s.Worker
	n := &Notice{Worker: s.Name, Subject: proof(w), Hint: "aburn ps " + s.Name}
	age := now.Sub(w.Since)
	switch w.Status() {
	case worker.StatusNeedsInput:
		n.Key, n.Urgent, n.Hint = KeyNeeds, true, "aburn attach "+s.Name
		n.Title, n.Text = s.Name+" needs you", needs(s)
		if w.Reason == worker.VerifyFailed { // it may say done again, and nothing runs
			n.Subject, n.Hint = lastRun(s.Entries), "aburn ps "+s.Name
		}
	case worker.StatusStuck:
		n.Key, n.Title, n.Text = KeyStuck, s.Name+" is stuck", cmp.Or(standstill(s.Entries), strings.ReplaceAll(string(w.Reason), "_", " "))
	case worker.StatusDone:
		if w.Changes == nil && young(age, silentTime) {
			return nil // whether it changed anything is known in a moment
		}
		n.Key, n.Title, n.Text, n.Hint = KeyDone, s.Name+" is done", done(s), "aburn diff "+s.Name
	case worker.StatusErrored, worker.StatusTerminated:
		if s.Attended || young(age, settleTime) || w.Reason != worker.ErrorInProcess && toldOfServer(s.Entries, w.Gen) {
			return nil
		}
		n.Key, n.Title = KeyExited, s.Name+" ended"
		n.Text = "its agent " + map[worker.Reason]string{
			worker.AgentProcessExited: "ended, and did not say that it is done", worker.ErrorInProcess: "ended with an error",
			worker.RuntimeLost:  "was lost with its runtime",
			worker.ProbeFailure: "could not be seen any more",
		}[w.Reason]
		if w.SaidDone() && w.Reason == worker.AgentProcessExited {
			n.Text, n.Hint = "its agent said done and ended before its gates ran", "aburn merge "+s.Name
		}
	case worker.StatusIdle, worker.StatusToReview:
		if _, told := nudge(s, now); told || !sitsIdle(s, now) {
			return nil
		}
		n.Key, n.Title, n.Text, n.Hint = KeyIdle, s.Name+" is idle", "its turn is over, and it did not say that it is done", "aburn diff "+s.Name
	default:
		return nil
	}
	rule := s.Rules.Of(n.Key)
	if n.Urgent = rule.Urgent(n.Urgent); rule.Message != "" && !rule.Sends() {
		n.Text = plain.OneLine(rule.Message, 160) + " · " + n.Text
	}
	return n
}

// complete is when of two workers or more none has anything left to do. One that ended or was lost without a word of done may
// have: of that end the person heard.
func complete(all []Seen) *Notice {
	var names, states, gens []string
	for _, s := range all {
		w := s.Worker
		if !(w.Over() || w.State == worker.Done) || w.Status() == worker.StatusErrored || w.Status() == worker.StatusTerminated || w.Verifying() {
			return nil
		}
		names, gens = append(names, s.Name), append(gens, fmt.Sprintf("%s:%d", s.Name, w.Gen))
		states = append(states, s.Name+" "+strings.ReplaceAll(string(w.Status()), "_", " "))
	}
	if len(all) < 2 {
		return nil
	}
	n := &Notice{
		Worker: names[0], Others: names[1:], Key: react.KeyComplete, Subject: fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(gens, " "))))[:16],
		Title: "all workers are through",
		Text:  plain.Plural(int64(len(names)), "worker"), Hint: "aburn ps",
	}
	rule := all[0].Rules.Of(react.KeyComplete)
	if n.Urgent = rule.Urgent(false); rule.Summary {
		n.Text = plain.OneLine(strings.Join(states, ", "), 300)
	}
	if rule.Message != "" {
		n.Text = plain.OneLine(rule.Message, 160) + " · " + n.Text
	}
	return n
}

// standstill is what was last judged to be no progress.
func standstill(entries []ledger.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Kind == worker.NoProgress {
			return e.Why
		}
	}
	return ""
}

// young reports whether something is not as old as that yet. What was written after the round began is a little younger than nothing;
// a clock that went back makes nothing young.
func young(age, than time.Duration) bool { return age > -time.Minute && age < than }

// toldOfServer reports whether a person heard that the worker's server may have died, in this generation.
func toldOfServer(entries []ledger.Entry, gen int) bool {
	return slices.ContainsFunc(entries, func(e ledger.Entry) bool { return e.Kind == worker.Reacted && e.Key == KeyMass && e.Gen == gen })
}

// proof names the fact that the state follows from.
func proof(w *worker.Worker) string {
	text := fmt.Sprintf("%d", w.Gen)
	for _, e := range w.Evidence[:min(1, len(w.Evidence))] {
		text += fmt.Sprintf(":%d:%d", e.File, e.Seq)
	}
	return text
}

func needs(s Seen) string {
	switch {
	case s.Worker.Reason == worker.VerifyFailed:
		return "its gates did not pass: " + lastGate(s.Entries)
	case s.Worker.Reason == worker.ErrorInProcess:
		return "its turn failed"
	case s.Worker.Reason == worker.BudgetReached:
		return "its budget is used up"
	case s.Dialog != "":
		return "its screen asks: " + plain.OneLine(s.Dialog, 160)
	case s.Asks != "":
		return "it asks: " + plain.OneLine(s.Asks, 160)
	case s.Said != "":
		return "it says: " + plain.OneLine(s.Said, 160)
	}
	return "it asks something"
}

// lastRun names the last run of its gates.
func lastRun(entries []ledger.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Kind == worker.Gated && e.Is == worker.GateStarted {
			return fmt.Sprintf("gates %d", e.Seq)
		}
	}
	return "gates"
}

func lastGate(entries []ledger.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Kind == worker.Gated && e.Is == worker.GateFailed {
			return plain.OneLine(e.Why, 160)
		}
	}
	return "nobody saw how they ended"
}

func done(s Seen) string {
	_, gated := s.Worker.Retries()
	text := "it says so itself; nothing checked it"
	if gated {
		text = "its gates passed"
	}
	if s.Worker.Changes != nil && *s.Worker.Changes == 0 {
		text += "; it changed nothing"
	}
	if s.Said != "" {
		text += ": " + plain.OneLine(s.Said, 120)
	}
	return text
}

// unanswered is a message of aburn's own that the agent did not take.
func unanswered(s Seen, now time.Time) *Notice {
	if s.Worker.State == worker.Working && !s.Worker.Verifying() {
		return nil // it has it at its turn's end
	}
	for _, e := range s.Entries {
		open := slices.ContainsFunc(s.Worker.Open(), func(m worker.Message) bool { return m.ID == e.Message })
		if !messageOf(&e) || e.Kind == worker.Gated && s.Worker.Over() || now.Sub(e.At) < untoldTime {
			continue
		}
		if e.Message == "" && s.Worker.Reason == worker.VerifyFailed || e.Message != "" && !open || told(s.Entries, KeyUntold, subjectOf(e)) {
			continue
		}
		return &Notice{
			Worker: s.Name, Key: KeyUntold, Subject: subjectOf(e), Title: s.Name + " was not told", Text: untold(e),
			Hint: "aburn send " + s.Name + " TEXT",
		}
	}
	return nil
}

func untold(e ledger.Entry) string {
	if e.Kind == worker.Reacted {
		return "its agent does not know what its pull request waits for: " + e.Key
	}
	return "its gates did not pass, and its agent does not know: " + plain.OneLine(e.Why, 120)
}

func subjectOf(e ledger.Entry) string {
	if e.Message != "" {
		return e.Message
	}
	return fmt.Sprintf("gate %d", e.Seq)
}

// blocked is a worker that says it is done and has nobody who could verify that.
func blocked(s Seen) *Notice {
	if s.NoGates == "" || !s.Worker.Verifying() {
		return nil
	}
	return &Notice{
		Worker: s.Name, Key: KeyGates, Subject: proof(s.Worker), Title: s.Name + " says done, and nothing verifies it", Text: s.NoGates, Hint: "aburn config check",
		Urgent: true,
	}
}

// silent is an agent that should have hooks, and of which nothing was heard.
func silent(s Seen, now time.Time) *Notice {
	if s.Attended || s.Worker.Over() || !s.Worker.Flags(now).NoSignal || s.Dialog != "" || s.Screen && now.Sub(s.Worker.LaunchedAt) < screenTold {
		return nil
	}
	return &Notice{
		Worker: s.Name, Key: KeySilent, Subject: fmt.Sprint(s.Worker.Gen), Title: s.Name + " says nothing",
		Text: "its hooks reported nothing since its start; it may ask something at its start, such as whether you trust the folder",
		Hint: "aburn attach " + s.Name + "; aburn doctor",
	}
}

func clashes(s Seen) (list []Notice) {
	for _, e := range s.Clashes {
		list = append(list, Notice{
			Worker: s.Name, Others: []string{e.Peer}, Key: KeyConflict, Subject: e.Set, Title: s.Name + " and " + e.Peer + " conflict",
			Text: "they change the same files in ways that do not merge: " + plain.OneLine(strings.Join(e.Files, ", "), 160), Hint: "aburn overlap",
		})
	}
	return list
}

// together makes one notice of many ends.
func together(ended []Notice) []Notice {
	if len(ended) < massLeast {
		return ended
	}
	n := Notice{
		Worker: ended[0].Worker, Key: KeyExited, Subject: ended[0].Subject, Urgent: true, Title: fmt.Sprintf("%d workers ended at once", len(ended)),
		Hint: "aburn resume --all",
	}
	var names []string
	for _, e := range ended {
		names = append(names, e.Worker)
	}
	for _, e := range ended[1:] {
		n.subjects = append(n.subjects, e.Subject)
	}
	n.Others = names[1:]
	n.Text = plain.OneLine(strings.Join(names, ", "), 160)
	return []Notice{n}
}
