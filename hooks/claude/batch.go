package claude

import (
	"strings"

	"aburn/hooks"
	"aburn/internal/project"
	"aburn/logfmt"

	"github.com/tidwall/gjson"
)

// batch is PostToolBatch: all calls of one message of the model, after every
// other event about them. A call that none of those ended was denied, or was
// refused before PreToolUse could fire (an unknown tool, a bad input).
type batch struct {
	calls []gjson.Result
	proj  *project.Project
}

// Wants are the calls of the message.
func (b *batch) Wants() []string {
	ids := make([]string, 0, len(b.calls))
	for _, c := range b.calls {
		if id := c.Get("tool_use_id").Str; id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Prepare reports whether one of them has no end.
func (b *batch) Prepare(calls *hooks.Calls) bool {
	for _, id := range b.Wants() {
		if !calls.Ended(id) {
			return true
		}
	}
	return false
}

// Close ends those.
func (b *batch) Close(calls *hooks.Calls) []hooks.Draft {
	var drafts []hooks.Draft
	for _, c := range b.calls {
		id := c.Get("tool_use_id").Str
		if id == "" || calls.Ended(id) {
			continue
		}
		p := hooks.Payload{Tool: c.Get("tool_name").Str, ToolUseID: id}
		about := func(o *logfmt.Object) { describe(o, p.Tool, c.Get("tool_input"), b.proj) }
		text := c.Get("tool_response").Str
		var d hooks.Draft
		switch {
		case calls.Find(id) == nil || strings.HasPrefix(text, "<tool_use_error>"):
			d = p.ToolCall(logfmt.ToolFailed, about)
			d.Data.StrIf("error", hooks.Head(toolUseError(text)))
		case denied(text):
			d = p.ToolCall(logfmt.ToolDenied, about)
			d.Data.StrIf("reason", hooks.Head(text))
		default: // its own event was lost: how it ended, the batch does not say
			d = p.ToolCall(logfmt.Tool, about)
			d.Data.Str("outcome", "unknown")
		}
		d.Data.Str("inferred", "batch")
		drafts = append(drafts, d)
	}
	return drafts
}

func toolUseError(text string) string {
	text = strings.TrimPrefix(text, "<tool_use_error>")
	return strings.TrimSuffix(text, "</tool_use_error>")
}

// denied reports whether the result that the model saw says that the call was
// not allowed: by a rule, a hook, the user, a mode, or for want of a permission.
func denied(text string) bool {
	for _, words := range []string{
		"Permission to use ", "requested permissions", "haven't granted", "requires approval", "doesn't want to proceed",
		" plan mode", "not allowed", "has been denied", "was denied", "denied this tool", "was blocked", "PreToolUse:",
	} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
