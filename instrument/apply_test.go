package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

func folder(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const placing = "export async function place(order) {\n  await save(order.id);\n}\nasync function save() {}\n"

func placed(path string) Planned {
	return Planned{Path: path, Plan: edit.Plan{Functions: []edit.Choice{{ID: "f1", Name: "place", Action: "span", Span: "shop.order.place"}}}}
}

func work(t *testing.T, a Applying) *RunResult {
	t.Helper()
	levels := a.Config.Rules
	a.Config = Defaults()
	a.Config.Rules = levels
	r, err := a.Work(t.Context(), jsast.NewGoja())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAFileThatChangedIsLeftAlone: what somebody wrote while aburn worked stays.
func TestAFileThatChangedIsLeftAlone(t *testing.T) {
	world.Unshared(t)
	dir := folder(t, map[string]string{"a.mjs": placing, "b.mjs": placing})
	r := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{placed("a.mjs"), placed("b.mjs")}}})
	theirs := placing + "// mine\n"
	if err := os.WriteFile(filepath.Join(dir, "a.mjs"), []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "a.mjs"))
	b, _ := os.ReadFile(filepath.Join(dir, "b.mjs"))
	if string(a) != theirs || !strings.Contains(string(b), "startActiveSpan") || r.Files[0].Status != Failed || r.Succeeded != 1 || r.Failed != 1 {
		t.Errorf("a: %s\nb: %s\n%+v", a, b, r)
	}
}

// TestLinksAreNotFollowed: a link in the plan is refused, and so is a folder that leads out.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := folder(t, map[string]string{"a.mjs": placing})
	dir := folder(t, map[string]string{"b.mjs": placing})
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("b.mjs", filepath.Join(dir, "link.mjs")); err != nil {
		t.Fatal(err)
	}
	r := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{placed("out/a.mjs"), placed("link.mjs")}}})
	if err := r.Write(dir); err != nil || r.Failed != 2 {
		t.Errorf("%v %+v", err, r)
	}
	if a, _ := os.ReadFile(filepath.Join(outside, "a.mjs")); string(a) != placing {
		t.Error("a file outside of the project was changed")
	}
}

// TestASecondRunChangesNothing, also where a rule left out a part of the plan.
func TestASecondRunChangesNothing(t *testing.T) {
	dir := folder(t, map[string]string{"a.mjs": placing + "export function name(o) {\n  return o.name;\n}\nexport function* gen() {}\n"})
	p := placed("a.mjs")
	for id, name := range map[string]string{"f3": "name", "f4": "gen"} {
		p.Functions = append(p.Functions, edit.Choice{ID: id, Name: name, Action: "span", Span: "shop." + name})
	}
	first := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{p}}})
	if err := first.Write(dir); err != nil || first.Files[0].SpansAdded != 1 || len(first.Files[0].Dropped) != 2 {
		t.Fatalf("%v %+v", err, first.Files[0])
	}
	second := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{p}}})
	if f := second.Files[0]; f.Status != Unchanged || len(f.Blocking) > 0 || second.Skipped != 1 {
		t.Errorf("%+v", f)
	}
}

// TestAMovedFunctionIsFoundByItsName, and one that is there twice is not guessed.
func TestAMovedFunctionIsFoundByItsName(t *testing.T) {
	world.Unshared(t)
	for source, want := range map[string]string{
		"const a = () => 1;\n" + placing:          "",
		placing + "const b = { place() {} };\n":   "",
		"const place = () => 1;\nconst o = {};\n": "it only",
		"{ const place = async () => g();\n}\n{\nconst place = async () => g(); }\nfunction x() {}\n": "2 functions are called place, and none of them is f9",
		"f();\n": "the file has no function place",
	} {
		p := placed("a.mjs")
		p.Functions[0].ID = "f9"
		r := work(t, Applying{Dir: folder(t, map[string]string{"a.mjs": source}), Plan: &Plan{[]Planned{p}}})
		f := r.Files[0]
		switch {
		case want == "" || want == "it only":
			if f.Status != Success {
				t.Errorf("%s: %+v", source, f)
			}
		case !slices.ContainsFunc(f.Dropped, func(d string) bool { return strings.Contains(d, want) }):
			t.Errorf("%s: %v, want %s", source, f.Dropped, want)
		}
	}
}

