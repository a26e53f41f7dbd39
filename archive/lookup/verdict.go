package lookup

import (
	"context"
	"errors"
	"slices"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/insight"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
)

// Judged is a session with the verdict on it. There is one verdict on a session, that of its digest; every command shows it.
type Judged struct {
	archive.Session
	insight.Verdict
}

// fewSessions is up to how many sessions reading each by its key is faster than reading all.
const fewSessions = 400

// Judge adds the verdicts to sessions of the archive.
func (c *Caller) Judge(ctx context.Context, list []archive.Session) ([]Judged, error) {
	keys := make([]int64, len(list))
	for i := range list {
		keys[i] = list[i].Key
	}
	verdicts, err := c.Verdicts(ctx, keys)
	if err != nil {
		return nil, err
	}
	judged := make([]Judged, len(list))
	for i := range list {
		judged[i] = Judged{list[i], verdicts[list[i].Key]}
	}
	return judged, nil
}

// Verdicts returns the verdicts on the sessions with these keys. Nothing is known of a session whose trace cannot be read.
func (c *Caller) Verdicts(ctx context.Context, keys []int64) (map[int64]insight.Verdict, error) {
	load := func() ([]digests.Session, error) {
		return digests.Of(ctx, archive.Dir(c.Env), keys, DigestProgress(c.Progress))
	}
	if len(keys) > fewSessions {
		load = func() ([]digests.Session, error) { return c.Load(ctx, archive.Filter{Own: true}) }
	}
	list, err := load()
	if unread := (*digests.Unreadable)(nil); errors.As(err, &unread) {
		c.Warn("no verdict on some sessions: "+unread.Error(), unread.Hint())
	} else if err != nil {
		return nil, viewError(err)
	}
	verdicts := make(map[int64]insight.Verdict, len(keys))
	for _, key := range keys {
		verdicts[key] = insight.Verdict{Outcome: insight.Unknown, Rule: insight.RuleNothing, Reason: "its trace cannot be read"}
	}
	for i := range list {
		verdicts[list[i].Key] = list[i].Judged()
	}
	return verdicts, nil
}

// PutVerdict replaces what the source states about the end of the session by the verdict on it, for output.
func PutVerdict(t *trace.SessionTrace, v insight.Verdict) {
	t.Outcome, t.OutcomeFrom = trace.Outcome(v.Outcome), plain.Cut(v.Reason, trace.UserHead)
	if t.Outcome == trace.Unknown {
		t.OutcomeFrom = ""
	}
}

// OutcomeMark is an outcome in one character.
func OutcomeMark(o insight.Outcome) (string, term.Style) {
	switch o {
	case insight.Completed:
		return "✔", term.Green
	case insight.Interrupted:
		return "‖", term.Yellow
	case insight.Errored:
		return "✖", term.Red
	case insight.Killed, insight.Crashed:
		return "†", term.Red
	case insight.GaveUp:
		return "…", term.Red
	case insight.Running:
		return "▶", term.Cyan
	}
	return "?", term.Dim
}

// hasOutcome reports whether a word of Outcomes is true of a verdict.
func hasOutcome(v insight.Verdict, word string) bool {
	return string(v.Outcome) == word || word == AnyFailed && v.Failing()
}

// JudgeNewest judges the newest sessions with this outcome (any if it is empty), all if limit is 0. total counts those
// beyond the limit, too.
func (c *Caller) JudgeNewest(ctx context.Context, all []archive.Session, outcome string, limit int) (list []Judged, total int,
	err error) {
	total = len(all)
	if outcome == "" && limit > 0 {
		all = all[:min(limit, total)]
	}
	if list, err = c.Judge(ctx, all); err != nil || outcome == "" {
		return list, total, err
	}
	list = slices.DeleteFunc(list, func(s Judged) bool { return !hasOutcome(s.Verdict, outcome) })
	if total = len(list); limit > 0 {
		list = list[:min(limit, total)]
	}
	return list, total, nil
}

// RelationSign is how a session came to be, in one character; "" for a root.
func RelationSign(r trace.Relation) string {
	switch r {
	case trace.Subagent:
		return "↳"
	case trace.Fork:
		return "↗"
	case trace.Continuation:
		return "→"
	}
	return ""
}
