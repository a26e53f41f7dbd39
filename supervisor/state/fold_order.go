package state

import "slices"

// phaseBefore is the phase of the model that the command was in before, and since
// when; "" if it is known to have been in none. It counts in all lines of the
// session that work on the command, as long as they do so one after the other.
func (x *step) phaseBefore(r *Run) (from string, since uint64, known bool) {
	began := r.Start.Ord
	if o := x.ses.Own.Active(); o != nil && o.Cmd == r.Cmd {
		began = max(began, o.Start.Ord)
	}
	newest, beside := x.newestPhase(r), false
	x.eachOther(func(l *Line) {
		o := l.Run
		if o == nil || o.Cmd != r.Cmd {
			return
		}
		if p := x.newestPhase(o); p != nil && p.newest() >= began && (newest == nil || p.newest() > newest.newest()) {
			newest, beside = p, o.Open() == p
		}
	})
	if beside {
		newest = x.newestPhase(r)
	}
	switch {
	case newest != nil:
		return newest.Name, max(newest.Start.Ord, began), true
	case beside:
		return "", 0, false
	}
	return "", began, began > 0
}

// newestPhase is the run's newest phase that the model has.
func (x *step) newestPhase(r *Run) *Phase {
	for _, p := range slices.Backward(r.Phases) {
		if x.model.HasPhase(p.Name) {
			return p
		}
	}
	return nil
}

func (p *Phase) newest() uint64 { return max(p.Start.Ord, p.End.Ord) }

// eachOther calls f with the lines of the session but for the entry's own.
func (x *step) eachOther(f func(*Line)) {
	if x.line != &x.ses.Own {
		f(&x.ses.Own)
	}
	for _, a := range x.ses.Agents {
		if x.line != &a.Line {
			f(&a.Line)
		}
	}
}

// elsewhere reports whether another line of the session had that phase since.
func (x *step) elsewhere(phase string, since uint64) bool {
	had := func(r *Run) bool {
		return slices.ContainsFunc(r.Phases, func(p *Phase) bool { return p.Name == phase && p.newest() > since })
	}
	found := false
	x.eachOther(func(l *Line) {
		found = found || l.Run != nil && had(l.Run) || slices.ContainsFunc(l.Before, had)
	})
	return found
}
