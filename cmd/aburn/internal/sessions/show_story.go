package sessions

import (
	"fmt"
	"io"
	"strconv"

	"aburn/archive/story"
	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/term"
)

// printStory prints the last lines of the story, all if limit is 0, and returns how many it left out.
func (v *storyView) printStory(out *term.Out, limit int) (left int, err error) {
	lines := v.Lines()
	if limit > 0 && len(lines) > limit {
		left = len(lines) - limit
		lines = lines[left:]
	}
	var dividers story.Dividers
	for i := range lines {
		l := &lines[i]
		for _, text := range dividers.Before(l) {
			fmt.Fprintln(out, out.Paint(term.Dim, plain.Cut("── "+text+" ──", term.TextWidth(out))))
		}
		if _, err := io.WriteString(out, lineText(out, l)+"\n"); err != nil {
			return left, err
		}
	}
	return left, nil
}

// tookWidth is the width of a duration with its ≤.
const tookWidth = entries.TookWidth + 1

// lineText is the line in columns: number, time, what happened, duration, and details.
func lineText(out *term.Out, l *story.Line) string {
	style, name := l.Style, l.Mark+" "+l.Name
	if l.Where != "" {
		style = term.Dim
	}
	if l.Indent {
		name = "  " + name
	}
	nameWidth := entries.NarrowName
	if w := out.Width(); w == 0 || w >= entries.WideFrom {
		nameWidth = entries.WideName
	}
	clock := ""
	if !l.Time.IsZero() {
		clock = l.Time.Local().Format("15:04:05")
	}
	c := entries.NewColumns(out)
	number := "+"
	if l.Event > 0 {
		number = strconv.Itoa(l.Event)
	}
	c.Add(term.Dim, plain.PadLeft(number, 5), 5)
	c.Add(term.Dim, clock, 8)
	c.Add(style, name, nameWidth)
	c.Add(term.Dim, plain.PadLeft(l.Took, tookWidth), tookWidth)
	return c.End("", l.Path, l.Detail)
}
