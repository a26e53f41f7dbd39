package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"aburn/cmd/aburn-instrument/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/edit"
	"aburn/instrument/jsproject"
	"aburn/instrument/record"
	"aburn/instrument/scan"
	"aburn/internal/consent"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// foreign is a project of somebody else: packages of npm that contain their tests, with permissive licences. They are
// fetched, never kept.
type foreign struct {
	name     string
	packages map[string]string // folder in the project ("." is the project itself): package@version
	dev      []string          // what the tests need, and package.json does not say without much else
	test     []string
	dropped  []string // files that only matter elsewhere
	spans    int      // at least so many functions get one
	number   string   // of a first parameter, for an attribute; "" for none
}

var foreigners = []foreign{
	{"CommonJS: @fastify/send", map[string]string{".": "@fastify/send@4.2.1"}, []string{"after@0.8.2", "supertest@7.0.0"},
		[]string{"node", "--test", "test/send.1.test.js", "test/send.2.test.js", "test/send.3.test.js", "test/mime.test.js"}, []string{"types", "benchmarks"}, 1,
		".length"},
	{"ES modules: borp", map[string]string{".": "borp@0.21.0"},
		[]string{"@matteo.collina/tspl@0.1.1", "desm@1.3.1", "typescript@5.9.3", "@types/node@24.0.14", "semver@7.7.2", "@reporters/silent@1.3.1"},
		[]string{"node", "--test", "test/config.test.js"}, nil, 2, ".length"},
	{"monorepo: pino-roll and borp", map[string]string{"packages/roll": "pino-roll@4.0.0", "packages/run": "borp@0.21.0"},
		[]string{"mockdate@3.0.5", "pino@10.0.0", "@matteo.collina/tspl@0.1.1", "desm@1.3.1", "typescript@5.9.3", "@types/node@24.0.14", "semver@7.7.2",
			"@reporters/silent@1.3.1"},
		[]string{"node", "--test", "packages/roll/test/lib/utils.test.js", "packages/roll/test/utils.js"}, nil, 8, ".length"},
}

// TestForeignProjects instruments projects of others by a plan that wants a span in each candidate: their tests pass as
// before, the spans are made, and a second time nothing changes. It needs the network. ABURN_FOREIGN=1 tries all,
// ABURN_FOREIGN=few one.
func TestForeignProjects(t *testing.T) {
	world.Slow(t)
	if os.Getenv("ABURN_FOREIGN") == "" {
		t.Skip("ABURN_FOREIGN is not set")
	}
	world.TypeNode(t)
	if os.Getenv("ABURN_FOREIGN") == "few" { // the monorepo has modules of both kinds
		foreigners = foreigners[2:]
	}
	for _, f := range foreigners {
		t.Run(f.name, func(t *testing.T) { f.try(t) })
	}
}

