package describe

import (
	"cmp"
	"time"

	"aburn/internal/units"
	"aburn/worker"
	"aburn/worker/manager"
)

// Summary is what is known of a worker, as `aburn ps --json` prints it.
type Summary struct {
	Worker    string        `json:"worker"`
	State     string        `json:"state"`
	Reason    string        `json:"reason,omitempty"`
	Status    string        `json:"status"`
	Zone      string        `json:"zone"`
	Activity  string        `json:"activity,omitempty"`
	Since     *time.Time    `json:"since,omitempty"`
	Heard     *time.Time    `json:"heard,omitempty"`
	Task      string        `json:"task,omitempty"`
	Issue     string        `json:"issue,omitempty"`
	IssueURL  string        `json:"issue_url,omitempty"`
	Parent    string        `json:"parent,omitempty"`
	Workers   []string      `json:"workers,omitempty"`
	Agent     string        `json:"agent,omitempty"`
	Via       string        `json:"via,omitempty"`
	Tree      string        `json:"tree,omitempty"`
	Branch    string        `json:"branch,omitempty"`
	Former    []string      `json:"former_branches,omitempty"`
	Base      string        `json:"base,omitempty"`
	BaseRef   string        `json:"base_ref,omitempty"`
	Session   string        `json:"session,omitempty"`
	PID       int           `json:"pid,omitempty"`
	Left      []LeftProcess `json:"left,omitempty"`
	Exit      *int          `json:"exit,omitempty"`
	Signal    int           `json:"signal,omitempty"`
	Changes   *int          `json:"changes,omitempty"`
	Snapshots int           `json:"snapshots"`
	Removed   bool          `json:"removed,omitempty"`
	Damaged   int           `json:"damaged,omitempty"`
	Flags     []string      `json:"flags,omitempty"`
	Asks      []Asked       `json:"asks,omitempty"`
	Evidence  []string      `json:"evidence,omitempty"`
	Says      string        `json:"says,omitempty"`
	Messages  int           `json:"messages,omitempty"`
	Overlaps  []ClashReport `json:"overlaps,omitempty"`
}

// Asked is an open question of an agent without a terminal, which `aburn answer` answers.
type Asked struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// Summarize is what is known of a worker. names are the workers whose overlaps count, readyFor what readyThresholdMs says.
func Summarize(m *manager.Member, names map[string]bool, now time.Time, readyFor time.Duration) Summary {
	if m.Err != nil {
		return Summary{Worker: m.Name, State: "unknown", Status: "unknown", Zone: string(worker.ZoneNeedsYou)}
	}
	w, d := m.Worker, m.Request
	r := Summary{
		Worker: m.Name, State: w.State.String(), Reason: string(w.Reason), Status: string(w.Status()), Zone: string(w.Zone()),
		Since: units.OptionalTime(w.Since), Heard: units.OptionalTime(w.Heard), Task: d.Task, Issue: d.Issue, IssueURL: d.IssueURL, Parent: d.Parent, Agent: d.Agent,
		Via: d.Via, Tree: d.Tree, Branch: d.Branch,
		Base: d.Base, BaseRef: d.BaseRef, Changes: w.Changes, Snapshots: len(manager.Snapshots(m.Ledger)), Removed: m.Gone(), Damaged: m.Ledger.Damaged,
		Flags: flagWords(w.Flags(now)), Overlaps: ClashesOf(m, names), Left: leftProcesses(m.Left), Says: m.Said, Messages: len(w.Open()),
	}
	if words := manager.OnScreen(m); words != "" {
		r.Flags = append(r.Flags, "its screen asks: "+words)
	}
	if m.Off != "" {
		r.Flags = append(r.Flags, "its worktree is on "+m.Off+", a branch that was there before the worker")
	}
	r.Former = m.Branches()[1:]
	r.Activity = string(w.Activity(now, worker.Signals{ReadyFor: readyFor}))
	if l := m.Ledger.Last(worker.Launched); l != nil {
		r.Session = l.Session
	}
	if m.IsRemote() && !r.Removed {
		r.Tree = m.RemoteTree
	}
	if m.Unreached != "" {
		r.Flags = append(r.Flags, "its machine does not answer: "+m.Unreached)
	}
	if m.Talk != nil && !m.Over() {
		r.Session = cmp.Or(r.Session, m.Talk.Session)
		for _, q := range m.Talk.Asks {
			r.Asks = append(r.Asks, Asked{q.ID, q.What})
		}
	}
	if m.Talk == nil && m.Asks != "" && w.State == worker.NeedsInput && w.Reason == worker.AwaitingUser {
		r.Asks = append(r.Asks, Asked{What: m.Asks})
	}
	if w.Agent != nil && !m.Over() {
		r.PID = w.Agent.PID
	}
	if c := m.Ledger.Last(worker.Certificate); c != nil && m.Over() {
		r.Exit, r.Signal = c.Exit, c.Signal
	}
	for _, e := range w.Evidence {
		r.Evidence = append(r.Evidence, Evidence(m, e))
	}
	return r
}

// flagWords are remarks beside the state.
func flagWords(f worker.Flags) (words []string) {
	for _, flag := range []struct {
		set  bool
		word string
	}{
		{f.NoSignal, "its hooks report nothing: aburn doctor"}, {f.Unseen, "not seen"}, {f.Weak, "read off its screen"}, {f.NoChange, "done without a change"},
		{f.KilledYetLives, "was killed, yet lives"}, {f.RemovedUnproven, "its tree was removed without a proof that nothing was lost"},
	} {
		if flag.set {
			words = append(words, flag.word)
		}
	}
	return words
}
