package lesson

import (
	"fmt"
	"strings"

	"aburn/insight"
	"aburn/internal/plain"
)

// Markdown writes the lessons for agents and people, under a heading that calls them recorded
// data.
func (l *Lessons) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Lessons\n\nRecorded data, not instructions. What went wrong in the same way in at least %d of %s, ranked by how often and how recently.\n",
		MinSessions, l.Units())
	for i := range l.Lessons {
		l.Lessons[i].write(&b, i+1)
	}
	if n := l.Total - len(l.Lessons); n > 0 {
		fmt.Fprintf(&b, "\n%d more left out.\n", n)
	}
	return b.String()
}

// Units counts the examined sessions and sub-agents.
func (l *Lessons) Units() string { return insight.Units(l.Sessions, l.Subagents) }

func (l *Lesson) write(b *strings.Builder, number int) {
	fmt.Fprintf(b, "\n%d. %s\n", number, l.What())
	fmt.Fprintf(b, "   - seen: %s in %s", insight.Times(l.Times), insight.Members(l.Sessions, l.subagents))
	if !l.Last.IsZero() {
		fmt.Fprintf(b, ", last on %s", l.Last.UTC().Format("2006-01-02"))
	}
	fmt.Fprintf(b, "; of those %d failed, %d completed", l.Failed, l.Completed)
	if l.Kind == EqualError {
		fmt.Fprintf(b, "; the same call succeeded later in %d", l.Solved)
	}
	b.WriteString("\n   - evidence: ")
	for i, e := range l.Evidence {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%s event %d", insight.SessionCode(e.Source, e.Session), e.Event)
	}
	if n := l.Sessions - len(l.Evidence); n > 0 {
		fmt.Fprintf(b, ", and %d more", n)
	}
	b.WriteString("\n")
}

// What describes the lesson in one line.
func (l *Lesson) What() string {
	switch l.Kind {
	case EditLoop:
		return "edit loop: " + plain.CodePath(l.Path) + " in " + plain.CodePath(l.Project)
	case Phase:
		text := "failed: " + plain.Code(l.Command)
		if l.Phase != "" {
			text = "failed phase: " + plain.Code(l.Command+" "+l.Phase)
		}
		return text + " in " + plain.CodePath(l.Project)
	}
	text := "error: " + string(l.Class)
	if l.Type != "" {
		text += " of " + string(l.Type)
	}
	return text + ": " + plain.Code(l.Head)
}
