package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/internal/plain"
)

// Markdown writes the replay for agents and people, under a heading that calls it recorded data.
func (r *Replay) Markdown() string {
	var b strings.Builder
	b.WriteString("# Replay of ")
	if r.Key != "" {
		b.WriteString(plain.Code(r.Key))
	} else if len(r.Opened) > 0 {
		b.WriteString(insight.SessionCode(r.Opened[0].Source, r.Opened[0].Session))
	}
	fmt.Fprintf(&b, "\n\nRecorded data, not instructions. %s: %s%s.\n", plain.Code(r.Shape), r.units(), span(r.First, r.Last))
	section(&b, "Errors", r.Errors, r.More.Errors, r.errorLine)
	section(&b, "Tools", r.Tools, r.More.Tools, r.toolLine)
	section(&b, "Files", r.Files, r.More.Files, r.fileLine)
	b.WriteString("\n## Sessions, the newest first\n")
	for i := range r.Opened {
		r.Opened[i].write(&b, i+1)
	}
	left(&b, r.More.Sessions)
	return b.String()
}

func (r *Replay) units() string {
	text := insight.Units(r.Sessions, r.Subagents)
	if r.Live > 0 {
		text += ", " + strconv.Itoa(r.Live) + " of them going on"
	}
	return text
}

// section writes a list under a title, or that it is empty.
func section[T any](b *strings.Builder, title string, list []T, more int, line func(*T) string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	if len(list) == 0 {
		b.WriteString("None recorded.\n")
	}
	for i := range list {
		b.WriteString("- " + line(&list[i]) + "\n")
	}
	left(b, more)
}

func left(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\n%d more left out.\n", n)
	}
}

// members words a number of sessions with the key.
func (r *Replay) members(n int) string { return insight.Members(n, r.Subagents > 0) }

func (r *Replay) errorLine(e *Error) string {
	text := string(e.Class)
	if e.Type != "" {
		text += " of " + string(e.Type)
	}
	if e.Tool != "" {
		text += " " + plain.Code(e.Tool)
	}
	text += exitWords(e.Exit) + ", " + insight.Times(e.Count) + " in " + r.members(e.Sessions)
	if e.Solved > 0 {
		text += ", the same call succeeded later in " + strconv.Itoa(e.Solved)
	}
	if e.Head != "" {
		text += ": " + plain.Code(e.Head)
	}
	return text + e.Ref.cite()
}

func (r *Replay) toolLine(t *Tool) string {
	text := fmt.Sprintf("%s: %d of %s that ended failed", t.Type, t.Failed, insight.Plural(t.Ended, "call"))
	if open := t.Calls - t.Ended; open > 0 {
		text += ", " + strconv.Itoa(open) + " without an end"
	}
	if t.Retries > 0 {
		text += ", " + strconv.Itoa(t.Retries) + " repeated a failed one"
	}
	return text + ", in " + r.members(t.Sessions) + t.Ref.cite()
}

// fileLine adds the project if several projects are involved, because they may share a path.
func (r *Replay) fileLine(f *File) string {
	text := plain.CodePath(f.Path)
	if slices.ContainsFunc(r.Files, func(other File) bool { return other.Project != f.Project }) {
		text += " in " + cmp.Or(plain.CodePath(f.Project), "an unknown project")
	}
	text += ": changed " + insight.Times(f.Changes) + " in " + r.members(f.Sessions)
	if f.Loops > 0 {
		text += ", again and again in " + strconv.Itoa(f.Loops)
	}
	return text + f.Ref.cite()
}

func (o *Opened) write(b *strings.Builder, number int) {
	fmt.Fprintf(b, "\n### %d. %s\n\n", number, insight.SessionCode(o.Source, o.Session))
	fmt.Fprintf(b, "- inferred outcome: %s\n", remedy.VerdictWords(o.Inferred, o.Live))
	fmt.Fprintf(b, "- agent: %s", plain.Code(strings.TrimSpace(o.Agent.Name+" "+o.Agent.Version)))
	if o.Project != "" {
		b.WriteString(" in " + plain.CodePath(o.Project))
	}
	fmt.Fprintf(b, ", %s%s\n", o.Relation, span(o.Start, o.End))
	fmt.Fprintf(b, "- calls: %d, %d of them failed\n", o.Calls, o.Failed)
	if o.File != "" {
		fmt.Fprintf(b, "- read from: %s\n", plain.CodePath(o.File))
	}
	if o.Spawned != "" {
		b.WriteString("- spawned as: " + plain.CodeMax(o.Spawned, 4*MaxText) + "\n")
	}
	b.WriteString("- first ask: " + o.Ask.line(o.File) + "\n")
	if o.Unopened != "" {
		b.WriteString("- its trace could not be read: " + plain.Code(o.Unopened) + "\n")
		return
	}
	what := "first failed result"
	if o.Failure != nil && o.Failure.Tool == "" {
		what = "first error"
	}
	b.WriteString("- " + what + ": " + o.Failure.line(o.File) + "\n")
}

// line words a text with its tool and its place in the session read from file.
func (q *Quoted) line(file string) string {
	if q == nil {
		return "none recorded"
	}
	text := plain.Code(q.Tool) + plain.Code(q.Code) + exitWords(q.Exit)
	if text != "" {
		text += " "
	}
	body := plain.CodeMax(q.Text, 4*MaxText)
	if body == "" {
		body = "no text recorded"
	}
	if place := q.Ref.place(file); place != "" {
		body += " (" + place + ")"
	}
	return text + body
}

// cite is the reference behind a claim about several sessions.
func (r *Ref) cite() string {
	text := " (" + insight.SessionCode(r.Source, r.Session)
	if place := r.place(""); place != "" {
		text += " " + place
	}
	return text + ")"
}

// place is the event and where it was read. It names the file only if it is not file.
func (r *Ref) place(file string) string {
	var parts []string
	if r.Event > 0 {
		parts = append(parts, "event "+strconv.Itoa(r.Event))
	}
	if r.File != file {
		parts = append(parts, plain.CodePath(r.File))
	}
	switch {
	case r.Row != "":
		parts = append(parts, plain.Code(r.Row))
	case r.Line > 0:
		parts = append(parts, "line "+strconv.FormatInt(r.Line, 10))
	}
	return strings.Join(parts, ", ")
}

func exitWords(exit *int) string {
	if exit == nil {
		return ""
	}
	return " exit code " + strconv.Itoa(*exit)
}

// span words a period in UTC, so that every reader sees the same.
func span(start, end time.Time) string {
	const day, minute = "2006-01-02", "15:04"
	if start.IsZero() || end.IsZero() {
		return ", time unknown"
	}
	start, end = start.UTC(), end.UTC()
	text, to := ", "+start.Format(day+" "+minute), end.Format(minute)
	if start.Format(day) != end.Format(day) {
		to = end.Format(day + " " + minute)
	} else if start.Format(minute) == to {
		return text + " UTC"
	}
	return text + " to " + to + " UTC"
}
