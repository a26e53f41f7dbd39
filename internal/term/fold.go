package term

import (
	"strings"

	"aburn/internal/plain"
)

// Fold breaks a text into lines that fit behind so many cells. A word stays whole, also one that is too long: it may be a path.
// Where the width is unknown, in a file or a pipe, it is one line.
func (o *Out) Fold(text string, indent int) (lines []string) {
	words := strings.Split(text, " ")
	line := words[0]
	for _, word := range words[1:] {
		if o.width > 0 && indent+plain.Width(line)+1+plain.Width(word) > o.width {
			lines, line = append(lines, line), word
			continue
		}
		line += " " + word
	}
	return append(lines, line)
}
