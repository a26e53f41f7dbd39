package viewer

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"aburn/archive"
	"aburn/archive/lines"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
)

// The bounds of a page of findings.
const (
	foundSessions = 30
	longestQuery  = 200 // bytes
	aroundMatch   = 100 // bytes of a text before and after what was found
)

// finder is the index of first lines, and what is being searched for.
type finder struct {
	mu       sync.Mutex // held while the index is asked
	index    *lines.Index
	updating sync.Mutex
	state    archive.State // that the index was brought up to date with
	progress [2]int        // while it is

	running map[string]context.CancelFunc // searches of conversations, by name
	names   int
}

// searchPage writes the page of what was found: the first lines at once, then what is inside of conversations as it is found.
func (s *Site) searchPage(w http.ResponseWriter, r *http.Request) {
	at := s.events.At()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	v := s.current(ctx)
	values := r.URL.Query()
	f := filterOf(values)
	text := plain.Cut(strings.Join(strings.Fields(f.q), " "), longestQuery)
	f.q = ""
	body := &pages.Search{Query: text}
	frame := &pages.Frame{Title: "Search", Page: "search", Heading: "Search", Query: text}
	if text != "" {
		frame.Heading = "Search: " + text
	}
	more := func(pairs ...string) string { return f.at("/search", append([]string{"q", text}, pairs...)...) }
	body.Choices = s.searchChoices(f, text)
	for _, c := range v.chosenLinks("/search", f, "since") {
		body.Chosen = append(body.Chosen, pages.Link{Text: c.text, Href: withQuery(c.href, text)})
	}
	all := f.with("kind", "all")
	if f.kind != "" {
		all = f
	}
	rows := v.sessions(all)
	switch {
	case text == "":
		body.Note = "Type words into the field above. First lines of prompts, commands, paths and errors are found as you type; Enter also looks inside " +
			"conversations."
	default:
		body.Lines = s.firstLines(ctx, rows, text, f, values.Get("after"))
		if asksInside(r) {
			s.lookInside(ctx, cancel, body, rows, text, values.Get("from"), more)
		}
	}
	frame.Total = len(body.Lines.Hits)
	s.fill(v, frame, at)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	out := bufio.NewWriterSize(w, 16<<10)
	body.Flush = func() string {
		out.Flush()
		http.NewResponseController(w).Flush()
		return ""
	}
	body.Write(out, frame) // where the reader has gone, nobody is told
	out.Flush()
}

// withQuery is an address with the words that are searched for.
func withQuery(href, text string) string {
	at, err := url.Parse(href)
	if err != nil {
		return href
	}
	values := at.Query()
	values.Set("q", text)
	at.RawQuery = values.Encode()
	return at.String()
}

// asksInside reports whether a request looks inside conversations: a script that brings a page up to date does not.
func asksInside(r *http.Request) bool {
	to := r.Header.Get("Sec-Fetch-Dest")
	return r.URL.Query().Get("inside") != "no" && (to == "" || to == "document")
}

// searchChoices are the times that can be searched.
func (s *Site) searchChoices(f filter, text string) []pages.Choice {
	c := pages.Choice{Label: "When they ended"}
	for _, one := range sinces {
		c.Links = append(c.Links, pages.Link{Text: one[1], Href: f.with("since", one[0]).at("/search", "q", text), Current: f.since == one[0]})
	}
	return []pages.Choice{c}
}

// firstLines is the part of the page from the index.
func (s *Site) firstLines(ctx context.Context, rows []*row, text string, f filter, from string) (part pages.SearchPart) {
	making := s.updateIndex(ctx)
	s.find.mu.Lock()
	defer s.find.mu.Unlock()
	if s.find.index == nil {
		part.Says = "The index of first lines cannot be used: " + making
		return part
	}
	found, err := s.find.index.Find(ctx, text)
	if err != nil {
		part.Says = "The index of first lines cannot be asked: " + plain.Line(err.Error())
		return part
	}
	byKey := make(map[int64]*lines.Found, len(found))
	for i := range found {
		byKey[found[i].Key] = &found[i]
	}
	var hits []*row
	count := 0
	for _, r := range rows {
		if one := byKey[r.Key]; one != nil {
			hits = append(hits, r)
			count += one.Count
		}
	}
	part.Says = plain.Plural(int64(count), "line") + " in " + plain.Plural(int64(len(hits)), "session or sub-agent", "sessions and sub-agents") +
		", the newest first." + making
	hits = after(hits, from)
	if len(hits) > foundSessions {
		last := hits[foundSessions-1]
		part.More = pages.Link{Text: "older →", Href: f.at("/search", "q", text, "inside", "no", "after", cursor(last))}
		hits = hits[:foundSessions]
	}
	for _, r := range hits {
		part.Hits = append(part.Hits, s.lineHit(r, byKey[r.Key], text))
	}
	return part
}

