package pile

import (
	"fmt"

	"aburn/trace"
)

// parent starts sub-agents, of which each other one gets stuck.
func parent(s *story) {
	s.work(1)
	for i := range 1 + s.r.IntN(2) {
		s.spawn(i%2 == 1)
	}
	s.say()
	s.ends("completed")
}

// spawn is a call that runs a sub-agent.
func (s *story) spawn(fails bool) {
	s.spawned++
	agentID := fmt.Sprintf("a%d%s", s.spawned, s.t.ID[:6])
	child := s.m.tell(s.r, s.agent, s.t.Source, s.t.ID+"/"+agentID, s.t.Project, s.now)
	child.t.Plot, child.t.Subagent = "sub-agent", true
	call := act{typ: trace.AgentTool}
	s.do(call)
	parentCall := fmt.Sprintf("toolu_%s%d", s.t.ID[:8], s.calls)
	s.b.Add(s.event(&trace.SubagentSpawn{Session: child.t.ID, Call: parentCall, AgentID: agentID, AgentType: "explorer"}))
	child.b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: s.t.ID, AgentID: agentID, AgentType: "explorer", ParentCall: parentCall, Provenance: trace.Explicit})
	child.work(1)
	if fails {
		child.stuck(child.flaw())
	} else {
		child.say()
		child.ends("completed")
	}
	if child.now.After(s.now) {
		s.now = child.now
	}
	if err := child.finish(); err != nil {
		s.m.err = err
	}
}

// fork begins with the copy of another session, in which much failed. None of that counts.
func fork(s *story) {
	from := fmt.Sprintf("f0%s", s.t.ID[2:])
	s.copied = from
	s.work(1)
	f := s.flaw()
	for range 4 {
		s.do(s.attempt(f, true, true))
	}
	s.copied = ""
	s.b.Relate(trace.SessionRelationship{Kind: trace.Fork, Related: from, Provenance: trace.Explicit})
	s.work(2)
	s.say()
	s.ends("completed")
}

// mark is a marker of the workflow, which hooks alone know.
func (s *story) mark(m trace.Marker, command, phase string) {
	s.recorded(s.event(&trace.Session{Marker: m, Command: command, Phase: phase}))
}

// phases runs a command with a phase in which something fails, and one in which nothing does.
func (s *story) phases(command string, f *flaw) {
	s.mark(trace.CommandStarted, command, "")
	for _, phase := range []string{"RED", "GREEN"} {
		s.mark(trace.PhaseStarted, command, phase)
		s.phase, s.begun = &Phase{Command: command, Phase: phase}, s.now
		s.do(act{typ: trace.EditTool, what: s.file()})
		if phase == "RED" {
			s.overcome(f, 2)
		} else {
			s.do(act{typ: trace.ShellTool, what: "go vet ./..."})
		}
		s.mark(trace.PhaseCompleted, command, phase)
		s.over("completed")
	}
}

// over ends the phase.
func (s *story) over(result string) {
	s.phase.Result, s.phase.MS = result, s.now.Sub(s.begun).Milliseconds()
	s.t.Phases = append(s.t.Phases, *s.phase)
	s.phase = nil
}

func built(s *story) {
	s.ask("/oss:build")
	s.phases("build", s.flaw())
	s.mark(trace.CommandCompleted, "build", "")
	s.mark(trace.Stopped, "", "")
	s.ends("completed")
}

// builtAfterAll has a tail of failures, and then what the command was to make.
func builtAfterAll(s *story) {
	s.ask("/oss:ship")
	s.mark(trace.CommandStarted, "ship", "")
	s.phase, s.begun = &Phase{Command: "ship"}, s.now
	for i := range 5 {
		s.do(s.attempt(&flaws[1], true, i > 0))
	}
	s.mark(trace.CommandCompleted, "ship", "")
	s.over("completed")
	s.mark(trace.Stopped, "", "")
	s.ends("completed")
	s.t.Refined = true
}

func notBuilt(s *story) {
	s.ask("/oss:plan")
	s.mark(trace.CommandStarted, "plan", "")
	s.phase, s.begun = &Phase{Command: "plan"}, s.now
	s.do(act{typ: trace.ReadTool, what: s.file()})
	s.mark(trace.CommandFailed, "plan", "")
	s.over("failed")
	s.mark(trace.Stopped, "", "")
	s.ends("errored")
	s.t.Refined = true
}

// stopped leaves a call open, and stops in good order.
func stopped(s *story) {
	s.ask("start the server")
	s.do(act{typ: trace.ShellTool, what: "npm start", left: true})
	s.mark(trace.Stopped, "", "")
	s.ends("completed")
	s.t.Refined = true
}

// killed ends within a call, and hooks know that nothing came after it.
func killed(s *story) {
	s.work(1)
	s.do(act{typ: trace.ShellTool, what: "npm start", left: true})
	t := s.own.Trace()
	t.Outcome, t.OutcomeFrom = trace.Killed, "the log has nothing behind the turn's beginning"
	s.ends("killed")
	s.t.Refined = true
}
