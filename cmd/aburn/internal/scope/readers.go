package scope

import (
	"context"

	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/gemini"
	"aburn/trace/openclaw"
	"aburn/trace/opencode"
	"aburn/trace/own"
)

// AgentStore is who can read the sessions that one agent stores.
type AgentStore struct {
	trace.Reader
	// Row is the record that a Ref with a table names, in the store at path; nil if all records are lines.
	Row func(ctx context.Context, path string, ref trace.Ref) ([]byte, error)
}

// AgentStores is the one list of the agents whose sessions can be read, in the order of their records. A test adds one.
var AgentStores = func() []AgentStore {
	return []AgentStore{
		{claude.New(), nil},
		{codex.New(), nil},
		{opencode.New(), opencode.Raw},
		{openclaw.New(), openclaw.Raw},
		{gemini.New(), gemini.Raw},
		{own.New(), own.Raw},
	}
}

func Readers() (all []trace.Reader) {
	for _, s := range AgentStores() {
		all = append(all, s.Reader)
	}
	return all
}
