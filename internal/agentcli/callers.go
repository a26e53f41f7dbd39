package agentcli

import (
	"strings"
)

// CallingAgent is what an agent's variables say to the commands that its model runs. Seen on Codex 0.169.0: Session is the
// root's session, as in its hooks; a sub-agent's thread is its agent id there, and the call its tool_use_id.
type CallingAgent struct {
	Of                   *Agent
	Session, Agent, Call string
}

func callingAgentOf(agent *Agent, env func(string) string) CallingAgent {
	value := func(name string) string {
		if name == "" {
			return ""
		}
		return env(name)
	}
	c := CallingAgent{Of: agent, Session: value(agent.Session.ID), Call: value(agent.Session.Call)}
	switch thread := value(agent.Session.Thread); {
	case c.Session == "": // older versions
		c.Session = thread
	case thread != c.Session:
		c.Agent = thread
	}
	return c
}

// CallingAgents are the agents whose variables are set. A sub-agent, and an agent in another one's shell, has the variables
// of more than one.
func CallingAgents(env func(string) string) (list []CallingAgent) {
	for _, agent := range All() {
		if c := callingAgentOf(agent, env); c.Session != "" {
			list = append(list, c)
		}
	}
	return list
}

// Unnamed are the agents that run this command without saying in which session.
func Unnamed(env func(string) string) (list []*Agent) {
	for _, agent := range All() {
		if mark := agent.Session.Mark; mark != "" && env(mark) != "" {
			list = append(list, agent)
		}
	}
	return list
}

// ToolWord is the tool as its agent calls it; a tool of an MCP server is server:tool.
func ToolWord(name string) string {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		return strings.Replace(rest, "__", ":", 1)
	}
	return name
}
