package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"aburn/instrument"
	"aburn/instrument/jsproject"
	"aburn/instrument/provider"
	"aburn/internal/lab/world"
)

// TestWhatEndsARunBeforeItBegan: nothing is written, and the reason says what to do.
func TestWhatEndsARunBeforeItBegan(t *testing.T) {
	world.Slow(t)
	for _, tt := range []struct {
		name   string
		spoil  func(p *project, o *Options)
		msg    string
		phase  Phase
		hinted string
	}{
		{"nobody trusted", func(_ *project, o *Options) { o.Trusted = false }, "this project is not trusted", Prepare, "aburn init"},
		{"no repository", func(p *project, _ *Options) {
			if err := os.RemoveAll(filepath.Join(p.dir, ".git")); err != nil {
				p.Fatal(err)
			}
		}, "the folder is in no git repository with a commit", Prepare, "git init"},
		{"a dirty file", func(p *project, _ *Options) { p.write("src/f1.mjs", "f();\n") }, "src/f1.mjs: not committed as it is", Prepare, "commit first"},
		{"a file that git does not have", func(p *project, o *Options) {
			p.write("src/new.mjs", "f();\n")
			o.Selection.Files = append(o.Selection.Files, "src/new.mjs")
		}, "src/new.mjs: not committed as it is", Prepare, "commit first"},
		{"a provider without a login", func(_ *project, o *Options) { o.Provider = &absent{} }, "the provider absent cannot be asked: file does not exist", Prepare,
			"provider in aburn-instrument.yaml"},
		{"an API without a model", func(_ *project, o *Options) { o.Provider = &provider.API{Key: "k"} }, "the provider api needs the name of a model", Prepare,
			"--model"},
		{"Weaver is required and not there", func(_ *project, o *Options) { o.Config.Weaver = "required" }, "weaver is not on PATH", Prepare, "set weaver: auto"},
		{"the registry has an error", func(p *project, _ *Options) {
			p.write("telemetry/a.yaml", "groups: [{id: a}]\n")
			p.git("commit", "-qam", "broken")
		}, "has an error", Scanning, "aburn instrument registry check telemetry"},
		{"too many files", func(_ *project, o *Options) { o.Config.MaxFilesPerRun = 1 }, "2 files match, and maxFilesPerRun is 1", Scanning, "name fewer paths"},
		{"the branch is there", func(p *project, o *Options) { p.git("branch", "mine"); o.Branch = "mine" }, "the branch mine is there already", Branching,
			"--branch"},
		{"a branch that has no name", func(_ *project, o *Options) { o.Branch = "a..b" }, `"a..b" is no name of a branch`, Branching, "--branch"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", pathOf(t, "git"))
			p := newProject(t, 2, nil)
			m := &planner{}
			o := p.options(m)
			tt.spoil(p, &o)
			before := p.read("src/f0.mjs") + p.read("src/f1.mjs")
			_, err := Run(t.Context(), o, Callbacks{OnCeiling: func(Ceiling) bool { return true }})
			why, ok := err.(*Abort)
			if !ok || !strings.Contains(why.Msg, tt.msg) || why.Phase != tt.phase || !strings.Contains(why.Hint, tt.hinted) {
				t.Errorf("%#v", err)
			}
			if len(m.asked) > 0 || p.read("src/f0.mjs")+p.read("src/f1.mjs") != before {
				t.Error("a model was asked, or a file changed")
			}
			if _, err := os.Stat(filepath.Join(p.dir, ".git")); err == nil && p.git("branch", "--list", "aburn/*") != "" {
				t.Error("a branch was made")
			}
		})
	}
}

type absent struct{ planner }

func (*absent) Name() string                { return "absent" }
func (*absent) Ready(context.Context) error { return os.ErrNotExist }

// pathOf is a PATH with these programs and no other.
func pathOf(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := world.Symlink(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			t.Skip(err)
		}
	}
	return dir
}

