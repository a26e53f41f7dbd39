// Package conversation reads the texts of a session where its agent keeps them: to show a part of them, and to search them.
// Each is proved by the hash that the archive has of it, and scrubbed before anybody sees it.
package conversation

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"aburn/archive"
	"aburn/archive/kept"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/readers"
	"aburn/web/excerpt"
)

// The bounds of the texts that are read for one page, in bytes.
const (
	mostRead    = 24 << 20 // of recorded texts
	mostLearned = 2 << 20  // a session with less is learned from as a whole
)

// Texts are those of a session, as its agent's files have them now.
type Texts struct {
	Stored  *trace.SessionTrace
	from    contents.From
	Scrub   excerpt.Scrubber
	learned bool        // from the whole session
	results map[int]int // a call's event → that of its first result
	found   map[int]contents.Content
	Silent  bool // the store holds no texts
	Source  string
}

// TextsOf prepares the texts of a session, of which the archive in dir may have the user's own copy.
func TextsOf(s *archive.Session, stored *trace.SessionTrace, dir string) *Texts {
	p := &Texts{Stored: stored, results: map[int]int{}, found: map[int]contents.Content{}, Source: s.Source, Silent: agentcli.Of(s.Source).Traits.Recorded}
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
func (p *Texts) Events(n int) (list []int) {
	if n < 1 || n > len(p.Stored.Events) || p.Silent {
		return nil
	}
	list = []int{n}
	if r, ok := p.results[n]; ok {
		list = append(list, r)
	}
	return list
}

// Read finds the texts of events, of as many as are within the bounds.
func (p *Texts) Read(ctx context.Context, events []int) error {
	var wants []contents.Want
	var of []int
	size := int64(0)
	add := func(n int) {
		if _, known := p.found[n]; known || n < 1 || n > len(p.Stored.Events) {
			return
		}
		w, ok := contents.Of(p.Stored, &p.Stored.Events[n-1])
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
		for n := range p.Stored.Events {
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

// Forget lets go of the texts that were read. What was learned of secrets stays.
func (p *Texts) Forget() { clear(p.found) }

// length is that of all texts.
func (p *Texts) length() (all int64) {
	for i := range p.Stored.Events {
		if w, ok := contents.Of(p.Stored, &p.Stored.Events[i]); ok {
			all += w.Digest.Length
		}
	}
	return all
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
		return plain.Size(int64(len(c.Text))) + ", too long to scrub and show: aburn show --raw prints it"
	}
	return ""
}

// Images says which images a prompt or a result has, which are not shown.
func Images(e *trace.Event, record []byte) string {
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

// Found is the text of an event that was read.
func (p *Texts) Found(n int) (contents.Content, bool) {
	c, ok := p.found[n]
	return c, ok
}
