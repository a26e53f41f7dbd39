// Package chain answers "what did the commands before me produce?" from a journal: the last COMPLETE of a command in
// the caller's worktree, and whether it still holds.
//
// Invariants:
//   - A COMPLETE counts without a phase and without a sub-agent only. Order is file order; no clock decides it.
//   - Work does not grow with the log: a hit is as far from the end as it is, then the predecessor is looked for in one
//     more MiB; a miss ends with the newest segment, which carries the last lines of every command, or after 64 MiB of a
//     file that was never rotated. What lies beyond is unknown, and nothing is said about it.
//   - What comes from the log is data of somebody who may be hostile: a file that it names is looked at only inside the
//     worktree that it names, which must be one of this project, and hashed only if it is regular and at most 64 MiB.
package chain

import (
	"time"

	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/workflow"
)

// Query says what is asked, and from where.
type Query struct {
	Cmd     string           // the command asked for; Overview does not look at it
	Project *project.Project // whose worktree counts as here
	Model   workflow.Model   // for the predecessors
	Now     time.Time
	Session logfmt.SessionID    // only what this session logged; its id's first or last characters suffice; "" = any
	Any     bool                // if there is none here, take the newest of another worktree
	All     bool                // search the whole log, however large
	Env     func(string) string // to recognise other worktrees by; nil: their outputs are not looked at
}

// State is what a command's newest entry in the caller's worktree says.
type State string

const (
	None    State = "none"    // nothing was found of it
	Running State = "running" // started and neither completed nor failed: at work, or given up
	Failed  State = "failed"
	Done    State = "done"
)

// Result is what the log says about one command.
type Result struct {
	Cmd   string
	Found bool // Entry is the last COMPLETE
	Entry logfmt.Entry
	State State     // of the newest entry, which may be newer than Entry
	Since time.Time // when that entry was made

	Elsewhere bool   // Entry is of another worktree, taken because of Query.Any
	Other     string // nothing here, but a COMPLETE in this other worktree ("" is the main one); see HasOther
	HasOther  bool

	Age     time.Duration // of Entry; negative when the clocks differ
	Outputs []Output      // what Entry names, looked at now
	Notes   []Note        // what makes Entry doubtful, the gravest first
	Summary string        // as logged: neither cleaned nor cut
	Next    string        // the command suggested to come next, as logged
	Metrics []Metric
	Bounded bool // the search ended at its bound; there is more log before it
}

// Metric is one of the numbers that a COMPLETE carries.
type Metric struct{ Key, Value string }

// Stale says that the world has moved on since Entry: another branch, an output that is gone or changed, the command
// begun again or failed, or its predecessor completed anew.
func (r *Result) Stale() bool {
	for _, n := range r.Notes {
		if n.Kind.stale() {
			return true
		}
	}
	return false
}

// Last finds the last COMPLETE of q.Cmd. A miss is a Result that is not Found, no error.
func Last(j *journal.Journal, q Query) (Result, error) {
	s := newSearch(q, q.Cmd)
	if err := s.run(j); err != nil {
		return Result{}, err
	}
	return s.result(q.Cmd), nil
}

// Overview is Last for each command of the model, in its order, in one reading.
func Overview(j *journal.Journal, q Query) ([]Result, error) {
	var cmds []string
	for _, c := range q.Model.Commands {
		cmds = append(cmds, c.Name)
	}
	s := newSearch(q, cmds...)
	if err := s.run(j); err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(cmds))
	for _, cmd := range cmds {
		results = append(results, s.result(cmd))
	}
	return results, nil
}

// predecessor is the command that has to complete before cmd; "" for the first, and for what the model does not know.
func predecessor(m workflow.Model, cmd string) string {
	for _, c := range m.Commands {
		if c.Name == cmd {
			return c.After
		}
	}
	return ""
}
