package state

import (
	"slices"
	"strings"

	"aburn/logfmt"
)

// agentFor returns the sub-agent with this id or, without an id, of this type. It
// adds one that is not known.
func (s *Session) agentFor(id, kind string) *Agent {
	id, kind = cut(id, maxID), cut(kind, maxName)
	for _, a := range s.Agents {
		if a.ID == id && (id != "" || a.Type == kind) {
			return a
		}
	}
	a := &Agent{ID: id, Type: kind}
	if id == "" && kind == "" {
		a.Type = "nameless"
		if b := s.Agent(a.Type); b != nil {
			return b
		}
	}
	if len(s.Agents) >= maxAgents {
		i := max(0, slices.IndexFunc(s.Agents, func(a *Agent) bool { return !a.Running() }))
		s.Agents = slices.Delete(s.Agents, i, i+1)
	}
	s.Agents = append(s.Agents, a)
	return a
}

// noteEntry notes an entry of the sub-agent itself. Work that begins after its end
// means that it was asked again; a late end does not.
func (a *Agent) noteEntry(x *step) {
	e := x.e
	if a.Type == "" {
		a.Type = cut(e.Agent.Type, maxName)
	}
	if a.Parent == "" {
		a.Parent = cut(e.Agent.ParentCmd, maxName)
	}
	a.Background = a.Background || x.by.Traits.BackgroundAgents
	if !a.Running() && starts(e) {
		a.Ended, a.Cut, a.Status, a.Failed, a.Begun = Mark{}, Mark{}, "", false, Mark{}
	}
	if !a.Begun.Is() {
		a.Begun = x.at
	}
	a.Last = x.at
}

func starts(e *logfmt.Entry) bool {
	switch e.Event {
	case logfmt.ToolStart, logfmt.Prompt, logfmt.Start, logfmt.PhaseStart:
		return true
	}
	return false
}

// agentNamed is the sub-agent that an AGENT_SPAWN or AGENT_COMPLETE names; nil if it
// names none. A prompt may know only the type.
func (x *step) agentNamed(ends bool) *Agent {
	id, kind := text(x.d.AgentID, maxID), text(x.d.AgentType, maxName)
	if a := x.e.Agent; a != nil && id == "" && (kind == "" || kind == a.Type) {
		id, kind = a.ID, a.Type
	}
	if id == "" && kind == "" {
		return nil
	}
	if id == "" && ends {
		if a := x.ses.Agent(kind); a == nil || a.ID != "" {
			for _, a := range slices.Backward(x.ses.Agents) {
				if a.Type == kind && a.Running() {
					return a
				}
			}
		}
	}
	a := x.ses.agentFor(id, kind)
	if a.Type == "" {
		a.Type = kind
	}
	return a
}

func (x *step) agentSpawn() {
	a := x.agentNamed(false)
	if a == nil {
		return
	}
	if !x.byHook() {
		x.noteDeclared(x.e.Cmd)
	}
	if a.Spawned.Is() && a.Running() && !a.Begun.Is() {
		return // told twice: by the hook and by the prompt
	}
	a.Ended, a.Cut, a.Status, a.Failed, a.Begun = Mark{}, Mark{}, "", false, Mark{}
	a.Spawned = x.at
	a.Background = a.Background || x.d.Background || x.by.Traits.BackgroundAgents
	if e := x.e.Agent; e != nil && a.Parent == "" {
		a.Parent = cut(e.ParentCmd, maxName)
	}
}

func (x *step) agentComplete() {
	a := x.agentNamed(true)
	if a == nil {
		return
	}
	if !x.byHook() {
		x.noteDeclared(x.e.Cmd)
	}
	a.Background = a.Background || x.d.Background
	a.end(x.at, text(x.d.Status, maxName))
	a.Failed = a.Failed || len(x.d.Error) > 0
	x.ses.closeAgent(a)
}

// end notes the sub-agent's end. It failed if the status or its own FAILED says so. One that had failed before, and ends as failed
// now, failed once.
func (a *Agent) end(at Mark, status string) {
	before := a.Ended
	had := a.Failed && before.Is()
	a.Ended, a.Cut, a.Status = at, Mark{}, status
	r := a.Line.Run
	a.Failed = failed(status) || r != nil && r.Failed && r.End.Ord >= a.Begun.Ord
	if had && a.Failed {
		a.Ended = before
	}
}

func failed(status string) bool {
	switch strings.ToLower(status) {
	case "failed", "failure", "error", "errored", "crashed", "timeout", "timed_out":
		return true
	}
	return false
}

// forgetCalls drops what no detector asks of a sub-agent that has ended.
func (a *Agent) forgetCalls() { a.Line.Recent, a.Line.Fails = nil, Streak{} }

// closeAgent closes the waits and calls of a sub-agent that has ended. Some clients
// report the end of commands that outlive their sub-agent, so those run on.
func (s *Session) closeAgent(a *Agent) {
	a.forgetCalls()
	name := a.Name()
	s.clearWaits(name)
	runsOn := s.traits().CallsRunOn
	s.Calls = slices.DeleteFunc(s.Calls, func(c *Call) bool {
		if c.Agent == name && runsOn {
			c.Background = true
		}
		return c.Agent == name && !c.Background || c.Spawns == name
	})
}
