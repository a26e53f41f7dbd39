// Package texts reads the texts of a session where its agent keeps them, within the bounds of a page: to show a part of them, and to
// search them. Each is proved by the hash that the archive has of it, and scrubbed before anybody sees it.
package texts

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"aburn/archive"
	"aburn/archive/kept"
	"aburn/archive/story"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/readers"
	"aburn/web/excerpt"
	"aburn/web/pages"
	"aburn/web/show"
)

// The bounds of the texts that are read for one page, in bytes.
const (
	mostRead    = 24 << 20 // of recorded texts
	mostLearned = 2 << 20  // a session with less is learned from as a whole
)

// Session is the texts of a session, as its agent's files have them now.
type Session struct {
	stored  *trace.SessionTrace
	from    contents.From
	Scrub   excerpt.Scrubber
	learned bool        // from the whole session
	results map[int]int // a call's event → that of its first result
	found   map[int]contents.Content
	silent  bool // the store holds no texts
	source  string
}

// Of prepares the texts of a session, of which the archive in dir may have the user's own copy.
func Of(s *archive.Session, stored *trace.SessionTrace, dir string) *Session {
	p := &Session{stored: stored, results: map[int]int{}, found: map[int]contents.Content{}, source: s.Source, silent: agentcli.Of(s.Source).Traits.Recorded}
	p.from = contents.From{Sources: stored.Sources, Moved: s.Path, Rows: readers.RowsOf(s.Source), Kept: keptOf(dir, s, stored)}
	calls := stored.Calls()
	for i := range calls {
		if c := &calls[i]; len(c.Results) > 0 {
			p.results[c.Event.Seq] = c.Results[0].EventIndex
		}
	}
	return p
}

// keptReader is contents.From.Kept.
type keptReader = func(ctx context.Context, file int, refs []trace.Ref, each func(i int, record []byte, err error)) error

// Events are those whose texts a line shows: of a call also its first result.
func (p *Session) Events(n int) (list []int) {
	if n < 1 || n > len(p.stored.Events) || p.silent {
		return nil
	}
	list = []int{n}
	if r, ok := p.results[n]; ok {
		list = append(list, r)
	}
	return list
}

// Read finds the texts of events, of as many as are within the bounds.
func (p *Session) Read(ctx context.Context, events []int) error {
	var wants []contents.Want
	var of []int
	size := int64(0)
	add := func(n int) {
		if _, known := p.found[n]; known || n < 1 || n > len(p.stored.Events) {
			return
		}
		w, ok := contents.Of(p.stored, &p.stored.Events[n-1])
		if !ok || size+w.Digest.Length > mostRead {
			return
		}
		size += w.Digest.Length
		p.found[n] = contents.Content{}
		wants, of = append(wants, w), append(of, n)
	}
	for _, n := range events {
		add(n)
	}
	if !p.learned && p.length() <= mostLearned {
		p.learned = true
		for n := range p.stored.Events {
			add(n + 1)
		}
	}
	got, err := contents.Read(ctx, p.from, wants)
	if err != nil {
		return err
	}
	for i, n := range of {
		p.found[n] = got[i]
		p.Scrub.Learn(got[i].Text)
	}
	return nil
}

// length is that of all texts.
func (p *Session) length() (all int64) {
	for i := range p.stored.Events {
		if w, ok := contents.Of(p.stored, &p.stored.Events[i]); ok {
			all += w.Digest.Length
		}
	}
	return all
}

// Notes say once what is true of all texts of a page.
func (p *Session) Notes(events []int) (list []pages.Note) {
	if p.silent {
		return []pages.Note{show.Note("Only aburn's hooks recorded this session. They record no texts, so there are none to show.")}
	}
	count := map[contents.State]int{}
	kept, problem := 0, error(nil)
	for _, n := range events {
		c, ok := p.found[n]
		if !ok {
			continue
		}
		count[c.State]++
		if c.Kept {
			kept++
		}
		if c.State == contents.Unreadable {
			problem = c.Err
		}
	}
	if n := count[contents.Gone]; n > 0 {
		list = append(list, show.Note("The file of these texts is not there any more. Their sizes and hashes are what aburn kept of them."))
	}
	if n := count[contents.Changed]; n > 0 {
		list = append(list, show.Note(plain.Plural(int64(n), "text")+" of this page changed since "+show.Agent(p.source)+
			"'s file was read, and is not shown. Reading it again may help:", "aburn ingest"))
	}
	if problem != nil {
		list = append(list, show.Note("Some texts cannot be read: "+problem.Error()))
	}
	if kept > 0 {
		list = append(list, show.Note(plain.Plural(int64(kept), "text")+" of this page are from the copy that you kept (aburn keep)."))
	}
	return list
}

// WhyNot says why a text is not shown, "" if it is.
func WhyNot(c contents.Content) string {
	switch {
	case c.State == contents.Changed:
		return "changed since it was read"
	case c.State == contents.Gone:
		return " " // a note above says so
	case c.State == contents.Unreadable && errors.Is(c.Err, fs.ErrPermission):
		return "aburn may not read the file"
	case c.State == contents.Unreadable:
		return "it cannot be read"
	case len(c.Text) > excerpt.MaxScrubbed:
		return plain.Size(int64(len(c.Text))) + ", too long to be scrubbed and shown: aburn show --raw prints it"
	}
	return ""
}