// TestASecondRunChangesNothing, and asks nobody.
func TestASecondRunChangesNothing(t *testing.T) {
	world.Unshared(t)
	p := newProject(t, 2, nil)
	p.run(p.options(&planner{}), Callbacks{})
	head := p.git("rev-parse", "HEAD")
	p.state = t.TempDir()
	m := &planner{}
	o := p.options(m)
	o.Run = "r2"
	r := p.run(o, Callbacks{OnCeiling: func(Ceiling) bool { t.Error("a ceiling for nothing"); return false }})
	if len(m.asked) > 0 || r.Processed != 0 || r.Branch != "" || len(r.Idle) != 2 || !strings.Contains(r.Idle[0].Reason, "its spans are there already") ||
		p.git("rev-parse", "HEAD") != head || p.git("status", "--porcelain") != "" {
		t.Errorf("asked %v; %+v", m.asked, r)
	}
}

// TestADryRunWritesNothing: the result has the files, the registry grows in memory, and the plan can be applied.
func TestADryRunWritesNothing(t *testing.T) {
	world.Unshared(t)
	p := newProject(t, 2, nil)
	p.write("note.txt", "mine\n")
	before := p.git("status", "--porcelain") + p.git("rev-parse", "HEAD") + p.git("branch")
	m := &planner{}
	o := p.options(m)
	o.DryRun, o.Folder, o.Tests = true, nil, []string{"sh", "-c", "touch ran"}
	r := p.run(o, Callbacks{})
	if after := p.git("status", "--porcelain") + p.git("rev-parse", "HEAD") + p.git("branch"); after != before || r.Succeeded != 2 || r.Branch != "" ||
		len(r.Checkpoints) > 0 {
		t.Errorf("%s\n%+v", after, r)
	}
	if !strings.Contains(m.texts[1], "The registry has grown since: span") || !strings.Contains(string(r.Files[1].After), "startActiveSpan('shop.f1.run'") {
		t.Errorf("the second question:\n%s", m.texts[1])
	}
	applied, err := instrument.Applying{Dir: p.dir, Config: p.config, Plan: r.Plan}.Work(t.Context(), o.Engine)
	if err != nil || applied.Succeeded != 2 || string(applied.Files[1].After) != string(r.Files[1].After) {
		t.Errorf("%+v %v", applied, err)
	}
}

// TestARunWithoutASpanLeavesNoBranch behind.
func TestARunWithoutASpanLeavesNoBranch(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 1, nil)
	p.git("switch", "-q", "--detach")
	skipping := func() *planner {
		return &planner{say: map[string][]provider.Answer{"src/f0.mjs": answers(response(skipAll))}}
	}
	if r := p.run(p.options(skipping()), Callbacks{}); r.Branch != "" || p.git("branch", "--show-current") != "" || p.git("branch", "--list", "aburn/*") != "" {
		t.Errorf("without a branch before: %+v\n%s", r, p.git("branch"))
	}
	p.git("switch", "-q", "main")
	p.state = t.TempDir()
	r := p.run(p.options(skipping()), Callbacks{})
	if r.Branch != "" || p.git("branch", "--show-current") != "main" || p.git("branch", "--list", "aburn/*") != "" || r.Skipped != 1 {
		t.Errorf("%+v\n%s", r, p.git("branch"))
	}
}

// TestTestsThatTurnRedAreSearchedFor: only the guilty file is taken back, and a failure that does not come again is nobody's.
func TestTestsThatTurnRedAreSearchedFor(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	for _, tt := range []struct {
		name, tests string
		reverted    []string
		stopped     string
		passed      bool
	}{
		{"one is guilty", "! grep -q startActiveSpan src/f2.mjs", []string{"src/f2.mjs"}, "", true},
		{"two are guilty", "! grep -q startActiveSpan src/f1.mjs && ! grep -q startActiveSpan src/f3.mjs", []string{"src/f1.mjs", "src/f3.mjs"}, "", true},
		{"once, for no reason", "test ! -e telemetry/aburn-spans.yaml || test -e flake || { touch flake; false; }", nil, "", true},
		{"not the spans' fault", "test ! -e telemetry/aburn-spans.yaml", nil, "a checkpoint failed after 4 files: the tests are not as green as before the run",
			false},
		{"red before, by name, and no worse", "echo 'not ok 1 - old'; false", nil, "", true},
		{"red before, and a new one", "echo '  ✖ old (1.5ms)'; grep -q startActiveSpan src/f0.mjs && echo '  ✖ new (3ms)'; false", []string{"src/f0.mjs"}, "", true},
		{"red before, without names", "false", nil, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, 4, map[string]string{".gitignore": "flake\n"})
			p.config.SchemaCheckpointInterval = 4
			o := p.options(&planner{})
			o.Tests = []string{"sh", "-c", tt.tests}
			r := p.run(o, Callbacks{})
			var reverted []string
			for _, f := range r.Files {
				path, original := f.Path, ""
				for i := range 4 {
					if name, text := work(i); name == path {
						original = text
					}
				}
				if f.Reverted != "" {
					reverted = append(reverted, path)
					if p.read(path) != original || f.Status != instrument.Failed {
						t.Errorf("%s was not taken back", path)
					}
				} else if p.read(path) == original || !p.accepted(path, original) {
					t.Errorf("%s has no spans", path)
				}
			}
			if !slices.Equal(reverted, tt.reverted) || r.Stopped != tt.stopped || r.Checkpoints[len(r.Checkpoints)-1].Passed != tt.passed ||
				p.git("status", "--porcelain") != "" {
				t.Errorf("reverted %v, stopped %q, %+v", reverted, r.Stopped, r.Checkpoints)
			}
			if !tt.passed && !slices.Equal(r.Checkpoints[0].Radius, []string{"src/f0.mjs", "src/f1.mjs", "src/f2.mjs", "src/f3.mjs"}) {
				t.Errorf("%+v", r.Checkpoints[0])
			}
		})
	}
}

