package record

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/recent"
	"aburn/logfmt"
)

// identity is who logs: a session, and within it a sub-agent.
type identity struct {
	session logfmt.SessionID
	agent   *logfmt.Agent
}

// identify finds out who runs this `aburn log`. What is said explicitly counts;
// then the agent's variables; and because a sub-agent has those of its parent,
// and an agent in another one's shell those of both, the shell call in the log
// that is running this very command. More than one answer is none: the session
// stays empty and the person is told, nobody guesses.
func identify(a *kit.App, cmd *cli.Command, lines recent.Lines) (identity, error) {
	session := cmd.String("session")
	if session == "" {
		session = a.Getenv("ABURN_SESSION")
	}
	if session != "" {
		if err := scope.CheckName("the session's id", session, logfmt.MaxSession); err != nil {
			return identity{}, err
		}
	}
	wanted := &logfmt.Agent{Type: agentText(cmd, "agent-type"), ID: agentText(cmd, "agent-id")}
	if *wanted == (logfmt.Agent{}) {
		wanted = nil
	}
	s := search{lines: lines, args: cmd.Args().Slice(), texts: plainTexts(cmd), wanted: wanted, callers: scope.CallingAgents(a.Getenv)}
	if s.sessions = []string{session}; session == "" {
		s.sessions = nil
		for _, c := range s.callers {
			s.sessions = append(s.sessions, validIDs(c.Session)...)
		}
	}
	if len(s.sessions) == 0 { // a person in a shell of their own
		return identity{agent: wanted}, nil
	}
	who, why := s.identify()
	if why != "" {
		a.Warn("logged without a session: "+why, "--session ID, and --agent-id ID for a sub-agent")
	}
	return who, nil
}

// owns says whether a call may be the one that these variables are from.
func owns(c scope.CallingAgent, call recent.Call) bool {
	if c.Of.Session.Thread == "" || string(call.Session) != c.Session {
		return true
	}
	id := ""
	if call.Agent != nil {
		id = call.Agent.ID
	}
	return id == c.Agent
}

// validIDs are those that can be a session's id in the log.
func validIDs(ids ...string) (valid []string) {
	for _, id := range ids {
		if id != "" && logfmt.Token(id, logfmt.MaxSession) == id {
			valid = append(valid, id)
		}
	}
	return valid
}

// search looks for the shell call that runs this process.
type search struct {
	lines    recent.Lines
	sessions []string // where to look; one means that only the sub-agent is open
	args     []string // CMD EVENT as typed
	callers  []scope.CallingAgent
	texts    []string      // texts of the command line that its head in the log repeats
	wanted   *logfmt.Agent // what --agent-type and --agent-id say
}

// identify returns who it is, or why that cannot be told.
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
	// Where it is one of several sub-agents, what they have in common is known.
	if agent, one := commonAgent(calls); one || agent != nil {
		return identity{first.Session, s.withFlags(agent)}, ""
	}
	return identity{agent: s.wanted}, "the session itself and a sub-agent of it are running the same aburn log"
}

// unmatched is who it is where no call is found: in a `!` line of a slash command
// for instance, or where the command is too long for its head in the log.
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

// plainTexts are the texts given as flags that a shell passes on as they are
// typed, and that stand in a command's head in the same way.
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

// calls are the open shell calls that may be the one that runs this process.
func (s *search) calls() []recent.Call {
	calls := slices.DeleteFunc(recent.OpenLogCalls(s.lines, s.args[0], s.args[1]), func(c recent.Call) bool {
		stranger := func(from scope.CallingAgent) bool { return !owns(from, c) }
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

// commonAgent is the sub-agent that all calls belong to (nil is the session itself)
// and true; or, if they are of several sub-agents, what those have in common.
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

// withFlags puts what the flags say over what was found.
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
