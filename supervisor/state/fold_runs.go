package state

import (
	"bytes"
	"slices"
	"strings"

	"aburn/logfmt"
	"aburn/workflow"
)

// lifecycle folds what a prompt logs of a command, a phase or a milestone.
func (x *step) lifecycle(cmd, phase string, ev logfmt.Event) {
	x.noteDeclared(cmd)
	if x.agent == nil && ev != logfmt.Complete && (ev != logfmt.Failed || phase != "") {
		x.beginWork()
	}
	x.applyLifecycle(cmd, phase, ev)
	if ev != logfmt.Milestone {
		x.noteProgress()
	}
	if x.agent == nil && phase == "" {
		x.link(cmd, ev)
	}
	if x.agent == nil {
		x.workOn(cmd)
	}
}

func (x *step) applyLifecycle(cmd, phase string, ev logfmt.Event) {
	switch {
	case phase == "" && (ev == logfmt.PhaseStart || ev == logfmt.PhaseComplete): // of which, it does not say
	case ev == logfmt.Start:
		x.line.begin(&Run{Cmd: cmd, Wt: x.e.Wt, Start: x.at, At: x.ses.Clock})
	case ev == logfmt.PhaseStart:
		x.phaseStart(x.line.run(cmd, x.e.Wt), phase)
	case ev == logfmt.PhaseComplete, ev == logfmt.Failed && phase != "":
		x.phaseEnd(x.line.run(cmd, x.e.Wt), phase, ev == logfmt.Failed)
	case ev == logfmt.Milestone:
		x.milestone(x.line.run(cmd, x.e.Wt))
	default:
		x.runEnd(cmd, ev == logfmt.Failed)
	}
}

// foldCarried folds a carried line, which is history. It never overrides what the
// session itself has logged since.
func (x *step) foldCarried() {
	cmd, phase, ev := x.e.Meaning()
	cmd, phase = cut(cmd, maxName), cut(phase, maxName)
	if !ev.Lifecycle() {
		return
	}
	x.ses = x.session()
	if s := x.ses; s.Heard == 0 {
		if !s.First.Is() {
			s.First = x.at
		}
		s.Middle, s.Last = true, x.at
		x.line = &s.Own
		if a := x.e.Agent; a != nil && ev != logfmt.AgentSpawn && ev != logfmt.AgentComplete {
			x.agent = s.agentFor(a.ID, a.Type)
			x.agent.noteEntry(x)
			x.line = &x.agent.Line
		}
		switch ev {
		case logfmt.AgentSpawn:
			x.agentSpawn()
		case logfmt.AgentComplete:
			x.agentComplete()
		default:
			x.applyLifecycle(cmd, phase, ev)
		}
		s.Progress = Moment{x.at, s.Clock}
	}
	if x.e.Agent == nil && phase == "" {
		x.pastLink(cmd, ev)
	}
}

// noteDeclared notes that the prompt of the invoked command logs.
func (x *step) noteDeclared(cmd string) {
	if x.ses.ID == "" { // it may be of any session of this worktree
		for _, s := range x.Sessions {
			if c := s.Invoked; c != nil && c.Cmd == cmd && s.Wt == x.e.Wt {
				c.Declared = true
			}
		}
	}
	if c := x.ses.Invoked; c != nil && c.Cmd == cmd {
		c.Declared = true
	}
}

// begin makes r the line's command.
func (l *Line) begin(r *Run) {
	if l.Run != nil {
		l.Before = push(l.Before, l.Run, maxRuns)
	}
	l.Run = r
}

// run returns the open run of a command and makes it the line's. If there is none, it
// adds one that began before the log.
func (l *Line) run(cmd, wt string) *Run {
	if r := l.Run; r != nil && r.Cmd == cmd && !r.End.Is() {
		return r
	}
	for i, r := range slices.Backward(l.Before) {
		if r.Cmd == cmd && !r.End.Is() {
			l.Before = slices.Delete(l.Before, i, i+1)
			l.begin(r)
			return r
		}
	}
	l.begin(&Run{Cmd: cmd, Wt: wt})
	return l.Run
}

