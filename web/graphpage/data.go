package graphpage

import (
	"time"

	"aburn/insight"
	"aburn/internal/plain"
	"aburn/trace"
)

// pageData is what the page's script reads. To stay small with many calls, texts are stored once
// and calls are arrays.
type pageData struct {
	Base    int64             `json:"base"` // milliseconds since 1970; all times count from here
	Nodes   []pageNode        `json:"nodes"`
	Texts   []string          `json:"texts"`
	Calls   map[int][]pageRow `json:"calls"`
	Untimed int               `json:"untimed"` // calls without a known time, which the timeline leaves out
}

type pageNode struct {
	Node      int    `json:"n"`
	Parent    int    `json:"p"`
	Depth     int    `json:"d"`
	Name      string `json:"name"`
	Session   string `json:"session"`
	Source    string `json:"source"`
	Label     string `json:"label"`
	Relation  string `json:"relation"`
	Inferred  string `json:"inferred,omitempty"`
	Outcome   string `json:"outcome"`
	Word      string `json:"word"` // for the outcome
	From      string `json:"from,omitempty"`
	Start     *int64 `json:"start,omitempty"`
	End       *int64 `json:"end,omitempty"`
	Own       Sums   `json:"own"`
	Whole     Sums   `json:"whole"`
	Loop      bool   `json:"loop,omitempty"`
	AgentName string `json:"agent"`
}

// pageRow is a call: start, duration, type, status, tool, text, exit code (null if unknown),
// length, index, who denied it, whether the duration is only an upper bound. Type, status, tool, text and denied are indices of Texts.
type pageRow [11]any

func (p *Page) data() pageData {
	d := pageData{Nodes: []pageNode{}, Texts: []string{}, Calls: map[int][]pageRow{}}
	base := p.base()
	d.Base = base.UnixMilli()
	at := func(t *time.Time) *int64 {
		if t == nil {
			return nil
		}
		ms := t.Sub(base).Milliseconds()
		return &ms
	}
	texts := map[string]int{}
	text := func(s string) int {
		s = plain.Line(s)
		i, ok := texts[s]
		if !ok {
			i = len(d.Texts)
			texts[s] = i
			d.Texts = append(d.Texts, s)
		}
		return i
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		d.Nodes = append(d.Nodes, pageNode{
			Node: n.Node, Parent: n.Parent, Depth: n.Depth, Name: plain.Line(n.Name), Session: plain.Line(n.Session), Source: plain.Line(n.Source),
			Label: plain.Line(n.Label()), Relation: string(n.Relation), Inferred: inferred(n), Outcome: outcome(n), Word: word(n), From: plain.Line(n.Reason),
			Start: at(n.Start), End: at(n.End), Own: n.Own, Whole: n.Whole, Loop: n.Loop, AgentName: plain.Line(n.Agent.Name + " " + n.Agent.Version),
		})
		for _, c := range p.Calls[n.Node] {
			if c.Start.IsZero() {
				d.Untimed++
				continue
			}
			d.Calls[n.Node] = append(d.Calls[n.Node], pageRow{
				c.Start.Sub(base).Milliseconds(), c.DurationMS, text(string(c.Type)), text(c.state()), text(c.Tool), text(c.Text), c.ExitCode, c.Length, c.Index,
				text(c.Denied), c.Gap,
			})
		}
	}
	return d
}

// base is the earliest time on the page.
func (p *Page) base() (base time.Time) {
	earlier := func(t time.Time) {
		if !t.IsZero() && (base.IsZero() || t.Before(base)) {
			base = t
		}
	}
	for i := range p.Nodes {
		if s := p.Nodes[i].Start; s != nil {
			earlier(*s)
		}
		for _, c := range p.Calls[p.Nodes[i].Node] {
			earlier(c.Start)
		}
	}
	return base
}

func inferred(n *Node) string {
	if n.Provenance != trace.Inferred {
		return ""
	}
	if n.Evidence == "" {
		return "inferred"
	}
	return "inferred from " + plain.Line(n.Evidence)
}

func outcome(n *Node) string {
	if n.Missing {
		return "missing"
	}
	return n.Outcome
}

// word says the outcome as pages do.
func word(n *Node) string { return plain.Line(insight.Outcome(outcome(n)).Word()) }

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
