package site

import (
	"errors"
	"io/fs"
	"unicode/utf8"

	"aburn/archive/conversation"
	"aburn/archive/story"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/web/excerpt"
	"aburn/web/pages"
	"aburn/web/show"
)

// textNotes say once what is true of all texts of a page.
func textNotes(p *conversation.Texts, events []int) (list []pages.Note) {
	if p.Silent {
		return []pages.Note{show.Note("Only aburn's hooks recorded this session. They record no texts.")}
	}
	count := map[contents.State]int{}
	kept, problem := 0, error(nil)
	for _, n := range events {
		c, ok := p.Found(n)
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
		list = append(list, show.Note("The file with these texts is gone. aburn saved only their sizes and hashes."))
	}
	if n := count[contents.Changed]; n > 0 {
		list = append(list, show.Note(plain.Plural(int64(n), "text")+" of this page changed since "+show.Agent(p.Source)+
			"'s file was read, and is not shown. Reading it again may help:", "aburn ingest"))
	}
	if problem != nil {
		list = append(list, show.Note("Some texts cannot be read: "+problem.Error()))
	}
	if kept > 0 {
		list = append(list, show.Note(plain.Plural(int64(kept), "text")+" of this page are from the copy that you saved (aburn keep)."))
	}
	return list
}

// textsOf shows the texts of a line of the story. rawAt is the page with all of an event's text.
func textsOf(p *conversation.Texts, l *story.Line, limits excerpt.Limits, rawAt func(event int) string) (list []pages.Text) {
	for _, n := range p.Events(l.Event) {
		c, ok := p.Found(n)
		if !ok {
			if w, has := contents.Of(p.Stored, &p.Stored.Events[n-1]); has {
				list = append(list, pages.Text{Note: plain.Size(w.Digest.Length), Whole: pages.Link{Text: "show it", Href: rawAt(n)}})
			}
			continue
		}
		if why := conversation.WhyNot(c); why != "" {
			if why != " " {
				list = append(list, pages.Text{Note: why})
			}
			continue
		}
		var text pages.Text
		if len(c.Text) > 0 {
			text = textOf(p, &p.Stored.Events[n-1], c.Text, l, limits)
		}
		text.Note = conversation.Images(&p.Stored.Events[n-1], c.Record)
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

// quietly is how thoughts and what programs say is shown in a list.
var quietly = excerpt.Limits{Head: 1, Tail: 0, Width: 160, Prose: 200}

// textOf shows the text of an event.
func textOf(p *conversation.Texts, e *trace.Event, text []byte, l *story.Line, limits excerpt.Limits) pages.Text {
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

// escaped is how many bytes of HTML a text becomes.
func escaped(text string) (n int) {
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

// within is how many bytes of a text become at most so many of HTML. It ends at a whole character.
func within(text string, most int) int {
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

// recordNote says why there is no record, "" if there is one.
func recordNote(p *conversation.Texts, n int) string {
	c, ok := p.Found(n)
	switch {
	case p.Silent, !ok, c.State == contents.Proved && len(c.Record) > 0 && len(c.Record) <= excerpt.MaxScrubbed:
		return ""
	case c.State == contents.Gone, errors.Is(c.Err, fs.ErrNotExist):
		return "It is gone with its file."
	case len(c.Record) > excerpt.MaxScrubbed:
		return "It has " + plain.Size(int64(len(c.Record))) + ", too much to scrub and show."
	case c.State == contents.Changed:
		return "The agent's file has another record there now."
	}
	return ""
}
