package scope

import (
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
)

// AgentCalls reports whether an agent runs this command, in a worker or anywhere else. An agent may set no variable of its own.
// Then only the mark of its worker tells, which all that a worker starts has in its environment.
func AgentCalls(env func(string) string) bool { return AgentTitle(env) != "" }

const aWorker = "a worker"

// AgentTitle names the agent that runs this command, in the words for a person; "" is a person.
func AgentTitle(env func(string) string) string {
	if env(hold.MarkVariable) != "" {
		return aWorker
	}
	if list := agentcli.CallingAgents(env); len(list) > 0 {
		return list[0].Of.Title
	}
	if list := agentcli.Unnamed(env); len(list) > 0 {
		return list[0].Title
	}
	return ""
}

// PersonOnly refuses what only a person may ask for to agents and to everything that a worker starts. It is a fence, not a
// wall: an agent of the same user could take the variables away.
func PersonOnly(a *kit.App, what string) error {
	switch AgentTitle(a.Getenv) {
	case "":
		return nil
	case aWorker:
		return fault.Failed("a worker may not "+what, "ask the person to run this command")
	}
	return fault.Failed("an agent may not "+what, "ask the person to run this command")
}