// TestWithoutTheAPITestsJudgeNothing: they could not load the spans, and would speak against each file.
func TestWithoutTheAPITestsJudgeNothing(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 2, map[string]string{"package.json": `{"name": "shop"}`})
	o := p.options(&planner{})
	o.Tests = []string{"sh", "-c", "! grep -q startActiveSpan src/f0.mjs"}
	r := p.run(o, Callbacks{})
	text := strings.Join(r.Warnings, "\n")
	if r.Succeeded != 2 || r.Tests != nil || !strings.Contains(text, "lacks the OpenTelemetry API") ||
		!strings.Contains(text, "not installed: @opentelemetry/api") || !strings.Contains(text, "not permitted") {
		t.Errorf("%s\n%+v", text, r)
	}
}

// TestKilledBesideThePackageManager: what it changed before the kill is committed by the run that goes on, and told.
func TestKilledBesideThePackageManager(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 2, map[string]string{"package.json": `{"name": "shop", "private": true}`})
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"),
		[]byte("#!/bin/sh\necho '{\"name\": \"shop\", \"private\": true, \"dependencies\": {\"@opentelemetry/api\": \"^1.9.0\"}}' > package.json\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	o := p.options(&planner{})
	o.Permit = func(*jsproject.Installation) bool { return true }
	o.step = func(kind string) {
		if kind == "supplied" {
			panic(kind)
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nobody came to the step")
			}
		}()
		p.run(o, Callbacks{})
	}()
	if p.git("status", "--porcelain") != "M package.json" {
		t.Fatal(p.git("status", "--porcelain"))
	}
	o = p.options(&planner{})
	o.Permit = func(*jsproject.Installation) bool { t.Error("it was installed already"); return false }
	r := p.run(o, Callbacks{})
	if r.Succeeded != 2 || p.git("status", "--porcelain") != "" || !strings.Contains(p.git("log", "--format=%s", "--", "package.json"), "what the spans need") {
		t.Errorf("%+v\n%s", r, p.git("status", "--porcelain"))
	}
	// Without a kill the result says what was installed, even if the run goes on later.
	p = newProject(t, 2, map[string]string{"package.json": `{"name": "shop", "private": true}`})
	o = p.options(&planner{say: map[string][]provider.Answer{"src/f1.mjs": {{Err: provider.ErrAuth}}}})
	o.Permit = func(*jsproject.Installation) bool { return true }
	if r = p.run(o, Callbacks{}); r.Stopped == "" {
		t.Fatal("it did not stop")
	}
	if r = p.run(p.options(&planner{}), Callbacks{}); r.Succeeded != 2 || !slices.Equal(r.LibrariesInstalled, []string{"@opentelemetry/api@^1.9.0"}) {
		t.Errorf("%v %+v", r.LibrariesInstalled, r)
	}
}

