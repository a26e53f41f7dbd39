package state

import (
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// New is the State of an empty log. Neither the model nor the limits are to change any more. Of the limits the facts
// depend on ToolFailureRunFailures alone: see countFailure.
func New(model *workflow.Model, l *limits.Limits) *State {
	return &State{model: model, limits: l, fold: &folder{}}
}

// Apply folds one entry. Carried says that a rotation copied it here and that the
// fold has not seen the original: it tells what was, and is no new event.
func (s *State) Apply(e *logfmt.Entry, carried bool) {
	if s.fold.seen.Seen(e.ID) {
		s.Repeats++
		return
	}
	s.Entries++
	x := &s.fold.step
	x.State, x.e, x.at = s, e, Mark{Seq: e.Seq, Ord: s.Entries, At: e.Time.UnixMilli()}
	x.ses, x.agent, x.line = nil, nil, nil
	if !carried || !s.Last.Is() {
		s.Last = x.at
	}
	if e.Event == logfmt.Checkpoint {
		return
	}
	logfmt.ReadDetails(e.Data, &x.d)
	switch {
	case e.Cmd == logfmt.SupervisorCmd || e.Source == "aburn":
		x.foldOwn()
	case carried:
		x.foldCarried()
	default:
		x.foldEntry()
	}
	x.e = nil
}

// ApplyLine is Apply for a line of a log; false means the line is no entry.
func (s *State) ApplyLine(line []byte, carried bool) bool {
	if logfmt.Classify(line) != logfmt.EntryLine || s.fold.parser.Parse(line, &s.fold.entry) != nil {
		return false
	}
	s.Apply(&s.fold.entry, carried)
	return true
}

// folder is what folding needs besides the facts. Of it, only the ids are part of
// the State.
type folder struct {
	seen   logfmt.Deduper
	parser logfmt.Parser
	entry  logfmt.Entry
	step   step
	phases [2]*Phase // for step.phases
	basis  string    // see State.basis

	tests    map[string]workflow.TestRun // by head
	products map[string]bool             // by path: production code
}

// step is one entry on its way into the State.
type step struct {
	*State
	e     *logfmt.Entry
	d     logfmt.Details
	at    Mark
	ses   *Session
	agent *Agent // nil: the session itself
	line  *Line  // of the agent or the session
}

// foldEntry folds what an agent, its hooks or its prompts say.
func (x *step) foldEntry() {
	x.ses = x.session()
	x.advanceClock()
	x.noteEntry()
	x.findLine()
	x.dropAnswered()
	switch cmd, phase, ev := x.e.Meaning(); ev {
	case logfmt.SessionStart:
		x.sessionStart()
	case logfmt.SessionEnd:
		x.sessionEnd()
	case logfmt.Prompt:
		x.prompt()
	case logfmt.Command:
		x.command()
	case logfmt.ToolStart:
		x.toolStart()
	case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
		x.toolEnd()
	case logfmt.Permission:
		x.permission()
	case logfmt.Notify:
		x.notify()
	case logfmt.Stop, logfmt.TurnFailed, logfmt.Interrupt:
		x.turnEnd()
	case logfmt.AgentSpawn:
		x.agentSpawn()
	case logfmt.AgentComplete:
		x.agentComplete()
	default:
		if ev.Lifecycle() {
			x.lifecycle(cut(cmd, maxName), cut(phase, maxName), ev)
		}
	}
}

// noteEntry notes that the session is there.
func (x *step) noteEntry() {
	s := x.ses
	if s.Heard == 0 {
		if !s.First.Is() {
			s.First = x.at
		}
		s.Middle = s.Middle || !begins(x.e, &x.d)
	}
	s.Heard++
	s.Last, s.Wt = x.at, x.e.Wt
	if x.byHook() {
		s.Source = cut(x.e.Source, maxName)
	}
	if x.d.Proc != nil {
		if pid, start, host := logfmt.ReadProc(x.d.Proc); pid > 0 {
			s.Proc = Proc{PID: pid, Start: start, Host: cut(host, maxID)}
		}
	}
}

// begins reports whether a session may begin with the entry: then nothing of it
// is missing.
func begins(e *logfmt.Entry, d *logfmt.Details) bool {
	switch e.Event {
	case logfmt.SessionStart:
		return string(d.Source) != "resume" && string(d.Source) != "compact"
	case logfmt.Prompt, logfmt.Command:
		return e.Cmd == logfmt.SessionCmd
	case logfmt.Start:
		return e.Phase == ""
	}
	return false
}

// byHook reports whether the agent's hook wrote the entry.
func (x *step) byHook() bool {
	switch x.e.Source {
	case "", "prompt", "aburn":
		return false
	}
	return true
}

// findLine finds the line of work that the entry belongs to.
func (x *step) findLine() {
	x.line = &x.ses.Own
	switch x.e.Event {
	case logfmt.AgentSpawn, logfmt.AgentComplete:
		return // they are about another one
	}
	if a := x.e.Agent; a != nil {
		x.agent = x.ses.agentFor(a.ID, a.Type)
		x.agent.noteEntry(x)
		x.line = &x.agent.Line
	} else {
		x.inferRun()
	}
}

// inferRun takes from an entry that stands in the middle of a session which command
// and phase it is in.
func (x *step) inferRun() {
	e, own := x.e, &x.ses.Own
	if !x.ses.Middle || e.Event.Lifecycle() || e.Cmd == logfmt.SessionCmd {
		return
	}
	if own.Run == nil {
		own.Run = &Run{Cmd: cut(e.Cmd, maxName), Wt: e.Wt}
	}
	if r := own.Run; e.Phase != "" && r.Cmd == e.Cmd && !r.End.Is() && len(r.Phases) == 0 {
		r.Phases = append(r.Phases, &Phase{Name: cut(e.Phase, maxName)})
	}
}

// noteProgress notes that something went on.
func (x *step) noteProgress() {
	x.ses.Progress = Moment{x.at, x.ses.Clock}
	x.beginEpoch()
}

// beginEpoch notes that what is done again from here on is no repetition.
func (x *step) beginEpoch() {
	if x.ses.Epoch = Epoch(x.at.Seq); x.at.Seq == 0 {
		x.ses.Epoch = Epoch(x.at.At)
	}
}

// Model is the workflow that the State was folded with; nil for none.
func (s *State) Model() *workflow.Model { return s.model }

// Limits are those that the State was folded with.
func (s *State) Limits() *limits.Limits { return s.limits }
