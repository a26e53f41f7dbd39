package archived

import (
	"fmt"

	"aburn/trace"
)

// parent starts sub-agents. Every second one gets stuck.
func parent(s *sessionMaker) {
	s.work(1)
	for i := range 1 + s.r.IntN(2) {
		s.spawn(i%2 == 1)
	}
	s.answer()
	s.outcome("completed")
}

// spawn is a call that runs a sub-agent.
func (s *sessionMaker) spawn(fails bool) {
	s.spawned++
	agentID := fmt.Sprintf("a%d%s", s.spawned, s.t.ID[:6])
	child := s.m.newSession(s.r, s.agent, s.t.Source, s.t.ID+"/"+agentID, s.t.Project, s.now)
	child.t.Scenario, child.t.Subagent = "sub-agent", true
	call := plannedCall{typ: trace.AgentTool}
	s.do(call)
	parentCall := fmt.Sprintf("toolu_%s%d", s.t.ID[:8], s.calls)
	s.b.Add(s.event(&trace.SubagentSpawn{Session: child.t.ID, Call: parentCall, AgentID: agentID, AgentType: "explorer"}))
	child.b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: s.t.ID, AgentID: agentID, AgentType: "explorer", ParentCall: parentCall,
		Provenance: trace.Explicit})
	child.work(1)
	if fails {
		child.stuck(child.failure())
	} else {
		child.answer()
		child.outcome("completed")
	}
	if child.now.After(s.now) {
		s.now = child.now
	}
	if err := child.finish(); err != nil {
		s.m.err = err
	}
}

// fork begins with the copy of another session full of failures. Copied failures do not count.
func fork(s *sessionMaker) {
	from := fmt.Sprintf("f0%s", s.t.ID[2:])
	s.copied = from
	s.work(1)
	f := s.failure()
	for range 4 {
		s.do(s.attempt(f, true, true))
	}
	s.copied = ""
	s.b.Relate(trace.SessionRelationship{Kind: trace.Fork, Related: from, Provenance: trace.Explicit})
	s.work(2)
	s.answer()
	s.outcome("completed")
}

// mark adds a workflow marker, which only hooks record.
func (s *sessionMaker) mark(m trace.Marker, command, phase string) {
	s.recorded(s.event(&trace.Session{Marker: m, Command: command, Phase: phase}))
}

// phases runs two phases of a command. Only RED has a failure.
func (s *sessionMaker) phases(command string, f *failure) {
	s.mark(trace.CommandStarted, command, "")
	for _, phase := range []string{"RED", "GREEN"} {
		s.mark(trace.PhaseStarted, command, phase)
		s.phase, s.begun = &Phase{Command: command, Phase: phase}, s.now
		s.do(plannedCall{typ: trace.EditTool, what: s.file()})
		if phase == "RED" {
			s.overcome(f, 2)
		} else {
			s.do(plannedCall{typ: trace.ShellTool, what: "go vet ./..."})
		}
		s.mark(trace.PhaseCompleted, command, phase)
		s.endPhase("completed")
	}
}

func (s *sessionMaker) endPhase(result string) {
	s.phase.Result, s.phase.MS = result, s.now.Sub(s.begun).Milliseconds()
	s.t.Phases = append(s.t.Phases, *s.phase)
	s.phase = nil
}

func built(s *sessionMaker) {
	s.prompt("/oss:build")
	s.phases("build", s.failure())
	s.mark(trace.CommandCompleted, "build", "")
	s.mark(trace.Stopped, "", "")
	s.outcome("completed")
}

// builtAfterAll ends with failures, but its command completes.
func builtAfterAll(s *sessionMaker) {
	s.prompt("/oss:ship")
	s.mark(trace.CommandStarted, "ship", "")
	s.phase, s.begun = &Phase{Command: "ship"}, s.now
	for i := range 5 {
		s.do(s.attempt(&failures[1], true, i > 0))
	}
	s.mark(trace.CommandCompleted, "ship", "")
	s.endPhase("completed")
	s.mark(trace.Stopped, "", "")
	s.outcome("completed")
	s.t.Refined = true
}

func notBuilt(s *sessionMaker) {
	s.prompt("/oss:plan")
	s.mark(trace.CommandStarted, "plan", "")
	s.phase, s.begun = &Phase{Command: "plan"}, s.now
	s.do(plannedCall{typ: trace.ReadTool, what: s.file()})
	s.mark(trace.CommandFailed, "plan", "")
	s.endPhase("failed")
	s.mark(trace.Stopped, "", "")
	s.outcome("errored")
	s.t.Refined = true
}

// stopped leaves a call open and then stops regularly.
func stopped(s *sessionMaker) {
	s.prompt("start the server")
	s.do(plannedCall{typ: trace.ShellTool, what: "npm start", left: true})
	s.mark(trace.Stopped, "", "")
	s.outcome("completed")
	s.t.Refined = true
}

// killed ends within a call. Hooks record nothing after it.
func killed(s *sessionMaker) {
	s.work(1)
	s.do(plannedCall{typ: trace.ShellTool, what: "npm start", left: true})
	t := s.own.Trace()
	t.Outcome, t.OutcomeFrom = trace.Killed, "the log has nothing behind the turn's beginning"
	s.outcome("crashed")
	s.t.Refined = true
}