// lineHit is a session with the lines that were found in it.
func (s *Site) lineHit(r *row, found *lines.Found, text string) pages.SearchHit {
	hit := s.hitOf(r)
	for _, at := range found.Rows {
		l, err := s.find.index.Line(at)
		if err != nil {
			continue
		}
		hit.Found = append(hit.Found, snippet(plain.Line(l.Text), text, pages.Snippet{Href: r.eventAt(l.Event), Word: l.Kind}))
	}
	if n := found.Count - len(found.Rows); n > 0 {
		hit.More = plain.Count(int64(n)) + " more"
	}
	return hit
}

func (s *Site) hitOf(r *row) pages.SearchHit {
	return pages.SearchHit{Href: r.address(), Title: r.title(), Project: projectLink(r).Text, Agent: r.agent(), When: show.Time(r.End, s.Now()),
		Outcome: outcomeOf(r.verdict)}
}

// snippet is what surrounds the first word of a query, or its beginning, in a line.
func snippet(line, text string, to pages.Snippet) pages.Snippet {
	low, word := strings.ToLower(line), strings.ToLower(strings.Fields(text)[0])
	at := strings.Index(low, word)
	if at < 0 || len(low) != len(line) {
		to.After = plain.Cut(line, 2*aroundMatch)
		return to
	}
	to.Match = line[at : at+len(word)]
	if to.Before = line[:at]; len(to.Before) > aroundMatch {
		to.Before = "…" + strings.ToValidUTF8(to.Before[len(to.Before)-aroundMatch:], "")
	}
	if to.After = line[at+len(word):]; len(to.After) > aroundMatch {
		to.After = strings.ToValidUTF8(to.After[:aroundMatch], "") + "…"
	}
	return to
}

// indexPatience is how long a page waits for the index.
const indexPatience = 1500 * time.Millisecond

// updateIndex brings the index up to date with the archive, in the background where that takes long. It says how far it is, or
// what is wrong, "" if all is well.
func (s *Site) updateIndex(ctx context.Context) string {
	done := make(chan error, 1)
	go func() { done <- s.updateIndexNow() }()
	select {
	case err := <-done:
		if err != nil {
			return " " + plain.Line(fault.Of(err).Msg)
		}
		return ""
	case <-ctx.Done():
		return ""
	case <-time.After(indexPatience):
		s.find.mu.Lock()
		p := s.find.progress
		s.find.mu.Unlock()
		return fmt.Sprintf(" The index is being made: %s of %s sessions so far. The page shows more when it is done.", plain.Count(int64(p[0])),
			plain.Count(int64(p[1])))
	}
}

// updateIndexNow is one update. While one runs, others wait for it. It writes through a connection of its own, so that what is there
// can be searched meanwhile.
func (s *Site) updateIndexNow() error {
	s.find.updating.Lock()
	defer s.find.updating.Unlock()
	state := archive.StateOf(s.dir)
	s.find.mu.Lock()
	current := s.find.index != nil && state == s.find.state
	s.find.mu.Unlock()
	if current {
		return nil
	}
	ctx := context.Background()
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return err
	}
	defer arch.Close()
	to, err := lines.Open(s.dir)
	if err != nil {
		return err
	}
	defer to.Close()
	s.find.mu.Lock()
	if s.find.index == nil {
		s.find.index, err = lines.Open(s.dir)
	}
	s.find.mu.Unlock()
	if err != nil {
		return err
	}
	changed := false
	err = to.Update(ctx, arch, func(done, total int) {
		changed = true
		s.find.mu.Lock()
		s.find.progress = [2]int{done, total}
		s.find.mu.Unlock()
	})
	if err != nil {
		return err
	}
	s.find.mu.Lock()
	s.find.state = state
	s.find.mu.Unlock()
	if changed {
		s.events.Say("search")
	}
	return nil
}

// begin names a search, so that it can be stopped.
func (f *finder) begin(cancel context.CancelFunc) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running == nil {
		f.running = map[string]context.CancelFunc{}
	}
	f.names++
	name := strconv.Itoa(f.names)
	f.running[name] = cancel
	return name
}

func (f *finder) end(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, name)
}

// stopSearch ends the search that ?name= names, or all.
func (s *Site) stopSearch(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	s.find.mu.Lock()
	defer s.find.mu.Unlock()
	for one, cancel := range s.find.running {
		if name == "" || name == one {
			cancel()
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// rowsFrom are the rows from a session on, by its cursor: those after it.
func rowsFrom(rows []*row, from string) []*row {
	if from == "" {
		return rows
	}
	return after(rows, from)
}
