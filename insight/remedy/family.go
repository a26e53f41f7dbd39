package remedy

import "aburn/insight"

// family is the sessions that work on one task: a session and the sub-agents below it. What one of them came to is no
// evidence for another: a sub-agent that ended well did not solve what its parent failed at.
type family struct {
	source  string
	parents map[string]string // of sub-agents of source, by ID
	top     string
}

// familyOf is the family of d.
func familyOf(d *insight.Digest, all []*insight.Digest) *family {
	f := &family{source: d.Source, parents: map[string]string{}}
	for _, o := range all {
		if o.Source == d.Source && o.Parent != "" {
			f.parents[o.ID] = o.Parent
		}
	}
	if d.Parent != "" {
		f.parents[d.ID] = d.Parent
	}
	f.top = f.topOf(d.ID)
	return f
}

// has says whether o is of the family.
func (f *family) has(o *insight.Digest) bool { return o.Source == f.source && f.topOf(o.ID) == f.top }

// topOf is the session that nothing started, above the one called id. A store can be made so that parents go round in a
// circle; then it is the least of those on it.
func (f *family) topOf(id string) string {
	var seen map[string]bool
	for !seen[id] {
		parent, ok := f.parents[id]
		if !ok {
			return id
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[id] = true
		id = parent
	}
	least := id
	for at := f.parents[id]; at != id; at = f.parents[at] {
		least = min(least, at)
	}
	return least
}
