// Package react decides what follows from what a forge says of a worker's pull request: what its agent is told, what a person is, and
// when enough was said. It is pure: ledger, rules, the forge's last answer and a clock go in, steps come out.
//
// # Invariants
//
//   - What is told is made of items (a failed check of a commit, a thread with its last comment). The ledger names each item that was
//     told, and it is told once, whatever happened in between.
//   - A message has content of the forge's. Where there is none, a person is told instead.
//   - Attempts and limits are counted from the ledger, so neither a restart nor a clock that jumps gives a fresh budget.
//   - After an escalation nothing more of its key is told until the trouble was gone for good.
//   - What the forge says is data: fenced, scrubbed and cut.
package react

import (
	"slices"
	"time"

	"aburn/worker"
)

// The keys beside those of the state.
const (
	KeyGreen    = "approved-and-green"
	KeyClosed   = "pr-closed"
	KeyMerged   = "pr-merged"
	KeyIdle     = "agent-idle"
	KeyStuck    = "agent-stuck"
	KeyNeeds    = "agent-needs-input"
	KeyExited   = "agent-exited"
	KeyComplete = "all-complete"
	// KeyStrangers is that somebody who may not write to the repository commented. Only a person is told, once of a pull request:
	// anybody may write such comments.
	KeyStrangers = "stranger-commented"

	KeyStorm = "storm" // too much at once: a pause
)

// Keys are all that a file may have a rule for.
func Keys() []string {
	return []string{
		worker.KeyCI, worker.KeyChanges, worker.KeyBots, worker.KeyConflicts, KeyGreen, KeyClosed, KeyMerged, KeyIdle, KeyStuck, KeyNeeds, KeyExited, KeyComplete,
	}
}

// Actions are the words of Rule.Action.
var Actions = []string{worker.ActionSend, worker.ActionNotify, worker.ActionMerge}

// Priorities are the words of Rule.Priority; only the first is urgent.
var Priorities = []string{"urgent", "action", "warning", "info"}

// Rule is what follows from one kind of occasion.
type Rule struct {
	Auto          bool // false: the agent is told nothing by itself, and a person is
	Action        string
	Message       string        // what the agent or the person is told before the content; "" is aburn's own sentence
	Priority      string        // "" is what aburn thinks of it
	Retries       int           // messages before a person is told; below 0 there is no limit
	EscalateAfter time.Duration // without a new commit; 0 is never
	Threshold     time.Duration // how long it has to last; 0 is aburn's own
	Summary       bool          // all-complete: name the workers
}

// Rules are the rules by key.
type Rules map[string]Rule

// Defaults are the rules where no file says another.
func Defaults() Rules {
	send := func(retries int, after time.Duration) Rule {
		return Rule{Auto: true, Action: worker.ActionSend, Retries: retries, EscalateAfter: after}
	}
	tell := Rule{Auto: true, Action: worker.ActionNotify, Retries: -1}
	rules := Rules{
		worker.KeyCI: send(2, 30*time.Minute), worker.KeyChanges: send(-1, 30*time.Minute), worker.KeyBots: send(-1, 30*time.Minute),
		worker.KeyConflicts: send(-1, 15*time.Minute),
	}
	for _, key := range Keys() {
		if _, ok := rules[key]; !ok {
			rules[key] = tell
		}
	}
	all := tell
	all.Summary = true
	rules[KeyComplete] = all
	return rules
}

// Of is the rule of a key.
func (r Rules) Of(key string) Rule {
	if rule, ok := r[key]; ok {
		return rule
	}
	return Defaults()[key]
}

// Sends reports whether the agent is told by itself.
func (r Rule) Sends() bool { return r.Auto && r.Action == worker.ActionSend }

// merges reports whether a pull request is merged by itself.
func (r Rule) merges() bool { return r.Auto && r.Action == worker.ActionMerge }

// Urgent is whether a person is told urgently; otherwise is what aburn thinks.
func (r Rule) Urgent(otherwise bool) bool {
	if slices.Contains(Priorities, r.Priority) {
		return r.Priority == Priorities[0]
	}
	return otherwise
}
