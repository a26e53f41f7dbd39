package react

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/ledger"
)

// Limits of what is sent. Above them is a pause, until a person ends it.
const (
	PerHour = 6 // messages to one worker

	// settle is how long other checks may run on after the first one failed.
	settle = 5 * time.Minute
)

// Clock is now, on this machine.
type Clock struct {
	Host, Boot string
	Up         time.Duration // since Boot, without time asleep; 0 is unknown
}

// since is how long ago an entry was written, as far as that is known: at least so long, in time of a machine that is awake.
func (c Clock) since(e *ledger.Entry) time.Duration {
	if e.Host == c.Host && e.Boot == c.Boot && e.Up > 0 {
		return max(0, c.Up-e.Up)
	}
	return c.Up
}

// Case is one worker.
type Case struct {
	Name    string
	Worker  *worker.Worker
	Entries []ledger.Entry
	Pull    *forge.Pull // the forge's last answer, without what strangers said; nil is unknown
	// Log is why a check failed; ok is false while nobody has asked the forge.
	Log    func(forge.Check) (l forge.Log, ok bool)
	Nonce  string // that no text of the forge's can know
	Paused bool   // nothing is sent to anybody
}

// The words of Step.Action beside a rule's.
const (
	ActionEscalate = "escalate" // a person is told that telling the agent did not help
	ActionWithdraw = "withdraw" // what waits in Replaces is not true any more
	ActionPause    = "pause"    // a person is told that nothing more is sent
)

// Step is one thing that follows.
type Step struct {
	Key     string
	Action  string
	Subject string   // the same whenever the same follows
	Items   []string // what it tells, for the ledger
	Head    string
	Text    string // for the agent, or why a person is told
	Title   string
	Hint    string
	Urgent  bool
	// Replaces are messages of this key that wait, and that this one makes old.
	Replaces []string
	Limit    int // attempts after which it is not sent any more; below 0 there is none
}

// Due is what follows now.
func Due(c Case, rules Rules, now Clock) (steps []Step) {
	if c.Pull == nil || c.Worker.Pull.Number != c.Pull.Number {
		return nil // the ledger does not know of it yet
	}
	for _, t := range troubles(c, rules, now) {
		if s, ok := step(c, t, rules.Of(t.key), now); ok {
			steps = append(steps, s)
		}
	}
	return steps
}

// step is what follows from one key. While a message of it waits, it is left alone if it says all that is true now, withdrawn if
// nothing of it is, and else replaced.
func step(c Case, t trouble, rule Rule, now Clock) (s Step, ok bool) {
	h := look(c, t.key)
	waiting := waitingItems(c, h.waits)
	var fresh []part
	for _, p := range t.parts {
		if !h.told[p.id] {
			fresh = append(fresh, p)
		}
	}
	news := false
	if len(h.waits) > 0 && len(fresh) > 0 {
		_, now := message(c, t, rule, fresh) // what does not fit waits for the next one
		news = slices.ContainsFunc(now, func(p part) bool { return !waiting[p.id] }) || len(now) != len(waiting)
	}
	s = Step{Key: t.key, Head: c.Pull.Head, Replaces: h.waits, Limit: rule.Retries, Hint: "aburn ps " + c.Name}
	switch {
	case t.wait:
		return s, false
	case len(h.waits) > 0 && len(fresh) == 0:
		s.Action, s.Subject = ActionWithdraw, strings.Join(h.waits, ",")
		return s, true
	case len(h.waits) > 0 && !news:
		return s, false
	case len(fresh) == 0:
		return late(c, t, rule, h, s, now)
	}
	return tell(c, t, rule, fresh, s, now)
}

// late escalates what the agent was told of, and made no new commit for.
func late(c Case, t trouble, rule Rule, h history, s Step, now Clock) (Step, bool) {
	if t.key == KeyGreen {
		return unmerged(c, s, now)
	}
	r := spent(c.Worker, t.key)
	if len(t.parts) == 0 || t.good || h.first == nil || r.Escalated || r.Attempts == 0 || rule.EscalateAfter == 0 || now.since(h.first) < rule.EscalateAfter {
		return s, false
	}
	return escalation(c, t, s, "its agent was told, and nothing new was pushed since"), true
}

// mergeTime is how long a merge may take until somebody is told that nobody knows how it went.
const mergeTime = 2 * time.Minute

// Unmerged is the subject under which a person hears how an automatic merge of a commit went.
func Unmerged(head string) string { return "merge of " + head }

