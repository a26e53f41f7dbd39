package viewer

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"aburn/archive"
	"aburn/archive/conversation"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/web/pages"
)

// insiders is how many files are looked through at once: a second one waits for the disk while one is searched.
const insiders = 2

// perSession is how many findings of one session are shown.
const perSession = 3

// looked is what a search of one session found.
type looked struct {
	row      *row
	hit      pages.SearchHit
	count    int
	searched contents.Searched
	err      error
}

// tally is what a search of conversations looked at.
type tally struct {
	sessions, gone, unread, found, more int
	bytes                               int64
	stopped                             bool
	last                                *row // the page is full behind it
}

// lookInside begins a search of conversations, whose findings the page shows as they come.
func (s *searchPages) lookInside(ctx context.Context, cancel context.CancelFunc, body *pages.Search, rows []*row, text, from string, more func(...string) string) {
	q := contents.NewQuery(text)
	if q == nil {
		body.Note = "To look inside conversations, one word needs two letters or more."
		return
	}
	name := s.searches.begin(cancel)
	body.Stop = name
	found := make(chan pages.SearchHit)
	body.Inside = found
	end := &tally{}
	go func() {
		defer close(found)
		defer s.searches.end(name)
		s.lookThrough(ctx, q, text, rowsFrom(rows, from), end, found)
	}()
	body.Summary = func() pages.SearchEnd {
		said := pages.SearchEnd{Says: end.says()}
		if end.last != nil {
			said.More = pages.Link{Text: "look in older ones →", Href: more("from", cursor(end.last))}
		}
		return said
	}
}

// says is the end of a search in words.
func (t *tally) says() string {
	parts := []string{plain.Plural(int64(t.found), "text") + " found. " + plain.Size(t.bytes) + " of " +
		plain.Plural(int64(t.sessions), "session or sub-agent", "sessions and sub-agents") + " looked through"}
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
func (s *searchPages) lookThrough(ctx context.Context, q *contents.Query, text string, rows []*row, end *tally, found chan<- pages.SearchHit) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return
	}
	defer arch.Close()
	var mu sync.Mutex // an archive is for one goroutine at a time
	load := func(r *archive.Session) (*trace.SessionTrace, error) {
		mu.Lock()
		defer mu.Unlock()
		return arch.Trace(ctx, r.Key)
	}
	list := make([]*archive.Session, len(rows))
	for i, r := range rows {
		list[i] = &r.Session
	}
	search := conversation.NewSearch(q, s.dir, list, load)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	results := make(chan chan looked, insiders)
	wait.Go(func() {
		defer close(results)
		for _, r := range rows {
			one := make(chan looked, 1)
			select {
			case <-ctx.Done():
				return
			case results <- one:
			}
			wait.Go(func() { one <- s.lookAt(ctx, search, text, r) })
		}
	})
	shown := 0
	for one := range results {
		l := <-one
		if ctx.Err() != nil {
			end.stopped = true
			return
		}
		end.add(&l)
		if l.count == 0 {
			continue
		}
		select {
		case found <- l.hit:
		case <-ctx.Done():
			end.stopped = true
			return
		}
		if shown++; shown == foundSessions {
			end.last = l.row
			return
		}
	}
	end.stopped = ctx.Err() != nil
}

func (t *tally) add(l *looked) {
	t.sessions++
	t.bytes += l.searched.Bytes
	t.more += l.searched.More
	t.found += l.count
	switch {
	case errors.Is(l.err, fs.ErrNotExist):
		t.gone++
	case l.err != nil:
		t.unread++
	}
}

// lookAt looks through one session. What is found is scrubbed, and counts only if it is still found then.
func (s *searchPages) lookAt(ctx context.Context, search *conversation.Search, text string, r *row) (l looked) {
	f := search.In(ctx, &r.Session)
	l.row, l.count, l.searched, l.err = r, len(f.Matches), f.Searched, f.Err
	if l.count == 0 {
		return l
	}
	l.hit = s.hitOf(r)
	for _, m := range f.Matches[:min(l.count, perSession)] {
		from := max(m.At-2*aroundMatch, 0)
		around := plain.Line(strings.ToValidUTF8(m.Text[from:min(m.At+4*aroundMatch, len(m.Text))], ""))
		l.hit.Found = append(l.hit.Found, snippet(around, text, pages.Snippet{Href: r.eventAt(m.Event), Word: m.Kind}))
	}
	if l.count > perSession {
		l.hit.More = plain.Count(int64(l.count-perSession)) + " more"
	}
	return l
}
