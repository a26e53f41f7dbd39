package supervisor

import (
	"strconv"
	"time"

	"aburn/internal/plain"
)

// maxQuoted bounds a name, path or command in a text, in bytes.
const maxQuoted = 120

// quoted is something from the log in quotes.
func quoted(s string) string { return plain.Quote(s, maxQuoted) }

// count is "1 turn", "2 turns".
func count(n int, noun string) string {
	s := strconv.Itoa(n) + " " + noun
	if n != 1 {
		s += "s"
	}
	return s
}

// lasting is a duration in words.
func lasting(d time.Duration) string {
	switch {
	case d < time.Minute:
		return count(int(d/time.Second), "second")
	case d < 2*time.Hour:
		return count(int(d/time.Minute), "minute")
	}
	return count(int(d/time.Hour), "hour")
}

// list quotes at most most names and counts the rest.
func list(names []string, most int) string {
	s := ""
	for i, name := range names {
		if i == most {
			return s + " and " + strconv.Itoa(len(names)-i) + " more"
		}
		if i > 0 {
			s += ", "
		}
		s += quoted(name)
	}
	return s
}

// called is a call in words: its tool and what it is about.
func called(tool, input string) string {
	if input == "" {
		return quoted(tool)
	}
	return quoted(tool + ": " + input)
}

// atLeast is n, or "at least n" where counting ends at most.
func atLeast(n, most int) string {
	if n >= most {
		return "at least " + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
