package remedy

import "aburn/insight"

// family is the sessions that work on one task: a session and all sub-agents below it. The
// outcome of one is no evidence for another: a sub-agent that ended well did not solve what its
// parent failed at.
type family struct {
	source  string
	parents map[string]string // parents of source's sub-agents, by ID
	top     string
}

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

func (f *family) has(o *insight.Digest) bool { return o.Source == f.source && f.topOf(o.ID) == f.top }

// topOf is the ancestor of id that nothing started. A store may contain a circle of parents; the
// answer is then the least id on it.
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
