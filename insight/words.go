package insight

import (
	"strconv"

	"aburn/internal/plain"
)

// Plural is a number with its noun: "1 session", "1412 sessions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Times says how often something happened: "once", "12 times".
func Times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// Units counts sessions and sub-agents: "412 sessions and 88 sub-agents".
func Units(sessions, subagents int) string {
	if subagents == 0 {
		return Plural(sessions, "session")
	}
	return Plural(sessions, "session") + " and " + Plural(subagents, "sub-agent")
}

// Members counts sessions, or sessions and sub-agents together: "12 sessions".
func Members(n int, subagents bool) string {
	switch {
	case !subagents:
		return Plural(n, "session")
	case n == 1:
		return "1 session or sub-agent"
	}
	return strconv.Itoa(n) + " sessions and sub-agents"
}

// SessionCode quotes a session as commands accept it.
func SessionCode(source, id string) string { return plain.Code(source + "/" + id) }
