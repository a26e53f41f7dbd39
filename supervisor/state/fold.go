package state

import (
	"aburn/internal/agentcli"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// New is the State of an empty log. The caller must not change the model or the
// limits afterwards; nil limits are the default ones. Of the limits, the facts
// depend on ToolFailureRunFailures alone: see countFailure.
func New(model *workflow.Model, l *limits.Limits) *State {
	if l == nil {
		l = limits.Default()
	}
	return &State{model: model, limits: l, fold: &folder{}}
}

// Apply folds one entry. Carried means that a rotation copied the entry here and
// the fold has not seen the original: it is history, not a new event.
func (s *State) Apply(e *logfmt.Entry, carried bool) {
	if s.fold.seen.Seen(e.ID) {
		s.Repeats++
		return
	}
	s.Entries++
	x := &s.fold.step
	x.State, x.e, x.at = s, e, Mark{Seq: e.Seq, Ord: s.Entries, At: e.Time.UnixMilli()}
	x.ses, x.agent, x.line, x.by = nil, nil, nil, agentcli.Of(e.Source)
	if !carried || !s.Last.Is() {
		s.Last = x.at
	}
	if e.Event == logfmt.Checkpoint {
		return
	}
	if e.Event == logfmt.Unreadable && !carried {
		s.Unread++
		s.UnreadAt = x.at
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

// folder is what folding needs besides the facts. Only the ids in seen are stored
// with the State.
type folder struct {
	seen   logfmt.Deduper
	parser logfmt.Parser
	entry  logfmt.Entry
	step   step
	phases [2]*Phase // for step.phases
	basis  string    // see State.basis

	tests    map[string]workflow.TestRun // by head
	checks   map[string]checkRun         // by head
	products map[string]bool             // by path: production code
}

// step is one entry on its way into the State.
type step struct {
	*State
	e     *logfmt.Entry
	d     logfmt.Details
	at    Mark
	ses   *Session
	was   Proc            // the session's process before it
	by    *agentcli.Agent // the entry's source; zero of those that have no record
	agent *Agent          // nil: the session itself
	line  *Line           // of the agent or the session
}

// foldEntry folds an entry of an agent, its hooks or its prompts.
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
	case logfmt.Compact:
		x.compacted()
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

func (x *step) noteEntry() {
	s := x.ses
	x.was = s.Proc
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
			x.noteProc(Proc{PID: pid, Start: start, Host: cut(host, maxID)})
		}
	}
}

// begins reports whether a session can begin with this entry, so that nothing of
// the session is missing from the log.
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

func (x *step) byHook() bool {
	switch x.e.Source {
	case "", "prompt", "aburn":
		return false
	}
	return true
}

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

// inferRun takes the command and phase from an entry of a session whose beginning is
// not in the log.
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

func (x *step) noteProgress() {
	x.ses.Progress = Moment{x.at, x.ses.Clock}
	x.beginEpoch()
}

// beginEpoch makes what is done again from here on a new action, not a repetition.
func (x *step) beginEpoch() {
	if x.ses.Epoch = Epoch(x.at.Seq); x.at.Seq == 0 {
		x.ses.Epoch = Epoch(x.at.At)
	}
}

// Model is the workflow that the State was folded with; nil for none.
func (s *State) Model() *workflow.Model { return s.model }

// Limits are those that the State was folded with; nil for the zero State.
func (s *State) Limits() *limits.Limits { return s.limits }
