package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"aburn/cmd/aburn-instrument/internal/commands"
	"aburn/cmd/internal/kit"
	"aburn/instrument/record"
	"aburn/instrument/rules"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestMain makes this test binary aburn-instrument, so that the scripts run real processes.
func TestMain(m *testing.M) {
	if os.Getenv(asInstrument) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"aburn-instrument": main, "trust": trust})
}

// trust is what `aburn init` does about trust.
func trust() {
	if err := errors.Join(os.Mkdir(project.OssDir, 0o700), project.Mark(".")); err != nil {
		panic(err)
	}
}

// asInstrument is the variable that makes this test binary aburn-instrument.
const asInstrument = "ABURN_TEST_AS_INSTRUMENT"

// TestScripts runs testdata/script: the manual, one page a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("BIN", filepath.SplitList(env.Getenv("PATH"))[0]) // aburn-instrument, and no node
			return nil
		},
	})
}

// TestTypeScriptScripts runs testdata/typescript with a node that takes types off.
func TestTypeScriptScripts(t *testing.T) {
	world.Slow(t)
	world.TypeNode(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/typescript", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PATH", filepath.SplitList(env.Getenv("PATH"))[0]+string(filepath.ListSeparator)+os.Getenv("PATH"))
			return nil
		},
	})
}

// TestExitCodes: 0 if nothing blocks, 1 if a finding does, 2 if nothing can be judged.
func TestExitCodes(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"a.js": "f();\n", "b.js": "g();\n", "c.js": "f(\n",
		"advised.mjs": "import { trace } from '@opentelemetry/api';\nf();\n", "a.mjs": "f();\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for args, want := range map[string]int{
		"a.js a.js": 0, "a.mjs advised.mjs": 0, "a.js b.js": 1, "a.js c.js": 1, "c.js a.js": 2, "a.js": 2, "a.js a.js --nothing": 2, "a.js b.js --rule SAF-001": 0,
	} {
		var out, errs bytes.Buffer
		a := &kit.App{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
		got := commands.Run(t.Context(), a, append([]string{"aburn-instrument", "-C", dir, "check"}, strings.Fields(args)...))
		if got != want || want == 2 && out.Len() > 0 {
			t.Errorf("%s: exit %d, want %d\n%s%s", args, got, want, out.String(), errs.String())
		}
	}
}

// TestPages: each member of a finding stands in docs/formats/json.md, each rule with
// its severity in the guide.
func TestPages(t *testing.T) {
	page := func(name string) string {
		b, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	_, json, _ := strings.Cut(page("formats/json.md"), "\n## `aburn instrument check`\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[rules.Finding]()) {
		if !strings.Contains(json, "`"+f.Tag.Get("json")+"`") {
			t.Errorf("json.md does not have %s", f.Tag.Get("json"))
		}
	}
	_, json, _ = strings.Cut(page("formats/json.md"), "\n## `aburn instrument record`\n")
	json, _, _ = strings.Cut(json, "\n## ")
	for _, typ := range []reflect.Type{reflect.TypeFor[record.Report](), reflect.TypeFor[record.SpanName](), reflect.TypeFor[record.KeyUse](),
		reflect.TypeFor[record.TestUse](), reflect.TypeFor[record.Process](),
		reflect.TypeFor[record.RegistryUse](), reflect.TypeFor[record.Finding](), reflect.TypeFor[record.Score](), reflect.TypeFor[record.ScoreRule]()} {
		for _, f := range reflect.VisibleFields(typ) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && !strings.Contains(json, "`"+name+"`") {
				t.Errorf("json.md does not have %s of %s", name, typ)
			}
		}
	}
	guide := page("reference/instrument.md")
	for _, r := range rules.Table() {
		row := "| " + r.ID + " | " + string(r.Severity)
		if r.Fixed && r.Severity == rules.Blocking {
			row += ", fixed |"
		}
		if !strings.Contains(guide, row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
}
