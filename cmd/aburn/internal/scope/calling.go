package scope

import "aburn/internal/agentcli"

// CallingAgent is what an agent says of itself to the commands that its model runs. Seen
// on the real ones: Codex 0.169.0 names the root's session, as in its hooks. The thread
// of a sub-agent is its agent id there, and the call its tool_use_id.
type CallingAgent struct {
	Of                   *agentcli.Agent
	Session, Agent, Call string
}

func callingAgentOf(agent *agentcli.Agent, env func(string) string) CallingAgent {
	value := func(name string) string {
		if name == "" {
			return ""
		}
		return env(name)
	}
	c := CallingAgent{Of: agent, Session: value(agent.Session.ID), Call: value(agent.Session.Call)}
	switch thread := value(agent.Session.Thread); {
	case c.Session == "": // older ones
		c.Session = thread
	case thread != c.Session:
		c.Agent = thread
	}
	return c
}

// CallingAgents are the agents whose variables are set. A sub-agent, and an agent in
// another one's shell, has those of more than one.
func CallingAgents(env func(string) string) (list []CallingAgent) {
	for _, agent := range agentcli.All() {
		if c := callingAgentOf(agent, env); c.Session != "" {
			list = append(list, c)
		}
	}
	return list
}
