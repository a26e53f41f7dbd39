package viewer

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"aburn/archive"
	"aburn/cmd/aburn/internal/scope"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/web/excerpt"
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
func (s *Site) lookInside(ctx context.Context, cancel context.CancelFunc, body *pages.Search, rows []*row, text, from string, more func(...string) string) {
	q := contents.NewQuery(text)
	if q == nil {
		body.Note = "To look inside conversations, one word needs two letters or more."
		return
	}
	name := s.find.begin(cancel)
	body.Stop = name
	found := make(chan pages.SearchHit)
	body.Inside = found
	end := &tally{}
	go func() {
		defer close(found)
		defer s.find.end(name)
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
	parts := []string{plain.Plural(int64(t.found), "text") + " found. " + plain.Size(t.bytes) + " of " + plain.Plural(int64(t.sessions), "session or sub-agent", "sessions and sub-agents") + " looked through"}
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
func (s *Site) lookThrough(ctx context.Context, q *contents.Query, text string, rows []*row, end *tally, found chan<- pages.SearchHit) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return
	}
	defer arch.Close()
	var mu sync.Mutex // an archive is for one goroutine at a time
	load := func(r *row) (*trace.SessionTrace, error) {
		mu.Lock()
		defer mu.Unlock()
		return arch.Trace(ctx, r.Key)
	}
	shared := storesOf(rows)
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
			wait.Go(func() { one <- s.lookAt(ctx, q, text, r, shared, load) })
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

// finding is the hits of one session, before they are scrubbed.
type finding struct {
	stored   *trace.SessionTrace
	hits     []contents.Hit
	searched contents.Searched
	err      error
}

// stores searches each database once for all of its sessions, when the first of them is looked at.
type stores struct {
	at map[string]*sharedStore // by source and path
}

// sharedStore is a store of several sessions.
type sharedStore struct {
	once  sync.Once
	rows  []*row
	found map[*row]*finding
}

// mostShared is how many sessions of one database are searched.
const mostShared = 2000

// storesOf are the databases of rows.
func storesOf(rows []*row) *stores {
	all := &stores{at: map[string]*sharedStore{}}
	for _, r := range rows {
		if scope.RowsOf(r.Source) == nil || agentcli.Of(r.Source).Traits.Recorded {
			continue
		}
		name := r.Source + " " + r.Path
		if all.at[name] == nil {
			all.at[name] = &sharedStore{found: map[*row]*finding{}}
		}
		if one := all.at[name]; len(one.rows) < mostShared {
			one.rows = append(one.rows, r)
		}
	}
	return all
}

// find is what is found in a session of a store whose records may be rows.
func (s *stores) find(ctx context.Context, q *contents.Query, r *row, load func(*row) (*trace.SessionTrace, error)) *finding {
	one := s.at[r.Source+" "+r.Path]
	one.once.Do(func() { one.search(ctx, q, load) })
	if f := one.found[r]; f != nil {
		return f
	}
	return &finding{err: errors.ErrUnsupported}
}

func (one *sharedStore) search(ctx context.Context, q *contents.Query, load func(*row) (*trace.SessionTrace, error)) {
	var traces []*trace.SessionTrace
	var of []*finding
	first := one.rows[0]
	for _, r := range one.rows {
		f := &finding{}
		one.found[r] = f
		if f.stored, f.err = load(r); f.err != nil || len(f.stored.Events) == 0 {
			continue
		}
		if f.stored.Events[0].Ref.Table == "" { // this agent has files of lines, too
			f.lines(ctx, q, r)
			continue
		}
		traces, of = append(traces, f.stored), append(of, f)
	}
	if len(traces) == 0 {
		return
	}
	searched, err := contents.SearchRows(ctx, q, first.Path, scope.RowsOf(first.Source), traces, func(i int, h contents.Hit) { of[i].take(h) })
	of[0].searched = searched
	for _, f := range of {
		f.err = err
	}
}

// lines searches a file of lines, whose trace is known.
func (f *finding) lines(ctx context.Context, q *contents.Query, r *row) {
	f.searched, f.err = contents.Search(ctx, q, r.Path, func() (*trace.SessionTrace, contents.From, error) {
		return f.stored, contents.From{Sources: f.stored.Sources, Moved: r.Path}, nil
	}, f.take)
}

func (f *finding) take(h contents.Hit) {
	if len(h.Text) <= excerpt.MaxScrubbed {
		f.hits = append(f.hits, h)
	}
}

// findIn is what is found in a session. Only of one in which something may be found the trace is loaded, where its records are lines.
func findIn(ctx context.Context, q *contents.Query, r *row, shared *stores, load func(*row) (*trace.SessionTrace, error)) *finding {
	if scope.RowsOf(r.Source) != nil {
		return shared.find(ctx, q, r, load)
	}
	f := &finding{}
	f.searched, f.err = contents.Search(ctx, q, r.Path, func() (*trace.SessionTrace, contents.From, error) {
		var err error
		f.stored, err = load(r)
		if err != nil {
			return nil, contents.From{}, err
		}
		return f.stored, contents.From{Sources: f.stored.Sources, Moved: r.Path}, nil
	}, f.take)
	return f
}

// lookAt looks through one session. What is found is scrubbed, and counts only if it is still found then.
func (s *Site) lookAt(ctx context.Context, q *contents.Query, text string, r *row, shared *stores, load func(*row) (*trace.SessionTrace, error)) (l looked) {
	l.row = r
	if agentcli.Of(r.Source).Traits.Recorded {
		return l
	}
	f := findIn(ctx, q, r, shared, load)
	if l.searched, l.err = f.searched, f.err; len(f.hits) == 0 {
		return l
	}
	l.hit = s.hitOf(r)
	p := newSpeech(&r.Session, f.stored, s.keptOf(r, f.stored))
	if err := p.read(ctx, nil); err != nil { // what other texts give away is secret in these
		l.err = err
		return l
	}
	for _, h := range f.hits {
		p.scrub.Learn(h.Text)
	}
	for _, h := range f.hits {
		clean := p.scrub.Text(string(h.Text))
		at, _, ok := q.Match(clean)
		if !ok {
			continue
		}
		if l.count++; l.count <= perSession {
			from := max(at-2*aroundMatch, 0)
			around := plain.Line(strings.ToValidUTF8(clean[from:min(at+4*aroundMatch, len(clean))], ""))
			word := textWord(&f.stored.Events[h.Event-1])
			l.hit.Found = append(l.hit.Found, snippet(around, text, pages.Snippet{Href: r.eventAt(h.Event), Word: word}))
		}
	}
	if l.count > perSession {
		l.hit.More = plain.Count(int64(l.count-perSession)) + " more"
	}
	return l
}

// textWord says what an event's text is.
func textWord(e *trace.Event) string {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		if b.Machine != "" {
			return "context"
		}
		return "prompt"
	case *trace.AgentMessage:
		if b.Thought {
			return "thought"
		}
		return "answer"
	case *trace.ToolCall:
		return "input"
	case *trace.ToolResult:
		return "output"
	}
	return "error"
}
