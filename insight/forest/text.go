package forest

import (
	"fmt"
	"strings"
	"time"

	"aburn/archive/lookup"
	"aburn/insight"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/trace/graph"
	"aburn/web/graphpage"
)

// Print prints the trees, or the rank.
func (g *GraphAnswer) Print(out *term.Out, now time.Time) error {
	if g.measure != "" {
		return g.showRank(out)
	}
	return g.showTrees(out, now)
}

// CutText is the note of how many trees or ranked sessions are shown, "" for all.
func (g *GraphAnswer) CutText() string {
	shown, noun := len(g.trees), "trees"
	if g.measure != "" {
		shown, noun = len(g.ranked), "trees that have any"
		if g.one != nil {
			noun = "sessions that have any"
		}
	}
	if shown >= g.Total {
		return ""
	}
	return fmt.Sprintf("%d of %s %s: --limit 0 shows all", shown, plain.Count(int64(g.Total)), noun)
}

// treeColumns are the columns of trees: the branch, what the session did itself, and what it did with all below it.
func treeColumns(narrow bool) []term.Column {
	title := func(short, long string) string { return term.NarrowTitle(narrow, short, long) }
	return []term.Column{
		{Title: "began"}, {Title: "session", Flex: true, Min: 20}, {Title: title("", "outcome")}, {Title: "calls", Right: true},
		{Title: title("bad", "failed"), Right: true}, {Title: title("tok", "tokens"), Right: true}, {Title: "active", Right: true},
		{Title: title("Σ", "Σ calls"), Right: true}, {Title: title("bad", "failed"), Right: true}, {Title: title("tok", "tokens"), Right: true},
		{Title: "active", Right: true},
	}
}

// treeWide is the width of a terminal, in cells, from which the long titles leave room for the sessions.
const treeWide = 140

func (g *GraphAnswer) showTrees(out *term.Out, now time.Time) error {
	narrow := out.Width() > 0 && out.Width() < treeWide
	table := term.Table{Columns: treeColumns(narrow), Width: term.TableWidth}
	list := g.List()
	drawn := branches(list)
	for i := range list {
		n := &list[i]
		name := term.Cell{Text: drawn[i] + nodeTitle(n), Style: g.nodeStyle(n)}
		began := term.Cell{Style: term.Dim}
		if n.Depth == 0 {
			name.Text = units.Join(n.Source+" "+name.Text, n.Project)
			if n.Start != nil {
				began.Text = n.Start.Local().Format(units.DateLayout(narrow, *n.Start, now))
			}
		}
		if n.Depth == 0 && i > 0 && (list[i-1].Depth > 0 || i+1 < len(list) && list[i+1].Depth > 0) {
			table.AddCells()
		}
		cells := append([]term.Cell{began, name}, ownCells(n, &n.Own, narrow)...)
		table.AddCells(append(cells, wholeCells(n, narrow)...)...)
	}
	return table.Print(out, 0)
}

// nodeStyle highlights the session that the query named.
func (g *GraphAnswer) nodeStyle(n *graphpage.Node) term.Style {
	switch {
	case g.one != nil && len(g.trees[0].Children) > 0 && n.Session == g.one.ID && n.Source == g.one.Source:
		return term.BoldCyan
	case n.Missing:
		return term.Dim
	}
	return term.Plain
}

// nodeTitle is what stands in a node's first column behind its branch.
func nodeTitle(n *graphpage.Node) string {
	sign := lookup.RelationSign(n.Relation)
	if n.Provenance == trace.Inferred {
		sign += "?"
	}
	text := strings.TrimSpace(sign + " " + n.Name)
	if n.Loop {
		text += " (a circle of relationships is cut here)"
	}
	return strings.TrimSpace(text + " " + n.Label())
}

// ownCells are the outcome and the numbers of a session itself, or of some other sums; nothing of one that is missing.
func ownCells(n *graphpage.Node, s *graphpage.Sums, narrow bool) []term.Cell {
	if s.Sessions == 0 {
		return make([]term.Cell, 5)
	}
	mark, style := lookup.OutcomeMark(insight.Outcome(n.Outcome))
	if !narrow {
		mark += " " + n.Outcome
	}
	return append([]term.Cell{{Text: mark, Style: style}}, sumCells(s)...)
}

// wholeCells are the sums of a subtree; nil for a leaf.
func wholeCells(n *graphpage.Node, narrow bool) []term.Cell {
	switch {
	case n.Whole == n.Own:
		return nil
	case narrow: // there is no room for the time
		return sumCells(&n.Whole)[:3]
	}
	return sumCells(&n.Whole)
}