// runEnd folds COMPLETE or FAILED of a command. For a run that has ended, it replaces
// how it ended.
func (x *step) runEnd(cmd string, fail bool) {
	r := x.line.Run
	if r == nil || r.Cmd != cmd {
		r = x.line.run(cmd, x.e.Wt)
	}
	r.End, r.Failed, r.Wt = x.at, fail, x.e.Wt
	if x.agent == nil {
		x.ses.Lost = Lost{}
	}
	if a := x.agent; a != nil && a.Ended.Is() { // the hook of its end was quicker
		a.Failed = fail || failed(a.Status)
	}
	if fail {
		return
	}
	if x.agent == nil && x.ses.Heard > 0 {
		x.claim(ByCommand, cmd, r.Start, nil)
	}
	r.Outputs = nil
	logfmt.EachOutput(x.d.Outputs, func(path logfmt.RawString, hashed bool) bool {
		if len(path) <= maxPath {
			r.Outputs = append(r.Outputs, Output{path.String(), hashed})
		}
		return len(r.Outputs) < maxOutputs
	})
}

// phaseStart begins a phase. A phase that is open gets no end.
func (x *step) phaseStart(r *Run, name string) {
	p := &Phase{Name: name, Start: x.at, At: x.ses.Clock, Declared: declaresFailure(&x.d)}
	if from, since, known := x.phaseBefore(r); known {
		if ok, skipped := x.model.Legal(from, name); !ok && !x.phaseElsewhere(skipped, since) {
			p.Skipped = skipped
		}
	}
	x.enterPhase(r, name)
	r.Phases = push(r.Phases, p, maxPhases)
}

func (r *Run) last() string {
	if n := len(r.Phases); n > 0 {
		return r.Phases[n-1].Name
	}
	return ""
}

// phaseEnd ends a phase, or adds one whose beginning was not logged.
func (x *step) phaseEnd(r *Run, name string, failed bool) {
	p := r.Open()
	again := p == nil && r.last() == name // said again
	switch {
	case again:
		p = r.Phases[len(r.Phases)-1]
	case p == nil || p.Name != name:
		x.enterPhase(r, name)
		p = &Phase{Name: name}
		r.Phases = push(r.Phases, p, maxPhases)
	}
	p.End, p.EndAt, p.Failed, p.Declared = x.at, x.ses.Clock, failed, p.Declared || declaresFailure(&x.d)
	p.Regressed = failed && declaresRegression(&x.d)
	bit := x.phaseBit(name)
	if failed {
		r.Through &^= bit
		return
	}
	r.Through |= bit
	if kind, ok := x.model.Phase(name); ok && !kind.FailingTest && !kind.TestsOnly && x.agent == nil && x.ses.Heard > 0 {
		x.claim(ByPhase, name, p.Start, nil)
	}
	if !again {
		r.Done++
		r.Unsaid++
	}
}

// phaseBit is the phase in Run.Through; 0 for one that the model does not have.
func (x *step) phaseBit(name string) uint64 {
	for i := range x.model.Phases {
		if x.model.Phases[i].Name == name && i < 64 {
			return 1 << i
		}
	}
	return 0
}

// enterPhase ends the slice before if the next one begins with this phase: it is the model's first one,
// or only optional ones stand before it, and the phase before is a later one.
func (x *step) enterPhase(r *Run, name string) {
	before := newestPhase(x.model, r)
	if before == nil || x.phaseBit(before.Name) <= x.phaseBit(name) || x.phaseBit(name) == 0 {
		return
	}
	for i := range x.model.Phases {
		if x.model.Phases[i].Name == name {
			break
		}
		if !x.model.Phases[i].Optional {
			return
		}
	}
	x.endSlice(r, false)
	r.Through, r.Said = 0, false
}

// endSlice notes a slice that is over without a milestone: its required phases are complete, at the end of
// a turn the optional ones too, which may be about to come.
func (x *step) endSlice(r *Run, all bool) {
	if r.Said || r.Silent.Is() || r.Open() != nil || r.Through == 0 {
		return
	}
	for i := range x.model.Phases {
		if p := &x.model.Phases[i]; (all || !p.Optional) && r.Through&x.phaseBit(p.Name) == 0 {
			return
		}
	}
	r.Silent = x.at
}

// milestone counts a milestone. It is progress if its text differs from the one before.
func (x *step) milestone(r *Run) {
	r.Reached++
	r.Said, r.Unsaid, r.Silent = true, 0, Mark{}
	r.Milestones = push(r.Milestones, Moment{x.at, x.ses.Clock}, maxMilestones)
	if p := r.Open(); p != nil {
		p.Declared = p.Declared || declaresFailure(&x.d)
	}
	said := lifecycleText(&x.d)
	same := &x.line.Same
	key := hashStart.add(said).sum()
	if len(said) == 0 || same.Key != key {
		x.noteProgress()
	}
	if len(said) == 0 {
		*same = Repeat{}
		return
	}
	if same.Key != key || same.Epoch != x.ses.Epoch {
		*same = Repeat{First: x.at, Key: key, Epoch: x.ses.Epoch}
	}
	same.Last = x.at
	same.Count++
}

