package site

import (
	"strconv"

	"aburn/archive/story"
	"aburn/insight"
	"aburn/insight/failure"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/units"
	"aburn/trace"
	"aburn/web/pages"
	"aburn/web/site/snapshot"
)

func (o *opened) errorPart() *pages.MainError {
	if o.MainError == nil {
		return nil
	}
	f := snapshot.Filter{Key: o.Keys.Fine, Kind: "all"}
	n := len(o.v.Sessions(f)) - 1
	if !o.Over() { // it is not counted yet
		n++
	}
	one := &pages.MainError{Text: failure.Unwrap(plain.Line(o.MainError.Text)), Class: units.Join(string(o.MainError.Class), insight.Times(o.MainError.Count)),
		Key: o.Keys.Fine, At: pages.Link{Text: "event " + strconv.Itoa(o.MainError.First), Href: o.EventAt(o.MainError.First)}}
	if n > 0 {
		one.Others = pages.Link{Text: plain.Plural(int64(n), "other session or sub-agent", "other sessions and sub-agents"), Href: "/failures/" + o.Keys.Fine}
	}
	return one
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
		one := pages.FileChange{Path: plain.CutStart(plain.Line(c.Path), 46), Href: o.EventAt(c.Event)}
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
func familyOf(v *snapshot.View, r *snapshot.Row) (list []pages.Relative) {
	add := func(sign, word string, o *snapshot.Row, detail string) {
		one := pages.Relative{Sign: sign, Word: word, Detail: detail, Link: pages.Link{Text: plain.Cut(o.Title(), 44), Href: o.Address()}}
		if o.Cost.Responses > 0 {
			one.Cost = pages.Figure{Text: v.Currency.Says(&o.Cost)}
		}
		list = append(list, one)
	}
	if r.Parent != nil {
		add("↑", "started by", r.Parent, "")
	}
	for i := range v.Rows {
		if len(list) >= relativesShown {
			break
		}
		if o := v.Rows[i]; o.Parent == r {
			add("↳", "sub-agent", o, snapshot.OutcomeOf(o.Verdict).Word)
		}
	}
	return append(list, relations(v, r)...)
}

// relations are the forks and continuations of a session, both ways.
func relations(v *snapshot.View, r *snapshot.Row) (list []pages.Relative) {
	for _, tie := range v.Ties {
		if tie.Kind == trace.Subagent || tie.Key != r.Key && tie.RelatedKey != r.Key || len(list) >= relativesShown {
			continue
		}
		other, sign, word := v.ByKey[tie.RelatedKey], "↑", string(tie.Kind)+" of"
		if tie.RelatedKey == r.Key {
			other, sign, word = v.ByKey[tie.Key], "↗", string(tie.Kind)
		}
		if other == nil {
			continue
		}
		list = append(list, pages.Relative{Sign: sign, Word: word, Link: pages.Link{Text: plain.Cut(other.Title(), 44), Href: other.Address()}})
	}
	return list
}

func (o *opened) kinds() (list []pages.Pair, note string) {
	t := &o.Cost.Tokens
	for _, k := range []struct {
		name string
		n    int64
	}{{"input", t.Input}, {"cache read", t.CacheRead}, {"cache write, 5 min", t.Write5m}, {"cache write, 1 h", t.Write1h},
		{"cache write", t.Write}, {"output", t.Output}, {"web searches", o.Cost.Searches}} {
		if k.n > 0 {
			list = append(list, pages.Pair{Name: k.name, Value: units.Amount(k.n)})
		}
	}
	return list, o.v.BillingNote
}

// copies are the commands that go on with a session.
func (o *opened) copies() (list []pages.Copy) {
	if resume := story.ContinueCommand(o.Source, o.Head.ID, o.Head.Project.Path); resume != "" {
		list = append(list, pages.Copy{Label: "Copy resume command", Text: resume})
	}
	return append(list, pages.Copy{Label: "Copy show command", Text: "aburn show " + shell.Quote(o.Source+"/"+o.ID)})
}
