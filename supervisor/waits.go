package supervisor

import (
	"strings"
	"time"

	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

var (
	waitRamp     = ramp{0.85, 0.9}
	questionRamp = ramp{0.8, 0.9}
)

// waits finds questions to the user that nobody answered for long.
func (j *judgement) waits(v *view) {
	if v.End.Is() || v.mode == state.Gone {
		return
	}
	waits := v.Waiting(j.o)
	for i := range waits {
		w := &waits[i]
		if w.Question {
			j.wait(v, w, limits.QuestionWait, questionRamp, j.limits.QuestionWaitAfter, 1)
		} else {
			j.permission(v, w)
		}
	}
}

// How many times the usual limit a permission has to be open before it counts as
// waiting: for a test run, and for other commands that take long.
const (
	silentTests = 6
	silentWorks = 3
)

// permission judges one permission. Agents report no answer but the end of the call, so
// a long call that was allowed looks like one that waits; only for calls that end at
// once is it certain. Claude Code reminds the user of a dialog that is open for 6 s, so
// a reminder shows that the permission was not answered at once.
func (j *judgement) permission(v *view, w *state.Wait) {
	limit, known := j.limits.PermissionWaitAfter, 1.0
	switch test := j.model.IsTestCommand(w.Input); {
	case isInstant(w.Tool):
	case test:
		limit, known = limit*silentTests, 0.96
	case w.Noted.Is():
	case takesTime(w.Input):
		limit, known = limit*silentWorks, 0.96
	default:
		known = 0.95
	}
	j.wait(v, w, limits.PermissionWait, waitRamp, limit, known)
}

// takesTime reports whether a command is of a kind that runs for minutes.
func takesTime(line string) bool {
	for _, word := range []string{"install", "build", "compile", "clone", "download", "train", "deploy", "migrate", "sleep", "npm ci", "pull", "terraform",
		"benchmark"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

func (j *judgement) wait(v *view, w *state.Wait, t Type, r ramp, limit time.Duration, known float64) {
	what := "permission for " + called(w.Tool, w.Input)
	if t == limits.QuestionWait {
		what = "an answer"
	}
	passed := j.elapsed(v, w.Since)
	c := j.timed(t, r, passed, limit, known)
	if c == 0 {
		return
	}
	j.add(Issue{
		Type: t, Session: v.ID, Agent: w.Agent, Confidence: c,
		Signature: signature(t, v.ID, w.Agent, w.Since.Anchor()),
		Evidence:  []state.Mark{w.Since, w.Noted}, Since: w.Since,
		Says:    "the session waits for " + what + " since " + w.Since.Entry() + ", for " + lasting(passed),
		Healthy: "the user answers within " + lasting(limit),
		Suggest: "Answer the dialog of this session.",
	})
}
