package supervisor

var (
	waitRamp     = ramp{0.85, 0.97}
	questionRamp = ramp{0.8, 0.9}
)

// waits finds questions to the user that nobody answered for long.
func (j *judgement) waits(v *view) {
	if v.End.Is() || v.mode == Gone {
		return
	}
	for i := range v.Waits {
		w := &v.Waits[i]
		if w.Question {
			j.wait(v, w, QuestionWait, questionRamp, 1)
		} else if known := j.unanswered(v, w); known > 0 {
			j.wait(v, w, PermissionWait, waitRamp, known)
		}
	}
}

// unanswered is how surely a permission was not given in silence: the agents tell
// no answer but the end of the call, so one that takes its time looks the same.
func (j *judgement) unanswered(v *view, w *Wait) float64 {
	switch {
	case atOnce(w.Tool):
		return 1
	case w.Noted.Is() && !j.model.IsTestCommand(w.Input):
		return 1
	case w.Noted.Is():
		return 0.9
	case v.Source == "claude" || j.model.IsTestCommand(w.Input):
		return 0 // it would have reminded the user
	}
	return 0.9
}

func (j *judgement) wait(v *view, w *Wait, t Type, r ramp, known float64) {
	limit, what := j.limits.PermissionWaitAfter, "permission for "+called(w.Tool, w.Input)
	if t == QuestionWait {
		limit, what = j.limits.QuestionWaitAfter, "an answer"
	}
	passed := j.elapsed(w.Since)
	c := j.timed(t, r, passed, limit, known)
	if c == 0 {
		return
	}
	j.add(Issue{
		Type: t, Session: v.ID, Agent: w.Agent, Confidence: c,
		Signature: signature(t, v.ID, w.Agent, w.Since.anchor()),
		Evidence:  []Mark{w.Since, w.Noted}, Since: w.Since,
		Says:    "the session waits for " + what + " since " + w.Since.entry() + ", for " + lasting(passed),
		Healthy: "the user answers within " + lasting(limit),
		Suggest: "Answer the dialog of this session.",
	})
}
