// Package show is what every page of aburn web is answered with: a frame and a body, or that nothing is there; and how notes, figures,
// times and agents are written on all of them.
package show

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/web/pages"
)

// Page is an answer: its frame, and how it is written.
type Page struct {
	Frame *pages.Frame
	Body  interface {
		Write(io.Writer, *pages.Frame) error
	}
	Elsewhere string // the address that shows it
	Policy    string // in place of the one of all pages
}

// Missing is the error for what is not there.
type Missing struct{ Text string }

func (m *Missing) Error() string { return m.Text }

// NotFound says that something is not there.
func NotFound(text string) error { return &Missing{text} }

// Note is a sentence, with the commands that it names.
func Note(text string, commands ...string) pages.Note {
	n := pages.Note{Text: plain.Line(text)}
	for _, c := range commands {
		n.Commands = append(n.Commands, plain.Line(c))
	}
	return n
}

// Count is a number of things, with the rows that it counts.
func Count(name string, n int, href string) pages.Figure {
	return pages.Figure{Name: name, Text: plain.Count(int64(n)), Value: fmt.Sprint(n), Href: href}
}

// Time is a time as it is told now, in the zone of now: of the same day without the day, of the same year without the year.
func Time(t, now time.Time) pages.Time {
	if t.IsZero() {
		return pages.Time{Text: "unknown"}
	}
	t = t.In(now.Location())
	layout := "2 Jan 2006"
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		layout = "15:04"
	case t.Year() == now.Year():
		layout = "2 Jan 15:04"
	}
	return pages.Time{Text: t.Format(layout), Exact: t.Format(time.RFC3339)}
}

// Agent is an agent's product name, or the name of the source.
func Agent(source string) string { return cmp.Or(agentcli.Of(source).Title, source) }

// Scrubbed is a text of somebody else's, on one line and without secrets.
func Scrubbed(text string) string {
	text, _ = scrub.Text(plain.Line(text))
	return text
}

// ScrubbedText is a text of somebody else's with its lines, without secrets.
func ScrubbedText(text string) string {
	text, _ = scrub.Text(plain.Text(text))
	return text
}
