// Package pages shows the pages of aburn web: what waits now, sessions, one session, costs, failures, health. It gets words and
// numbers, and works out nothing but where a bar stands. Recorded text in a view is already fit to be shown (internal/plain).
package pages

import (
	"embed"
	"html/template"
	"io"
	"maps"
	"strings"
	"sync"

	"aburn/web"
	"aburn/web/xterm"
)

// Figure is a number. Its name stands for the same numerator and denominator on every page, and Href leads to what it counts.
type Figure struct {
	Name  string
	Text  string
	Value string // the exact number; "" if Text is it
	Href  string
	Small string // behind it, smaller
	Class string // good, bad, held
}

// Link is a link, or where the reader is.
type Link struct {
	Text, Href string
	Current    bool
}

// Choice is a row of links of which one is current.
type Choice struct {
	Label string
	Links []Link
}

// Note is a sentence above a page, with commands that help.
type Note struct {
	Text     string
	Commands []string
}

// Frame is what all pages share.
type Frame struct {
	Title   string // of the tab, without "aburn"
	Page    string // which entry of the bar is current
	Heading string
	Sub     string // behind the heading
	At      string // where the stream of events was (server.Events.At)
	Query   string // in the search field
	// Waiting and Today are the two numbers on every page.
	Waiting, Today Figure
	Whose          string // what amounts are, and what they are not
	Ingest         string // the progress of an ingest, "" without one
	Notes          []Note
	Theme          string // light or dark, "" for that of the reader's system
	Themes         []Link // each sets a theme
	CanAct         bool   // buttons that ask the server for something are shown
	// Total is how many rows the page is about, of which it may show a part.
	Total int
	// Dollars is the exact amount that the page is about, "" if it is about none.
	Dollars string
}

//go:embed page
var files embed.FS

// Files are what the pages load, by their paths.
func Files() map[string][2]string {
	list := xterm.Files()
	maps.Copy(list, map[string][2]string{
		"/assets/page.css":    {"text/css; charset=utf-8", web.Style() + read("page/page.css")},
		"/assets/page.js":     {"text/javascript; charset=utf-8", read("page/page.js")},
		"/assets/search.js":   {"text/javascript; charset=utf-8", read("page/search.js")},
		"/assets/work.js":     {"text/javascript; charset=utf-8", read("page/work.js")},
		"/assets/terminal.js": {"text/javascript; charset=utf-8", read("page/terminal.js")},
		"/assets/icon.svg":    {"image/svg+xml", read("page/icon.svg")},
	})
	return list
}

func read(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// templates are parsed at the first page: a command that shows none must not pay for them.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"lower": strings.ToLower, "add": func(a, b int) int { return a + b }}).ParseFS(files,
		"page/*.html"))
})

// page is what the template of the frame gets.
type page struct {
	*Frame
	Body any
}

func write(w io.Writer, name string, f *Frame, body any) error {
	return templates().ExecuteTemplate(w, name, page{f, body})
}

// Door writes the page for somebody who has no link.
func Door(w io.Writer, link string) error {
	return templates().ExecuteTemplate(w, "door.html", link)
}

// Message writes a page with nothing but a heading and notes.
func Message(w io.Writer, f *Frame) error { return write(w, "message.html", f, nil) }

// Marks is the two numbers on every page, without a page around them.
type Marks struct{}

// Write writes the numbers.
func (v *Marks) Write(w io.Writer, f *Frame) error { return write(w, "marks", f, nil) }

// Now writes the page of what waits and works.
func (v *Now) Write(w io.Writer, f *Frame) error { return write(w, "now.html", f, v) }

// Write writes the list of sessions.
func (v *Sessions) Write(w io.Writer, f *Frame) error { return write(w, "sessions.html", f, v) }

// Write writes one session.
func (v *Session) Write(w io.Writer, f *Frame) error { return write(w, "session.html", f, v) }

// Write writes one event.
func (v *Event) Write(w io.Writer, f *Frame) error { return write(w, "event.html", f, v) }

// Write writes what was found.
func (v *Search) Write(w io.Writer, f *Frame) error { return write(w, "search.html", f, v) }

// Write writes what sessions cost.
func (v *Cost) Write(w io.Writer, f *Frame) error { return write(w, "cost.html", f, v) }

// Write writes what fails most.
func (v *Failures) Write(w io.Writer, f *Frame) error { return write(w, "failures.html", f, v) }

// Write writes one group of failures.
func (v *Failure) Write(w io.Writer, f *Frame) error { return write(w, "failure.html", f, v) }

// Write writes the list of projects.
func (v *Projects) Write(w io.Writer, f *Frame) error { return write(w, "projects.html", f, v) }

// Write writes one worker.
func (v *WorkerPage) Write(w io.Writer, f *Frame) error { return write(w, "worker.html", f, v) }

// Write writes what a worker changed.
func (v *WorkerDiff) Write(w io.Writer, f *Frame) error { return write(w, "diff.html", f, v) }

// Write writes what was said with a worker.
func (v *WorkerStory) Write(w io.Writer, f *Frame) error { return write(w, "story.html", f, v) }

// Write writes a worker's terminal.
func (v *Terminal) Write(w io.Writer, f *Frame) error { return write(w, "terminal.html", f, v) }

// Write writes how aburn itself is.
func (v *Health) Write(w io.Writer, f *Frame) error { return write(w, "health.html", f, v) }
