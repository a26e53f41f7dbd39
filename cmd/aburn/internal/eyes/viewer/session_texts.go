package viewer

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"aburn/archive"
	"aburn/archive/kept"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/sessions"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/web/excerpt"
	"aburn/web/pages"
)

// The bounds of the texts of one page, in bytes.
const (
	mostTexts   = 50 << 10 // of HTML
	mostRead    = 24 << 20 // of recorded texts
	mostLearned = 2 << 20  // a session with less is learned from as a whole
)

// speech is a session's texts, as its agent's files have them now.
type speech struct {
	stored  *trace.SessionTrace
	from    contents.From
	scrub   excerpt.Scrubber
	learned bool        // from the whole session
	results map[int]int // a call's event → that of its first result
	found   map[int]contents.Content
	silent  bool // the store holds no texts
}

// newSpeech prepares the texts of a session.
func newSpeech(s *archive.Session, stored *trace.SessionTrace, kept keptReader) *speech {
	p := &speech{stored: stored, results: map[int]int{}, found: map[int]contents.Content{}, silent: agentcli.Of(s.Source).Traits.Recorded}
	p.from = contents.From{Sources: stored.Sources, Moved: s.Path, Rows: scope.RowsOf(s.Source), Kept: kept}
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

// events are those whose texts a line shows: of a call also its first result.
func (p *speech) events(n int) (list []int) {
	if n < 1 || n > len(p.stored.Events) || p.silent {
		return nil
	}
	list = []int{n}
	if r, ok := p.results[n]; ok {
		list = append(list, r)
	}
	return list
}

// read finds the texts of events, of as many as are within the bounds.
func (p *speech) read(ctx context.Context, events []int) error {
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
		p.scrub.Learn(got[i].Text)
	}
	return nil
}

// length is that of all texts.
func (p *speech) length() (all int64) {
	for i := range p.stored.Events {
		if w, ok := contents.Of(p.stored, &p.stored.Events[i]); ok {
			all += w.Digest.Length
		}
	}
	return all
}

// notes say once what is true of all texts of a page.
func (p *speech) notes(source string, events []int) (list []pages.Note) {
	if p.silent {
		return []pages.Note{note("Only aburn's hooks recorded this session. They record no texts, so there are none to show.")}
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
		list = append(list, note("The file of these texts is not there any more. Their sizes and hashes are what aburn kept of them."))
	}
	if n := count[contents.Changed]; n > 0 {
		list = append(list, note(plain.Plural(int64(n), "text")+" of this page changed since "+agentTitle(source)+"'s file was read, and is not shown. Reading it again may help:", "aburn ingest"))
	}
	if problem != nil {
		list = append(list, note("Some texts cannot be read: "+problem.Error()))
	}
	if kept > 0 {
		list = append(list, note(plain.Plural(int64(kept), "text")+" of this page are from the copy that you kept (aburn keep)."))
	}
	return list
}

