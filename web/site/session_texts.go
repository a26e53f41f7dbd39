package site

import (
	"context"

	"aburn/archive/conversation"
	"aburn/archive/story"
	"aburn/web/excerpt"
	"aburn/web/pages"
	"aburn/web/show"
)

// mostTexts bounds the texts of one page, in bytes of HTML.
const mostTexts = 50 << 10

// withTexts makes the lines of a part with their texts, and says which part of it fits.
func (s *sessionPages) withTexts(ctx context.Context, o *opened, list []*story.Line, asked part) (fits part, lines []pages.Line, notes []pages.Note) {
	p := conversation.TextsOf(&o.Session, o.story.Stored, s.Dir)
	var events []int
	for _, l := range list[asked.from:asked.to] {
		events = append(events, p.Events(l.Event)...)
	}
	if err := p.Read(ctx, events); err != nil {
		return asked, s.linesOf(o, list, asked.from, asked.to), []pages.Note{show.Note("The texts cannot be read: " + err.Error())}
	}
	shown := map[int][]pages.Text{}
	left := mostTexts
	fits = asked
	for k := range asked.to - asked.from {
		i := asked.from + k
		if asked.backward {
			i = asked.to - 1 - k
		}
		shown[i] = textsOf(p, list[i], excerpt.Folded, o.RawAt)
		left -= weight(shown[i])
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
		if lines[i].Texts = shown[fits.from+i]; len(lines[i].Texts) > 0 && shownInFull(l, lines[i].Texts) {
			lines[i].Detail = ""
		}
	}
	return fits, lines, textNotes(p, events)
}

// shownInFull reports whether the text says what the line's detail says, as of prompts.
func shownInFull(l *story.Line, texts []pages.Text) bool {
	return l.Prompt && len(texts[0].Blocks) > 0
}
