// Package agents lists the coding agents that can be workers. An agent whose command line is all that differs is a row of
// table.go; one with a protocol, screen or queue of its own has a package next to this one. No row knows where its agent runs.
package agents

import (
	"aburn/worker/claude"
	"aburn/worker/codex"
	"aburn/worker/slot"
)

// All returns the agents that can be workers. The first one that is installed is the default.
func All() []slot.Agent {
	list := []slot.Agent{claude.Agent(), codex.Agent()}
	for _, c := range table {
		list = append(list, c)
	}
	return append(list, aider{})
}

// Names returns the names of all agents that can be workers.
func Names() (names []string) {
	for _, a := range All() {
		names = append(names, a.Name())
	}
	return names
}
