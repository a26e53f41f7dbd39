package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
)

// storyLine is one line of a story. Its texts are not cleaned yet.
type storyLine struct {
	words
	seq    int // 0: only the hooks know it
	time   time.Time
	indent bool   // it happened within the line above
	where  string // why it is not simply part of the story: copied, rewound
}

// tell prints the last lines of the story, all if limit is 0, and returns how many it left out.
func (v *shown) tell(out *term.Out, limit int) (left int, err error) {
	lines := v.lines()
	if limit > 0 && len(lines) > limit {
		left = len(lines) - limit
		lines = lines[left:]
	}
	where, day := "", ""
	for i := range lines {
		l := &lines[i]
		if l.where != where {
			text := l.where
			if text == "" {
				text = "its own story from here"
			}
			fmt.Fprintln(out, out.Paint(term.Dim, plain.Cut("── "+plain.Line(text)+" ──", widthOf(out))))
			where = l.where
		}
		if d := l.time.Local().Format("Mon 2 Jan 2006"); d != day && !l.time.IsZero() {
			if day != "" {
				fmt.Fprintln(out, out.Paint(term.Dim, "── "+d+" ──"))
			}
			day = d
		}
		if _, err := io.WriteString(out, l.line(out)+"\n"); err != nil {
			return left, err
		}
	}
	return left, nil
}

// line is the line in columns: the event's number, the time, what happened, how long it took, and the rest.
func (l *storyLine) line(out *term.Out) string {
	style, name := l.style, l.mark+" "+l.name
	if l.where != "" {
		style = term.Dim
	}
	if l.indent {
		name = "  " + name
	}
	nameWidth := narrowName
	if w := out.Width(); w == 0 || w >= wideFrom {
		nameWidth = wideName
	}
	clock := ""
	if !l.time.IsZero() {
		clock = l.time.Local().Format("15:04:05")
	}
	c := columns{out: out}
	number := "+"
	if l.seq > 0 {
		number = strconv.Itoa(l.seq)
	}
	c.add(term.Dim, plain.PadLeft(number, 5), 5)
	c.add(term.Dim, clock, 8)
	c.add(style, name, nameWidth)
	c.add(term.Dim, plain.PadLeft(l.took, tookWidth), tookWidth)
	return c.end("", l.path, l.detail)
}

// lines puts the events into words, a call and what became of it into one line.
func (v *shown) lines() (list []storyLine) {
	calls := v.Calls()
	byEvent := map[int]*trace.Call{}
	for i := range calls {
		byEvent[calls[i].Event.Seq] = &calls[i]
	}
	containers, numbers := map[string]bool{}, v.numbers()
	for i := range v.Events {
		e := &v.Events[i]
		l := storyLine{seq: numbers[i], time: e.Time, where: v.where(e)}
		switch b := e.Body.(type) {
		case *trace.ToolCall:
			l.words = callWords(byEvent[e.Seq])
			l.indent = b.Parent != "" && containers[b.Parent]
			containers[b.Call] = b.Container
		case *trace.ToolResult:
			r := &v.Results[b.Result]
			first := r.CallIndex >= 1 && r.CallIndex <= len(calls) && calls[r.CallIndex-1].Results[0] == r
			if first { // it stands with its call
				continue
			}
			l.words = resultWords(r)
			if r.CallIndex >= 1 && r.CallIndex <= len(calls) {
				l.name = toolWord(calls[r.CallIndex-1].Call.Tool)
			}
		default:
			l.words = v.eventWords(e)
		}
		if e.Inferred != "" {
			l.detail = join(l.detail, "(inferred from "+e.Inferred+")")
		}
		list = append(list, l)
	}
	return list
}

// where says why an event is not simply part of the story.
func (v *shown) where(e *trace.Event) string {
	switch {
	case e.Copied != "":
		return "copied from " + v.name(e.Copied) + ": not counted here"
	case e.Abandoned:
		return "the conversation was rewound to before this"
	}
	return ""
}

// callWords is a call with what became of it.
func callWords(c *trace.Call) words {
	w := words{name: toolWord(c.Call.Tool), path: c.Call.Path, detail: c.Call.Head}
	if c.Call.Container {
		w.mark, w.style = "▾", term.Dim
	}
	r := c.Last()
	if r == nil {
		if !c.Call.Container {
			w.mark, w.style, w.detail = "…", term.Yellow, join("no result", w.detail)
		}
		return byUser(c, w)
	}
	w.took = tookOf(c, r)
	after := []string{failedHead(r)}
	if r.Content.Length > 0 {
		after = append(after, plain.Size(r.Content.Length))
	}
	state := resultWords(r)
	if !c.Call.Container {
		w.mark, w.style = state.mark, state.style
	}
	w.detail = join(append([]string{stateWord(r), exitWord(r), w.detail}, after...)...)
	if r.Status == trace.StatusRunning {
		w.took = ""
	}
	return byUser(c, w)
}

func byUser(c *trace.Call, w words) words {
	if c.Event.By == "user" {
		w.detail = join("by the user", w.detail)
	}
	return w
}

// resultWords is a result by itself.
func resultWords(r *trace.ToolResultEvent) words {
	w := words{mark: "✓", name: "result", style: term.Green, took: milliseconds(r.DurationMS)}
	switch {
	case r.Denied != "":
		w.mark, w.style = "⊘", term.Yellow
	case r.Failed():
		w.mark, w.style = "✗", term.Red
	case r.Status == trace.StatusRunning:
		w.mark, w.style = "»", term.Plain
	case r.Status == trace.StatusCancelled:
		w.mark, w.style = "✗", term.Yellow
	case r.Status == trace.StatusUnknown:
		w.mark, w.style = "~", term.Yellow
	}
	w.detail = join("then: "+string(r.Status), exitWord(r), failedHead(r))
	return w
}

// stateWord says what the mark alone does not.
func stateWord(r *trace.ToolResultEvent) string {
	switch {
	case r.Denied == "other":
		return "denied"
	case r.Denied != "":
		return "denied by " + r.Denied
	case r.Status == trace.StatusRunning:
		return "runs on in the background"
	case r.Status == trace.StatusCancelled:
		return "cancelled"
	case r.Status == trace.StatusUnknown:
		return "outcome unknown"
	}
	return ""
}

// exitWord is told unless it is 0; a missing exit code is unknown, not 0.
func exitWord(r *trace.ToolResultEvent) string {
	if r.ExitCode == nil || *r.ExitCode == 0 {
		return ""
	}
	return "exit " + strconv.Itoa(*r.ExitCode)
}

// failedHead is the beginning of a failed result in one line.
func failedHead(r *trace.ToolResultEvent) string {
	return plain.Cut(strings.Join(strings.Fields(r.Head), " "), 200)
}

// tookOf is how long a call took: as its source measured it, else, with ~, the time from its record to that of its result.
func tookOf(c *trace.Call, r *trace.ToolResultEvent) string {
	if r.DurationMS > 0 {
		return milliseconds(r.DurationMS)
	}
	if c.Event.Time.IsZero() || r.Time.IsZero() || !r.Time.After(c.Event.Time) {
		return ""
	}
	return "~" + plain.Duration(r.Time.Sub(c.Event.Time))
}
