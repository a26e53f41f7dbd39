package record

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/recent"
	"aburn/internal/scrub"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

// identity is who logs: a session, and a sub-agent of it or nil.
type identity struct {
	session logfmt.SessionID
	agent   *logfmt.Agent
}

// identify finds out who runs this `aburn log`. Flags and ABURN_SESSION come first, then the agent's variables. Those do not
// suffice: a sub-agent has the variables of its parent, and an agent in another one's shell those of both. So identify looks
// in the log for the open shell call that runs this very command. If several fit, it does not guess: the session stays empty,
// with a warning.
func identify(a *kit.App, cmd *cli.Command, lines recent.Lines) (identity, error) {
	session := cmd.String("session")
	if session == "" {
		session = a.Getenv("ABURN_SESSION")
	}
	if session != "" {
		if err := workspace.CheckName("the session's id", session, logfmt.MaxSession); err != nil {
			return identity{}, err
		}
	}
	wanted := &logfmt.Agent{Type: agentText(cmd, "agent-type"), ID: agentText(cmd, "agent-id")}
	if *wanted == (logfmt.Agent{}) {
		wanted = nil
	}
	args := cmd.Args().Slice()
	callers := agentcli.CallingAgents(a.Getenv)
	s := search{lines: lines, args: args, texts: plainTexts(cmd), wanted: wanted, callers: rooted(lines, callers, args[0], args[1])}
	if s.sessions = []string{session}; session == "" {
		s.sessions = nil
		for _, c := range s.callers {
			s.sessions = append(s.sessions, validIDs(c.Session)...)
		}
		unnamed := agentcli.Unnamed(a.Getenv)
		s.sessions = append(s.sessions, s.running(unnamed)...)
		if len(s.sessions) == 0 && len(unnamed) > 0 {
			a.Warn("logged without a session: "+unnamed[0].Title+" does not say which, and the log has no open call of it that runs this", "--session ID")
		}
	}
	if len(s.sessions) == 0 { // a person's shell
		if len(s.callers) < len(callers) {
			a.Warn("logged without a session: several sub-agents are running the same aburn log", "--session ID, and --agent-id ID for a sub-agent")
		}
		return identity{agent: wanted}, nil
	}
	who, why := s.identify()
	if why != "" {
		a.Warn("logged without a session: "+why, "--session ID, and --agent-id ID for a sub-agent")
	}
	return who, nil
}

// rooted are the callers, each under its session. An agent without a variable for the session gives the commands of a
// sub-agent an id that only the sub-agent has, or that nothing else has: then the log's open call of a sub-agent that runs
// this very command tells. A caller of which that is not clear is left out.
func rooted(lines recent.Lines, callers []agentcli.CallingAgent, cmd, event string) (known []agentcli.CallingAgent) {
	for _, c := range callers {
		if c.Of.Session.ID != "" || recent.Knows(lines, logfmt.SessionID(c.Session)) {
			known = append(known, c)
			continue
		}
		if session := recent.SessionOf(lines, c.Session); session != "" {
			known = append(known, agentcli.CallingAgent{Of: c.Of, Session: string(session), Agent: c.Session})
			continue
		}
		calls := slices.DeleteFunc(recent.OpenLogCalls(lines, cmd, event), func(call recent.Call) bool { return call.Source != c.Of.Name || call.Agent == nil })
		switch len(calls) {
		case 0: // a session without hooks
			known = append(known, c)
		case 1:
			known = append(known, agentcli.CallingAgent{Of: c.Of, Session: string(calls[0].Session), Agent: calls[0].Agent.ID})
		}
	}
	return known
}

// owns says whether the call may have set these variables.
func owns(c agentcli.CallingAgent, call recent.Call) bool {
	if c.Of.Session.Thread == "" || string(call.Session) != c.Session {
		return true
	}
	id := ""
	if call.Agent != nil {
		id = call.Agent.ID
	}
	return id == c.Agent
}

func validIDs(ids ...string) (valid []string) {
	for _, id := range ids {
		if id != "" && logfmt.Token(id, logfmt.MaxSession) == id {
			valid = append(valid, scrub.ID(id)) // as hooks have it
		}
	}
	return valid
}

// search looks for the shell call that runs this process.
type search struct {
	lines    recent.Lines
	sessions []string // the candidates; if it is one, only the sub-agent is unknown
	args     []string // CMD EVENT as typed
	callers  []agentcli.CallingAgent
	texts    []string      // of the command line, which its head in the log repeats
	wanted   *logfmt.Agent // what --agent-type and --agent-id say
}

