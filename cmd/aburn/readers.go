package main

import (
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/codex"
	"aburn/trace/gemini"
	"aburn/trace/openclaw"
	"aburn/trace/opencode"
	"aburn/trace/own"
)

// readers is who can read agents' session stores: the one list of them.
func readers() []trace.Reader {
	return []trace.Reader{claude.New(), codex.New(), opencode.New(), openclaw.New(), gemini.New(), own.New()}
}
