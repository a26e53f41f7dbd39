package main

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

// agentStore is who can read the sessions that one agent stores.
type agentStore struct {
	trace.Reader
	// row is the record that a Ref with a table names, in the store at path; nil if all records are lines.
	row func(ctx context.Context, path string, ref trace.Ref) ([]byte, error)
}

// agentStores is the one list of the agents whose sessions can be read, in the order of their records. A test adds one.
var agentStores = func() []agentStore {
	return []agentStore{
		{claude.New(), nil},
		{codex.New(), nil},
		{opencode.New(), opencode.Raw},
		{openclaw.New(), openclaw.Raw},
		{gemini.New(), gemini.Raw},
		{own.New(), own.Raw},
	}
}

func readers() (all []trace.Reader) {
	for _, s := range agentStores() {
		all = append(all, s.Reader)
	}
	return all
}
