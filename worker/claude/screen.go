package claude

import (
	"fmt"
	"strings"

	"aburn/worker/slot"
)

// promptSign begins the input line: a sign and a no-break space. In a menu a plain space follows the sign.
const promptSign = "❯\u00a0"

// Input is the text between the two rules around the cursor, if the first line there begins with the sign. A question
// has one rule and no such line. A hint in an empty line counts as text: nothing tells it from a draft for sure.
func (agent) Input(s slot.Screen) (text string, ok bool) {
	top, bottom := s.Y, s.Y
	for top >= 0 && !isRule(s, top) {
		top--
	}
	for bottom < len(s.Lines) && !isRule(s, bottom) {
		bottom++
	}
	if top < 0 || bottom >= len(s.Lines) || bottom-top < 2 {
		return "", false
	}
	first, ok := strings.CutPrefix(s.Lines[top+1], promptSign)
	if !ok {
		return "", false
	}
	lines := []string{first}
	for _, line := range s.Lines[top+2 : bottom] {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), true
}

// Shows compares all but blanks, because the line is wrapped. In place of a pasted text of many lines the client shows how many
// line ends it has; the tag was pasted before, and stands there.
func (agent) Shows(input, text string) bool {
	if solid(input) == solid(text) {
		return true
	}
	tag, _, _ := strings.Cut(text, "]")
	number, ok := strings.CutPrefix(input, tag+"] [Pasted text #")
	if !ok {
		return false
	}
	number, ok = strings.CutSuffix(number, fmt.Sprintf(" +%d lines]", strings.Count(text, "\n")))
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// solid is a text without blanks.
func solid(text string) string { return strings.Join(strings.Fields(text), "") }

func isRule(s slot.Screen, y int) bool {
	return y >= 0 && y < len(s.Lines) && len(s.Lines[y]) >= len("─")*20 && strings.Trim(s.Lines[y], "─") == ""
}

// Busy relies on the hint that stands on the screen while a turn goes on.
func (agent) Busy(s slot.Screen) bool {
	for _, line := range s.Lines {
		if strings.Contains(line, "esc to interrupt") {
			return true
		}
	}
	return false
}

// Asks knows a dialog by its last line, by the sign of a menu in the line of the cursor, and by the absence of an input line. Text of
// the model may look the same, but the cursor is in no such text. The words are those between the rule above and the menu.
func (c agent) Asks(s slot.Screen) (words string, ok bool) {
	last := len(s.Lines) - 1
	for last >= 0 && strings.TrimSpace(s.Lines[last]) == "" {
		last--
	}
	if s.Y < 0 || s.Y >= last || !strings.Contains(s.Lines[last], "Esc to cancel") || !strings.HasPrefix(strings.TrimLeft(s.Lines[s.Y], " "), "❯ ") {
		return "", false
	}
	if _, prompts := c.Input(s); prompts {
		return "", false
	}
	menu := s.Y
	for menu > 0 && isOption(s.Lines[menu-1]) {
		menu--
	}
	top := menu - 1
	for top >= 0 && !isRule(s, top) {
		top--
	}
	var said []string
	for _, line := range s.Lines[top+1 : menu] {
		if line = strings.TrimSpace(line); strings.Trim(line, "╌") != "" && !strings.HasPrefix(line, "Tip:") {
			said = append(said, line)
		}
	}
	return strings.Join(said, " · "), len(said) > 0
}

// isOption reports whether a line is a numbered one of a menu.
func isOption(line string) bool {
	number, _, ok := strings.Cut(strings.TrimSpace(line), ". ")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}
