package site

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"aburn/archive/story"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/web/pages"
)

// linesPerPage is how many lines of a story a page has.
const linesPerPage = 100

// onlys are the parts of a story that can be chosen.
var onlys = [][2]string{{"", "All"}, {"prompts", "Prompts"}, {"calls", "Calls"}, {"failed", "Failed"}}

func holdsLine(only string, l *story.Line) bool {
	switch only {
	case "prompts":
		return l.Prompt
	case "calls":
		return l.Call
	case "failed":
		return l.Failed
	}
	return true
}

// tell puts the chosen part of the story into the page: from the event that ?at= names, else from the start, or of a running
// session the end. It returns how many lines were chosen.
func (s *sessionPages) tell(ctx context.Context, body *pages.Session, o *opened, values url.Values) (lines int) {
	only := values.Get("only")
	body.Only = pages.Choice{Label: "Which events"}
	var list []*story.Line
	counts := map[string]int{}
	for i := range o.story.Lines {
		l := &o.story.Lines[i]
		for _, w := range onlys {
			if holdsLine(w[0], l) {
				counts[w[0]]++
			}
		}
		if holdsLine(only, l) {
			list = append(list, l)
		}
	}
	bare := values.Get("texts") == "none"
	for _, w := range onlys {
		body.Only.Links = append(body.Only.Links, pages.Link{Text: w[1] + " " + plain.Count(int64(counts[w[0]])), Href: o.storyAt(w[0], bare), Current: only == w[0]})
	}
	part := partOf(list, values, o.Live, bare)
	line := strconv.Itoa(part.from + 1)
	body.Texts = pages.Choice{Label: "Texts", Links: []pages.Link{{Text: "With texts", Href: o.storyAt(only, false, "line", line), Current: !bare},
		{Text: "Lines only", Href: o.storyAt(only, true, "line", line), Current: bare}}}
	if bare {
		body.Lines = s.linesOf(o, list, part.from, part.to)
	} else {
		part, body.Lines, body.Notes = s.withTexts(ctx, o, list, part)
	}
	body.Range = fmt.Sprintf("%s to %s of %s", plain.Count(int64(min(part.from+1, len(list)))), plain.Count(int64(part.to)), plain.Count(int64(len(list))))
	if part.from > 0 {
		body.Earlier = o.storyAt(only, bare, "until", strconv.Itoa(part.from))
	}
	if part.to < len(list) {
		body.Later = o.storyAt(only, bare, "line", strconv.Itoa(part.to+1))
	}
	return len(list)
}

// storyAt is the address of a part of the story.
func (o *opened) storyAt(only string, bare bool, pairs ...string) string {
	values := url.Values{}
	if only != "" {
		values.Set("only", only)
	}
	if bare {
		values.Set("texts", "none")
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return o.Address()
	}
	return o.Address() + "?" + values.Encode()
}

// part is the lines of a story that a page shows. Where not all fit, those at its end are shown if it is backward.
type part struct {
	from, to int
	backward bool
}

// before is how many lines a page shows before the one that it is about: what led to it. With texts they are long.
func before(bare bool) int {
	if bare {
		return linesPerPage / 4
	}
	return 3
}

// partOf is the part that an address names: from a line on, up to one, or around an event. Else it is the beginning, or of a
// running session the end.
func partOf(list []*story.Line, values url.Values, live, bare bool) part {
	last := max(len(list)-linesPerPage, 0)
	from := func(n int) part { return part{from: n, to: min(n+linesPerPage, len(list))} }
	if n, err := strconv.Atoi(values.Get("line")); err == nil {
		return from(min(max(n-1, 0), max(len(list)-1, 0)))
	}
	if n, err := strconv.Atoi(values.Get("until")); err == nil {
		to := min(max(n, 1), len(list))
		return part{max(to-linesPerPage, 0), to, true}
	}
	n, err := strconv.Atoi(values.Get("at"))
	switch {
	case err != nil && live:
		return part{last, len(list), true}
	case err != nil:
		return from(0)
	}
	for i, l := range list {
		if l.Event >= n {
			return from(max(i-before(bare), 0))
		}
	}
	return part{last, len(list), true}
}

func (s *sessionPages) linesOf(o *opened, list []*story.Line, from, to int) (lines []pages.Line) {
	where, day := "", ""
	seen, looked := s.seen.of(o.Name())
	seen += len(o.story.Stored.Events) - o.story.Stored.Count().Events // behind what it copied
	for i, l := range list[from:to] {
		one := s.lineOf(o, l)
		if looked && l.Event > seen {
			one.New, looked = true, false
		}
		if l.Where != where {
			one.Where = plain.Line(l.Where)
			if l.Where == "" {
				one.Where = "its own events from here"
			}
			where = l.Where
		}
		if !l.Time.IsZero() {
			if d := l.Time.In(s.Zone).Format("Monday 2 January 2006"); d != day {
				if i > 0 || from > 0 {
					one.Day = d
				}
				day = d
			}
		}
		lines = append(lines, one)
	}
	return lines
}

func (s *sessionPages) lineOf(o *opened, l *story.Line) pages.Line {
	one := pages.Line{Number: l.Event, Mark: l.Mark, Word: plain.Line(l.Name), Class: classOf(l), Name: plain.Line(l.Name), Took: plain.Line(l.Took),
		Path:   plain.Line(l.Path),
		Detail: plain.Cut(plain.Line(l.Detail), 600), Indent: l.Indent}
	if l.Event > 0 {
		one.Href = o.EventAt(l.Event)
	}
	if !l.Time.IsZero() {
		one.Time = pages.Time{Text: l.Time.In(s.Zone).Format("15:04:05"), Exact: l.Time.In(s.Zone).Format(time.RFC3339)}
	}
	switch {
	case l.Prompt:
		one.Kind, one.Word = "prompt", "your prompt"
	case l.Failed:
		one.Kind, one.Word = "failed", "failed"
	case l.Where != "":
		one.Kind = "aside"
	}
	if l.Session != "" {
		if r := o.v.ByName[o.Source+"/"+l.Session]; r != nil {
			one.Link = pages.Link{Text: "open the sub-agent", Href: r.Address()}
		}
	}
	return one
}

// classOf is the colour of a line's mark: the one that a terminal has.
func classOf(l *story.Line) string {
	switch l.Style {
	case term.Red, term.BoldRed:
		return "bad"
	case term.Yellow, term.BoldYellow:
		return "held"
	case term.Green, term.BoldGreen:
		return "good"
	case term.Blue, term.Cyan, term.BoldCyan:
		return "live"
	case term.Magenta:
		return "cut"
	}
	return "dim"
}
