package replay

import (
	"slices"
	"strings"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// Make drills down into members: the sessions that share key, or one session without a key. open
// reads the trace of one of the newest MaxOpened; if it fails, its error takes the trace's place.
func Make(key string, members []*insight.Digest, open func(*insight.Digest) (*trace.SessionTrace, error)) *Replay {
	members = slices.SortedFunc(slices.Values(members), insight.Newer)
	r := &Replay{Key: key, Opened: []Opened{}}
	for _, d := range members {
		r.count(d)
	}
	if len(members) > 0 {
		r.Shape = shape(key, members[0])
	}
	r.Errors, r.More.Errors = cut(errorsOf(members))
	r.Tools, r.More.Tools = cut(toolsOf(members))
	r.Files, r.More.Files = cut(filesOf(members))
	for _, d := range members {
		r.More.Errors += d.More.Errors
		r.More.Files += d.More.Changes
	}
	for _, d := range members[:min(len(members), MaxOpened)] {
		r.Opened = append(r.Opened, openOne(d, open))
	}
	r.More.Sessions = len(members) - len(r.Opened)
	return r
}

func (r *Replay) count(d *insight.Digest) {
	if d.Relation == trace.Subagent {
		r.Subagents++
	} else {
		r.Sessions++
	}
	if d.Live {
		r.Live++
	}
	if !d.Start.IsZero() && (r.First.IsZero() || d.Start.Before(r.First)) {
		r.First = d.Start
	}
	r.Last = later(r.Last, d.End)
}

func later(x, y time.Time) time.Time {
	if y.After(x) {
		return y
	}
	return x
}

// shape describes a key in words, by what every session with that key has in common with d.
func shape(key string, d *insight.Digest) string {
	switch key {
	case d.Keys.Sub:
		var classes []string
		for _, c := range d.Classes {
			if c.Class != failure.Cancelled {
				classes = append(classes, string(c.Class))
			}
		}
		return d.Agent.Name + ", errors of the classes " + strings.Join(classes, ", ")
	case d.Keys.Fine:
		e := &d.Errors[d.Decisive]
		text := "main error: " + string(e.Class)
		if e.Type != "" {
			text += " of " + string(e.Type)
		}
		return text
	}
	return d.Shape()
}

// cut returns the first MaxList entries and the number of the others.
func cut[T any](list []T) ([]T, int) {
	n := min(len(list), MaxList)
	return append([]T{}, list[:n]...), len(list) - n
}

func refTo(d *insight.Digest, event int) Ref {
	return Ref{Source: d.Source, Session: d.ID, Event: event}
}
