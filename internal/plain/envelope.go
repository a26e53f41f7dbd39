package plain

import "strings"

// Unwrap removes the tags that agents put around a tool's error for their model, such as <tool_use_error>. People read the text without them.
func Unwrap(line string) string {
	for {
		rest, ok := strings.CutPrefix(line, "<")
		name, text, closed := strings.Cut(rest, ">")
		if !ok || !closed || !isEnvelope(name) {
			return line
		}
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "</"+name+">"))
	}
}

// isEnvelope reports whether a tag is an agent's own: HTML and XML of programs have no such names.
func isEnvelope(name string) bool {
	return name == "error" || strings.Contains(name, "_") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}
