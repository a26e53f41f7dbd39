package digests

import (
	"context"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/agentcli"
	"aburn/trace"
	"aburn/trace/join"
)

// digest makes the digest of a session from its store's trace, completed with what hooks recorded of it. Event numbers
// are those of the store's trace. If the two cannot be joined the store's trace alone counts.
func digest(ctx context.Context, a *archive.Archive, key int64) (*insight.Digest, error) {
	t, err := a.Trace(ctx, key)
	if err != nil {
		return nil, err
	}
	if agentcli.Of(t.Source).Traits.Recorded {
		return insight.Make(t, true), nil
	}
	own, subs, err := a.Parts(key)
	if err != nil {
		return nil, err
	}
	if own == 0 {
		return insight.Make(t, false), nil
	}
	both, err := joined(ctx, a, t, own, subs)
	if err != nil {
		return insight.Make(t, false), ctx.Err()
	}
	d := insight.Make(both, true)
	d.Renumber(numbers(both, len(t.Sources)))
	return d, nil
}

func joined(ctx context.Context, a *archive.Archive, t *trace.SessionTrace, own int64,
	subs []int64) (*trace.SessionTrace, error) {
	recorded, err := a.Trace(ctx, own)
	if err != nil {
		return nil, err
	}
	agents := make([]*trace.SessionTrace, len(subs))
	for i, key := range subs {
		if agents[i], err = a.Trace(ctx, key); err != nil {
			return nil, err
		}
	}
	both, _, err := join.Join(t, recorded, agents...)
	return both, err
}

// numbers maps an event's number in a joined trace to the store's; files is how many files the store's trace has. An
// event that only the hooks have maps to the store's event before it.
func numbers(both *trace.SessionTrace, files int) func(seq int) int {
	number := make([]int, len(both.Events)+1)
	for i := range both.Events {
		number[i+1] = number[i]
		if both.Events[i].Ref.File < files {
			number[i+1]++
		}
	}
	return func(seq int) int { return number[seq] }
}
