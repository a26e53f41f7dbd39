package round

import "time"

// Tried is what a process attempted, so that what changes nothing is not done over and over. It is no fact: a new process
// begins without it, and does once more at most what does no harm twice.
type Tried struct {
	steps map[string]attempts
}

type attempts struct {
	n    int
	done bool
	last time.Time
}

// patience is how long a step waits after so many attempts; the last one holds for all further ones.
var patience = [...]time.Duration{0, 2 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute}

// maxSteps bounds the memory; what is forgotten is tried once more.
const maxSteps = 4096

func (s *Step) key() string { return string(s.Do) + " " + s.Worker }

// due reports whether the step may be tried now. A clock that went back delays nothing.
func (t *Tried) due(s Step, now time.Time) bool {
	a, ok := t.steps[s.key()+" "+s.Subject]
	if !ok || a.done {
		return !ok
	}
	wait := patience[min(a.n, len(patience)-1)]
	since := now.Sub(a.last)
	return since >= wait || since < 0
}

// Note counts an attempt.
func (t *Tried) Note(s Step, now time.Time) {
	if t.steps == nil || len(t.steps) > maxSteps {
		t.steps = map[string]attempts{}
	}
	key := s.key() + " " + s.Subject
	a := t.steps[key]
	t.steps[key] = attempts{a.n + 1, false, now}
}

// Again has a step tried soon: it did not begin, as somebody else is at it.
func (t *Tried) Again(s Step, now time.Time) {
	t.steps[s.key()+" "+s.Subject] = attempts{n: 2, last: now} // ten seconds
}

// Done ends a step for its subject: it was done, and the ledgers need not say so.
func (t *Tried) Done(s Step) { t.steps[s.key()+" "+s.Subject] = attempts{done: true} }
