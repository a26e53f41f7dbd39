package coordinator

import (
	"strings"
	"testing"

	"aburn/instrument"
	"aburn/internal/lab/world"
)

// TestARunLeavesABranch with one explained commit a file, and the registry with it.
func TestARunLeavesABranch(t *testing.T) {
	world.Unshared(t)
	p := newProject(t, 3, map[string]string{"src/idle.mjs": "export const a = 1;\n"})
	m := &planner{}
	var phases []string
	r := p.run(p.options(m), Callbacks{OnPhase: func(ph Phase, e Event, d Data) { phases = append(phases, string(ph)+" "+string(e)) }})
	if r.Succeeded != 3 || r.Branch != "aburn/instrument-r1" || r.Base != "main" || len(m.asked) != 3 || r.Calls != 3 || r.Usage.Input != 300 || r.Stopped != "" ||
		len(r.Idle) != 1 {
		t.Errorf("%+v\n%+v", r, r.RunResult)
	}
	for _, f := range r.Files {
		if f.Status != instrument.Success || f.Commit == "" || f.SpansAdded != 1 || f.AttributesUsed != 1 || f.Attempts != 1 || f.Categories.ExternalCalls != 1 ||
			f.SourceHash == "" || f.ResultHash == "" || f.Agent != "script" {
			t.Errorf("%+v %+v", f, f.FileResult)
		}
	}
	if on := p.git("branch", "--show-current"); on != r.Branch {
		t.Errorf("on %s", on)
	}
	log := p.git("log", "--format=%s%n%b", "main..HEAD")
	for _, want := range []string{"instrument: 1 span in src/f0.mjs", "- work2: shop.f2.run (shop.id); it reads a file", "nothing else changed",
		"Instrument-Run: r1", "New in the registry: span.shop.f1.run"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if p.git("status", "--porcelain") != "" || !strings.Contains(p.read("telemetry/aburn-spans.yaml"), "span.shop.f2.run") {
		t.Error("the tree is not clean, or the registry lacks a span")
	}
	if got := strings.Join(phases, ", "); !strings.HasPrefix(got,
		"PREPARE START, PREPARE COMPLETE, SCAN START, SCAN COMPLETE, CEILING START, CEILING COMPLETE, BRANCH START, BRANCH COMPLETE, FILES START") ||
		!strings.HasSuffix(got, "DONE COMPLETE") {
		t.Error(got)
	}
}
