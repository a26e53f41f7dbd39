package insight

import (
	"strconv"

	"aburn/internal/plain"
)

// Plural is a number with its noun, as reports for models say it: "1 session", "1412 sessions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Times is how often something happened: "once", "12 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// Units is how many sessions and sub-agents there are: "412 sessions and 88 sub-agents".
func Units(sessions, subagents int) string {
	if subagents == 0 {
		return Plural(sessions, "session")
	}
	return Plural(sessions, "session") + " and " + Plural(subagents, "sub-agent")
}

// Members is how many of what was looked at something is about, of sessions, or of sessions and sub-agents: "12 sessions".
func Members(n int, subagents bool) string {
	switch {
	case !subagents:
		return Plural(n, "session")
	case n == 1:
		return "1 session or sub-agent"
	}
	return strconv.Itoa(n) + " sessions and sub-agents"
}

// SessionCode is a session as commands take it, quoted.
func SessionCode(source, id string) string { return plain.Code(source + "/" + id) }
