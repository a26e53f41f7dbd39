package insight

import (
	"slices"
	"strconv"
	"strings"

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

// Word says how a session ended, as pages say it.
func (o Outcome) Word() string {
	switch o {
	case Interrupted:
		return "interrupted by you"
	case Errored:
		return "failed"
	case GaveUp:
		return "stopped in mid-call"
	}
	return string(o)
}

// ShapeWords says what the sessions of a failure group have in common, as pages say it. shape is Digest.Shape, title names an agent
// for people.
func ShapeWords(shape string, title func(agent string) string) string {
	words := strings.Fields(shape)
	i := 0 // an agent's name can have blanks
	for i < len(words) && !isOutcome(words[i]) {
		i++
	}
	parts := []string{title(strings.Join(words[:i], " "))}
	if i < len(words) {
		parts, i = append(parts, Outcome(words[i]).Word()), i+1
	}
	for _, w := range words[i:] {
		switch w {
		case string(RateNone):
			parts = append(parts, "no call failed")
		case string(RateLow):
			parts = append(parts, "under 20 % of calls failed")
		case string(RateMid):
			parts = append(parts, "20 to 60 % of calls failed")
		case string(RateHigh):
			parts = append(parts, "60 % of calls or more failed")
		case "loops":
			parts = append(parts, "files edited over and over")
		default:
			parts = append(parts, strings.ReplaceAll(strings.ReplaceAll(w, "+", ", "), "_", " ")+" errors")
		}
	}
	return plain.Line(strings.Join(parts, " · "))
}

func isOutcome(word string) bool {
	return slices.Contains([]Outcome{Running, Completed, Interrupted, Errored, GaveUp, Killed, Crashed, Unknown}, Outcome(word))
}
