package digests

import (
	"context"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/agentcli"
	"aburn/trace"
	"aburn/trace/join"
)

// digest makes the digest of a session from its store's trace, completed with what hooks recorded of it, and with what the
// ledger of its worker says. Event numbers are those of the store's trace. What cannot be joined is left out.
func digest(ctx context.Context, a *archive.Archive, key int64) (*insight.Digest, error) {
	t, err := a.Trace(ctx, key)
	if err != nil {
		return nil, err
	}
	whole, hooked, err := hooksJoined(ctx, a, t, key)
	if err != nil {
		return nil, err
	}
	if whole, err = ledgerJoined(ctx, a, whole, key); err != nil {
		return nil, err
	}
	d := insight.Make(whole, hooked)
	if whole != t {
		d.Renumber(numbers(whole, len(t.Sources)))
	}
	return d, nil
}

// hooksJoined is a session's trace with what hooks recorded of it, and whether they did.
func hooksJoined(ctx context.Context, a *archive.Archive, t *trace.SessionTrace, key int64) (*trace.SessionTrace, bool, error) {
	if agentcli.Of(t.Source).Traits.Recorded {
		return t, true, nil
	}
	own, subs, err := a.Parts(key)
	if err != nil || own == 0 {
		return t, false, err
	}
	both, err := joined(ctx, a, t, own, subs)
	if err != nil {
		return t, false, ctx.Err()
	}
	return both, true, nil
}

// ledgerJoined is a session's trace with what the ledger of its worker says, if it was a worker's.
func ledgerJoined(ctx context.Context, a *archive.Archive, t *trace.SessionTrace, key int64) (*trace.SessionTrace, error) {
	part, err := a.LedgerOf(key)
	if err != nil || part.Key == 0 {
		return t, err
	}
	ledger, err := a.Trace(ctx, part.Key)
	if err != nil {
		return nil, err
	}
	both, err := join.Ledger(t, ledger, part.From, part.Until)
	if err != nil {
		return t, ctx.Err()
	}
	return both, nil
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