// Line shows the texts of a line of the story. rawAt is the page with all of an event's text.
func (p *Session) Line(l *story.Line, limits excerpt.Limits, rawAt func(event int) string) (list []pages.Text) {
	for _, n := range p.Events(l.Event) {
		c, ok := p.found[n]
		if !ok {
			if w, has := contents.Of(p.stored, &p.stored.Events[n-1]); has {
				list = append(list, pages.Text{Note: plain.Size(w.Digest.Length), Whole: pages.Link{Text: "show it", Href: rawAt(n)}})
			}
			continue
		}
		if why := WhyNot(c); why != "" {
			if why != " " {
				list = append(list, pages.Text{Note: why})
			}
			continue
		}
		var text pages.Text
		if len(c.Text) > 0 {
			text = p.Text(&p.stored.Events[n-1], c.Text, l, limits)
		}
		text.Note = ImagesOf(&p.stored.Events[n-1], c.Record)
		for _, b := range text.Blocks {
			if b.Fold != "" {
				text.Whole = pages.Link{Text: "all of it", Href: rawAt(n)}
			}
		}
		if len(text.Blocks) > 0 || text.Note != "" {
			list = append(list, text)
		}
	}
	return list
}

// ImagesOf says which images a prompt or a result has, which are not shown.
func ImagesOf(e *trace.Event, record []byte) string {
	switch e.Body.(type) {
	case *trace.UserMessage, *trace.ToolResult:
	default:
		return ""
	}
	var words []string
	for _, image := range contents.Images(record) {
		words = append(words, plain.Cut(plain.Line(image.Kind), 20)+", "+plain.Size(image.Size))
	}
	if len(words) == 0 {
		return ""
	}
	return "not shown: " + plain.Plural(int64(len(words)), "image") + " (" + strings.Join(words[:min(len(words), 6)], "; ") + ")"
}

// quietly is how thoughts and what programs say is shown in a list.
var quietly = excerpt.Limits{Head: 1, Tail: 0, Width: 160, Prose: 200}

// Text shows the text of an event.
func (p *Session) Text(e *trace.Event, text []byte, l *story.Line, limits excerpt.Limits) pages.Text {
	quiet := limits
	if limits != (excerpt.Limits{}) {
		quiet = quietly
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		if b.Machine != "" {
			return pages.Text{Quiet: true, Blocks: p.Scrub.Code("", text, quiet)}
		}
		return pages.Text{Blocks: p.Scrub.Prose(text, limits)}
	case *trace.AgentMessage:
		if b.Thought {
			return pages.Text{Quiet: true, Blocks: p.Scrub.Code("", text, quiet)}
		}
		return pages.Text{Blocks: p.Scrub.Prose(text, limits)}
	case *trace.ToolCall:
		return pages.Text{Name: "input", Blocks: p.Scrub.Input(text, limits, b.Path, l.Path, saidOf(b, l))}
	case *trace.ToolResult:
		return pages.Text{Name: "output", Blocks: p.Scrub.Code("", text, limits)}
	}
	return pages.Text{Blocks: p.Scrub.Code("", text, limits)}
}

// saidOf is the command that a line shows, "" if it shows only its beginning or none.
func saidOf(b *trace.ToolCall, l *story.Line) string {
	if l.Detail == "" || len(b.Head) >= trace.CommandHead {
		return ""
	}
	return b.Head
}

// Weight is how many bytes of HTML texts are, about.
func Weight(list []pages.Text) (n int) {
	for _, t := range list {
		n += 120
		for _, b := range t.Blocks {
			n += 60 + len(b.Prose)
			for _, l := range append(b.Head, b.Tail...) {
				n += 30 + Escaped(l.Text)
			}
		}
	}
	return n
}

// keptOf reads the user's own copy of a session, nil if there is none.
func keptOf(dir string, r *archive.Session, t *trace.SessionTrace) keptReader {
	e := kept.Of(dir, r.Source, r.ID)
	if e == nil {
		return nil
	}
	return func(ctx context.Context, file int, refs []trace.Ref, each func(int, []byte, error)) error {
		return e.Records(ctx, dir, t.Sources[file].Path, refs, each)
	}
}

// Escaped is how many bytes of HTML a text becomes.
func Escaped(text string) (n int) {
	for i := range len(text) {
		n += escapedByte(text[i])
	}
	return n
}

func escapedByte(c byte) int {
	switch c {
	case '"', '\'', '&', '<', '>', '+':
		return len("&#34;")
	}
	return 1
}

// Within is how many bytes of a text become at most so many of HTML. It ends at a whole character.
func Within(text string, most int) int {
	n := 0
	for i := range len(text) {
		if n += escapedByte(text[i]); n > most {
			for i > 0 && !utf8.RuneStart(text[i]) {
				i--
			}
			return i
		}
	}
	return len(text)
}

// Found is the text of an event that was read.
func (p *Session) Found(n int) (contents.Content, bool) {
	c, ok := p.found[n]
	return c, ok
}

// RecordNote says why there is no record, "" if there is one.
func (p *Session) RecordNote(n int) string {
	c, ok := p.found[n]
	switch {
	case p.silent, !ok, c.State == contents.Proved && len(c.Record) > 0 && len(c.Record) <= excerpt.MaxScrubbed:
		return ""
	case c.State == contents.Gone, errors.Is(c.Err, fs.ErrNotExist):
		return "It is gone with its file."
	case len(c.Record) > excerpt.MaxScrubbed:
		return "It has " + plain.Size(int64(len(c.Record))) + ", too much to be scrubbed and shown."
	case c.State == contents.Changed:
		return "Another record stands in its place now."
	}
	return ""
}