// TestTheFormatterPrintsWhatItPrintedBefore: its text counts only where it printed the original, and where the proof holds.
func TestTheFormatterPrintsWhatItPrintedBefore(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node")
	}
	const read = "let s = ''; process.stdin.on('data', (d) => s += d).on('end', () => process.stdout.write("
	for _, tt := range []struct{ name, script, note, has string }{
		{"it prints double quotes, as before", read + `s.replaceAll("'", '"')));`, "", `startActiveSpan("shop.order.place"`},
		{"it would change the original", read + `"\n" + s));`, "was not printed by the project's formatter before", "startActiveSpan('shop.order.place'"},
		{"it changes code", read + `s.includes('startActiveSpan') ? s.replace('save(', 'lose(') : s));`, "does not pass the rules", "save(order.id)"},
		{"it fails", "process.exit(3)", "the formatter failed, so the file is as aburn wrote it: exit code 3", "startActiveSpan('shop.order.place'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"a.mjs": placing, "node_modules/prettier/package.json": `{"bin": "./bin.cjs"}`,
				"node_modules/prettier/bin.cjs": tt.script})
			f := FindFormatter(dir, os.Environ())
			if f == nil || strings.Join(f.Line, " ") != "node node_modules/prettier/bin.cjs" {
				t.Fatalf("%+v", f)
			}
			r := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{placed("a.mjs")}}, Formatter: f})
			file := r.Files[0]
			if file.Status != Success || !strings.Contains(string(file.After), tt.has) || !strings.Contains(strings.Join(file.Notes, "\n"), tt.note) || tt.note == "" &&
				len(file.Notes) > 0 {
				t.Errorf("%+v\n%s", file, file.After)
			}
		})
	}
}

// TestSecondTimeOfOneName: ids move when spans are put in, so a second time another function of the same name would be
// taken for the one of the plan.
func TestSecondTimeOfOneName(t *testing.T) {
	world.Unshared(t)
	const source = "export async function run() {\n  let hook = async () => {};\n  hook = async (a) => {\n    await a.b();\n  };\n  await hook();\n}\n"
	for _, withSource := range []bool{true, false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.mjs"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		plan := &Plan{Files: []Planned{{Path: "a.mjs", Plan: edit.Plan{Functions: []edit.Choice{
			{ID: "f1", Name: "run", Action: "span", Span: "shop.run"}, {ID: "f3", Name: "hook", Action: "span", Span: "shop.hook"}}}}}}
		if withSource {
			plan.Files[0].Source = SourceHash([]byte(source))
		}
		work := Applying{Dir: dir, Config: Defaults(), Plan: plan}
		first, err := work.Work(t.Context(), jsast.NewGoja())
		if err != nil || first.Succeeded != 1 || first.Files[0].SpansAdded != 2 {
			t.Fatalf("%v %+v", err, first.Files[0])
		}
		if err := first.Write(dir); err != nil {
			t.Fatal(err)
		}
		again, err := work.Work(t.Context(), jsast.NewGoja())
		if err != nil || again.Files[0].Status != Unchanged {
			t.Errorf("with source %v: %v %s %s", withSource, err, again.Files[0].Status, again.Files[0].After)
		}
	}
}

// TestManySpansOfAFile: more than every fifth function is noted. In a run a person decides where reviewSensitivity is
// strict; somebody who wrote the plan has decided.
func TestManySpansOfAFile(t *testing.T) {
	world.Slow(t)
	text, p := "", Planned{Path: "a.mjs"}
	for i := 1; i <= 5; i++ {
		text += fmt.Sprintf("export async function work%d(order) {\n  await save(order.id);\n}\n", i)
		if i < 5 {
			p.Functions = append(p.Functions, edit.Choice{ID: fmt.Sprintf("f%d", i), Name: fmt.Sprintf("work%d", i), Action: "span",
				Span: fmt.Sprintf("shop.order.work%d", i)})
		}
	}
	dir := folder(t, map[string]string{"a.mjs": text})
	for _, tt := range []struct {
		sensitivity  string
		attempt      bool
		spans, large int
		want         Status
		notes        string
	}{
		{"moderate", true, 4, 500, Success, "4 of 5 functions get a span, more than every fifth: the file does much, or some of these say little"},
		{"strict", true, 4, 500, NeedsHuman, "4 of 5 functions get a span"},
		{"strict", false, 4, 500, Success, "4 of 5 functions get a span"},
		{"strict", true, 3, 500, Success, ""},
		{"off", true, 1, 14, Success, "a large file, of 15 lines"},
	} {
		c := Defaults()
		c.ReviewSensitivity, c.LargeFileThresholdLines = tt.sensitivity, tt.large
		few := p
		few.Functions = p.Functions[:tt.spans]
		r, err := Applying{Dir: dir, Config: c, Plan: &Plan{[]Planned{few}}, Attempt: tt.attempt}.Work(t.Context(), jsast.NewGoja())
		if err != nil {
			t.Fatal(err)
		}
		f := r.Files[0]
		notes := strings.Join(f.Notes, "\n")
		if f.Status != tt.want || !strings.HasPrefix(notes, tt.notes) || (tt.notes == "") != (notes == "") || (f.After == nil) != (tt.want == NeedsHuman) ||
			(f.SpansAdded == 0) != (tt.want == NeedsHuman) || r.NeedsHuman != len(r.Files)-r.Succeeded {
			t.Errorf("%+v: %s %q %s", tt, f.Status, notes, f.Reason)
		}
	}
}
