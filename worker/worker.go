package worker

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Bounds of a Worker, which holds however many facts it is made of.
const (
	maxAsked     = 8  // permissions open at once
	maxCalls     = 32 // tool calls open at once
	maxOld       = 8  // processes of former generations
	maxMessages  = 64 // open or lately accepted
	maxReactions = 16
)

// Worker is what the facts say of one worker. The zero Worker is one of which nothing is known.
type Worker struct {
	place
	Gen     int    // the present launch, from 1
	Refuted Reason // of the last T of this generation that life lifted
	Agent   *Process
	Server  string // the runtime server that it was launched on
	KillFor Reason // an end was asked for, with this reason

	LaunchedAt time.Time
	Heard      time.Time // At of the agent's last fact in this generation
	Hooks      bool      // the agent should report through hooks
	Unseen     bool      // the last probe could not see it
	Unproven   bool      // its tree was removed without a proof that nothing was lost

	Pull      Pull
	Messages  []Message
	Reactions []Reaction
	Changes   *int // files that differ from the base, by the last snapshot; nil after a tool, and unknown
	GateRuns  int  // since gates passed, or a person spoke after they gave up; a restore keeps it
	GateFails int
	TurnOver  bool // the agent said so of its last turn
	Merged    bool // its commits came into a branch here, and its agent did nothing since

	seen       [files]uint64
	told       told      // where the agent's own facts left it
	from       place     // the place before it was out of sight; what it says of other states is old
	strong     *place    // the place without weak facts, while those show another one
	over       bool      // a certificate came in this generation
	certified  *Process  // and this is what it names
	old        []Process // of former generations
	asked      []asked
	calls      []string // tool calls that began since the turn did, and of which no end was told
	asking     bool     // `aburn ask` was said since the last prompt
	said       told     // what `aburn done` led to: holds until the next prompt or message; zero is nothing
	fixing     fixing
	host, boot string
	quiet      quiet
	rounds     rounds
	gated      bool
	judged     bool // gates began after its last word, so what they find is of that
	retries    int
	safe       bool // the tree's state is kept or clean since the agent's last fact
	worked     bool // a tool ran since the last snapshot
}

// place is where a worker stands.
type place struct {
	State    State
	Reason   Reason
	Since    time.Time // of State and Reason
	Evidence []Ref     // the facts that led here, at most three
}

// told is a place without its proof.
type told struct {
	State  State
	Reason Reason
}

// asked is one open permission; a question has no names.
type asked struct{ call, input string }

// Reduce makes the Worker of facts in any order, repeats included.
func Reduce(facts []Fact) *Worker {
	w := &Worker{}
	for _, i := range order(facts) {
		w.apply(&facts[i])
	}
	return w
}

// Merge puts facts in the order in which Apply wants them, without repeats. Inside of a file the order is that of Seq,
// whatever its clock said; a fact counts as no earlier than those before it in its file. A fact without Seq stands by its clock alone.
func Merge(facts []Fact) []Fact {
	var merged []Fact
	for _, i := range order(facts) {
		merged = append(merged, facts[i])
	}
	return merged
}

func order(facts []Fact) []int {
	type key struct {
		Ref
		at    time.Time
		index int
	}
	keys := make([]key, len(facts))
	for i := range facts {
		keys[i] = key{facts[i].ref(), facts[i].At, i}
	}
	inFile := func(a, b key) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Seq, b.Seq)) }
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(inFile(a, b), cmp.Compare(a.index, b.index)) })
	keys = slices.CompactFunc(keys, func(a, b key) bool {
		x, y := &facts[a.index], &facts[b.index]
		return a.Ref == b.Ref && (a.Seq > 0 || x.Kind == y.Kind && x.Call == y.Call && x.Message == y.Message && a.at.Equal(b.at))
	})
	for i := 1; i < len(keys); i++ {
		if keys[i].File == keys[i-1].File && keys[i-1].Seq > 0 && keys[i].at.Before(keys[i-1].at) {
			keys[i].at = keys[i-1].at
		}
	}
	slices.SortFunc(keys, func(a, b key) int { return cmp.Or(a.at.Compare(b.at), inFile(a, b)) })
	indices := make([]int, len(keys))
	for i, k := range keys {
		indices[i] = k.index
	}
	return indices
}

