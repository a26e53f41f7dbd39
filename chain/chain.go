package chain

import (
	"time"

	"aburn/logfmt"
	"aburn/workflow"
)

// Query is a question about a log.
type Query struct {
	Cmd     string         // the command asked for; Overview ignores it
	Model   workflow.Model // gives the predecessors
	Now     time.Time
	Session logfmt.SessionID // only entries of this session, by its id or the id's beginning or end; "" = any
	Any     bool             // without a COMPLETE here, take the newest of another worktree
	All     bool             // search the whole log, however large
}

// State is what a command's newest entry in the caller's worktree says.
type State string

const (
	None    State = "none"    // no entry found
	Running State = "running" // started, neither completed nor failed: at work, or given up
	Left    State = "left"    // started, neither completed nor failed, and the session that worked on it last has ended
	Failed  State = "failed"
	Done    State = "done"
)

// Result is what the log says about one command.
type Result struct {
	Cmd   string
	Found bool // Entry holds the last COMPLETE
	Entry logfmt.Entry
	State State     // from the newest entry, which may be newer than Entry
	Since time.Time // the time of that entry

	LeftBy logfmt.SessionID // where State is Left: the session that left it,
	LeftAt time.Time        // and when that ended

	Elsewhere bool   // Entry is from another worktree, because of Query.Any
	Other     string // without one here: the other worktree that has a COMPLETE ("" is the main one); see HasOther
	HasOther  bool

	Age     time.Duration // of Entry; negative if the clocks differ
	Outputs []Output      // the files that Entry names, examined now
	Notes   []Note        // reasons to doubt Entry, the gravest first
	Summary string        // as logged: neither cleaned nor cut
	Next    string        // the command suggested to come next, as logged
	Metrics []Metric
	Bounded bool // the search ended at its bound, before the beginning of the log
}

// Metric is one of the numbers of a COMPLETE.
type Metric struct{ Key, Value string }

// Stale reports whether the world has moved on since Entry: the branch is another one, an output
// is gone or changed, the command was begun again or failed, or its predecessor completed anew.
func (r *Result) Stale() bool {
	for _, n := range r.Notes {
		if n.Kind.stale() {
			return true
		}
	}
	return false
}

// Last finds the last COMPLETE of q.Cmd. A miss is no error; its Result is not Found.
func (l *Log) Last(q Query) (Result, error) {
	s := newSearch(l, q, q.Cmd)
	if err := s.run(); err != nil {
		return Result{}, err
	}
	return s.result(q.Cmd), nil
}

// Overview is Last for each command of the model, in its order, in one pass.
func (l *Log) Overview(q Query) ([]Result, error) {
	var cmds []string
	for _, c := range q.Model.Commands {
		cmds = append(cmds, c.Name)
	}
	s := newSearch(l, q, cmds...)
	if err := s.run(); err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(cmds))
	for _, cmd := range cmds {
		results = append(results, s.result(cmd))
	}
	return results, nil
}

// predecessor is the command that must complete before cmd; "" for the first command and for an
// unknown one.
func predecessor(m workflow.Model, cmd string) string {
	for _, c := range m.Commands {
		if c.Name == cmd {
			return c.After
		}
	}
	return ""
}
