package excerpt

import "strings"

// isPatch reports whether a text is a patch: a unified diff, or one of the form that starts with *** Begin Patch.
func isPatch(text string) bool {
	if strings.HasPrefix(text, "*** Begin Patch\n") || strings.HasPrefix(text, "diff --git ") || strings.HasPrefix(text, "@@ ") {
		return true
	}
	return strings.HasPrefix(text, "--- ") && strings.Contains(text, "\n+++ ") && strings.Contains(text, "\n@@ ")
}

// kindOf is the kind of a line of a patch.
func kindOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "*** "),
		strings.HasPrefix(line, "diff "):
		return "at"
	case strings.HasPrefix(line, "+"):
		return "add"
	case strings.HasPrefix(line, "-"):
		return "del"
	}
	return ""
}

// around is how many equal lines are shown before and after a replacement.
const around = 3

// replacement is a patch that replaces one text by another: equal lines at their ends are what surrounds it.
func replacement(before, after string) string {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	first := 0
	for first < len(old) && first < len(now) && old[first] == now[first] {
		first++
	}
	last := 0
	for last < len(old)-first && last < len(now)-first && old[len(old)-1-last] == now[len(now)-1-last] {
		last++
	}
	var b strings.Builder
	add := func(sign string, lines []string) {
		for _, line := range lines {
			b.WriteString(sign + line + "\n")
		}
	}
	add(" ", old[max(first-around, 0):first])
	add("-", old[first:len(old)-last])
	add("+", now[first:len(now)-last])
	add(" ", old[len(old)-last:len(old)-last+min(last, around)])
	return strings.TrimRight(b.String(), "\n ")
}

// replaced are the names of what is replaced and by what, as tools name it.
var replaced = [][2]string{{"old_string", "new_string"}, {"oldString", "newString"}, {"oldText", "newText"}, {"old_str", "new_str"}}
