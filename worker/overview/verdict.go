package overview

import (
	"context"
	"strings"

	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor/status"
	"aburn/worker/manager"
	"aburn/worker/round"
)

// Standstills are the sessions of a project that make no progress. What the supervisor is sure of reaches their agents through
// the queue, also where only time proves it and no hook is called.
func Standstills(ctx context.Context, c *workspace.Caller) (list []round.Standstill, err error) {
	all, err := status.Verdicts(ctx, c, true)
	for i := range all {
		if v := &all[i]; v.Standstill() {
			list = append(list, round.Standstill{Session: v.Session, Signature: v.Signature, Text: v.Word() + ": " + v.Says})
		}
	}
	return list, err
}

// Verdicts are what the supervisor says of the living among these workers, by their sessions. It looks only if there is one.
// What it cannot see is left out: where each worker stands is known all the same.
func Verdicts(ctx context.Context, c *workspace.Caller, members []*manager.Member) map[logfmt.SessionID][]status.Verdict {
	living := map[logfmt.SessionID]bool{}
	for _, m := range members {
		if m.Err == nil && !m.Over() && m.Session != "" {
			living[m.Session] = true
		}
	}
	if len(living) == 0 {
		return nil
	}
	c.Warn = func(string, ...string) {}
	list, _ := status.Verdicts(ctx, c, false)
	by := map[logfmt.SessionID][]status.Verdict{}
	for _, v := range list {
		if living[v.Session] {
			by[v.Session] = append(by[v.Session], v)
		}
	}
	return by
}

// VerdictText is verdicts for the column of the state.
func VerdictText(list []status.Verdict) string {
	var words []string
	for i := range list {
		words = append(words, list[i].Word())
	}
	return strings.Join(words, ", ")
}