// sumCells are calls, failed calls, tokens and active time.
func sumCells(s *graphpage.Sums) []term.Cell {
	failed := term.Cell{Text: plain.Count(int64(s.Failed)), Style: term.Dim}
	if s.Failed > 0 {
		failed.Style = term.Red
	}
	return []term.Cell{{Text: plain.Count(int64(s.Calls))}, failed, {Text: units.Tokens(s.Tokens)}, {Text: units.Milliseconds(s.ActiveMS)}}
}

// branches draws the lines in front of the nodes of one tree.
func branches(nodes []graphpage.Node) []string {
	last := make([]bool, len(nodes)) // the last child of its parent
	at := map[int]int{}              // depth → whether a deeper look found a sibling below
	for i := len(nodes) - 1; i >= 0; i-- {
		d := nodes[i].Depth
		last[i] = at[d] == 0
		at[d] = 1
		for deeper := range at {
			if deeper > d {
				delete(at, deeper)
			}
		}
	}
	lines, open := make([]string, len(nodes)), []bool{} // open: whether the line of a depth goes on
	for i := range nodes {
		d := nodes[i].Depth
		if d == 0 {
			open = open[:0]
			continue
		}
		open = open[:min(d-1, len(open))]
		var b strings.Builder
		if d > deepest {
			fmt.Fprintf(&b, "%d ", d)
		} else {
			for _, goesOn := range open {
				if goesOn {
					b.WriteString("│ ")
				} else {
					b.WriteString("  ")
				}
			}
		}
		if last[i] {
			b.WriteString("└ ")
		} else {
			b.WriteString("├ ")
		}
		lines[i] = b.String()
		open = append(open, !last[i])
	}
	return lines
}

// deepest is the depth to which branches are drawn; deeper nodes show their depth as a number.
const deepest = 12

func (g *GraphAnswer) showRank(out *term.Out) error {
	narrow := out.Width() > 0 && out.Width() < treeWide
	rows := make([]rankLine, len(g.ranked))
	for i, n := range g.ranked {
		totals := n.Own
		if g.one == nil {
			totals = n.Whole
		}
		sums := graphpage.SumsOf(totals)
		node := g.nodeFacts(n)
		own := ownCells(&node, &sums, narrow)
		rows[i] = rankLine{node: node, value: g.measure.Of(totals), sessions: totals.Sessions, outcome: own[0], calls: own[1], failed: own[2], tokens: own[3],
			active: own[4]}
	}
	return term.TableOf(g.rankFields(narrow), rows).Print(out, 0)
}

// rankLine is a session or tree in the rank.
type rankLine struct {
	node                                   graphpage.Node
	value                                  int64
	sessions                               int
	outcome, calls, failed, tokens, active term.Cell
}

// rankFields are the columns of the rank. The one that would only repeat the measure is empty.
func (g *GraphAnswer) rankFields(narrow bool) []term.Field[rankLine] {
	unless := func(m graph.Measure, c term.Cell) term.Cell {
		if g.measure == m {
			return term.Cell{}
		}
		return c
	}
	return []term.Field[rankLine]{
		{Column: term.Column{Title: string(g.measure), Right: true}, Cell: func(l rankLine) term.Cell {
			text := units.Amount(l.value)
			if g.measure == graph.Duration {
				text = units.Milliseconds(l.value)
			}
			return term.Cell{Text: text, Style: term.Bold}
		}},
		{Column: term.Column{Title: "share", Right: true}, Cell: func(l rankLine) term.Cell { return term.Cell{Text: units.PercentOf(l.value, g.sum)} }},
		{Column: term.Column{Title: "session"}, Cell: func(l rankLine) term.Cell { return term.Cell{Text: l.node.Name} }},
		{Column: term.Column{Title: "outcome"}, Cell: func(l rankLine) term.Cell { return l.outcome }},
		{Column: term.Column{Title: "calls", Right: true}, Cell: func(l rankLine) term.Cell { return l.calls }},
		{Column: term.Column{Title: term.NarrowTitle(narrow, "bad", "failed"), Right: true},
			Cell: func(l rankLine) term.Cell { return unless(graph.Failures, l.failed) }},
		{Column: term.Column{Title: "tokens", Right: true}, Cell: func(l rankLine) term.Cell { return unless(graph.Tokens, l.tokens) }},
		{Column: term.Column{Title: "active", Right: true}, Cell: func(l rankLine) term.Cell { return unless(graph.Duration, l.active) }},
		{Column: term.Column{Title: term.NarrowTitle(narrow, "in", "sessions"), Right: true}, Cell: func(l rankLine) term.Cell {
			if g.one != nil {
				return term.Cell{}
			}
			return term.Count(l.sessions, term.Plain, term.Plain)
		}},
		{Column: term.Column{Title: "about", Flex: true, Min: 10}, Cell: func(l rankLine) term.Cell {
			return term.Cell{Text: strings.TrimSpace(lookup.RelationSign(l.node.Relation) + " " + l.node.Label())}
		}},
	}
}
