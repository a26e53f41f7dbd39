// Package model answers the real agents from a script, on loopback only. An answer depends
// only on the script and the request. It knows nothing of aburn.
//
// One engine serves four protocols (Anthropic's Messages, OpenAI's Responses and chat completions, Google's
// generateContent), so that a scenario reads the same for all clients. The server keeps every request in memory and, on demand, in a file, so that a test can
// compare the requests of a run with hooks to those of a run without.
//
// Requests get a conversation's turns under one lock, in order of arrival. So two threads of a client (a session and
// its sub-agent) that share a conversation race for its turns, unless PerThread is set.
package model

import (
	"context"
	"net/http"
	"time"
)

// Script is everything a model will say: the first conversation whose When holds answers a request with its next turn.
type Script []*Conversation

// Conversation is a list of turns for the requests that When selects.
type Conversation struct {
	Name string
	// When selects requests; nil selects all.
	When Match
	// PerThread gives every client thread (main session, each sub-agent) its own place in Turns.
	PerThread bool
	// Repeat starts over when the turns are used up; otherwise the server says so in a text.
	Repeat bool
	Turns  []Turn

	next map[string]int // thread ("" unless PerThread) → index of its next turn; guarded by Server.mu
	seen []string       // threads in order of their first request, likewise
}

// Turn is one answer: reasoning, then text, then calls, or a failure.
type Turn struct {
	Reasoning string
	Text      string
	Calls     []Call
	Usage     Usage
	// Stop is why the answer ends (max_tokens, refusal), as Anthropic's Messages API says it; empty follows from the rest.
	Stop string
	// Before runs before the first byte of the answer, for instance to wait until another session has arrived. ctx
	// ends when the client goes away.
	Before func(ctx context.Context)
	// ChunkDelay waits between streamed pieces of Text.
	ChunkDelay time.Duration
	// Failure makes the turn an HTTP error.
	Failure *Failure
	// Cut closes the connection after the content, before the closing events.
	Cut bool
}

// Call is one tool call of an answer.
type Call struct {
	// ID is the call's id on the wire; empty = made from the conversation, the turn and the call's place, and so the
	// same in every run.
	ID   string
	Name string
	// Namespace is Codex's group of a tool ("collaboration"); Claude Code has none.
	Namespace string
	// Input is encoded as JSON; a string is sent as it stands, which allows malformed arguments.
	Input any
	// InputFor replaces Input where the input holds ids that only the client knows.
	InputFor func(*Request) any
	// Freeform makes it a Codex custom tool call (apply_patch): Input is then the text itself.
	Freeform bool
	// Search makes it a search of Codex's for tools that it has not told the model of, which has no name: Input is
	// its arguments.
	Search bool
}

// Usage is what the answer says it cost; zero values become 100 in, 20 out. A big Input provokes a client's
// auto-compaction. Only Anthropic's Messages API tells of a cache.
type Usage struct{ Input, Output, CacheRead, CacheWrite int }

// Failure is an HTTP error in the protocol's own shape.
type Failure struct {
	Status  int
	Type    string
	Message string
	Header  http.Header
}

// Text is a turn that only says text.
func Text(text string) Turn { return Turn{Text: text} }

// Calls is a turn of tool calls.
func Calls(calls ...Call) Turn { return Turn{Calls: calls} }

// Times repeats a turn, for clients that retry.
func Times(n int, t Turn) []Turn {
	turns := make([]Turn, n)
	for i := range turns {
		turns[i] = t
	}
	return turns
}
