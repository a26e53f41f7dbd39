package coordinator

import (
	"runtime"
	"strings"
	"testing"

	"aburn/instrument"
	"aburn/instrument/provider"
	"aburn/internal/lab/world"
)

// TestAFileThatChangesWhileItIsAskedAbout is left alone, whatever the mode: its commit would hold what nobody proved.
func TestAFileThatChangesWhileItIsAskedAbout(t *testing.T) {
	world.Slow(t)
	for _, mode := range []string{Plan, Rewrite} {
		p, m := newProject(t, 2, nil), &planner{}
		p.config.Mode = mode
		path, text := work(0)
		r := p.run(p.options(m), Callbacks{OnAsk: func(asked string, _, _ int) {
			if asked == path {
				p.write(path, text+"// mine\n")
			}
		}})
		if f := r.Files[0]; f.Status != instrument.Failed || f.Reason != instrument.ErrChanged.Error() || r.Succeeded != 1 || len(m.asked) != 2 {
			t.Errorf("%s: %+v, asked %v", mode, f.FileResult, m.asked)
		}
		if p.read(path) != text+"// mine\n" || p.git("show", "HEAD:"+path)+"\n" != text {
			t.Errorf("%s: the file, or its commit, is another one:\n%s\n%s", mode, p.read(path), p.git("log", "-p", "main.."))
		}
	}
}

// TestAnotherBranchStopsARun: nothing is committed where a person went, and resume goes on from the paid answer.
func TestAnotherBranchStopsARun(t *testing.T) {
	world.Slow(t)
	p, m := newProject(t, 2, nil), &planner{}
	before := p.git("rev-parse", "main")
	r := p.run(p.options(m), Callbacks{OnAsk: func(asked string, _, _ int) {
		if asked == "src/f1.mjs" {
			p.git("switch", "-q", "main")
		}
	}})
	if r.Stopped != "the project is on main by now, not on the run's branch aburn/instrument-r1; aburn instrument resume goes back there" || r.Succeeded != 1 {
		t.Errorf("stopped %q, %+v", r.Stopped, r.RunResult)
	}
	path, text := work(1)
	if p.git("rev-parse", "main") != before || p.git("branch", "--show-current") != "main" || p.git("status", "--porcelain") != "" || p.read(path) != text {
		t.Errorf("main is not as it was:\n%s", p.git("log", "--stat", "main"))
	}
	if r = p.run(p.options(m), Callbacks{}); r.Succeeded != 2 || r.Stopped != "" || len(m.asked) != 2 || p.git("branch", "--show-current") != r.Branch {
		t.Errorf("asked %v, %+v", m.asked, r.RunResult)
	}
}

// TestTheRegistryChangesWhileAModelThinks: what a person wrote into aburn's own file of it stays there.
func TestTheRegistryChangesWhileAModelThinks(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 2, nil)
	const mine = "groups:\n  - {id: span.shop.mine, type: span, span_kind: internal, stability: development, brief: b}\n"
	r := p.run(p.options(&planner{}), Callbacks{OnAsk: func(asked string, _, _ int) {
		if asked == "src/f0.mjs" {
			p.write("telemetry/aburn-spans.yaml", mine)
		}
	}})
	if text := p.read("telemetry/aburn-spans.yaml"); r.Succeeded != 2 || !strings.Contains(text, "span.shop.mine") ||
		!strings.Contains(text, "span.shop.f0.run") || !strings.Contains(text, "span.shop.f1.run") {
		t.Errorf("%+v\n%s", r.RunResult, text)
	}
}

