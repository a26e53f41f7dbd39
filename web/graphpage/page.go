package graphpage

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/insight"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/web"
	"aburn/web/pages"
)

// Page is the content of the HTML page: one tree, and its nodes' calls by Node.Node.
type Page struct {
	Title string
	Made  time.Time // in the zone of the page's times
	Nodes []Node
	Calls map[int][]Call
}

// Call is a call of a session.
type Call struct {
	Index      int
	Tool       string
	Type       trace.ToolType
	Status     trace.Status // empty without a result
	Failed     bool
	Denied     string
	ExitCode   *int
	Text       string // a path or the head of a command
	Start      time.Time
	DurationMS int64
	Gap        bool // it took at most so long
	Length     int64
}

// HTML writes the page: one file that loads nothing and has no script.
func (p *Page) HTML(w io.Writer) error {
	root := Node{}
	if len(p.Nodes) > 0 {
		root = p.Nodes[0]
	}
	g := &pages.Graph{Title: plain.Line(p.Title), Tiles: tiles(&root.Whole), Legend: legend, Sub: "aburn graph of " + plain.Line(root.Source+" "+root.Name) +
		", made " + p.Made.Format("2006-01-02 15:04 MST") + ". All times are in this zone.",
		Live: pages.Link{Text: "The session in aburn web", Href: web.SessionLink(root.Source, root.Session)}}
	axis, untimed := p.axis()
	if axis != nil {
		g.Ends = []string{p.clock(axis.First), "pauses are cut short", p.clock(axis.Last)}
	}
	if untimed > 0 {
		g.Untimed = plain.Plural(int64(untimed), "call") + " without a known time: no lane has " + choose(untimed == 1, "it", "them") + "."
	}
	for i := range p.Nodes {
		g.Rows = append(g.Rows, p.row(&p.Nodes[i], axis))
	}
	return g.Write(w)
}

func tiles(s *Sums) []pages.GraphTile {
	failed := ""
	if s.Failed > 0 {
		failed = "bad"
	}
	return []pages.GraphTile{
		{Name: "sessions", ID: "sessions", Text: count(s.Sessions)}, {Name: "prompts", ID: "prompts", Text: count(s.Prompts)},
		{Name: "calls", ID: "calls", Text: count(s.Calls)}, {Name: "failed", ID: "failed", Text: count(s.Failed), Class: failed},
		{Name: "without an end", ID: "no_result", Text: count(s.NoResult)}, {Name: "tokens", ID: "tokens", Text: plain.Count(s.Tokens)},
		{Name: "active", ID: "active", Text: lasting(s.ActiveMS), Tip: "the active times of all sessions added up; pauses over 10 minutes are not in them"},
		{Name: "span", ID: "span", Text: lasting(s.SpanMS), Tip: "the time from start to end of any of the sessions, each moment once"},
	}
}

// legend is the colours of calls by their result.
var legend = []pages.Part{{Class: "c-completed", Name: "completed"}, {Class: "c-bad", Name: "failed"}, {Class: "c-held", Name: "no result"},
	{Class: "c-cancelled", Name: "cancelled"}, {Class: "c-running", Name: "running"}, {Class: "c-unknown", Name: "unknown"}}

// deepest is how far a row is indented at most.
const deepest = 8

var signs = map[trace.Relation]string{trace.Root: "●", trace.Subagent: "↳", trace.Fork: "↗", trace.Continuation: "→"}

