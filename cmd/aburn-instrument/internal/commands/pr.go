package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/record"
	"aburn/instrument/report"
)

// prText words a run for its pull request.
func prText(ctx context.Context, engine jsast.Engine, dir string, c instrument.Config, tests string) func(*coordinator.Result) (title, body string) {
	return func(r *coordinator.Result) (title, body string) {
		said := reportOf(r, c, tests)
		said.Exports = instrument.Exports(dir, c)
		if text, hint := loading(ctx, engine, dir, r.SDKInit); text != "" {
			said.Warnings = append(said.Warnings, strings.TrimSuffix(text+": "+hint, ": "))
		}
		return report.Title(said), report.Body(said)
	}
}

func reportOf(r *coordinator.Result, c instrument.Config, tests string) report.Run {
	sum, plan := *r.RunResult, &instrument.Plan{}
	sum.Files = nil
	for _, f := range r.Files {
		sum.Files = append(sum.Files, f.FileResult)
		p := instrument.Planned{Path: f.Path}
		for _, fn := range f.Functions {
			p.Functions = append(p.Functions, edit.Choice{ID: fn.ID, Name: fn.Name, Action: "span", Span: fn.Span, Tier: fn.Tier, Reason: fn.Reason})
		}
		plan.Files = append(plan.Files, p)
	}
	out := sum.Report(plan, c)
	for i, f := range r.Files {
		out.Files[i].Tokens = f.Usage.Total()
	}
	out.Stopped, out.Versions = r.Stopped, []string{"aburn " + kit.Version().String(), strings.TrimSpace(r.Provider + " " + r.Model)}
	for _, c := range r.Checkpoints {
		if !c.Passed {
			out.Warnings = append(out.Warnings, fmt.Sprintf("the checkpoint after %s failed: %s; files since the last good one: %s", countOf(c.After, "file"), c.Why(),
				strings.Join(c.Radius, ", ")))
		}
	}
	if out.Weaver = r.WeaverDiff; r.Weaver != "" {
		out.Versions = append(out.Versions, r.Weaver)
	}
	out.Ceiling = &report.Amount{Calls: r.Ceiling.Calls, Tokens: r.Ceiling.MaxTokens, USD: r.Ceiling.MaxUSD, Basis: r.Ceiling.Basis}
	out.Actual = &report.Amount{Calls: r.Calls, Tokens: r.Usage.Total(), USD: r.CostUSD, Basis: "counted"}
	if r.Baseline != nil && r.Tests != nil {
		out.Tests = &report.Tests{Command: tests, RedBefore: red(r.Baseline), RedAfter: red(r.Tests), RedByTheRun: redAnew(r.Baseline, r.Tests)}
	}
	if rec := r.Record; rec != nil {
		out.Record = &report.Record{Spans: rec.Spans, Names: len(rec.Names), Score: rec.Score.Value, Judged: rec.Score.Judged, Of: rec.Score.Of}
		for _, f := range rec.Findings {
			out.Record.Findings = append(out.Record.Findings, findingText(f))
		}
	}
	return out
}

// findingText names the level of a finding, its id, and what it is about.
func findingText(f record.Finding) string {
	about := strings.TrimSpace(string(f.Level) + " " + f.ID + " " + f.Span)
	return about + ": " + f.Message
}

// redAnew are the tests that failed at the end and not before, as far as their names are told.
func redAnew(before, after *coordinator.Tests) (list []string) {
	for _, name := range after.Failed {
		if !slices.Contains(before.Failed, name) {
			list = append(list, name)
		}
	}
	return list
}

// red is how many tests failed: as many as told their names, and at least one where the
// command failed.
func red(t *coordinator.Tests) int {
	if t.Exit != 0 && len(t.Failed) == 0 {
		return 1
	}
	return len(t.Failed)
}
