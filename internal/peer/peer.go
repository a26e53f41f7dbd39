// Package peer tells a person from an agent: which process is at the other end of a connection of this computer, and which agent started
// it. It is no wall: whoever runs as this user can do what this user can. It keeps a model that tries commands from getting a link in its
// output, and from pressing buttons.
package peer

import (
	"net/http"
	"slices"

	"aburn/internal/agentcli"
	"aburn/internal/hold"
	"aburn/internal/proc"
)

// OfRequest names the agent or worker that a request comes from, as far as that is seen, "" for a person's browser.
func OfRequest(r *http.Request) string {
	pid := callerOf(r.RemoteAddr)
	if pid == 0 {
		return ""
	}
	if name, _, ok := proc.Parent(pid); ok && slices.Contains(agentsNames(), name) {
		return name
	}
	return Starter(pid, func(variable string) string { return proc.Environ(pid, variable) })
}

// agentsNames are the executables of agents, and of what holds workers.
func agentsNames() []string { return append([]string{"aburn-hold"}, agentPrograms()...) }

// Starter names the agent that a process descends from, "" if none is seen.
func Starter(pid int, env func(string) string) string {
	if env(hold.MarkVariable) != "" {
		return "a worker"
	}
	if list := agentcli.CallingAgents(env); len(list) > 0 {
		return list[0].Of.Title
	}
	for _, p := range ancestors(pid) {
		if slices.Contains(agentsNames(), p.name) {
			return p.name
		}
		if p.env(hold.MarkVariable) != "" {
			return "a worker"
		}
		if list := agentcli.CallingAgents(p.env); len(list) > 0 {
			return list[0].Of.Title
		}
	}
	return ""
}

// ancestor is a process that another one descends from.
type ancestor struct {
	name string
	env  func(string) string
}

// mostAncestors bounds the walk.
const mostAncestors = 64

// ancestors are the processes above one, as far as they are seen.
func ancestors(pid int) (list []ancestor) {
	for range mostAncestors {
		_, parent, ok := proc.Parent(pid)
		if !ok || parent <= 1 {
			break
		}
		pid = parent
		name, _, ok := proc.Parent(pid)
		if !ok {
			break
		}
		above := pid
		list = append(list, ancestor{name, func(variable string) string { return proc.Environ(above, variable) }})
	}
	return list
}

func agentPrograms() (names []string) {
	for _, a := range agentcli.All() {
		if a.Program != "" {
			names = append(names, a.Program)
		}
	}
	return names
}
