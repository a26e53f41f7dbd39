package graphpage

import (
	"embed"
	"html/template"
	"io"
	"time"

	"aburn/internal/plain"
	"aburn/trace"
	"aburn/web"
)

// Page is the content of the HTML page: one tree, and its nodes' calls by Node.Node.
type Page struct {
	Title string
	Made  time.Time
	Nodes []Node
	Calls map[int][]Call
}

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

//go:embed page
var files embed.FS

func (p *Page) HTML(w io.Writer) error {
	page := web.Page{
		Title: p.Title, Files: files, Body: "page/page.html", Styles: []string{"page/page.css"},
		Scripts: []string{"page/data.js", "page/tree.js", "page/time.js", "page/lanes.js"},
		Funcs:   template.FuncMap{"live": web.SessionLink, "count": plain.Count, "duration": durationOf, "int64": func(n int) int64 { return int64(n) }},
		Values:  map[string]any{"Title": plain.Line(p.Title), "Made": p.Made.UTC().Format("2006-01-02 15:04 MST"), "Rows": p.rows(), "Root": p.root()},
		Data:    p.data(),
	}
	return page.Write(w)
}

func durationOf(ms int64) string { return plain.Duration(time.Duration(ms) * time.Millisecond) }

// root is the first node, or the zero Node.
func (p *Page) root() Node {
	if len(p.Nodes) == 0 {
		return Node{}
	}
	return p.Nodes[0]
}

type row struct {
	Node
	What     string
	Word     string
	Relation string
	Began    string
}

func (p *Page) rows() []row {
	rows := make([]row, len(p.Nodes))
	for i, n := range p.Nodes {
		rows[i] = row{Node: n, What: plain.Line(n.Label()), Word: word(&n), Relation: string(n.Relation)}
		if n.Provenance == trace.Inferred {
			rows[i].Relation += " (inferred)"
		}
		if n.Start != nil {
			rows[i].Began = n.Start.UTC().Format("2006-01-02 15:04:05")
		}
	}
	return rows
}
