package hooks

import (
	"bytes"
	"errors"
	"unsafe"

	"github.com/tidwall/gjson"

	"aburn/internal/scrub"
	"aburn/logfmt"
)

// Payload is the JSON object from stdin, with the fields that all agents share.
type Payload struct {
	Event      string // hook_event_name
	Session    logfmt.SessionID
	Cwd        string
	Transcript string // "" when there is none
	AgentID    string // "" in the session itself
	AgentType  string
	Version    string // of the client, where the environment tells it
	Rootless   bool   // Session is a guess: the log knows under which session the sub-agent runs
	Tool       string
	ToolUseID  string
	Input      JSON    // tool_input
	Response   JSON    // tool_response
	rest       []field // all others, in their order
	foreign    bool    // another client than the argument says sent it
}

type field struct {
	key   string
	value JSON
}

// Get returns a field that has no member of its own; the zero Result if there is none.
func (p *Payload) Get(key string) gjson.Result {
	for i := range p.rest {
		if p.rest[i].key == key {
			return p.rest[i].value.Parse()
		}
	}
	return gjson.Result{}
}

// Str returns such a field as a string.
func (p *Payload) Str(key string) string { return p.Get(key).Str }

// Reasons why a payload is unreadable; UNREADABLE entries hold these texts.
var (
	errEmpty     = errors.New("empty")
	errTooLarge  = errors.New("larger than 16 MiB")
	errSlow      = errors.New("not complete in time")
	errNotJSON   = errors.New("not JSON")
	errNotObject = errors.New("not an object")
	errNoEvent   = errors.New("no event name")
)

// Payload reads what the agent sent about event, which is "" if the payload names it. b is one JSON object and must not
// change afterwards. The error is one of the reasons above.
func (a *Agent) Payload(event string, b []byte, env func(string) string) (*Payload, error) {
	p, err := parsePayload(event, b, a.Keys)
	if err == nil && !p.foreign && a.Complete != nil {
		a.Complete(p, env)
	}
	return p, err
}

// ParsePayload reads a payload that names its event and spells its fields as most agents do.
func ParsePayload(b []byte) (*Payload, error) { return parsePayload("", b, nil) }

func parsePayload(event string, b []byte, keys func(string) string) (*Payload, error) {
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return nil, errEmpty
	case !logfmt.Valid(b):
		return nil, errNotJSON
	}
	if bytes.TrimLeft(b, " \t\r\n")[0] != '{' {
		return nil, errNotObject
	}
	p := &Payload{Event: event, rest: make([]field, 0, 16)}
	JSON(unsafe.String(&b[0], len(b))).Members(func(k string, v JSON) bool {
		if keys == nil {
			p.set(k, v)
		} else if k = keys(k); k != "" {
			p.set(k, v)
		}
		return true
	})
	if p.Event == "" && !p.foreign {
		return nil, errNoEvent
	}
	return p, nil
}

// IsAgent reports whether id, as an agent gives it, is that of the payload's sub-agent.
func (p *Payload) IsAgent(id string) bool { return scrub.ID(id) == p.AgentID }

// Session is the id of a session as the log will have it.
func Session(id string) logfmt.SessionID {
	return logfmt.SessionID(scrub.ID(logfmt.Token(id, logfmt.MaxSession)))
}

func (p *Payload) set(key string, v JSON) {
	switch key {
	case "hook_event_name":
		p.Event = v.Str()
	case "session_id":
		p.Session = Session(v.Str())
	case "cwd":
		p.Cwd = v.Str()
	case "transcript_path":
		p.Transcript = v.Str()
	case "agent_id":
		p.AgentID = scrub.ID(v.Str())
	case "agent_type":
		p.AgentType = v.Str()
	case "tool_name":
		p.Tool = v.Str()
	case "tool_use_id":
		p.ToolUseID = v.Str()
	case "tool_input":
		p.Input = v
	case "tool_response":
		p.Response = v
	case "cursor_version", "conversation_id", "sessionId", "hookEventName", "hookName", "toolName":
		// Cursor and Copilot run the hooks of .claude/settings.json too.
		p.foreign = true
	default:
		p.rest = append(p.rest, field{key, v})
	}
}