// identify returns who it is, or why that is not known.
func (s *search) identify() (identity, string) {
	calls := s.calls()
	if len(calls) == 0 {
		if len(s.sessions) > 1 {
			return identity{agent: s.wanted}, "the variables of two agents are set, and the log has no open call of either that runs this"
		}
		return s.unmatched(), ""
	}
	first := calls[0]
	for _, c := range calls[1:] {
		if c.Session != first.Session {
			return identity{agent: s.wanted}, "two sessions are running the same aburn log"
		}
	}
	// Of several sub-agents, what they have in common is known.
	if agent, one := commonAgent(calls); one || agent != nil {
		return identity{first.Session, s.withFlags(agent)}, ""
	}
	return identity{agent: s.wanted}, "the session itself and a sub-agent of it are running the same aburn log"
}

// running are the sessions of these agents with an open call that may run this process.
func (s *search) running(agents []*agentcli.Agent) (sessions []string) {
	if len(agents) == 0 {
		return nil
	}
	for _, c := range recent.OpenLogCalls(s.lines, s.args[0], s.args[1]) {
		ofThese := func(a *agentcli.Agent) bool { return a.Name == c.Source }
		if slices.ContainsFunc(agents, ofThese) && !slices.Contains(sessions, string(c.Session)) {
			sessions = append(sessions, string(c.Session))
		}
	}
	return sessions
}

// unmatched is who it is if no call is found: for instance in a `!` line of a slash command, or if the command is longer
// than its head in the log.
func (s *search) unmatched() identity {
	who := identity{session: logfmt.SessionID(s.sessions[0])}
	var agent *logfmt.Agent
	for _, c := range s.callers {
		if c.Agent != "" && c.Session == s.sessions[0] {
			agent = &logfmt.Agent{ID: c.Agent}
		}
	}
	who.agent = s.withFlags(agent)
	return who
}

// plainTexts are the flags' texts that need no quoting in a shell, so that the command's head in the log holds them as they
// are.
func plainTexts(cmd *cli.Command) (texts []string) {
	for _, flag := range []string{"phase", "summary", "error", "next"} {
		text := cmd.String(flag)
		other := func(r rune) bool { return r != ' ' && !strings.ContainsRune("._:/,=-", r) && !isAlphanumeric(r) }
		if text != "" && !strings.ContainsFunc(text, other) {
			texts = append(texts, text)
		}
	}
	return texts
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// calls are the open shell calls that may run this process. Each clue narrows them, unless it would leave none.
func (s *search) calls() []recent.Call {
	calls := slices.DeleteFunc(recent.OpenLogCalls(s.lines, s.args[0], s.args[1]), func(c recent.Call) bool {
		stranger := func(from agentcli.CallingAgent) bool { return !owns(from, c) }
		return !slices.Contains(s.sessions, string(c.Session)) || slices.ContainsFunc(s.callers, stranger)
	})
	narrow := func(keep func(recent.Call) bool) {
		if left := slices.DeleteFunc(slices.Clone(calls), func(c recent.Call) bool { return !keep(c) }); len(left) > 0 {
			calls = left
		}
	}
	for _, from := range s.callers {
		if from.Call != "" {
			narrow(func(c recent.Call) bool { return c.ToolUseID == from.Call && string(c.Session) == from.Session })
		}
	}
	for _, text := range s.texts { // a head that was cut may go on with anything
		narrow(func(c recent.Call) bool { return strings.Contains(c.Head, text) || strings.HasSuffix(c.Head, "…") })
	}
	if s.wanted != nil {
		narrow(func(c recent.Call) bool { return c.Agent != nil })
		narrow(func(c recent.Call) bool { return c.Agent != nil && s.wanted.ID != "" && c.Agent.ID == s.wanted.ID })
		narrow(func(c recent.Call) bool {
			return c.Agent != nil && s.wanted.Type != "" && c.Agent.Type == s.wanted.Type
		})
	}
	return calls
}

// commonAgent is the sub-agent of all calls (nil for the session itself) and true. For calls of several sub-agents it is what
// those have in common, and false.
func commonAgent(calls []recent.Call) (*logfmt.Agent, bool) {
	first := calls[0].Agent
	for _, c := range calls[1:] {
		if (c.Agent == nil) != (first == nil) {
			return nil, false
		}
	}
	if first == nil {
		return nil, true
	}
	common, one := *first, true
	for _, c := range calls[1:] {
		if c.Agent.ID != first.ID {
			common.ID, one = "", false
		}
		if c.Agent.Type != first.Type {
			common.Type = ""
		}
		if c.Agent.ParentCmd != first.ParentCmd {
			common.ParentCmd = ""
		}
	}
	return &common, one
}

func (s *search) withFlags(found *logfmt.Agent) *logfmt.Agent {
	if s.wanted == nil {
		return found
	}
	agent := logfmt.Agent{}
	if found != nil {
		agent = *found
	}
	if s.wanted.Type != "" {
		agent.Type = s.wanted.Type
	}
	if s.wanted.ID != "" {
		agent.ID = s.wanted.ID
	}
	return &agent
}
