// Package readers lists the readers of all agents' session stores.
package readers

import (
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/contents"
	"aburn/trace/copilot"
	"aburn/trace/gemini"
	"aburn/trace/openclaw"
	"aburn/trace/opencode"
	"aburn/trace/own"
	"aburn/trace/pi"
	"aburn/trace/qwen"
	"aburn/trace/workers"
)

// AgentStore reads the sessions that one agent stores.
type AgentStore struct {
	trace.Reader
	// Rows reads the records of Refs with a table; nil if all records of the agent are lines.
	Rows contents.Rows
}

// AgentStores is the one list of the agents whose sessions can be read. It is a variable so that a test can add one.
var AgentStores = func() []AgentStore {
	return []AgentStore{
		{claude.New(), nil},
		{codex.New(), nil},
		{opencode.New(), opencode.Records},
		{openclaw.New(), openclaw.Records},
		{gemini.New(), gemini.Records},
		{qwen.New(), nil},
		{copilot.New(), nil},
		{pi.New(), nil},
		{own.New(), own.Records},
		{workers.New(), nil},
	}
}

// RowsOf reads the rows of a source's stores; nil if its records are lines.
func RowsOf(source string) contents.Rows {
	for _, s := range AgentStores() {
		if s.Name() == source {
			return s.Rows
		}
	}
	return nil
}

// Readers are the readers of AgentStores.
func Readers() (all []trace.Reader) {
	for _, s := range AgentStores() {
		all = append(all, s.Reader)
	}
	return all
}

// Sources are the values of --source: the agents whose sessions can be read.
func Sources() (names []string) {
	for _, r := range Readers() {
		names = append(names, r.Name())
	}
	return names
}
