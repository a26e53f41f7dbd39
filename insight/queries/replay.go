package queries

import (
	"context"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/insight"
	"aburn/insight/replay"
	"aburn/trace"
)

// ReplayOf answers for a word that means a key or a session.
func ReplayOf(ctx context.Context, c *lookup.Caller, word string) (*replay.Replay, error) {
	if word == "" {
		return nil, lookup.NoTarget()
	}
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.Digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	t, err := lookup.FindTarget(ctx, arch, all, word)
	if err != nil {
		return nil, err
	}
	keys := map[*insight.Digest]int64{}
	for i := range all {
		keys[all[i].Digest] = all[i].Key
	}
	return replay.Make(t.Key, t.Members(all), func(d *insight.Digest) (*trace.SessionTrace, error) { return arch.Trace(ctx, keys[d]) }), nil
}
