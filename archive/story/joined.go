package story

import (
	"context"

	"aburn/archive"
	"aburn/internal/agentcli"
	"aburn/trace"
	tracejoin "aburn/trace/join"
)

// hookTrace is what aburn's hooks recorded of a session that was read from its agent's store; nil if they did not.
func hookTrace(ctx context.Context, arch *archive.Archive, s *archive.Session) (*trace.SessionTrace, error) {
	if !s.Recorded || agentcli.Of(s.Source).Traits.Recorded {
		return nil, nil
	}
	twins, err := arch.Lookup(ctx, agentcli.Own.Name+"/"+s.ID)
	if err != nil || len(twins) != 1 {
		return nil, err
	}
	return arch.Trace(ctx, twins[0].Key)
}

// Joined is a session's trace with what hooks recorded of it, and the differences between the two.
type Joined struct {
	*trace.SessionTrace
	Hooks       *trace.SessionTrace // nil if they recorded nothing of it
	Files       int                 // the trace's Sources of the agent's store; the others are the hooks'
	Differences []tracejoin.Difference
}

// Join puts what hooks recorded of a session into its trace t. With an error what is returned is t alone.
func Join(ctx context.Context, arch *archive.Archive, s *archive.Session, t *trace.SessionTrace) (*Joined, error) {
	j := &Joined{SessionTrace: t, Files: len(t.Sources)}
	own, err := hookTrace(ctx, arch, s)
	if err != nil || own == nil {
		return j, err
	}
	subs, err := subagentTraces(ctx, arch, s.Key)
	if err != nil {
		return j, err
	}
	both, differences, err := tracejoin.Join(t, own, subs...)
	if err != nil {
		return j, err
	}
	j.SessionTrace, j.Hooks, j.Differences = both, own, differences
	return j, nil
}

func subagentTraces(ctx context.Context, arch *archive.Archive, key int64) (subs []*trace.SessionTrace, err error) {
	relations, err := arch.Relations(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range relations {
		if r.Kind != trace.Subagent || r.RelatedKey != key {
			continue
		}
		t, err := arch.Trace(ctx, r.Key)
		if err != nil {
			return nil, err
		}
		subs = append(subs, t)
	}
	return subs, nil
}

// eventNumbers is what each event is called: its number in the store's trace, 0 if only the hooks know it.
func (j *Joined) eventNumbers() []int {
	numbers, n := make([]int, len(j.Events)), 0
	for i := range j.Events {
		if j.Events[i].Ref.File < j.Files {
			n++
			numbers[i] = n
		}
	}
	return numbers
}
