package gemini

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/logfmt"
)

// maxTail is how much of a transcript's end is read, in bytes.
const maxTail = 1 << 20

// closer ends the calls for which AfterTool never fires: those that a person, a rule or
// another hook refused. The client writes a call into the transcript when it has ended.
type closer struct {
	transcript string
	ended      bool // the turn, so nothing of it runs any more
	ends       map[string]ending
}

func closing(d hooks.Draft, p *hooks.Payload) hooks.Plan {
	return hooks.Plan{Drafts: []hooks.Draft{d}, Closer: &closer{transcript: p.Transcript}}
}

// Wants returns nil: all open calls.
func (c *closer) Wants() []string { return nil }

// Prepare looks the open calls up in the transcript. A call that is not there is left
// open, unless its turn has ended.
func (c *closer) Prepare(calls *hooks.Calls) bool {
	if len(calls.Open) == 0 {
		return false
	}
	b := hooks.Tail(c.transcript, maxTail)
	c.ends = map[string]ending{}
	for i := range calls.Open {
		call := &calls.Open[i]
		if end, ok := recorded(b, call); ok {
			c.ends[call.ToolUseID] = end
		} else if c.ended {
			c.ends[call.ToolUseID] = ending{event: logfmt.Tool, outcome: unknown}
		}
	}
	return len(c.ends) > 0
}

// Close ends the calls whose end Prepare found, and their sub-agents.
func (c *closer) Close(calls *hooks.Calls) []hooks.Draft {
	var drafts []hooks.Draft
	for _, call := range calls.Open {
		end, ok := c.ends[call.ToolUseID]
		if !ok {
			continue
		}
		if call.Tool == nests {
			d := hooks.NewDraft(logfmt.AgentComplete)
			d.Data.Str("agent_id", call.ToolUseID).StrIf("status", statusOf(end.event))
			d.Once = call.ToolUseID
			drafts = append(drafts, d)
		}
		p := hooks.Payload{Tool: call.Tool, ToolUseID: call.ToolUseID}
		d := p.ToolCall(end.event, func(o *logfmt.Object) { o.StrIf("head", call.Head).StrIf("path", call.Path).StrIf("input", call.Input) })
		end.add(d.Data)
		from := "transcript"
		if end.outcome == unknown {
			from = "turn"
		}
		d.Data.Str("inferred", from)
		drafts = append(drafts, d)
	}
	return drafts
}

// statusOf is a sub-agent's by how its call ended.
func statusOf(ev logfmt.Event) string {
	switch ev {
	case logfmt.ToolDenied:
		return "cancelled"
	case logfmt.ToolFailed:
		return "failed"
	}
	return ""
}

// recorded finds the first record of such a call that ended after this one began.
func recorded(b []byte, call *hooks.Call) (end ending, ok bool) {
	for line := range bytes.Lines(b) {
		if !bytes.Contains(line, []byte(`"toolCalls"`)) || !bytes.Contains(line, []byte(call.Tool)) {
			continue
		}
		gjson.GetBytes(line, "toolCalls").ForEach(func(_, t gjson.Result) bool {
			at, err := time.Parse(time.RFC3339, t.Get("timestamp").Str)
			if err == nil && !at.Before(call.Time) && t.Get("name").Str == call.Tool && hooks.InputKey(hooks.JSON(t.Get("args").Raw)) == call.Input {
				end, ok = endOfRecord(t)
			}
			return !ok
		})
		if ok {
			break
		}
	}
	return end, ok
}

// endOfRecord reads a call without AfterTool. One that the client calls a success lost
// its AfterTool to a hook's time limit or switch: only that it ended is known.
func endOfRecord(t gjson.Result) (ending, bool) {
	text := t.Get("result.0.functionResponse.response.error").Str
	switch t.Get("status").Str {
	case "cancelled":
		return ending{event: logfmt.ToolDenied, reason: text}, true
	case "error":
		if strings.HasPrefix(text, "Tool execution denied by policy") || strings.HasPrefix(text, "Tool execution blocked") {
			return ending{event: logfmt.ToolDenied, reason: text}, true
		}
		return ending{event: logfmt.ToolFailed, error: text}, true
	case "success":
		return ending{event: logfmt.Tool, outcome: unknown}, true
	}
	return ending{}, false
}
