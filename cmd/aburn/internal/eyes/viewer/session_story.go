package viewer

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"aburn/cmd/aburn/internal/sessions"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/web/pages"
)

// linesPerPage is how many lines of a story a page has.
const linesPerPage = 100

// onlys are the parts of a story that can be chosen.
var onlys = [][2]string{{"", "All"}, {"prompts", "Prompts"}, {"calls", "Calls"}, {"failed", "Failed"}}

func holdsLine(only string, l *sessions.StoryLine) bool {
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
func (s *Site) tell(body *pages.Session, o *opened, values url.Values) (lines int) {
	only := values.Get("only")
	body.Only = pages.Choice{Label: "Which events"}
	var list []*sessions.StoryLine
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
	for _, w := range onlys {
		href := o.address()
		if w[0] != "" {
			href += "?only=" + w[0]
		}
		body.Only.Links = append(body.Only.Links, pages.Link{Text: w[1] + " " + plain.Count(int64(counts[w[0]])), Href: href, Current: only == w[0]})
	}
	from := beginning(list, values, o.Live)
	to := min(from+linesPerPage, len(list))
	body.Range = fmt.Sprintf("%s to %s of %s", plain.Count(int64(min(from+1, len(list)))), plain.Count(int64(to)), plain.Count(int64(len(list))))
	at := func(line int) string {
		q := url.Values{"line": {strconv.Itoa(line + 1)}}
		if only != "" {
			q.Set("only", only)
		}
		return o.address() + "?" + q.Encode()
	}
	if from > 0 {
		body.Earlier = at(max(from-linesPerPage, 0))
	}
	if to < len(list) {
		body.Later = at(to)
	}
	body.Lines = s.linesOf(o, list, from, to)
	return len(list)
}

// beginning is the first line that is shown.
func beginning(list []*sessions.StoryLine, values url.Values, live bool) int {
	last := max(len(list)-linesPerPage, 0)
	if n, err := strconv.Atoi(values.Get("line")); err == nil {
		return min(max(n-1, 0), max(len(list)-1, 0))
	}
	n, err := strconv.Atoi(values.Get("at"))
	if err != nil {
		if live {
			return last
		}
		return 0
	}
	for i, l := range list {
		if l.Event >= n {
			return max(min(i-linesPerPage/4, last), 0) // with what led to it
		}
	}
	return last
}

func (s *Site) linesOf(o *opened, list []*sessions.StoryLine, from, to int) (lines []pages.Line) {
	where, day := "", ""
	for i, l := range list[from:to] {
		one := s.lineOf(o, l)
		if l.Where != where {
			one.Where = plain.Line(l.Where)
			if l.Where == "" {
				one.Where = "its own events from here"
			}
			where = l.Where
		}
		if !l.Time.IsZero() {
			if d := l.Time.In(s.zone).Format("Monday 2 January 2006"); d != day {
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

func (s *Site) lineOf(o *opened, l *sessions.StoryLine) pages.Line {
	one := pages.Line{Number: l.Event, Mark: l.Mark, Word: plain.Line(l.Name), Class: classOf(l), Name: plain.Line(l.Name), Took: plain.Line(l.Took), Path: plain.Line(l.Path),
		Detail: plain.Cut(plain.Line(l.Detail), 600), Indent: l.Indent}
	if l.Event > 0 {
		one.Href = o.eventAt(l.Event)
	}
	if !l.Time.IsZero() {
		one.Time = pages.Time{Text: l.Time.In(s.zone).Format("15:04:05"), Exact: l.Time.In(s.zone).Format(time.RFC3339)}
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
		if v := s.view.Load(); v != nil && v.byName[o.Source+"/"+l.Session] != nil {
			one.Link = pages.Link{Text: "open the sub-agent", Href: v.byName[o.Source+"/"+l.Session].address()}
		}
	}
	return one
}

// classOf is the colour of a line's mark: the one that a terminal has.
func classOf(l *sessions.StoryLine) string {
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
