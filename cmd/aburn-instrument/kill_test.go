//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/instrument"
	"aburn/instrument/edit"
	"aburn/internal/lab/world"
)

// TestKilledWhileApplying: kill -9 at any moment leaves each file as it was or as a whole run leaves it, and a second
// run ends the work.
func TestKilledWhileApplying(t *testing.T) {
	world.Slow(t)
	kills := world.Storm(3)
	whole := t.TempDir()
	shopProject(t, whole)
	took := apply(t, whole, 0)
	want := read(t, whole)
	for i := range kills {
		dir := t.TempDir()
		before := shopProject(t, dir)
		// Writing comes at the end: most kills fall there.
		apply(t, dir, took/2+time.Duration(rand.Int64N(int64(took)/2)))
		for name, text := range read(t, dir) {
			if strings.HasSuffix(name, ".tmp") {
				continue
			}
			if text != before[name] && text != want[name] {
				t.Fatalf("kill %d: %s is neither what it was nor what it should be:\n%s", i, name, text)
			}
		}
		apply(t, dir, 0)
		for name, text := range want {
			if got := read(t, dir)[name]; got != text {
				t.Fatalf("kill %d: after a second run %s is\n%s", i, name, got)
			}
		}
	}
}

const files = 8

// shopProject makes one whose plan changes files and the registry.
func shopProject(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{
		"aburn-instrument.yaml":   "schemaPath: telemetry\n",
		"telemetry/manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\n",
		"telemetry/a.yaml": "groups:\n- {id: registry.shop, type: attribute_group, brief: b, stability: development, attributes: [{id: shop.id, type: string, " +
			"brief: b, stability: development, examples: [o]}]}\n" +
			"- {id: span.shop.start, type: span, span_kind: internal, stability: development, brief: b, attributes: [{ref: shop.id}]}\n",
	}
	var plan instrument.Plan
	for i := range files {
		name, fn, span := fmt.Sprintf("src/f%d.mjs", i), fmt.Sprintf("work%d", i), fmt.Sprintf("shop.work%d.run", i)
		texts[name] = fmt.Sprintf("export async function %s(order) {\n  const id = order.id;\n  await save(id);\n}\nasync function save() {}\n", fn)
		plan.Files = append(plan.Files, instrument.Planned{Path: name, Plan: edit.Plan{
			Functions: []edit.Choice{{ID: "f1", Name: fn, Action: "span", Span: span}},
			NewSpans:  []edit.NewSpan{{ID: span, Kind: "internal", Brief: "Works"}},
		}})
	}
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	texts["plan.json"] = string(data)
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// apply runs aburn-instrument on the plan, and kills it after a while unless that is 0.
func apply(t *testing.T, dir string, after time.Duration) time.Duration {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-C", dir, "--from-plan", "plan.json", "--allow-dirty", "--yes")
	cmd.Env = append(os.Environ(), asInstrument+"=1")
	start := time.Now()
	if after > 0 {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return 0
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(start)
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"src/*", "telemetry/*", "src/.*", "telemetry/.*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(dir, name)
			texts[filepath.ToSlash(rel)] = string(data)
		}
	}
	return texts
}
