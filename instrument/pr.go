package instrument

import (
	"fmt"
	"slices"
	"strings"

	"aburn/instrument/edit"
	"aburn/instrument/report"
	"aburn/instrument/rules"
	"aburn/instrument/scan"
)

// Report is the result as a pull request tells it. plan is what was applied. The caller adds what else it knows: tests,
// what was recorded, what it cost.
func (r *RunResult) Report(plan *Plan, c Config) report.Run {
	out := report.Run{Changes: r.SchemaDiff, Failures: r.LibraryFailures, Sensitivity: c.ReviewSensitivity, Warnings: slices.Clone(r.Warnings)}
	for _, f := range r.Findings {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Message))
	}
	for _, f := range r.Files {
		out.Files = append(out.Files, report.File{
			Path: f.Path, Status: string(f.Status), Reason: f.Reason, Spans: f.spans(plan), AttributesUsed: f.AttributesUsed, AttributesCreated: f.AttributesCreated,
			Attempts: f.Attempts, Notes: f.Notes, Dropped: f.Dropped, Advisory: messages(f.Advisory),
		})
	}
	for _, name := range r.LibrariesInstalled {
		pkg := name[:max(strings.LastIndexByte(name, '@'), 0)]
		i := slices.IndexFunc(scan.Libraries(), func(l scan.Library) bool { return l.Package == pkg })
		if i >= 0 {
			out.Libraries = append(out.Libraries, report.Library{Package: name, Covers: scan.Libraries()[i].Covers})
		} else {
			out.Libraries = append(out.Libraries, report.Library{Package: name})
		}
	}
	if c.DependencyStrategy == rules.PeerDependencies && len(out.Libraries) > 0 {
		out.Warnings = append(out.Warnings, "others install this package: they get spans only where they install its peer dependencies and set up an SDK")
	}
	if e := r.SDKInit; e != nil {
		out.SetUp = &report.SetUp{File: e.File, Added: e.Added, Fallback: e.Fallback, Why: e.Why}
		for _, n := range e.Notes {
			out.Warnings = append(out.Warnings, e.File+": "+n)
		}
	}
	return out
}

// spans are the plan's choices that were made in a file. Where ids moved since, only their number is known.
func (f *FileResult) spans(plan *Plan) (list []report.Span) {
	i := slices.IndexFunc(plan.Files, func(p Planned) bool { return p.Path == f.Path })
	if i >= 0 {
		for _, c := range plan.Files[i].Functions {
			if c.Action == "span" && !slices.ContainsFunc(f.Dropped, func(d string) bool { return strings.HasPrefix(d, edit.Dropped{Function: c.ID}.String()) }) {
				list = append(list, report.Span{Function: c.Name, Name: c.Span, Reason: c.Reason, Tier: c.Tier})
			}
		}
	}
	if len(list) != f.SpansAdded {
		list = make([]report.Span, f.SpansAdded)
	}
	return list
}

func messages(list []rules.Finding) (out []string) {
	for _, f := range list {
		out = append(out, f.Rule+": "+f.Message)
	}
	return out
}
