package logfmt

import "strings"

// MessageTag is how the text of a message to a worker's agent begins, so that the agent's own record names it.
func MessageTag(id string) string { return "[aburn " + id + "]" }

// MessageIn is the id of the message that a prompt begins with, "" if it begins with none. A client may put a pasted text
// into a tag of its own.
func MessageIn(head string) string {
	head = strings.TrimSpace(head)
	if strings.HasPrefix(head, "<pasted_content") {
		_, head, _ = strings.Cut(head, ">")
		head = strings.TrimSpace(head)
	}
	rest, ok := strings.CutPrefix(head, "[aburn m-")
	id, _, closed := strings.Cut(rest, "]")
	if !ok || !closed || len(id) > 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return "m-" + id
}
