package claude

import (
	"strings"

	"github.com/tidwall/gjson"

	"aburn/hooks"
	"aburn/internal/project"
	"aburn/logfmt"
)

// batch is PostToolBatch. A call without an end event was denied, or refused before PreToolUse could fire (an unknown tool, a bad
// input).
func batch(p *hooks.Payload, proj *project.Project) *hooks.Batch {
	return &hooks.Batch{Calls: p.Get("tool_calls").Array(), ID: "tool_use_id", End: func(p hooks.Payload, c gjson.Result, begun *hooks.Call) hooks.Draft {
		return ended(p, c.Get("tool_response").Str, begun != nil && begun.Asked, func(o *logfmt.Object) { describe(o, p.Tool, p.Input, proj) })
	}}
}

// ended is the end of a call, judged by the result that the model got. The text is kept
// only if it is the client's own; it may as well be the contents of a file. A call
// that was asked about and has no event after that did not run: the client has too many
// wordings for a refusal to know them all. But refusals are short: a long text is the
// call's output, and its end event was lost.
func ended(p hooks.Payload, result string, asked bool, about func(*logfmt.Object)) hooks.Draft {
	if text, ok := strings.CutPrefix(result, "<tool_use_error>"); ok {
		d := p.ToolCall(logfmt.ToolFailed, about)
		d.Data.StrIf("error", hooks.Head(strings.TrimSuffix(text, "</tool_use_error>")))
		return d
	}
	if denied(result) {
		d := p.ToolCall(logfmt.ToolDenied, about)
		d.Data.StrIf("reason", hooks.Head(result))
		return d
	}
	if asked && len(result) <= maxRefusal {
		return p.ToolCall(logfmt.ToolDenied, about)
	}
	d := p.ToolCall(logfmt.Tool, about) // its end event was lost
	d.Data.Str("outcome", "unknown")
	return d
}

// maxRefusal is longer than any of the client's own refusals, in bytes.
const maxRefusal = 1 << 10

// denied reports whether a result says that a rule, the user, a mode, a hook or a
// missing permission stopped the call.
func denied(result string) bool {
	if len(result) <= maxRefusal && strings.HasSuffix(result, hooks.GuardSigns) { // a question that nobody could answer
		return true
	}
	for _, begin := range []string{
		"Permission to ", "Claude requested permissions to ", "This command requires approval", "The user doesn't want to proceed",
		"Cannot write to ", "Tool use is not allowed", "PreToolUse:", "Hook PreToolUse:",
	} {
		if strings.HasPrefix(result, begin) {
			return true
		}
	}
	return false
}