// whyNot says why a text is not shown, "" if it is.
func whyNot(c contents.Content) string {
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

// textsOf shows the texts of a line of the story.
func (p *speech) textsOf(o *opened, l *sessions.StoryLine, limits excerpt.Limits) (list []pages.Text) {
	for _, n := range p.events(l.Event) {
		c, ok := p.found[n]
		if !ok {
			if w, has := contents.Of(p.stored, &p.stored.Events[n-1]); has {
				list = append(list, pages.Text{Note: plain.Size(w.Digest.Length), Whole: pages.Link{Text: "show it", Href: o.rawAt(n)}})
			}
			continue
		}
		if why := whyNot(c); why != "" {
			if why != " " {
				list = append(list, pages.Text{Note: why})
			}
			continue
		}
		var text pages.Text
		if len(c.Text) > 0 {
			text = p.text(&p.stored.Events[n-1], c.Text, l, limits)
		}
		text.Note = imagesOf(&p.stored.Events[n-1], c.Record)
		for _, b := range text.Blocks {
			if b.Fold != "" {
				text.Whole = pages.Link{Text: "all of it", Href: o.rawAt(n)}
			}
		}
		if len(text.Blocks) > 0 || text.Note != "" {
			list = append(list, text)
		}
	}
	return list
}

// imagesOf says which images a prompt or a result has, which are not shown.
func imagesOf(e *trace.Event, record []byte) string {
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

// text shows the text of an event.
func (p *speech) text(e *trace.Event, text []byte, l *sessions.StoryLine, limits excerpt.Limits) pages.Text {
	quiet := limits
	if limits != (excerpt.Limits{}) {
		quiet = quietly
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		if b.Machine != "" {
			return pages.Text{Quiet: true, Blocks: p.scrub.Code("", text, quiet)}
		}
		return pages.Text{Blocks: p.scrub.Prose(text, limits)}
	case *trace.AgentMessage:
		if b.Thought {
			return pages.Text{Quiet: true, Blocks: p.scrub.Code("", text, quiet)}
		}
		return pages.Text{Blocks: p.scrub.Prose(text, limits)}
	case *trace.ToolCall:
		return pages.Text{Name: "input", Blocks: p.scrub.Input(text, limits, b.Path, l.Path, saidOf(b, l))}
	case *trace.ToolResult:
		return pages.Text{Name: "output", Blocks: p.scrub.Code("", text, limits)}
	}
	return pages.Text{Blocks: p.scrub.Code("", text, limits)}
}

// saidOf is the command that a line shows, "" if it shows only its beginning or none.
func saidOf(b *trace.ToolCall, l *sessions.StoryLine) string {
	if l.Detail == "" || len(b.Head) >= trace.CommandHead {
		return ""
	}
	return b.Head
}

// weight is how many bytes of HTML texts are, about.
func weight(list []pages.Text) (n int) {
	for _, t := range list {
		n += 120
		for _, b := range t.Blocks {
			n += 60 + len(b.Prose)
			for _, l := range append(b.Head, b.Tail...) {
				n += 30 + escaped(l.Text)
			}
		}
	}
	return n
}

// rawAt is the page of an event with all of its texts.
func (r *row) rawAt(n int) string { return r.address() + rawPart + strconv.Itoa(n) }

// rawPart stands in an address between a session and the number of an event.
const rawPart = "/raw/"

// withTexts makes the lines of a part with their texts, and says which part of it fits.
func (s *Site) withTexts(ctx context.Context, o *opened, list []*sessions.StoryLine, asked part) (fits part, lines []pages.Line, notes []pages.Note) {
	p := newSpeech(&o.Session, o.story.Stored, s.keptOf(o.row, o.story.Stored))
	var events []int
	for _, l := range list[asked.from:asked.to] {
		events = append(events, p.events(l.Event)...)
	}
	if err := p.read(ctx, events); err != nil {
		return asked, s.linesOf(o, list, asked.from, asked.to), []pages.Note{note("The texts cannot be read: " + err.Error())}
	}
	texts := map[int][]pages.Text{}
	left := mostTexts
	fits = asked
	for k := range asked.to - asked.from {
		i := asked.from + k
		if asked.backward {
			i = asked.to - 1 - k
		}
		texts[i] = p.textsOf(o, list[i], excerpt.Folded)
		left -= weight(texts[i])
		if left < 0 && k > 0 {
			break
		}
		if asked.backward {
			fits.from = i
		} else {
			fits.to = i + 1
		}
	}
	lines = s.linesOf(o, list, fits.from, fits.to)
	for i := range lines {
		l := list[fits.from+i]
		if lines[i].Texts = texts[fits.from+i]; len(lines[i].Texts) > 0 && shownInFull(l, lines[i].Texts) {
			lines[i].Detail = ""
		}
	}
	return fits, lines, p.notes(o.Source, events)
}

// shownInFull reports whether the text says what the line's detail says, as of prompts.
func shownInFull(l *sessions.StoryLine, texts []pages.Text) bool {
	return l.Prompt && len(texts[0].Blocks) > 0
}

// keptOf reads the user's own copy of a session, nil if there is none.
func (s *Site) keptOf(r *row, t *trace.SessionTrace) keptReader {
	e := kept.Of(s.dir, r.Source, r.ID)
	if e == nil {
		return nil
	}
	return func(ctx context.Context, file int, refs []trace.Ref, each func(int, []byte, error)) error {
		return e.Records(ctx, s.dir, t.Sources[file].Path, refs, each)
	}
}

// copies counts the kept sessions, and what they take on the disk.
func (s *Site) copies() (n int, size int64) {
	list, err := kept.List(s.dir)
	if err != nil {
		return 0, 0
	}
	for i := range list {
		_, stored := list[i].Size()
		size += stored
	}
	return len(list), size
}
