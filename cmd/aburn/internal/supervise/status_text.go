package supervise

import (
	"fmt"
	"strings"

	"aburn/cmd/aburn/internal/rows"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/term"
	"aburn/supervisor"
)

func (s *status) Print(out *term.Out) error {
	s.showProject(out)
	if err := s.showSessions(out); err != nil {
		return err
	}
	if s.hidden > 0 {
		fmt.Fprintln(out, out.Paint(term.Dim, plain.Plural(int64(s.hidden), "older session")))
	}
	s.showIssues(out)
	return nil
}

func (s *status) showProject(out *term.Out) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "%-8s %s\n", name, text)
		}
	}
	var bytes int64
	for _, seg := range s.segments {
		bytes += seg.Size
	}
	line("project", fit(out, s.project))
	line("here", fit(out, kit.Join(s.wt, s.branch)))
	line("log", plain.Size(bytes)+" in "+plain.Plural(int64(len(s.segments)), "segment"))
	switch {
	case s.watcher > 0:
		line("watched", fmt.Sprintf("by process %d", s.watcher))
	case s.watcher < 0:
		line("watched", "by another process")
	default:
		line("watched", "by nobody: silence and waiting are judged only when you look")
	}
	if len(s.State.Links) > 0 {
		line("chain", s.chainText(out, s.wt, kit.WidthOf(out)-9))
	}
	line("queue", s.queue.text())
}

// withoutSecrets comes before every cut, as agents are shown this text too: what a cut leaves of a secret is not found any
// more. Characters that a model is not shown go first, as one could stand in a secret and hide it.
func withoutSecrets(text string) string {
	text, _ = scrub.Text(plain.ModelLine(text))
	return text
}

// fit cuts the beginning of a path that is too long for the line.
func fit(out *term.Out, text string) string {
	text = withoutSecrets(text)
	if out.Width() > 0 {
		text = plain.CutStart(text, max(out.Width()-9, 20))
	}
	return text
}

func (f *queueFacts) text() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	waiting := "waiting for a prompt"
	if f.urgent != "" {
		waiting += " (up to " + f.urgent + ")"
	}
	add(f.Waiting, waiting)
	add(f.Delivered, "delivered")
	add(f.Failed, "failed")
	add(f.Foreign, "foreign")
	return strings.Join(parts, ", ")
}

func (s *status) showSessions(out *term.Out) error {
	if len(s.shown) == 0 {
		_, err := fmt.Fprintln(out, "no session in the last 24 hours")
		return err
	}
	fmt.Fprintln(out)
	t := term.Table{Width: kit.PageWidth, Columns: []term.Column{
		{Title: "session"}, {Title: "source"}, {Title: "does"}, {Title: "in", Flex: true, Min: 9}, {Title: "clock"}, {Title: "last entry", Flex: true, Min: 14}, {Title: "age", Right: true},
	}}
	for i := range s.shown {
		one := &s.shown[i]
		last := term.Cell{}
		if r := s.last[one.ID]; r != nil {
			words := rows.Describe(&r.Entry)
			detail := kit.Join(words.Path, words.Detail)
			if r.Open {
				detail = kit.Join(detail, "no end")
			}
			last = term.Cell{Text: withoutSecrets(strings.TrimSpace(words.Mark + " " + words.Name + " " + detail)), Style: words.Style}
		}
		t.AddCells(term.Cell{Text: rows.ShortSession(one.ID, rows.WideSession), Style: rows.SessionStyle(one.ID)}, term.Cell{Text: one.Source},
			s.modeCell(one), term.Cell{Text: withoutSecrets(one.place())}, s.clockCell(one.Session), last,
			term.Cell{Text: brief(s.Now.Sub(one.Last.Time())), Style: term.Dim})
	}
	return t.Print(out, 0)
}

// shownIssues is how many issues fit on the screen.
const shownIssues = 8

func (s *status) showIssues(out *term.Out) {
	if len(s.Issues) == 0 {
		return
	}
	fmt.Fprintln(out)
	t := term.Table{Width: kit.PageWidth, Columns: []term.Column{{Title: "issue"}, {Title: "session"}, {Title: "sure", Right: true}, {Title: "what", Flex: true, Min: 20}}}
	for i := range s.Issues[:min(shownIssues, len(s.Issues))] {
		is := &s.Issues[i]
		style := levelStyle(supervisor.LevelOf(is, s.limits))
		session := rows.ShortSession(is.Session, rows.WideSession)
		if is.OfChain() {
			session = "the chain"
		}
		t.AddCells(term.Cell{Text: string(is.Type), Style: style}, term.Cell{Text: session, Style: rows.SessionStyle(is.Session)}, term.Cell{Text: percent(is.Confidence)}, term.Cell{Text: withoutSecrets(is.Says)})
	}
	t.Print(out, 0)
	text := "aburn supervisor says more"
	if more := len(s.Issues) - shownIssues; more > 0 {
		text = plain.Plural(int64(more), "more issue", "more issues") + ": aburn supervisor"
	}
	fmt.Fprintln(out, out.Paint(term.Dim, text))
}