// lifecycleText is the text of a lifecycle entry.
func lifecycleText(d *logfmt.Details) logfmt.RawString {
	for _, r := range [...]logfmt.RawString{d.Description, d.Summary, d.Text, d.Error} {
		if len(r) > 0 {
			return r
		}
	}
	return nil
}

// declaresFailure reports whether a lifecycle entry says, by a metric or in words,
// that a test fails. Missing other wordings does no harm: test runs count as well.
func declaresFailure(d *logfmt.Details) bool {
	found := false
	for _, numbers := range [...][]byte{d.Metrics, d.Object} {
		logfmt.Members(numbers, func(key logfmt.RawString, value []byte) bool {
			found = found || mentionsFailure(key) && value[0] >= '1' && value[0] <= '9'
			return !found
		})
	}
	for _, r := range [...]logfmt.RawString{d.Summary, d.Text, d.Description, d.Error} {
		found = found || mentionsFailure(r) && !deniesFailure(r)
	}
	return found
}

// declaresRegression reports whether a FAILED says in words that something is broken which had worked.
func declaresRegression(d *logfmt.Details) bool {
	for _, r := range [...]logfmt.RawString{d.Error, d.Summary, d.Text, d.Description} {
		if saysRegression(string(bytes.ToLower(r))) {
			return true
		}
	}
	return false
}

func saysRegression(text string) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	if has("no regression", "not a regression", "without regression") {
		return false
	}
	if has("regression", "regressed") && !has("regression test", "regression suite") {
		return true
	}
	if !has("test", "spec", "suite", "assert", "check") {
		return false
	}
	return has("broke", "breaks", "breaking", "no longer pass", "stopped passing", "do not pass any more", "don't pass anymore") &&
		!has("broken pipe", "still ") ||
		has("fail", "red", "broken") && has("had passed", "passed before", "passed earlier", "that passed", "which passed", "were passing", "was passing",
			"used to pass", "previously pass", "was green", "were green", "passed in", "worked before")
}

func mentionsFailure(text []byte) bool {
	return bytes.Contains(bytes.ToLower(text), []byte("fail")) || bytes.Contains(text, []byte("red test"))
}

// deniesFailure reports whether the text negates the word fail.
func deniesFailure(text []byte) bool {
	text = bytes.ToLower(text)
	for _, no := range [...]string{"no fail", "no test fail", "nothing fail", "none fail", "not fail", "doesn't fail", "don't fail", "without fail", "never fail",
		" 0 fail", "zero fail", "no longer fail"} {
		if bytes.Contains(text, []byte(no)) {
			return true
		}
	}
	return bytes.HasPrefix(text, []byte("0 fail"))
}

// phaseBefore is the phase of the model that the command was in before, and since
// when; "" if it is known to have been in none. It counts in all lines of the
// session that work on the command, as long as they do so one after the other.
func (x *step) phaseBefore(r *Run) (from string, since uint64, known bool) {
	began := r.Start.Ord
	if o := x.ses.Own.Active(); o != nil && o.Cmd == r.Cmd {
		began = max(began, o.Start.Ord)
	}
	newest, beside := newestPhase(x.model, r), false
	x.otherLines(func(l *Line) {
		o := l.Run
		if o == nil || o.Cmd != r.Cmd {
			return
		}
		if p := newestPhase(x.model, o); p != nil && p.newest() >= began && (newest == nil || p.newest() > newest.newest()) {
			newest, beside = p, o.Open() == p
		}
	})
	if beside {
		newest = newestPhase(x.model, r)
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
func newestPhase(m *workflow.Model, r *Run) *Phase {
	for _, p := range slices.Backward(r.Phases) {
		if m.HasPhase(p.Name) {
			return p
		}
	}
	return nil
}

func (p *Phase) newest() uint64 { return max(p.Start.Ord, p.End.Ord) }

// otherLines calls f with the lines of the session but for the entry's own.
func (x *step) otherLines(f func(*Line)) {
	if x.line != &x.ses.Own {
		f(&x.ses.Own)
	}
	for _, a := range x.ses.Agents {
		if x.line != &a.Line {
			f(&a.Line)
		}
	}
}

// phaseElsewhere reports whether another line of the session had that phase since.
func (x *step) phaseElsewhere(phase string, since uint64) bool {
	had := func(r *Run) bool {
		return slices.ContainsFunc(r.Phases, func(p *Phase) bool { return p.Name == phase && p.newest() > since })
	}
	found := false
	x.otherLines(func(l *Line) {
		found = found || l.Run != nil && had(l.Run) || slices.ContainsFunc(l.Before, had)
	})
	return found
}
