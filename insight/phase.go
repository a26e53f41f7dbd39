package insight

import (
	"cmp"
	"slices"

	"aburn/trace"
)

// The results of a phase.
const (
	PhaseCompleted = "completed"
	PhaseFailed    = "failed"
	PhaseOpen      = "open" // no marker of its end
)

// spans finds phases by their markers. A phase ends at its end marker, at the next start, or with
// the trace.
type spans struct {
	all            []PhaseUse
	command, phase *PhaseUse // open ones
	parted         bool      // the open command had a phase
}

// phases sums up each phase of a workflow command.
func (s *session) phases() {
	var p spans
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if m, ok := e.Body.(*trace.Session); ok && e.Copied == "" && m.Command != "" {
			p.marker(e.Seq, m)
		}
	}
	p.endPhase(len(s.t.Events), PhaseOpen)
	p.endCommand(len(s.t.Events), PhaseOpen)
	slices.SortStableFunc(p.all, func(a, b PhaseUse) int { return cmp.Compare(a.First, b.First) })
	if len(p.all) > MaxPhases {
		s.d.More.Phases = len(p.all) - MaxPhases
		p.all = p.all[:MaxPhases]
	}
	for i := range p.all {
		s.sumPhase(&p.all[i])
	}
	s.d.Phases = p.all
}

func (p *spans) marker(seq int, m *trace.Session) {
	switch m.Marker {
	case trace.CommandStarted:
		p.endPhase(seq-1, PhaseOpen)
		p.endCommand(seq-1, PhaseOpen)
		p.command, p.parted = &PhaseUse{Command: m.Command, First: seq}, false
	case trace.CommandCompleted, trace.CommandFailed:
		result := PhaseCompleted
		if m.Marker == trace.CommandFailed {
			result = PhaseFailed
		}
		if p.command == nil || p.command.Command != m.Command {
			return
		}
		p.endPhase(seq, PhaseOpen)
		p.endCommand(seq, result)
	case trace.PhaseStarted:
		p.endPhase(seq-1, PhaseOpen)
		p.phase = &PhaseUse{Command: m.Command, Phase: m.Phase, First: seq}
		p.parted = p.parted || p.command != nil && p.command.Command == m.Command
	case trace.PhaseCompleted, trace.PhaseFailed:
		result := PhaseCompleted
		if m.Marker == trace.PhaseFailed {
			result = PhaseFailed
		}
		if p.phase != nil && p.phase.Command == m.Command && p.phase.Phase == m.Phase {
			p.endPhase(seq, result)
		}
	}
}

func (p *spans) endPhase(last int, result string) {
	if p.phase != nil {
		p.phase.Last, p.phase.Result = last, result
		p.all = append(p.all, *p.phase)
		p.phase = nil
	}
}

// endCommand ends the open command. Phases stand for their command, so a command with phases gets
// no entry of its own.
func (p *spans) endCommand(last int, result string) {
	if p.command != nil && !p.parted {
		p.command.Last, p.command.Result = last, result
		p.all = append(p.all, *p.command)
	}
	p.command = nil
}

// sumPhase adds up the events from a phase's first to its last.
func (s *session) sumPhase(p *PhaseUse) {
	part := trace.SessionTrace{Events: s.t.Events[p.First-1 : p.Last]}
	part.Settle()
	p.ActiveMS = part.ActiveMS
	for i := range s.t.Responses {
		if r := &s.t.Responses[i]; r.Copied == "" && r.Event >= p.First && r.Event <= p.Last {
			p.Tokens += r.Usage.Total()
		}
	}
	for i := range s.uses {
		u := &s.uses[i]
		if u.seq < p.First || u.seq > p.Last {
			continue
		}
		p.Calls++
		if !u.failed {
			continue
		}
		p.Failed++
		at, found := slices.BinarySearchFunc(p.Tools, u.call.Tool, func(t ToolFailed, tool string) int { return cmp.Compare(t.Tool, tool) })
		if !found {
			p.Tools = slices.Insert(p.Tools, at, ToolFailed{Tool: u.call.Tool})
		}
		p.Tools[at].Failed++
	}
}