// unmerged is a merge that was begun and of whose end nobody heard.
func unmerged(c Case, s Step, now Clock) (Step, bool) {
	begun := slices.ContainsFunc(c.Entries, func(e ledger.Entry) bool {
		return e.Key == KeyGreen && e.Action == worker.ActionMerge && e.Head == s.Head && now.since(&e) >= mergeTime
	})
	heard := slices.ContainsFunc(c.Entries, func(e ledger.Entry) bool {
		return e.Key == KeyGreen && e.Action == worker.ActionNotify && e.Subject == Unmerged(s.Head)
	})
	s.Action, s.Subject, s.Urgent, s.Hint = worker.ActionNotify, Unmerged(s.Head), true, c.Pull.URL
	s.Title, s.Text = c.Name+": not merged", fmt.Sprintf("the merge of #%d was begun, and it is open still", c.Pull.Number)
	return s, begun && !heard
}

func escalation(c Case, t trouble, s Step, why string) Step {
	s.Action, s.Subject, s.Replaces, s.Urgent = ActionEscalate, "escalated "+s.Head, nil, true
	s.Title, s.Text = c.Name+": "+t.about, why+": "+heads(t.parts)
	s.Hint = "aburn attach " + c.Name
	return s
}

// tell says new items to the agent, or to a person where that cannot be.
func tell(c Case, t trouble, rule Rule, fresh []part, s Step, now Clock) (Step, bool) {
	r := spent(c.Worker, t.key)
	nothing := !slices.ContainsFunc(fresh, func(p part) bool { return !p.none })
	switch {
	case t.key == KeyGreen && rule.merges() && !c.Pull.Approved():
		return person(c, t, rule, fresh, s, t.about+"; nobody approved this commit, so it is not merged by itself")
	case t.key == KeyGreen && rule.merges():
		s.Action, s.Subject, s.Items = worker.ActionMerge, "merge "+s.Head, ids(fresh)
		return s, true
	case t.good || !rule.Sends():
		return person(c, t, rule, fresh, s, t.about)
	case c.Worker.Over():
		s.Hint = "aburn attach --headless " + c.Name
		return person(c, t, rule, fresh, s, t.about+", and its agent has ended")
	case !slices.ContainsFunc(fresh, func(p part) bool { return !p.stopped }):
		t.about = "checks did not finish"
		return person(c, t, rule, fresh, s, t.about+", and no commit changes that; its agent was not told")
	case nothing:
		return person(c, t, rule, fresh, s, t.about+", and the forge does not say how; its agent was not told")
	case r.Escalated:
		return s, false
	case rule.Retries >= 0 && r.Attempts >= rule.Retries:
		return escalation(c, t, s, fmt.Sprintf("its agent was told %d times", r.Attempts)), true
	case c.Paused || !mayHear(c.Worker):
		return s, false
	}
	if paused, full := storm(c.Entries, now); paused {
		return s, false
	} else if full {
		s.Key, s.Action, s.Subject, s.Urgent = KeyStorm, ActionPause, fmt.Sprintf("after %d", lastSend(c)), true
		s.Title, s.Text, s.Hint = c.Name+" gets no more messages", fmt.Sprintf("it had %d within an hour from the forge; %s", PerHour, t.about),
			"aburn daemon start --resume-reactions"
		return s, true
	}
	s.Action = worker.ActionSend
	var said []part
	s.Text, said = message(c, t, rule, fresh)
	s.Items = ids(said)
	s.Subject = strings.Join(s.Items, ",")
	return s, true
}

// person is told of all of it, once.
func person(c Case, t trouble, rule Rule, fresh []part, s Step, why string) (Step, bool) {
	s.Action, s.Items, s.Urgent = worker.ActionNotify, ids(fresh), rule.Urgent(false)
	s.Subject = strings.Join(s.Items, ",")
	s.Title, s.Text = c.Name+": "+t.about, why
	if list := heads(fresh); list != "" {
		s.Text += ": " + list
	}
	if rule.Message != "" {
		s.Text = rule.Message + " · " + s.Text
	}
	switch t.key {
	case KeyMerged:
		s.Hint = "aburn cleanup " + c.Name
	case KeyGreen, KeyClosed, KeyStrangers:
		s.Hint = c.Pull.URL
	}
	return s, true
}

func ids(parts []part) (list []string) {
	for _, p := range parts[:min(len(parts), maxItems)] {
		list = append(list, p.id)
	}
	return list
}

// maxItems is how many items one entry of a ledger names.
const maxItems = 80
