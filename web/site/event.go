package site

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"aburn/archive/conversation"
	"aburn/archive/story"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/web/excerpt"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// The bounds of what the page of one event shows at once, in bytes.
const (
	mostOfText   = 40 << 10
	mostOfRecord = 24 << 10
)

// eventOf splits the address of an event's page into the session's name and the event's number.
func eventOf(name string) (session string, n int, ok bool) {
	i := strings.LastIndex(name, snapshot.RawPart)
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(name[i+len(snapshot.RawPart):])
	return name[:i], n, err == nil
}

// eventPage shows one event with all of its text, and its record.
func (s *sessionPages) eventPage(ctx context.Context, v *snapshot.View, r *snapshot.Row, n int, values url.Values) (*show.Page, error) {
	o, err := s.open(ctx, v, r)
	if err != nil {
		return nil, err
	}
	all := o.story.Stored.Events
	if n < 1 || n > len(all) {
		return nil, show.NotFound("the session has events 1 to " + strconv.Itoa(len(all)))
	}
	p := conversation.TextsOf(&o.Session, o.story.Stored, s.Dir)
	if err := p.Read(ctx, []int{n}); err != nil {
		return nil, err
	}
	name := v.Names.Of(r.Source, r.ID)
	body := &pages.Event{Line: s.lineOf(o, lineFor(o, n)), RecordNote: recordNote(p, n)}
	body.Crumbs = []pages.Link{{Text: "Sessions", Href: "/sessions"}, snapshot.ProjectLink(r),
		{Text: plain.Line(r.AgentTitle() + " / " + name), Href: r.EventAt(n)},
		{Text: "event " + strconv.Itoa(n)}}
	if n > 1 {
		body.Before = pages.Link{Text: "event " + strconv.Itoa(n-1), Href: r.RawAt(n - 1)}
	}
	if n < len(all) {
		body.Next = pages.Link{Text: "event " + strconv.Itoa(n+1), Href: r.RawAt(n + 1)}
	}
	wholeText(body, o, p, n, values)
	if c, _ := p.Found(n); c.State == contents.Proved && len(c.Record) > 0 && len(c.Record) <= excerpt.MaxScrubbed {
		body.Record = cutBlocks(p.Scrub.Record(c.Record, excerpt.Limits{Width: 400}), mostOfRecord)
	}
	body.Copy = []pages.Copy{{Label: "Copy show command", Text: "aburn show " + shell.Quote(r.Name()) + " --raw " + strconv.Itoa(n)}}
	heading := "Event " + strconv.Itoa(n) + " of " + strconv.Itoa(len(all))
	return &show.Page{Frame: &pages.Frame{Title: heading, Page: "sessions", Heading: heading, Sub: plain.Cut(r.Title(), 80), Total: 1}, Body: body}, nil
}

// lineFor is the line of the story that shows an event: a result that its call shows has none of its own.
func lineFor(o *opened, n int) *story.Line {
	for i := range o.story.Lines {
		if o.story.Lines[i].Event == n {
			return &o.story.Lines[i]
		}
	}
	l := &story.Line{Event: n, Time: o.story.Stored.Events[n-1].Time}
	l.Name = "result"
	return l
}

// wholeText puts a text into the page, or the part of it that begins where ?from= says.
func wholeText(body *pages.Event, o *opened, p *conversation.Texts, n int, values url.Values) {
	e := &o.story.Stored.Events[n-1]
	c, ok := p.Found(n)
	if !ok {
		body.Line.Texts = []pages.Text{{Note: "This event has no text."}}
		return
	}
	if why := conversation.WhyNot(c); why != "" {
		if why == " " {
			why = "The file with this text is gone."
		}
		body.Line.Texts = []pages.Text{{Note: why}}
		return
	}
	images := conversation.Images(e, c.Record)
	if len(c.Text) == 0 {
		body.Line.Texts = []pages.Text{{Note: cmp.Or(images, "The text is empty.")}}
		return
	}
	if _, isCall := e.Body.(*trace.ToolCall); isCall || len(c.Text) <= mostOfText {
		text := textOf(p, e, c.Text, &story.Line{}, excerpt.Limits{})
		text.Note = images
		text.Blocks = cutBlocks(text.Blocks, mostOfText+mostOfText/2)
		body.Line.Texts = []pages.Text{text}
		return
	}
	all := p.Scrub.Text(string(c.Text))
	from, _ := strconv.Atoi(values.Get("from"))
	from = min(max(from, 0), len(all))
	for from > 0 && from < len(all) && !utf8.RuneStart(all[from]) {
		from--
	}
	to := from + within(all[from:], mostOfText)
	if to < len(all) {
		if at := strings.LastIndexByte(all[from:to], '\n'); at > 0 {
			to = from + at + 1
		}
	}
	body.Line.Texts = []pages.Text{{Blocks: p.Scrub.Code("", []byte(all[from:to]), excerpt.Limits{})}}
	body.Range = "bytes " + plain.Count(int64(from+1)) + " to " + plain.Count(int64(to)) + " of " + plain.Count(int64(len(all))) + ", as shown"
	if from > 0 {
		body.Earlier = o.RawAt(n) + "?from=" + strconv.Itoa(max(from-mostOfText, 0))
	}
	if to < len(all) {
		body.Later = o.RawAt(n) + "?from=" + strconv.Itoa(to)
	}
}

// cutBlocks cuts blocks to a size, and says so.
func cutBlocks(list []excerpt.Block, most int) []excerpt.Block {
	for i := range list {
		b := &list[i]
		for k := range b.Head {
			text := b.Head[k].Text
			if n := within(text, most); n < len(text) {
				b.Head[k].Text = text[:n]
				b.Head, b.Fold = b.Head[:k+1], "… "+plain.Size(int64(len(text)-n))+" more: aburn show --raw prints all"
				return list[:i+1]
			}
			most -= escaped(text)
		}
		most -= len(b.Prose)
	}
	return list
}
