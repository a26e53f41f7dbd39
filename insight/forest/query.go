package forest

import (
	"cmp"
	"context"
	"time"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/internal/fault"
	"aburn/trace/graph"
	"aburn/web/graphpage"
)

// TreeLimit is the default of --limit: how many trees, or lines of --top, are shown.
const TreeLimit = 10

// GraphQuery asks for trees, or for a rank.
type GraphQuery struct {
	lookup.Choice
	Session string        // only the tree of this one; excludes a choice
	Top     graph.Measure // rank by it instead
	Limit   int           // trees, or lines of a rank; 0 for all
	Calls   bool          // also the calls of each session, which only a page needs
}

func (q *GraphQuery) Check() error {
	switch {
	case q.Session != "" && q.Choice != lookup.Choice{}:
		return fault.Usage("--since, --until, --source and --project choose trees, and SESSION has chosen one")
	case q.Limit < 0:
		return fault.Usage("--limit: must not be negative")
	}
	_, err := lookup.CheckWord("top", string(q.Top), fault.Strings(graph.Measures()...))
	return err
}

// GraphOf answers a query. all reads the trees of the whole archive, or returns cached ones.
func GraphOf(ctx context.Context, c *lookup.Caller, q GraphQuery, all func(context.Context, *archive.Archive) (*Forest, error)) (*GraphAnswer, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, q.Choice)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	f, err := all(ctx, arch)
	if err != nil {
		return nil, err
	}
	g := &GraphAnswer{Forest: f, measure: q.Top}
	if q.Session != "" {
		err = g.chooseOne(ctx, c, arch, q.Session)
	} else {
		err = g.choose(ctx, c, arch, filter)
	}
	if err != nil {
		return nil, err
	}
	g.cut(q.Limit)
	if err := g.readTotals(ctx, c, arch, g.trees); err != nil {
		return nil, err
	}
	if q.Calls {
		err = g.readCalls(ctx, arch)
	}
	if err == nil && g.Total == 0 {
		g.Archived, err = lookup.CountArchived(ctx, arch)
	}
	return g, err
}

func (g *GraphAnswer) readCalls(ctx context.Context, arch *archive.Archive) error {
	g.calls = map[int][]graphpage.Call{}
	number := 0
	for n := range g.trees[0].All() {
		number++
		if n.Missing {
			continue
		}
		for row, err := range arch.Calls(ctx, archive.CallFilter{Key: n.Key}) {
			if err != nil {
				return err
			}
			g.calls[number] = append(g.calls[number], graphpage.Call{
				Index: row.Index, Tool: row.Tool, Type: row.Type, Status: row.Status, Failed: row.Failed, Denied: row.Denied, ExitCode: row.ExitCode,
				Text: row.Subject(), Start: row.Start, DurationMS: row.DurationMS, Gap: row.Gap, Length: row.Length,
			})
		}
	}
	return nil
}

func (g *GraphAnswer) Page(now time.Time) *graphpage.Page {
	p := &graphpage.Page{Nodes: g.List(), Made: now.Local(), Calls: g.calls}
	p.Title = cmp.Or(p.Nodes[0].Label(), p.Nodes[0].Source+" "+p.Nodes[0].Name)
	return p
}
