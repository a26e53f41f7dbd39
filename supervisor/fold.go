package supervisor

import (
	"aburn/logfmt"
	"aburn/workflow"
)

// New is the State of an empty log.
func New(model *workflow.Model) *State { return &State{model: model, fold: &folder{}} }

// Apply folds one entry. Carried says that a rotation copied it here and that the
// fold has not seen the original: it tells what was, and is no new event.
func (s *State) Apply(e *logfmt.Entry, carried bool) {}

// ApplyLine is Apply for a line of a log; false means the line is no entry.
func (s *State) ApplyLine(line []byte, carried bool) bool { return false }

// folder is what folding needs besides the facts.
type folder struct {
	seen   logfmt.Deduper
	parser logfmt.Parser
	entry  logfmt.Entry
}