// TestAFailedCheckpointStopsNewFiles, unless somebody wants to go on.
func TestAFailedCheckpointStopsNewFiles(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	for _, goOn := range []bool{false, true} {
		p := newProject(t, 3, nil)
		p.config.SchemaCheckpointInterval = 1
		m := &planner{}
		o := p.options(m)
		o.Tests = []string{"sh", "-c", "test ! -e telemetry/aburn-spans.yaml"}
		r := p.run(o, Callbacks{OnCheckpoint: func(Checkpoint) bool { return goOn }})
		if want := map[bool]int{false: 1, true: 3}[goOn]; len(m.asked) != want || r.Succeeded != want || (r.Stopped == "") != goOn {
			t.Errorf("go on %v: asked %v, stopped %q", goOn, m.asked, r.Stopped)
		}
	}
}

// TestAProjectBelowTheRepository: git's paths begin at its top, the project's do not.
func TestAProjectBelowTheRepository(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 3, nil)
	p.write("pkg/keep", "")
	p.git("mv", "src", "telemetry", "package.json", "pkg/")
	p.git("commit", "-q", "-m", "a monorepo")
	p.dir = filepath.Join(p.dir, "pkg")
	o := p.options(&planner{})
	o.Tests = []string{"sh", "-c", "! grep -q startActiveSpan src/f1.mjs"}
	r := p.run(o, Callbacks{})
	path, original := work(1)
	if r.Succeeded != 2 || r.Files[1].Reverted == "" || p.read(path) != original || p.git("status", "--porcelain", "--", "src", "telemetry") != "" ||
		len(r.SchemaDiff) == 0 {
		t.Errorf("%+v\n%s", r.Files[1].FileResult, p.git("status", "--porcelain"))
	}
}

// TestARefusedCommitTakesTheFileBack: a hook that a person permitted speaks against one file; the others stay.
func TestARefusedCommitTakesTheFileBack(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 3, nil)
	hook := filepath.Join(p.dir, ".git", "hooks", "pre-commit")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch "+p.state+"/ran\n! git diff --cached --name-only | grep -q f1.mjs\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := p.options(&planner{})
	o.Hooks = true
	r := p.run(o, Callbacks{})
	path, original := work(1)
	if r.Succeeded != 2 || !strings.HasPrefix(r.Files[1].Reason, "git refused the commit") || p.read(path) != original || p.git("status", "--porcelain") != "" ||
		strings.Contains(p.read("telemetry/aburn-spans.yaml"), "f1") {
		t.Errorf("%+v\n%s", r.Files[1].FileResult, p.git("status", "--porcelain"))
	}
	p = newProject(t, 1, nil)
	if err := os.WriteFile(filepath.Join(p.dir, ".git", "hooks", "pre-commit"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r := p.run(p.options(&planner{}), Callbacks{}); r.Succeeded != 1 {
		t.Errorf("a hook that nobody permitted ran: %+v", r.Files[0].FileResult)
	}
}

// TestAChangeOfAPersonIsKept: a file that somebody edits while the model thinks is left alone; what else lies in the tree too.
func TestAChangeOfAPersonIsKept(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 2, map[string]string{"other.txt": "a\n"})
	p.write("other.txt", "theirs\n")
	p.write("staged.txt", "theirs\n")
	p.git("add", "staged.txt")
	_, text := work(1)
	o := p.options(&planner{})
	r := p.run(o, Callbacks{OnFileStart: func(path string, _, _ int) {
		if path == "src/f1.mjs" {
			p.write(path, text+"// mine\n")
		}
	}})
	if r.Succeeded != 1 || r.Files[1].Status != instrument.Failed || p.read("src/f1.mjs") != text+"// mine\n" || p.read("other.txt") != "theirs\n" {
		t.Errorf("%+v", r.Files[1].FileResult)
	}
	if got := p.git("status", "--porcelain"); !strings.Contains(got, "A  staged.txt") || !strings.Contains(got, "M other.txt") {
		t.Errorf("staged and changed files of the person are no longer so:\n%s", got)
	}
}

// TestAbortGoesBack to the branch before, and deletes nothing.
func TestAbortGoesBack(t *testing.T) {
	world.Unshared(t)
	p := newProject(t, 2, nil)
	ctx, cancel := context.WithCancel(t.Context())
	o := p.options(&planner{})
	_, err := Run(ctx, o, Callbacks{OnCeiling: func(Ceiling) bool { return true }, OnFileStart: func(path string, i, _ int) {
		if i == 1 {
			cancel()
		}
	}})
	if err != context.Canceled {
		t.Fatal(err)
	}
	branch, err := End(t.Context(), o)
	if err != nil || branch != "main" || p.git("branch", "--show-current") != "main" || p.git("branch", "--list", "aburn/*") == "" {
		t.Errorf("%s %v", branch, err)
	}
	path, original := work(0)
	if p.read(path) != original || p.git("status", "--porcelain") != "" {
		t.Error("main is not as it was")
	}
	if _, err := Run(t.Context(), o, Callbacks{}); err == nil || !strings.Contains(err.Error(), "has ended: aborted") {
		t.Error(err)
	}
}

