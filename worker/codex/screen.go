package codex

import (
	"strings"

	"aburn/worker/slot"
)

// tallest is how many lines of a menu and its last line there are at most.
const tallest = 16

// Asks knows a dialog by its last line and by the sign of a numbered menu above that. An idle Codex, and text of the model, have a status
// line below. The cursor tells nothing: it is hidden, or left of the composer. Screens of 0.169.0.
func (agent) Asks(s slot.Screen) (words string, ok bool) {
	last := len(s.Lines) - 1
	for last >= 0 && strings.TrimSpace(s.Lines[last]) == "" {
		last--
	}
	if last < 0 || !isFooter(s.Lines[last]) {
		return "", false
	}
	menu := -1
	for y := last - 1; y >= 0 && y > last-tallest; y-- {
		if rest, chosen := strings.CutPrefix(s.Lines[y], "› "); isOption(s.Lines[y]) || chosen && isOption(rest) {
			menu, ok = y, ok || chosen
		}
	}
	if !ok {
		return "", false
	}
	said := above(s.Lines[:menu])
	return strings.Join(said, " · "), len(said) > 0
}

func isFooter(line string) bool {
	line = strings.ToLower(strings.TrimSpace(line))
	return (strings.HasPrefix(line, "enter ") || strings.HasPrefix(line, "press enter to ")) && strings.Contains(line, "esc ")
}

// isOption reports whether a line is a numbered one of a menu.
func isOption(line string) bool {
	number, _, ok := strings.Cut(strings.TrimSpace(line), ". ")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// above are the words of the dialog whose menu follows the lines. They are indented; the conversation above them is not, or far away.
func above(lines []string) (said []string) {
	const gap = 3
	blank := 0
	for y := len(lines) - 1; y >= 0; y-- {
		line := strings.TrimSpace(lines[y])
		if line == "" {
			if blank++; blank >= gap && len(said) > 0 {
				break
			}
			continue
		}
		if !strings.HasPrefix(lines[y], " ") {
			break
		}
		blank = 0
		said = append([]string{line}, said...)
	}
	return said
}
