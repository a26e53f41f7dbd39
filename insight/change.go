package insight

import (
	"cmp"
	"slices"

	"aburn/trace"
)

type history struct {
	change   Change
	loop     EditLoop
	contents map[string]bool // hashes the file has had
}

// changes lists each file's changes and edit loops. A change counts where the source reports one.
// Where it reports none, a successful edit counts for the loops only, because its effect is
// unknown.
func (s *session) changes() {
	files := files{at: map[string]int{}}
	reported := map[string]bool{}
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if c, ok := e.Body.(*trace.FileChange); ok && e.Copied == "" {
			files.of(c.Path).changed(e.Seq, c)
			reported[c.Call] = true
		}
	}
	for i := range s.uses {
		u := &s.uses[i]
		if u.call.Type == trace.EditTool && u.call.Path != "" && u.end != nil && !u.failed && !reported[u.call.Call] {
			files.of(u.call.Path).loop.edited(u.seq)
		}
	}
	d := s.d
	for i := range files.all {
		h := &files.all[i]
		if h.loop.Edits > LoopEdits || h.loop.Identical > 0 {
			d.Loops = append(d.Loops, h.loop)
		}
		switch {
		case h.change.Times == 0:
		case len(d.Changes) < MaxChanges:
			d.Changes = append(d.Changes, h.change)
		default:
			d.More.Changes++
		}
	}
	if more := len(d.Loops) - MaxLoops; more > 0 {
		slices.SortStableFunc(d.Loops, func(a, b EditLoop) int { return cmp.Compare(b.Edits, a.Edits) })
		d.Loops, d.More.Loops = d.Loops[:MaxLoops:MaxLoops], more
	}
	slices.SortStableFunc(d.Loops, func(a, b EditLoop) int { return cmp.Compare(a.First, b.First) })
}

// files keeps a session's files in the order of their first change.
type files struct {
	all []history
	at  map[string]int
}

func (f *files) of(path string) *history {
	i, ok := f.at[path]
	if !ok {
		i = len(f.all)
		f.at[path] = i
		f.all = append(f.all, history{change: Change{Path: path}, loop: EditLoop{Path: path}})
	}
	return &f.all[i]
}

// changed adds one change of the file. A total of lines is known only if every change's count is
// known.
func (h *history) changed(seq int, c *trace.FileChange) {
	x := &h.change
	x.Added, x.Removed = plus(x.Times, x.Added, c.Added), plus(x.Times, x.Removed, c.Removed)
	x.Times++
	x.Action, x.Hash, x.Event = c.Action, c.Hash[:min(len(c.Hash), hashDigits)], seq
	h.loop.edited(seq)
	if c.Hash == "" {
		return
	}
	if h.contents[c.Hash] {
		h.loop.Identical++
		return
	}
	if h.contents == nil {
		h.contents = map[string]bool{}
	}
	h.contents[c.Hash] = true
}

func (l *EditLoop) edited(seq int) {
	if l.Edits == 0 || seq < l.First {
		l.First = seq
	}
	l.Edits++
	l.Last = max(l.Last, seq)
}

// plus adds more to the sum of the first times amounts. The sum is nil if any amount is unknown.
func plus(times int, sum, more *int) *int {
	if more == nil || times > 0 && sum == nil {
		return nil
	}
	n := *more
	if sum != nil {
		n += *sum
	}
	return &n
}