func (f foreign) try(t *testing.T) {
	w := world.New(t)
	w.Enter(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f.fetch(t, dir)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "as it was"}} {
		must(t, dir, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	}
	before := f.tests(t, dir)

	if err := errors.Join(os.Mkdir(filepath.Join(dir, project.OssDir), 0o700), project.Mark(dir)); err != nil {
		t.Fatal(err)
	}
	p, err := project.At(dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	for folder := range f.packages {
		for _, strategy := range []string{"dependencies", "peerDependencies"} {
			if err := consent.Give(p, jsproject.AddLine(dir, folder+"/x.js", strategy)); err != nil {
				t.Fatal(err)
			}
		}
	}
	instrumented(t, dir, -1, "init", "--yes") // 2, and no configuration: the API is missing, and comes later
	write(t, filepath.Join(dir, instrument.ConfigFile), "schemaPath: "+instrument.NewRegistry+"\n")
	planned := f.plan(t, dir)
	must(t, dir, "git", "add", "-A")
	must(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "plan")

	var result instrument.RunResult
	decode(t, instrumented(t, dir, 0, "--from-plan", "plan.json", "--yes", "--json"), &result)
	spans := 0
	for _, r := range result.Files {
		spans += r.SpansAdded
		original := filepath.Join(t.TempDir(), filepath.Base(r.Path))
		if err := os.WriteFile(original, []byte(must(t, dir, "git", "show", "HEAD:"+r.Path)), 0o600); err != nil {
			t.Fatal(err)
		}
		instrumented(t, dir, 0, "check", original, r.Path, "--config", instrument.ConfigFile)
	}
	if spans < f.spans || len(result.LibrariesInstalled) == 0 || len(result.LibraryFailures) > 0 {
		t.Errorf("%d spans of %d planned; installed %v, not %v", spans, planned, result.LibrariesInstalled, result.LibraryFailures)
	}
	if after := f.tests(t, dir); after != before {
		t.Errorf("tests: %q, before %q", after, before)
	}
	var recorded record.Report
	decode(t, instrumented(t, dir, -1, append([]string{"record", "--json", "-q", "--once", "--"}, f.test...)...), &recorded)
	var made []string
	for _, s := range recorded.Names {
		made = append(made, s.Name)
	}
	if len(made) == 0 {
		t.Error("no span was recorded")
	}
	state := must(t, dir, "git", "diff") + must(t, dir, "git", "status", "--porcelain")
	instrumented(t, dir, 0, "--from-plan", "plan.json", "--yes", "--allow-dirty")
	if again := must(t, dir, "git", "diff") + must(t, dir, "git", "status", "--porcelain"); again != state {
		t.Errorf("a second time changes something:\n%s", diff.Diff("before", []byte(state), "after", []byte(again)))
	}
	t.Logf("%d of %d planned spans in %d files; recorded: %v; tests: %s", spans, planned, len(result.Files), made, before)
}

// fetch lays the project out and installs what it needs. Without the network the test is skipped.
func (f foreign) fetch(t *testing.T, dir string) {
	t.Helper()
	if _, alone := f.packages["."]; !alone {
		write(t, filepath.Join(dir, "package.json"), `{"name": "foreign", "private": true, "workspaces": ["packages/*"]}`)
	}
	for folder, spec := range f.packages {
		pack := exec.Command("npm", "pack", "--silent", spec)
		pack.Dir = t.TempDir()
		name, err := pack.Output()
		if err != nil {
			t.Skipf("%s cannot be fetched: %v", spec, err)
		}
		at := filepath.Join(dir, folder)
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		must(t, at, "tar", "xzf", filepath.Join(pack.Dir, strings.TrimSpace(string(name))), "--strip-components=1")
		withoutDev(t, filepath.Join(at, "package.json"))
		for _, d := range f.dropped {
			if err := os.RemoveAll(filepath.Join(at, d)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(t, filepath.Join(dir, ".gitignore"), "node_modules\n.oss\n")
	npm := []string{"npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-dev"}
	must(t, dir, npm[0], append(npm[1:], f.dev...)...)
}

// withoutDev takes the development dependencies out: most of them are linters.
func withoutDev(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	decode(t, string(text), &m)
	delete(m, "devDependencies")
	out, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(out)+"\n")
}

var testCounts = regexp.MustCompile(`(?m)^# (tests|pass|fail|skipped) (\d+)$`)

// tests runs the project's tests and gives how many passed.
func (f foreign) tests(t *testing.T, dir string) string {
	t.Helper()
	argv := append([]string{f.test[0], "--test-reporter=tap"}, f.test[1:]...)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	counts := strings.Join(testCounts.FindAllString(string(out), -1), ", ")
	if counts == "" || err != nil {
		t.Errorf("%v: %s\n%s", argv, err, out)
	}
	return counts
}

// plan wants a span in each candidate of the project's own code, each in the registry, with the length of its first
// parameter.
func (f foreign) plan(t *testing.T, dir string) (n int) {
	t.Helper()
	var found instrument.Inventory
	decode(t, instrumented(t, dir, 0, "scan", "--json"), &found)
	var p instrument.Plan
	config, err := instrument.ReadConfig(filepath.Join(dir, instrument.ConfigFile))
	if err != nil {
		t.Fatal(err)
	}
	namespace := namespaceIn(t, filepath.Join(dir, config.SchemaPath))
	key := namespace + ".first.length"
	for _, file := range found.Files {
		planned := instrument.Planned{Path: file.Path, Source: file.Source}
		if strings.Contains(file.Path, "fixtures") || strings.Contains(file.Path, "test/") || strings.Contains(file.Path, "examples") {
			continue
		}
		for _, fn := range file.Functions {
			if fn.Verdict != scan.Candidate {
				continue
			}
			n++
			span := fmt.Sprintf("%s.op%d", namespace, n)
			c := edit.Choice{ID: fn.ID, Name: fn.Name, Action: "span", Span: span}
			if len(fn.Params) > 0 && len(p.Files) == 0 && f.number != "" {
				c.Attributes = append(c.Attributes, edit.Attribute{Key: key, Expr: fn.Params[0].Name + f.number})
			}
			planned.Functions = append(planned.Functions, c)
			wanted := edit.NewSpan{ID: span, Kind: "internal", Brief: "What " + fn.Name + " does."}
			if len(c.Attributes) > 0 {
				wanted.Attributes = []string{key}
			}
			planned.NewSpans = append(planned.NewSpans, wanted)
		}
		if len(planned.Functions) > 0 {
			if len(p.Files) == 0 && f.number != "" {
				planned.NewAttributes = append(planned.NewAttributes, edit.NewAttribute{Key: key, Type: "int", Brief: "How long the first argument is.",
					Examples: []string{"3"}})
			}
			p.Files = append(p.Files, planned)
		}
	}
	text, err := json.Marshal(p)
	if err != nil || n == 0 {
		t.Fatalf("%v, %d candidates", err, n)
	}
	write(t, filepath.Join(dir, "plan.json"), string(text))
	return n
}

func namespaceIn(t *testing.T, registry string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(registry, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) != "manifest.yaml" })
	if i < 0 {
		t.Fatalf("no registry in %s", registry)
	}
	return strings.TrimSuffix(filepath.Base(files[i]), ".yaml")
}

// instrumented runs a command of aburn-instrument in dir; want is its exit code, -1 for any.
func instrumented(t *testing.T, dir string, want int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: os.Getenv}
	if got := commands.Run(t.Context(), a, append([]string{"aburn-instrument", "-C", dir}, args...)); got != want && want >= 0 {
		t.Fatalf("%v: exit %d, want %d\n%s%s", args, got, want, out.String(), errs.String())
	}
	return out.String()
}

func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, out, exit.Stderr)
	}
	return string(out)
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
