package search

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/archive/conversation"
	"aburn/internal/plain"
	"aburn/trace/contents"
	"aburn/web/pages"
	"aburn/web/site/snapshot"
)

// perSession is how many findings of one session are shown.
const perSession = 3

// tally is what a search of conversations looked at.
type tally struct {
	sessions, gone, unread, found, more int
	above                               int // of found, which the first lines show
	bytes                               int64
	stopped                             bool
	last                                *snapshot.Row // the page is full behind it
}

// lookInside begins a search of conversations, whose findings the page shows as they come.
func (s *Pages) lookInside(ctx context.Context, cancel context.CancelFunc, body *pages.Search, rows []*snapshot.Row, text, from string,
	shown map[string]bool, more func(...string) string) {
	q := contents.NewQuery(text)
	if q == nil {
		body.Note = "To search inside conversations, one word needs two letters or more."
		return
	}
	name := s.Searches.begin(cancel)
	body.Stop = name
	found := make(chan pages.SearchHit)
	body.Inside = found
	end := &tally{}
	go func() {
		defer close(found)
		defer s.Searches.end(name)
		s.lookThrough(ctx, q, text, rowsFrom(rows, from), shown, end, found)
	}()
	body.Summary = func() pages.SearchEnd {
		said := pages.SearchEnd{Says: end.says()}
		if end.last != nil {
			said.More = pages.Link{Text: "search older ones →", Href: more("from", snapshot.Cursor(end.last))}
		}
		return said
	}
}

// says is the end of a search in words.
func (t *tally) says() string {
	found := plain.Plural(int64(t.found), "text") + " found"
	switch {
	case t.above > 0 && t.above == t.found:
		found += ", shown above"
	case t.above > 0:
		found += ", " + plain.Count(int64(t.above)) + " of them shown above"
	}
	parts := []string{found + ". " + plain.Size(t.bytes) + " of " +
		plain.Plural(int64(t.sessions), "session or sub-agent", "sessions and sub-agents") + " searched"}
	if t.gone > 0 {
		parts = append(parts, "the files of "+plain.Count(int64(t.gone))+" are gone")
	}
	if t.unread > 0 {
		parts = append(parts, plain.Count(int64(t.unread))+" could not be read")
	}
	if t.more > 0 {
		parts = append(parts, "in "+plain.Plural(int64(t.more), "record")+" nobody looked, because their sessions have too many")
	}
	text := strings.Join(parts, "; ") + "."
	if t.stopped {
		text = "Stopped. " + text
	}
	return text
}

// lookThrough looks through the conversations of rows, in their order, until a page is full.
func (s *Pages) lookThrough(ctx context.Context, q *contents.Query, text string, rows []*snapshot.Row, above map[string]bool, end *tally,
	found chan<- pages.SearchHit) {
	arch, err := archive.View(ctx, s.Dir)
	if err != nil {
		return
	}
	defer arch.Close()
	list := make([]*archive.Session, len(rows))
	for i, r := range rows {
		list[i] = &r.Session
	}
	shown := 0
	whole := conversation.Search(ctx, q, arch, s.Dir, list, func(i int, f conversation.Found) bool {
		end.add(&f)
		n := len(f.Matches)
		f.Matches = slices.DeleteFunc(f.Matches, func(m conversation.Match) bool { return above[rows[i].EventAt(m.Event)] })
		end.above += n - len(f.Matches)
		if len(f.Matches) == 0 {
			return true
		}
		select {
		case found <- s.insideHit(text, rows[i], &f):
		case <-ctx.Done():
			return false
		}
		if shown++; shown == foundSessions {
			end.last = rows[i]
			return false
		}
		return true
	})
	end.stopped = !whole && end.last == nil
}

func (t *tally) add(f *conversation.Found) {
	t.sessions++
	t.bytes += f.Searched.Bytes
	t.more += f.Searched.More
	t.found += len(f.Matches)
	switch {
	case errors.Is(f.Err, fs.ErrNotExist):
		t.gone++
	case f.Err != nil:
		t.unread++
	}
}

// insideHit is a session with what was found in its texts.
func (s *Pages) insideHit(text string, r *snapshot.Row, f *conversation.Found) pages.SearchHit {
	hit := s.hitOf(r)
	for _, m := range f.Matches[:min(len(f.Matches), perSession)] {
		from := max(m.At-2*aroundMatch, 0)
		around := plain.Line(strings.ToValidUTF8(m.Text[from:min(m.At+4*aroundMatch, len(m.Text))], ""))
		hit.Found = append(hit.Found, snippet(around, text, pages.Snippet{Href: r.EventAt(m.Event), Word: m.Kind}))
	}
	if n := len(f.Matches) - perSession; n > 0 {
		hit.More = plain.Count(int64(n)) + " more"
	}
	return hit
}
