package hooks

import "aburn/logfmt"

// HookContext is the hook output with which Claude Code and Codex both take text
// for the model.
func HookContext(event, text string) []byte {
	var inner, outer logfmt.Object
	inner.Str("hookEventName", event).Str("additionalContext", text)
	return outer.Raw("hookSpecificOutput", inner.Bytes()).Bytes()
}