// TestAChangeBesideASearchIsKept: the search for a guilty file takes back no text that a person wrote while the tests ran.
func TestAChangeBesideASearchIsKept(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 3, map[string]string{".gitignore": "edited\n"})
	p.config.SchemaCheckpointInterval = 3
	o := p.options(&planner{})
	o.Tests = []string{"sh", "-c", "grep -q startActiveSpan src/f1.mjs || exit 0; test -e edited || { echo '// mine' >> src/f0.mjs; touch edited; }; exit 1"}
	r := p.run(o, Callbacks{})
	path, original := work(1)
	if r.Files[1].Reverted == "" || p.read(path) != original || r.Files[0].Reverted != "" {
		t.Errorf("%+v", r.Files[1])
	}
	if text := p.read("src/f0.mjs"); !strings.HasSuffix(text, "// mine\n") || !strings.Contains(text, "startActiveSpan") ||
		strings.Contains(p.git("log", "-p", "main.."), "// mine") {
		t.Errorf("the person's line is lost, or committed:\n%s", text)
	}
	if !strings.Contains(strings.Join(r.Warnings, "\n"), "src/f0.mjs: somebody changed it while the tests ran") {
		t.Errorf("%q", r.Warnings)
	}
}

// TestEndsOfLinesOfGit: a file that git checks out with CRLF is taken back with CRLF.
func TestEndsOfLinesOfGit(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 2, map[string]string{".gitattributes": "*.mjs text eol=crlf\n"})
	p.git("rm", "-q", "-r", "--cached", "src")
	p.git("reset", "-q", "--hard") // git writes them anew
	path, original := work(1)
	original = strings.ReplaceAll(original, "\n", "\r\n")
	if p.read(path) != original {
		t.Fatalf("git wrote %q", p.read(path))
	}
	o := p.options(&planner{})
	o.Tests = []string{"sh", "-c", "! grep -q startActiveSpan src/f1.mjs"}
	if r := p.run(o, Callbacks{}); r.Files[1].Reverted == "" || r.Files[0].Reverted != "" || p.read(path) != original || p.git("status", "--porcelain") != "" {
		t.Errorf("%+v\n%q", r.Files[1], p.read(path))
	}
}

// TestAFileThatChangedBeforeARunGoesOn is left alone: its commit would hold what a person did not commit.
func TestAFileThatChangedBeforeARunGoesOn(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 3, nil)
	p.run(p.options(&planner{say: map[string][]provider.Answer{"src/f1.mjs": {{Err: provider.ErrAuth}}}}), Callbacks{})
	registry := p.read("telemetry/aburn-spans.yaml")
	p.write("telemetry/aburn-spans.yaml", registry+"# mine\n")
	if _, err := Run(p.Context(), p.options(&planner{}), Callbacks{}); err == nil || err.Error() != "telemetry/aburn-spans.yaml: not committed as it is" {
		t.Error(err)
	}
	p.write("telemetry/aburn-spans.yaml", registry)
	path, text := work(2)
	p.write(path, text+"// mine\n")
	m := &planner{}
	r := p.run(p.options(m), Callbacks{})
	if r.Succeeded != 2 || r.Files[2].Reason != instrument.ErrChanged.Error() || strings.Join(m.asked, " ") != "src/f1.mjs" || p.read(path) != text+"// mine\n" ||
		p.git("status", "--porcelain") != "M "+path {
		t.Errorf("asked %v, %+v\n%s", m.asked, r.Files[2].FileResult, p.git("status", "--porcelain"))
	}
}

// TestABranchThatIsThereIsNobodysRun: a run that was refused it does not take it when it goes on.
func TestABranchThatIsThereIsNobodysRun(t *testing.T) {
	world.Unshared(t)
	p := newProject(t, 1, nil)
	o := p.options(&planner{})
	o.Branch = "main"
	for range 2 {
		if _, err := Run(p.Context(), o, Callbacks{OnCeiling: func(Ceiling) bool { return true }}); err == nil || err.Error() != "the branch main is there already" {
			t.Error(err)
		}
		o.Branch = ""
	}
	if n := p.git("rev-list", "--count", "main"); n != "1" {
		t.Errorf("main has %s commits", n)
	}
}
