package sessions

import (
	"context"
	"fmt"

	"aburn/archive"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
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

// joinedTrace is a session's trace with what hooks recorded of it, and the differences between the two.
type joinedTrace struct {
	*trace.SessionTrace
	hooks       *trace.SessionTrace // nil if they recorded nothing of it
	files       int                 // the trace's Sources of the agent's store; the others are the hooks'
	differences []tracejoin.Difference
}

func joinTraces(ctx context.Context, arch *archive.Archive, s *archive.Session, t *trace.SessionTrace) (*joinedTrace, error) {
	j := &joinedTrace{SessionTrace: t, files: len(t.Sources)}
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
	j.SessionTrace, j.hooks, j.differences = both, own, differences
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
func (j *joinedTrace) eventNumbers() []int {
	numbers, n := make([]int, len(j.Events)), 0
	for i := range j.Events {
		if j.Events[i].Ref.File < j.files {
			n++
			numbers[i] = n
		}
	}
	return numbers
}

// DifferencesReport is `aburn show --differences --json`.
type DifferencesReport struct {
	Source      string           `json:"source"`
	Session     string           `json:"session"`
	StoreCalls  int              `json:"store_calls"`
	HookCalls   int              `json:"hook_calls"`
	Agree       int              `json:"agree"`
	Differences []differenceJSON `json:"differences"`
}

type differenceJSON struct {
	Kind       tracejoin.Kind `json:"kind"`
	Event      string         `json:"event"`
	Call       string         `json:"call,omitempty"`
	StoreEvent int            `json:"store_event,omitempty"`
	HookEvent  int            `json:"hook_event,omitempty"`
	Store      string         `json:"store"`
	Hooks      string         `json:"hooks"`
}

func (j *joinedTrace) report(s *archive.Session, t *trace.SessionTrace) DifferencesReport {
	r := DifferencesReport{Source: s.Source, Session: s.ID, StoreCalls: t.Count().Calls, HookCalls: j.hooks.Count().Calls, Differences: []differenceJSON{}}
	differ := map[string]bool{}
	for _, d := range j.differences {
		r.Differences = append(r.Differences, differenceJSON{d.Kind, d.Event, d.Call, d.StoreSeq, d.OwnSeq, d.Store, d.Own})
		if d.Kind != tracejoin.OnlyHooks { // the store has no such call
			differ[d.Call] = true
		}
	}
	for _, c := range t.Calls() {
		if c.Counts() && !differ[c.Call.Call] {
			r.Agree++
		}
	}
	return r
}

func showDifferences(a *kit.App, out *term.Out, asJSON bool, j *joinedTrace, s *archive.Session, t *trace.SessionTrace) error {
	if j.hooks == nil {
		return fault.Failed("aburn's hooks recorded nothing of "+s.Source+"/"+s.ID+" that is in the archive", "aburn doctor", "aburn ingest own")
	}
	r := j.report(s, t)
	if asJSON {
		return a.PrintJSON(r)
	}
	term.Paragraph(out, 0, "", fmt.Sprintf("the store has %s, the hooks %s: %d the same in both", plain.Plural(int64(r.StoreCalls), "call"),
		plain.Plural(int64(r.HookCalls), "call"), r.Agree))
	for _, d := range j.differences {
		term.Paragraph(out, 2, "", d.String())
	}
	return nil
}