// Apply takes the next fact in the order of Merge.
func (w *Worker) Apply(f Fact) { w.apply(&f) }

func (w *Worker) apply(f *Fact) {
	if f.File >= files || f.Seq > 0 && f.Seq <= w.seen[f.File] {
		return
	}
	w.seen[f.File] = max(f.Seq, w.seen[f.File])
	if f.Kind.agents() {
		w.safe = false // also when a former generation still writes
	}
	if !w.concerns(f) {
		return
	}
	w.listen(f)
	if f.Weak {
		w.demote(f)
		return
	}
	w.move(w.note(f), f)
}

// concerns reports whether f is of the present generation, which a launch fact of a newer one makes present.
func (w *Worker) concerns(f *Fact) bool {
	if f.Kind.agents() {
		return (f.Gen == 0 || f.Gen == w.Gen) && !f.names(w.old...) && (w.certified == nil || !f.names(*w.certified))
	}
	switch {
	case f.Kind == Restored:
		return f.Gen == 0 || f.Gen > w.Gen
	case f.Gen == 0 || f.Gen == w.Gen:
		return true
	case f.Gen < w.Gen:
		return false
	case w.Gen == 0:
		w.Gen = f.Gen
		return true
	}
	if launch := f.Kind == Requested || f.Kind == Prepared || f.Kind == Launched; !launch {
		return false
	}
	w.renew(f)
	return true
}

// renew begins a generation. Budgets, messages and the pull request outlive it.
func (w *Worker) renew(f *Fact) {
	for _, p := range []*Process{w.Agent, w.certified} {
		if p != nil && !slices.Contains(w.old, *p) {
			w.old = append(w.old[max(0, len(w.old)-maxOld+1):], *p)
		}
	}
	w.Gen = max(w.Gen+1, f.Gen)
	w.place = place{NotStarted, SpawnRequested, f.At, []Ref{f.ref()}}
	w.told, w.strong, w.asked, w.calls, w.asking, w.over = told{}, nil, nil, nil, false, false
	w.said, w.from = told{}, place{}
	w.Agent, w.certified, w.Server, w.KillFor, w.Refuted = nil, nil, "", "", ""
	w.LaunchedAt, w.Heard, w.Hooks, w.Unseen, w.Unproven = time.Time{}, time.Time{}, false, false, false
	w.TurnOver, w.judged, w.Merged = false, false, false
	w.host, w.boot, w.quiet, w.rounds = "", "", quiet{}, rounds{}
}

// Over reports whether the agent has ended. A worker that is done may have ended too, or may sit at its prompt.
func (w *Worker) Over() bool { return w.State == Terminated || w.over }

// Calling reports whether a tool call of its agent's runs, as far as the agent told. A long build is such a call.
func (w *Worker) Calling() bool { return len(w.calls) > 0 }

// Clone gives a Worker that shares nothing with w.
func (w *Worker) Clone() *Worker {
	c := *w
	c.Evidence = slices.Clone(w.Evidence)
	c.Messages, c.Reactions = slices.Clone(w.Messages), slices.Clone(w.Reactions)
	c.old, c.asked, c.calls = slices.Clone(w.old), slices.Clone(w.asked), slices.Clone(w.calls)
	c.rounds.refs, c.from.Evidence = slices.Clone(w.rounds.refs), slices.Clone(w.from.Evidence)
	if w.strong != nil {
		s := *w.strong
		s.Evidence = slices.Clone(s.Evidence)
		c.strong = &s
	}
	return &c
}

// column is where w stands in the table.
func (w *Worker) column() column {
	switch w.State {
	case NotStarted:
		return colNotStarted
	case Working:
		if w.Reason == Verifying {
			return colVerify
		}
		return colWorking
	case Idle:
		return colIdle
	case NeedsInput:
		return colNeeds
	case Detecting:
		return colDetecting
	case Stuck:
		return colStuck
	case Done:
		return colDone
	}
	return colTerminated
}

func (w *Worker) equal(o *Worker) bool { return reflect.DeepEqual(w, o) }
