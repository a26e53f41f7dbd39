package viewer

import (
	"strconv"

	"aburn/insight"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/web/pages"
)

func (o *opened) errorPart() *pages.MainError {
	if o.mainError == nil {
		return nil
	}
	f := filter{key: o.keys.Fine, kind: "all"}
	n := len(o.v.sessions(f)) - 1
	if !o.over() { // it is not counted yet
		n++
	}
	return &pages.MainError{Text: plain.Line(o.mainError.Text), Class: units.Join(string(o.mainError.Class), insight.Times(o.mainError.Count)), Key: o.keys.Fine,
		Href:   "/failures/" + o.keys.Fine,
		At:     pages.Link{Text: "event " + strconv.Itoa(o.mainError.First), Href: o.eventAt(o.mainError.First)},
		Others: pages.Figure{Text: plain.Count(int64(n)), Small: "other sessions and sub-agents"}}
}

// filesShown is how many changed files are listed.
const filesShown = 12

func (o *opened) files() (list []pages.FileChange, more int) {
	if o.digest == nil {
		return nil, 0
	}
	for i, c := range o.digest.Changes {
		if i == filesShown {
			break
		}
		one := pages.FileChange{Path: plain.CutStart(plain.Line(c.Path), 46), Href: o.eventAt(c.Event)}
		if c.Added != nil {
			one.Added = "+" + strconv.Itoa(*c.Added)
		}
		if c.Removed != nil {
			one.Removed = "−" + strconv.Itoa(*c.Removed)
		}
		list = append(list, one)
	}
	return list, len(o.digest.Changes) - len(list) + o.digest.More.Changes
}

// relativesShown is how many relatives are listed.
const relativesShown = 12

// familyOf are the sessions that a session belongs together with.
func familyOf(v *view, r *row) (list []pages.Relative) {
	add := func(sign, word string, o *row, detail string) {
		one := pages.Relative{Sign: sign, Word: word, Detail: detail, Link: pages.Link{Text: plain.Cut(o.title(), 44), Href: o.address()}}
		if o.cost.Responses > 0 {
			one.Cost = pages.Figure{Text: v.currency.Says(&o.cost)}
		}
		list = append(list, one)
	}
	if r.parent != nil {
		add("↑", "started by", r.parent, "")
	}
	for i := range v.rows {
		if len(list) >= relativesShown {
			break
		}
		if o := v.rows[i]; o.parent == r {
			add("↳", "sub-agent", o, outcomeOf(o.verdict).Word)
		}
	}
	return append(list, relations(v, r)...)
}

// relations are the forks and continuations of a session, both ways.
func relations(v *view, r *row) (list []pages.Relative) {
	for _, tie := range v.ties {
		if tie.Kind == trace.Subagent || tie.Key != r.Key && tie.RelatedKey != r.Key || len(list) >= relativesShown {
			continue
		}
		other, sign, word := v.byKey[tie.RelatedKey], "↑", string(tie.Kind)+" of"
		if tie.RelatedKey == r.Key {
			other, sign, word = v.byKey[tie.Key], "↗", string(tie.Kind)
		}
		if other == nil {
			continue
		}
		list = append(list, pages.Relative{Sign: sign, Word: word, Link: pages.Link{Text: plain.Cut(other.title(), 44), Href: other.address()}})
	}
	return list
}

func (o *opened) kinds() (list []pages.Pair, note string) {
	t := &o.cost.Tokens
	for _, k := range []struct {
		name string
		n    int64
	}{{"input", t.Input}, {"read from cache", t.CacheRead}, {"written to cache, 5 min", t.Write5m}, {"written to cache, 1 h", t.Write1h},
		{"written to cache", t.Write}, {"output", t.Output}, {"web searches", o.cost.Searches}} {
		if k.n > 0 {
			list = append(list, pages.Pair{Name: k.name, Value: units.Amount(k.n)})
		}
	}
	return list, o.v.billingNote
}

// copies are the commands that go on with a session.
func (o *opened) copies() (list []pages.Copy) {
	if resume := resumeCommand(o.Source, o.head.ID, o.head.Project.Path); resume != "" {
		list = append(list, pages.Copy{Label: "Copy resume command", Text: resume})
	}
	return append(list, pages.Copy{Label: "Copy show command", Text: "aburn show " + shell.Quote(o.Source+"/"+o.ID)})
}

// resumeCommand is how a person takes a session up again, "" where that is not known.
func resumeCommand(source, id, dir string) string {
	with := agentcli.Of(source).Resume
	if with == "" || id == "" || plain.Line(id) != id || plain.Line(dir) != dir {
		return ""
	}
	text := with + " " + shell.Quote(id)
	if dir != "" {
		text = "cd " + shell.Quote(dir) + " && " + text
	}
	return text
}
