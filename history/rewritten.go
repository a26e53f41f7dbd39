package history

import (
	"cmp"
	"maps"
	"slices"
)

// The bounds of the search for originals: commits that are compared, and those that one squash can have joined.
const (
	mostCompared = 1000
	mostSquashed = 50
)

// patch is the patch id of what a commit changed.
func (l *Linker) patch(c *Commit) string {
	if len(c.Parents) != 1 {
		return ""
	}
	return l.Patch(c.Parents[0], c.Hash)
}

// originals are the makers of the commits that a commit is a copy of, or that were squashed into it.
func (l *Linker) originals(c *Commit) (makers []Maker) {
	if len(c.Parents) != 1 {
		return nil
	}
	files := l.Files(c.Hash)
	if len(files) == 0 {
		return nil
	}
	others := l.madeCommits(c)
	for _, o := range others {
		if o.Authored.Equal(c.Authored) || slices.Equal(l.Files(o.Hash), files) {
			if found := l.makers(o); len(found) > 0 && l.patch(o) != "" && l.patch(o) == l.patch(c) {
				return from(found, o, "same patch")
			}
		}
	}
	for _, tip := range others {
		if list := l.squashed(c, tip, files); list != nil {
			for _, o := range list {
				makers = append(makers, from(l.makers(o), o, "squashed")...)
			}
			if len(makers) > 0 {
				return makers
			}
		}
	}
	return nil
}

func from(makers []Maker, o *Commit, evidence string) (list []Maker) {
	for _, m := range makers {
		m.Original, m.Evidence = o.Hash, evidence+", "+m.Evidence
		list = append(list, m)
	}
	return list
}

// madeCommits are the commits that somebody made before c, the newest first.
func (l *Linker) madeCommits(c *Commit) []*Commit {
	made := map[string]*Commit{}
	for _, m := range l.Moves {
		if o := l.Commits[m.Now]; m.makes() && o != nil && o.Hash != c.Hash && len(o.Parents) == 1 && !o.Committed.After(c.Committed) {
			made[o.Hash] = o
		}
	}
	list := slices.SortedFunc(maps.Values(made), func(a, b *Commit) int {
		return cmp.Or(b.Committed.Compare(a.Committed), cmp.Compare(a.Hash, b.Hash))
	})
	return list[:min(len(list), mostCompared)]
}

// squashed are the commits up to tip, at least two, that together have c's patch; nil if there are none.
func (l *Linker) squashed(c, tip *Commit, files []string) []*Commit {
	var list []*Commit
	touched := map[string]bool{}
	for o := tip; o != nil && len(o.Parents) == 1 && len(list) < mostSquashed; o = l.Commits[o.Parents[0]] {
		if o.Hash == c.Hash {
			return nil
		}
		list = append(list, o)
		for _, f := range l.Files(o.Hash) {
			touched[f] = true
		}
		if len(list) < 2 || !covers(touched, files) {
			continue
		}
		if id := l.Patch(o.Parents[0], tip.Hash); id != "" && id == l.patch(c) {
			return list
		}
	}
	return nil
}

func covers(touched map[string]bool, files []string) bool {
	return !slices.ContainsFunc(files, func(f string) bool { return !touched[f] })
}
