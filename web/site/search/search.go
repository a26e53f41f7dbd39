// Package search is the page Search: an index of first lines, and searches inside conversations while somebody waits.
package search

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"aburn/archive/lines"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/server"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// The bounds of a page of findings.
const (
	foundSessions = 30
	longestQuery  = 200 // bytes
	aroundMatch   = 100 // bytes of a text before and after what was found
)

// Pages are the page Search: an index of first lines, and searches of conversations.
type Pages struct {
	*snapshot.Scope
	Events   *server.Events
	first    firstLines
	Searches searches
}

// Page writes what was found: the first lines at once, then what is inside of conversations as it is found. fill adds to the frame what
// all pages have.
func (s *Pages) Page(w http.ResponseWriter, r *http.Request, v *snapshot.View, fill func(*pages.Frame)) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	values := r.URL.Query()
	f := snapshot.FilterOf(values)
	text := plain.Cut(strings.Join(strings.Fields(f.Q), " "), longestQuery)
	f.Q = ""
	body := &pages.Search{Query: text}
	frame := &pages.Frame{Title: "Search", Page: "search", Heading: "Search", Query: text}
	if text != "" {
		frame.Heading = "Search: " + text
	}
	more := func(pairs ...string) string { return f.Address("/search", append([]string{"q", text}, pairs...)...) }
	body.Choices = searchChoices(f, text)
	for _, c := range snapshot.ChosenLinks("/search", f, "since") {
		body.Chosen = append(body.Chosen, pages.Link{Text: c.Text, Href: withQuery(c.Href, text)})
	}
	all := f.With("kind", "all")
	if f.Kind != "" {
		all = f
	}
	rows := v.Sessions(all)
	switch {
	case text == "":
		body.Note = "Type words into the field above. It finds first lines of prompts, commands, paths and errors as you type. Enter also searches " +
			"inside conversations."
	default:
		body.Lines = s.foundLines(ctx, rows, text, f, values.Get("after"))
		if asksInside(r) {
			s.lookInside(ctx, cancel, body, rows, text, values.Get("from"), shownLines(body.Lines.Hits), more)
		}
	}
	frame.Total = len(body.Lines.Hits)
	fill(frame)
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
func searchChoices(f snapshot.Filter, text string) []pages.Choice {
	c := pages.Choice{Label: "When they ended"}
	for _, one := range snapshot.Sinces {
		c.Links = append(c.Links, pages.Link{Text: one[1], Href: f.With("since", one[0]).Address("/search", "q", text), Current: f.Since == one[0]})
	}
	return []pages.Choice{c}
}

// foundLines is the part of the page from the index.
func (s *Pages) foundLines(ctx context.Context, rows []*snapshot.Row, text string, f snapshot.Filter, from string) (part pages.SearchPart) {
	making := s.first.update(ctx, s.Dir, func() { s.Events.Say("search") })
	s.first.mu.Lock()
	defer s.first.mu.Unlock()
	if s.first.index == nil {
		part.Says = "The index of first lines can't be used: " + making
		return part
	}
	found, err := s.first.index.Find(ctx, text)
	if err != nil {
		part.Says = "The index of first lines can't be searched: " + plain.Line(err.Error())
		return part
	}
	byKey := make(map[int64]*lines.Found, len(found))
	for i := range found {
		byKey[found[i].Key] = &found[i]
	}
	var hits []*snapshot.Row
	count := 0
	for _, r := range rows {
		if one := byKey[r.Key]; one != nil {
			hits = append(hits, r)
			count += one.Count
		}
	}
	part.Says = plain.Plural(int64(count), "line") + " in " + plain.Plural(int64(len(hits)), "session or sub-agent", "sessions and sub-agents") +
		", the newest first." + making
	hits = snapshot.After(hits, from)
	if len(hits) > foundSessions {
		last := hits[foundSessions-1]
		part.More = pages.Link{Text: "older →", Href: f.Address("/search", "q", text, "inside", "no", "after", snapshot.Cursor(last))}
		hits = hits[:foundSessions]
	}
	for _, r := range hits {
		part.Hits = append(part.Hits, s.lineHit(r, byKey[r.Key], text))
	}
	return part
}

// lineHit is a session with the lines that were found in it.
func (s *Pages) lineHit(r *snapshot.Row, found *lines.Found, text string) pages.SearchHit {
	hit := s.hitOf(r)
	for _, at := range found.Rows {
		l, err := s.first.index.Line(at)
		if err != nil {
			continue
		}
		hit.Found = append(hit.Found, snippet(plain.Line(l.Text), text, pages.Snippet{Href: r.EventAt(l.Event), Word: l.Kind}))
	}
	if n := found.Count - len(found.Rows); n > 0 {
		hit.More = plain.Count(int64(n)) + " more"
	}
	return hit
}

func (s *Pages) hitOf(r *snapshot.Row) pages.SearchHit {
	return pages.SearchHit{Href: r.Address(), Title: r.Title(), Project: snapshot.ProjectLink(r).Text, Agent: r.AgentTitle(), When: show.Time(r.End, s.Now()),
		Outcome: snapshot.OutcomeOf(r.Verdict)}
}

// shownLines are the addresses of the events that hits show.
func shownLines(hits []pages.SearchHit) map[string]bool {
	shown := map[string]bool{}
	for _, hit := range hits {
		for _, one := range hit.Found {
			shown[one.Href] = true
		}
	}
	return shown
}

// snippet is what surrounds the first of a query's words in a line, or the line's beginning, with all words of the query marked.
func snippet(line, text string, to pages.Snippet) pages.Snippet {
	words := queryWords(text)
	if at, length := nextWord(line, words); length > 0 && at > aroundMatch {
		from := at - aroundMatch
		line = "…" + strings.ToValidUTF8(line[from:], "")
	}
	if most := 3 * aroundMatch; len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	for line != "" {
		at, length := nextWord(line, words)
		if at > 0 {
			to.Parts = append(to.Parts, pages.SnippetPart{Text: line[:at]})
		}
		if length > 0 {
			to.Parts = append(to.Parts, pages.SnippetPart{Text: line[at : at+length], Mark: true})
		}
		line = line[at+length:]
	}
	return to
}

// queryWords are the words of a query, in small letters and without the quotes around phrases.
func queryWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
}

// nextWord is where the first of some words is in a line, and how long it is there; the line's end and 0 if none is. Where small letters have
// another length than capitals, none is found.
func nextWord(line string, words []string) (at, length int) {
	low := strings.ToLower(line)
	at = len(line)
	if len(low) != len(line) {
		return at, 0
	}
	for _, w := range words {
		if i := strings.Index(low, w); i >= 0 && (i < at || i == at && len(w) > length) {
			at, length = i, len(w)
		}
	}
	return at, length
}

// rowsFrom are the rows from a session on, by its cursor: those after it.
func rowsFrom(rows []*snapshot.Row, from string) []*snapshot.Row {
	if from == "" {
		return rows
	}
	return snapshot.After(rows, from)
}
