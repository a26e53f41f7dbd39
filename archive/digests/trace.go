package digests

import (
	"context"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/agentcli"
	"aburn/trace"
	"aburn/trace/join"
)

// digest makes the digest of a session: of what its agent's store has, with what hooks recorded of it put into that, if they
// did. Its numbers are those of the store's trace. Where the two cannot be joined it is made of the store's alone.
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

func joined(ctx context.Context, a *archive.Archive, t *trace.SessionTrace, own int64, subs []int64) (*trace.SessionTrace, error) {
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

// numbers tells which number an event of a joined trace has in the store's, which has so many files. One that only the hooks
// know gets that of the store's event before it.
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
