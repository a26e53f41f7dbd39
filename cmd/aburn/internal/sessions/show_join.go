package sessions

import (
	"fmt"

	"aburn/archive"
	"aburn/archive/story"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
	tracejoin "aburn/trace/join"
)

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

func differencesOf(j *story.Joined, s *archive.Session, t *trace.SessionTrace) DifferencesReport {
	r := DifferencesReport{Source: s.Source, Session: s.ID, StoreCalls: t.Count().Calls, HookCalls: j.Hooks.Count().Calls, Differences: []differenceJSON{}}
	differ := map[string]bool{}
	for _, d := range j.Differences {
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

func showDifferences(a *kit.App, out *term.Out, asJSON bool, j *story.Joined, s *archive.Session, t *trace.SessionTrace) error {
	if j.Hooks == nil {
		return fault.Failed("aburn's hooks recorded nothing of "+s.Source+"/"+s.ID+" that is in the archive", "aburn doctor", "aburn ingest own")
	}
	r := differencesOf(j, s, t)
	if asJSON {
		return a.PrintJSON(r)
	}
	term.Paragraph(out, 0, "", fmt.Sprintf("the store has %s, the hooks have %s: %d are the same in both", plain.Plural(int64(r.StoreCalls), "call"),
		plain.Plural(int64(r.HookCalls), "call"), r.Agree))
	for _, d := range j.Differences {
		term.Paragraph(out, 2, "", d.String())
	}
	return nil
}