// TestAStoppedRunGoesOn: what was paid for is not asked again.
func TestAStoppedRunGoesOn(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 3, nil)
	m := &planner{say: map[string][]provider.Answer{"src/f1.mjs": {{Err: provider.ErrAuth}}}}
	o := p.options(m)
	o.Branch, o.NoTests = "spans", true
	r := p.run(o, Callbacks{})
	if r.Stopped == "" || r.Succeeded != 1 || r.Branch != "spans" {
		t.Fatalf("%+v", r)
	}
	p.git("switch", "-q", "main")
	again := &planner{}
	o = p.options(again)
	o.Tests = []string{"false"} // the run began without
	r = p.run(o, Callbacks{OnCeiling: func(Ceiling) bool { t.Error("it was accepted already"); return true }})
	if got := strings.Join(again.asked, " "); got != "src/f1.mjs src/f2.mjs" || r.Succeeded != 3 || r.Stopped != "" ||
		p.git("branch", "--show-current") != r.Branch || len(r.Ceiling.Each) != 3 || len(r.SchemaDiff) != 3 || r.Tests != nil || r.HashStart == r.HashEnd {
		t.Errorf("asked %s; %+v", got, r)
	}
}

// TestEveryFieldOfAResultIsFilled, or is empty for a reason that stands here.
func TestEveryFieldOfAResultIsFilled(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	p := newProject(t, 2, map[string]string{"src/idle.mjs": "export const a = 1;\n"})
	p.config.AgentModel = "m"
	o := p.options(&planner{})
	o.Tests = []string{"sh", "-c", "true"}
	r := p.run(o, Callbacks{})
	empty := []string{"Stopped", "PullRequest", "Command", "CostUSD", "LibrariesInstalled", "LibraryFailures", "Warnings", "Libraries", "Registry", "Had",
		"Contract", "Failed", "NeedsHuman", "Skipped", "SDKInit", "Weaver", "WeaverDiff"}
	v := reflect.ValueOf(*r)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || slices.Contains(empty, f.Name) {
			continue
		}
		if value := v.FieldByIndex(f.Index); value.IsZero() {
			t.Errorf("%s is empty", f.Name)
		}
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"schemaHashEnd"`) || strings.Contains(string(text), "readFile(id)") {
		t.Errorf("%v %s", err, text)
	}
}

// TestTheLinterOfTheProject refuses a run's file as it refuses one of --from-plan.
func TestTheLinterOfTheProject(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node")
	}
	for _, linted := range []bool{false, true} {
		p := newProject(t, 1, nil)
		p.write("node_modules/eslint/package.json", `{"bin": {"eslint": "./bin.cjs"}}`)
		p.write("node_modules/eslint/bin.cjs",
			"let s = ''\nprocess.stdin.on('data', (d) => s += d).on('end', () => process.stdout.write(JSON.stringify([{ messages: "+
				"s.includes('getTracer') ? [{ ruleId: 'no-tracer', severity: 2, message: 'No tracers here.', line: 1, column: 1 }] : [] }])))")
		o := p.options(&planner{})
		o.DryRun = true
		if linted {
			o.Linter = instrument.FindLinter(p.dir, os.Environ())
		}
		r := p.run(o, Callbacks{})
		if refused := r.Files[0].Status == instrument.Failed && strings.Contains(r.Files[0].Reason, "No tracers here"); refused != linted {
			t.Errorf("linted %t: %s, %s", linted, r.Files[0].Status, r.Files[0].Reason)
		}
	}
}

// TestWeaverBesideARun: a Weaver that is there judges the registry at checkpoints, and compares it at the end. What it
// cannot do is a warning.
func TestWeaverBesideARun(t *testing.T) {
	world.Slow(t)
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	const invalid = `echo '[{"error":{"UnresolvedAttributeRef":{"provenance":"a.yaml"}},"diagnostic":{"message":"m","severity":"Error"}}]'; exit 1`
	for _, tt := range []struct{ name, check, diff, registry, says, warns string }{
		{"it agrees", "exit 0",
			`echo '{"changes":{"spans":[{"type":"added","name":"shop.f0.run"}],"registry_attributes":[{"type":"renamed","old_name":"a","new_name":"b"}]}}'`, "",
			"renamed attribute a b\nadded span shop.f0.run\n", ""},
		{"it disagrees after the run", `[ -e telemetry/aburn-spans.yaml ] || exit 0; ` + invalid, `echo '{"changes":{}}'`,
			"the registry has an error by now, says weaver 0.25.1", "", ""},
		{"its comparison fails", "exit 0", "exit 3", "", "", "Weaver did not compare the registry"},
		{"it breaks meanwhile", `[ -e telemetry/aburn-spans.yaml ] || exit 0; echo no; exit 3`, `echo '{"changes":{}}'`, "", "", "aburn judges the registry alone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, 1, nil)
			p.config.Weaver = "auto"
			bin := t.TempDir()
			script := "#!/bin/sh\ncase \"$*\" in\n--version) echo 'weaver 0.25.1' ;;\n*' check '*) " + tt.check + " ;;\n*' diff '*) " + tt.diff +
				" ;;\n*) exit 4 ;;\nesac\n"
			if err := os.WriteFile(filepath.Join(bin, "weaver"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			r := p.run(p.options(&planner{}), Callbacks{})
			last := r.Checkpoints[len(r.Checkpoints)-1]
			warned := strings.Join(r.Warnings, "\n")
			if r.Succeeded != 1 || r.Weaver != "weaver 0.25.1" || r.WeaverDiff != tt.says || last.Registry != tt.registry || last.Passed != (tt.registry == "") ||
				!strings.Contains(warned, tt.warns) || (warned == "") != (tt.warns == "") && !strings.Contains(warned, "no test command") {
				t.Errorf("%q %q %+v\n%s", r.Weaver, r.WeaverDiff, last, warned)
			}
		})
	}
}

// TestADryRunGoesOn from its journal: it asks for what it lacks, and has the whole plan.
func TestADryRunGoesOn(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 3, nil)
	before := p.git("status", "--porcelain") + p.git("branch")
	whole := func() *Result {
		o := p.options(&planner{})
		o.DryRun, o.Folder = true, nil
		return p.run(o, Callbacks{})
	}()
	ctx, cancel := context.WithCancel(t.Context())
	o := p.options(&planner{})
	o.DryRun = true
	if _, err := Run(ctx, o, Callbacks{OnCeiling: func(Ceiling) bool { return true }, OnFileStart: func(_ string, i, _ int) {
		if i == 2 {
			cancel()
		}
	}}); err != context.Canceled {
		t.Fatal(err)
	}
	m := &planner{}
	wet := p.options(m)
	var why *Abort
	if _, err := Run(t.Context(), wet, Callbacks{}); !errors.As(err, &why) || why.Phase != Prepare {
		t.Errorf("a dry run goes on as one that writes: %v", err)
	}
	o = p.options(m)
	o.DryRun = true
	var told []Attempt
	var asked []string
	r := p.run(o, Callbacks{OnCeiling: func(Ceiling) bool { t.Error("it was accepted already"); return true },
		OnAttempt: func(a Attempt) { told = append(told, a) }, OnAsk: func(path string, attempt, tokens int) {
			asked = append(asked, path)
			if attempt != 1 || tokens < 3000 {
				t.Errorf("attempt %d of %d tokens", attempt, tokens)
			}
		}})
	if got := strings.Join(m.asked, " "); got != "src/f2.mjs" || !slices.Equal(asked, m.asked) || r.Succeeded != 3 || r.Calls != 3 ||
		!reflect.DeepEqual(r.Plan, whole.Plan) || len(r.SchemaDiff) != 3 {
		t.Errorf("asked %s; %+v\n%+v", got, r, r.Plan)
	}
	if len(told) != 3 || len(told[0].Request.Turns) != 0 || len(told[2].Request.Turns) != 1 || told[0].N != 1 || told[2].Path != "src/f2.mjs" ||
		told[0].Answer == nil || len(told[0].Facts) > 0 {
		t.Errorf("told %+v", told)
	}
	if after := p.git("status", "--porcelain") + p.git("branch"); after != before {
		t.Error(after)
	}
}
