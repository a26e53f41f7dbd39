package conversation

import (
	"context"
	"errors"
	"sync"

	"aburn/archive"
	"aburn/internal/agentcli"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/readers"
	"aburn/web/excerpt"
)

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
	rows  []*archive.Session
	found map[*archive.Session]*finding
}

// mostShared is how many sessions of one database are searched.
const mostShared = 2000

// storesOf are the databases of rows.
func storesOf(rows []*archive.Session) *stores {
	all := &stores{at: map[string]*sharedStore{}}
	for _, r := range rows {
		if readers.RowsOf(r.Source) == nil || agentcli.Of(r.Source).Traits.Recorded {
			continue
		}
		name := r.Source + " " + r.Path
		if all.at[name] == nil {
			all.at[name] = &sharedStore{found: map[*archive.Session]*finding{}}
		}
		if one := all.at[name]; len(one.rows) < mostShared {
			one.rows = append(one.rows, r)
		}
	}
	return all
}

// find is what is found in a session of a store whose records may be rows.
func (s *stores) find(ctx context.Context, q *contents.Query, r *archive.Session, load func(*archive.Session) (*trace.SessionTrace, error)) *finding {
	one := s.at[r.Source+" "+r.Path]
	one.once.Do(func() { one.search(ctx, q, load) })
	if f := one.found[r]; f != nil {
		return f
	}
	return &finding{err: errors.ErrUnsupported}
}

func (one *sharedStore) search(ctx context.Context, q *contents.Query, load func(*archive.Session) (*trace.SessionTrace, error)) {
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
			f.inLines(ctx, q, r)
			continue
		}
		traces, of = append(traces, f.stored), append(of, f)
	}
	if len(traces) == 0 {
		return
	}
	searched, err := contents.SearchRows(ctx, q, first.Path, readers.RowsOf(first.Source), traces, func(i int, h contents.Hit) { of[i].take(h) })
	of[0].searched = searched
	for _, f := range of {
		f.err = err
	}
}

// inLines searches a file of lines, whose trace is known.
func (f *finding) inLines(ctx context.Context, q *contents.Query, r *archive.Session) {
	f.searched, f.err = contents.Search(ctx, q, r.Path, func() (*trace.SessionTrace, contents.From, error) {
		return f.stored, contents.From{Sources: f.stored.Sources, Moved: r.Path}, nil
	}, f.take)
}

func (f *finding) take(h contents.Hit) {
	if len(h.Text) <= excerpt.MaxScrubbed {
		f.hits = append(f.hits, h)
	}
}

// search looks through the texts of sessions.
type search struct {
	q      *contents.Query
	dir    string // of the archive
	shared *stores

	mu   sync.Mutex // an archive is for one goroutine at a time
	arch *archive.Archive
}

func (s *search) load(ctx context.Context, r *archive.Session) (*trace.SessionTrace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arch.Trace(ctx, r.Key)
}

// Found is what a search of one session found.
type Found struct {
	Matches  []Match
	Searched contents.Searched
	Err      error
}

// Match is a text in which something was found. It is scrubbed, and the word is still found in it, at a byte.
type Match struct {
	Event int
	Kind  string // what the text is
	Text  string
	At    int
}

// in looks through one session.
func (s *search) in(ctx context.Context, r *archive.Session) (found Found) {
	if agentcli.Of(r.Source).Traits.Recorded {
		return found
	}
	f := s.find(ctx, r)
	if found.Searched, found.Err = f.searched, f.err; len(f.hits) == 0 {
		return found
	}
	p := TextsOf(r, f.stored, s.dir)
	if found.Err = p.Read(ctx, nil); found.Err != nil { // what other texts give away is secret in these
		return found
	}
	for _, h := range f.hits {
		p.Scrub.Learn(h.Text)
	}
	for _, h := range f.hits {
		clean := p.Scrub.Text(string(h.Text))
		if at, _, ok := s.q.Match(clean); ok {
			found.Matches = append(found.Matches, Match{Event: h.Event, Kind: textWord(&f.stored.Events[h.Event-1]), Text: clean, At: at})
		}
	}
	return found
}

// atOnce is how many sessions are looked through at once: a second one waits for the disk while one is searched.
const atOnce = 2

// Search looks through sessions of the archive in dir, and shows what it finds in each, in their order, until show returns false or ctx
// is done. It reports whether it came to the end. Nothing else may use arch meanwhile.
func Search(ctx context.Context, q *contents.Query, arch *archive.Archive, dir string, list []*archive.Session,
	show func(i int, f Found) bool) bool {
	s := &search{q: q, dir: dir, arch: arch, shared: storesOf(list)}
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	results := make(chan chan Found, atOnce)
	wait.Go(func() {
		defer close(results)
		for _, r := range list {
			one := make(chan Found, 1)
			select {
			case <-ctx.Done():
				return
			case results <- one:
			}
			wait.Go(func() { one <- s.in(ctx, r) })
		}
	})
	i := 0
	for one := range results {
		f := <-one
		if ctx.Err() != nil || !show(i, f) {
			return false
		}
		i++
	}
	return ctx.Err() == nil
}

// find is what is found in a session, before it is scrubbed. Only of one in which something may be found the trace is loaded, where its
// records are lines.
func (s *search) find(ctx context.Context, r *archive.Session) *finding {
	if readers.RowsOf(r.Source) != nil {
		return s.shared.find(ctx, s.q, r, func(r *archive.Session) (*trace.SessionTrace, error) { return s.load(ctx, r) })
	}
	f := &finding{}
	f.searched, f.err = contents.Search(ctx, s.q, r.Path, func() (*trace.SessionTrace, contents.From, error) {
		var err error
		f.stored, err = s.load(ctx, r)
		if err != nil {
			return nil, contents.From{}, err
		}
		return f.stored, contents.From{Sources: f.stored.Sources, Moved: r.Path}, nil
	}, f.take)
	return f
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
