package insight

import (
	"fmt"
	"strings"

	"aburn/trace"
)

// refine corrects the inferred outcome by what hooks and the source state. An interrupted
// last turn stays one, unless the session was abandoned.
func (j *judgement) refine() {
	if why := j.abandoned(); why != "" {
		if j.Outcome != GaveUp {
			j.Refined = fmt.Sprintf("%s → %s: %s", j.Outcome, GaveUp, why)
		}
		j.Outcome = GaveUp
		return
	}
	if j.Outcome == Interrupted {
		return
	}
	from, why := j.Outcome, ""
	for _, fact := range []func() (Outcome, string){j.turnEnded, j.commandCompleted, j.commandFailed, j.stated} {
		if to, said := fact(); said != "" && to != j.Outcome {
			if why != "" {
				why += "; "
			}
			j.Outcome = to
			why += said
		}
	}
	if j.Outcome != from {
		j.Refined = fmt.Sprintf("%s → %s: %s", from, j.Outcome, why)
	}
}

// abandoned: a person ended the worker that the session was and took nothing of it, and neither did it say before that it is
// done, nor did it work on since.
func (j *judgement) abandoned() string {
	for i := len(j.t.Events) - 1; i >= 0; i-- {
		e := &j.t.Events[i]
		m, ok := e.Body.(*trace.Session)
		switch {
		case e.Copied != "":
		case ok && m.Marker == trace.Abandoned:
			if j.saidDone(i) {
				return ""
			}
			return "abandoned" + when(e) + ": " + m.Detail
		case isPrompt(e), byAgent(e):
			return ""
		}
	}
	return ""
}

// saidDone reports whether the last thing that the session did before its event at i was to say that it is done.
func (j *judgement) saidDone(i int) bool {
	for i--; i >= 0; i-- {
		e := &j.t.Events[i]
		if m, ok := e.Body.(*trace.Session); ok && m.Marker == trace.Stopped && m.Detail == trace.SaidDone {
			return true
		}
		if isPrompt(e) {
			return false
		}
	}
	return false
}

// turnEnded: calls left open when the turn ended in good order, such as a background program,
// were not given up.
func (j *judgement) turnEnded() (Outcome, string) {
	if j.Outcome != GaveUp {
		return "", ""
	}
	last := j.open[len(j.open)-1].seq
	for i := len(j.t.Events) - 1; i >= last; i-- {
		e := &j.t.Events[i]
		if m, ok := e.Body.(*trace.Session); ok && e.Copied == "" && m.Marker == trace.Stopped {
			if m.Detail == "failed" || m.Detail == "error" {
				return "", ""
			}
			return Completed, "the turn ended" + when(e)
		}
	}
	return "", ""
}

// commandCompleted: a command reported its result when or after calls had begun to fail.
func (j *judgement) commandCompleted() (Outcome, string) {
	if j.Rule != RuleFailingTail {
		return "", ""
	}
	first := 0
	for _, u := range j.tail {
		if u.failed {
			first = u.end.EventIndex
			break
		}
	}
	e, m := j.lastCommand()
	if e == nil || m.Marker != trace.CommandCompleted || e.Seq < first {
		return "", ""
	}
	return Completed, "COMPLETE of " + m.Command + when(e)
}

// commandFailed: a command reported its failure and was not begun again.
func (j *judgement) commandFailed() (Outcome, string) {
	e, m := j.lastCommand()
	if e == nil || m.Marker != trace.CommandFailed {
		return "", ""
	}
	return Errored, "FAILED of " + m.Command + when(e)
}

// when names a fact by its time. Its Seq would mean nothing: the archived trace has no event for
// what only hooks know.
func when(e *trace.Event) string {
	if e.Time.IsZero() {
		return ""
	}
	return e.Time.UTC().Format(" at 2006-01-02 15:04:05 UTC")
}

// lastCommand finds the last marker of a command.
func (j *judgement) lastCommand() (*trace.Event, *trace.Session) {
	for i := len(j.t.Events) - 1; i >= 0; i-- {
		e := &j.t.Events[i]
		if m, ok := e.Body.(*trace.Session); ok && e.Copied == "" && m.Command != "" && m.Phase == "" {
			return e, m
		}
	}
	return nil, nil
}

// stated: the source, or the hooks beside it, report an end that no event of the trace shows.
func (j *judgement) stated() (Outcome, string) {
	if j.Outcome == Errored {
		return "", ""
	}
	switch j.t.Outcome {
	case trace.Killed:
		if j.Outcome == Unknown {
			return "", ""
		}
		o := Crashed
		if strings.Contains(j.t.OutcomeFrom, trace.BySignal) {
			o = Killed
		}
		return o, string(o) + ", " + j.t.OutcomeFrom
	case trace.Interrupted:
		return Interrupted, "interrupted, " + j.t.OutcomeFrom
	case trace.Errored:
		return Errored, "errored, " + j.t.OutcomeFrom
	}
	return "", ""
}