func (p *Page) row(n *Node, axis *pages.Axis) pages.GraphRow {
	one := pages.GraphRow{Node: n.Node, Depth: min(n.Depth, deepest), Href: web.SessionLink(n.Source, n.Session), Source: plain.Line(n.Source),
		Name: plain.Line(n.Name), Session: plain.Line(n.Source + "/" + n.Session), Agent: plain.Line(strings.TrimSpace(n.Agent.Name + " " + n.Agent.Version)),
		What: plain.Line(n.Label()), Sign: signs[n.Relation], Relation: relation(n), Class: outcomeClass(n), Word: word(n), Why: plain.Line(n.Reason),
		Own: sums(&n.Own), Below: sums(&n.Whole), Others: n.Whole.Sessions - n.Own.Sessions}
	if n.Start != nil {
		one.Began = p.clock(*n.Start)
	}
	if n.End != nil {
		one.Ended = p.clock(*n.End)
	}
	calls := slices.Clone(p.Calls[n.Node])
	slices.SortStableFunc(calls, func(a, b Call) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Index, b.Index)) })
	for i := range calls {
		c := &calls[i]
		one.Calls = append(one.Calls, p.call(c))
		if axis != nil && !c.Start.IsZero() {
			span := axis.Span(c.Start, c.Start.Add(time.Duration(c.DurationMS)*time.Millisecond))
			span.Class = callClass(c)
			one.Lane = append(one.Lane, span)
		}
	}
	return one
}

func (p *Page) call(c *Call) pages.GraphCall {
	one := pages.GraphCall{Index: c.Index, Tool: plain.Line(c.Tool), Kind: plain.Line(string(c.Type)), State: plain.Line(c.state()), Text: plain.Line(c.Text)}
	if c.Failed {
		one.Class = "bad"
	}
	if c.Denied != "" {
		one.State += " by " + plain.Line(c.Denied)
	}
	if c.ExitCode != nil {
		one.Exit = strconv.Itoa(*c.ExitCode)
	}
	if c.DurationMS > 0 {
		one.Took = choose(c.Gap, "≤", "") + lasting(c.DurationMS)
	}
	if c.Length > 0 {
		one.Size = plain.Size(c.Length)
	}
	if !c.Start.IsZero() {
		one.At = c.Start.In(p.Made.Location()).Format("2006-01-02 15:04:05")
	}
	return one
}

// axis is that of all calls and sessions, and how many calls have no time.
func (p *Page) axis() (axis *pages.Axis, untimed int) {
	var times []time.Time
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Start != nil {
			times = append(times, *n.Start)
		}
		for _, c := range p.Calls[n.Node] {
			if c.Start.IsZero() {
				untimed++
				continue
			}
			times = append(times, c.Start, c.Start.Add(time.Duration(c.DurationMS)*time.Millisecond))
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	return pages.NewAxis(times), untimed
}

func (p *Page) clock(t time.Time) string {
	return t.In(p.Made.Location()).Format("2006-01-02 15:04:05")
}

func sums(s *Sums) pages.GraphSums {
	return pages.GraphSums{Sessions: count(s.Sessions), Calls: count(s.Calls), Failed: count(s.Failed), NoEnd: count(s.NoResult), Tokens: plain.Count(s.Tokens),
		Active: lasting(s.ActiveMS)}
}

func count(n int) string { return plain.Count(int64(n)) }

func lasting(ms int64) string { return plain.Duration(time.Duration(ms) * time.Millisecond) }

func relation(n *Node) string {
	text := plain.Line(string(n.Relation))
	if n.Provenance == trace.Inferred {
		text += choose(n.Evidence == "", " (inferred)", " (inferred from "+plain.Line(n.Evidence)+")")
	}
	if n.Loop {
		text += ", a circle of relationships was cut here"
	}
	return text
}

func outcome(n *Node) string {
	if n.Missing {
		return "missing"
	}
	return n.Outcome
}

// word is the outcome as pages say it.
func word(n *Node) string { return plain.Line(insight.Outcome(outcome(n)).Word()) }

func outcomeClass(n *Node) string {
	switch insight.Outcome(n.Outcome) {
	case insight.Completed:
		return "good"
	case insight.Errored, insight.GaveUp:
		return "bad"
	case insight.Killed, insight.Crashed:
		return "cut"
	case insight.Interrupted:
		return "held"
	case insight.Running:
		return "live"
	}
	return "open"
}

// state is the call's result in the legend's words.
func (c *Call) state() string {
	switch {
	case c.Failed:
		return "failed"
	case c.Status == "":
		return "no result"
	}
	return string(c.Status)
}

func callClass(c *Call) string {
	for _, p := range legend {
		if p.Name == c.state() {
			return p.Class
		}
	}
	return "c-unknown"
}

func choose(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}
