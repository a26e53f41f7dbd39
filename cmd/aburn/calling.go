package main

import "aburn/internal/agentcli"

// callingAgent is what an agent says of itself to the commands that its model runs. Seen
// on the real ones: Codex 0.169.0 names the root's session, as in its hooks. The thread
// of a sub-agent is its agent id there, and the call its tool_use_id.
type callingAgent struct {
	of                   *agentcli.Agent
	session, agent, call string
}

func callingAgentOf(agent *agentcli.Agent, env func(string) string) callingAgent {
	value := func(name string) string {
		if name == "" {
			return ""
		}
		return env(name)
	}
	c := callingAgent{of: agent, session: value(agent.Session.ID), call: value(agent.Session.Call)}
	switch thread := value(agent.Session.Thread); {
	case c.session == "": // older ones
		c.session = thread
	case thread != c.session:
		c.agent = thread
	}
	return c
}

// callingAgents are the agents whose variables are set. A sub-agent, and an agent in
// another one's shell, has those of more than one.
func callingAgents(env func(string) string) (list []callingAgent) {
	for _, agent := range agentcli.All() {
		if c := callingAgentOf(agent, env); c.session != "" {
			list = append(list, c)
		}
	}
	return list
}
