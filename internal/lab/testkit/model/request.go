package model

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Protocol names an API.
type Protocol string

// The protocols that the server speaks.
const (
	Messages  Protocol = "messages"  // Anthropic: POST /v1/messages
	Responses Protocol = "responses" // OpenAI: POST /v1/responses
	Chat      Protocol = "chat"      // OpenAI: POST /v1/chat/completions
	Generate  Protocol = "generate"  // Google: POST /v1beta/models/NAME:generateContent, :streamGenerateContent
)

// Request is one request as the server got it, with the parts that scripts match on.
type Request struct {
	N            int         `json:"n"` // 1, 2, … in order of arrival
	Time         time.Time   `json:"time"`
	Method       string      `json:"method"`
	Path         string      `json:"path"`
	Header       http.Header `json:"header"` // keys masked
	Protocol     Protocol    `json:"protocol,omitempty"`
	Conversation string      `json:"conversation,omitempty"` // "" = none matched
	Turn         int         `json:"turn"`                   // index in the thread's conversation, also past its end

	whole   bool // the answer is one JSON object, not a stream
	ordinal int  // place of the thread among those of a PerThread conversation

	Model string   `json:"-"`
	Tools []string `json:"-"` // names of the tools offered
	// System is the system prompt or the instructions, as plain text.
	System string `json:"-"`
	// Items are the input in order, each as plain text.
	Items []Item `json:"-"`
	Body  []byte `json:"-"`
}

// Item is one message (Messages) or one input item (Responses).
type Item struct {
	Role string // "user", "assistant", "developer"; "" for a call or its output
	Text string // every string in it, one a line
}

// Thread is the client's name for the thread that asks: the session, and the sub-agent inside it if it is one.
func (r *Request) Thread() string {
	if id := r.Header.Get("X-Claude-Code-Session-Id"); id != "" {
		return id + "/" + r.Header.Get("X-Claude-Code-Agent-Id")
	}
	for _, name := range []string{"Thread-Id", "Thread_id", "Session-Id", "Session_id"} {
		if id := r.Header.Get(name); id != "" {
			return id
		}
	}
	return ""
}

// Contains reports whether any item holds text.
func (r *Request) Contains(text string) bool {
	return slices.ContainsFunc(r.Items, func(i Item) bool { return strings.Contains(i.Text, text) })
}

// Last is the text of the last item, "" if there is none.
func (r *Request) Last() string {
	if len(r.Items) == 0 {
		return ""
	}
	return r.Items[len(r.Items)-1].Text
}

// FirstUser is the text of the first item with the user's role.
func (r *Request) FirstUser() string {
	for _, i := range r.Items {
		if i.Role == "user" {
			return i.Text
		}
	}
	return ""
}

// Match selects requests.
type Match func(*Request) bool

// All holds when every match does.
func All(matches ...Match) Match {
	return func(r *Request) bool {
		return !slices.ContainsFunc(matches, func(m Match) bool { return !m(r) })
	}
}

// Not turns a match round.
func Not(m Match) Match { return func(r *Request) bool { return !m(r) } }

// Contains holds when any item holds text.
func Contains(text string) Match { return func(r *Request) bool { return r.Contains(text) } }

// LastContains holds when the last item holds text.
func LastContains(text string) Match {
	return func(r *Request) bool { return strings.Contains(r.Last(), text) }
}

// FirstUserContains holds when the first user message holds text: the prompt of a sub-agent, for instance.
func FirstUserContains(text string) Match {
	return func(r *Request) bool { return strings.Contains(r.FirstUser(), text) }
}

// Speaks holds for the requests of one protocol: of one agent, where both ask the same server.
func Speaks(p Protocol) Match { return func(r *Request) bool { return r.Protocol == p } }

// NoTools holds for side requests (titles, summaries) that offer no tools.
func NoTools(r *Request) bool { return len(r.Tools) == 0 }

// HeaderContains holds when the named header holds text.
func HeaderContains(name, text string) Match {
	return func(r *Request) bool { return strings.Contains(r.Header.Get(name), text) }
}

// plain returns the strings of a JSON value, one a line, so that a script matches text without thinking of escapes.
func plain(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	var b strings.Builder
	appendStrings(&b, value)
	return b.String()
}

func appendStrings(b *strings.Builder, value any) {
	switch value := value.(type) {
	case string:
		b.WriteString(value)
		b.WriteByte('\n')
	case []any:
		for _, element := range value {
			appendStrings(b, element)
		}
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			appendStrings(b, value[key])
		}
	}
}
