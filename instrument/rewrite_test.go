package instrument_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"aburn/instrument"
	"aburn/instrument/edit"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/internal/lab/world"
)

// TestWholeFilesAreJudgedAsCheckDoes: of labelled files, those are taken as answers in which check finds nothing that
// blocks. That a function has no span does not: a model chose.
func TestWholeFilesAreJudgedAsCheckDoes(t *testing.T) {
	world.Slow(t)
	engine := &remembering{Engine: jsast.NewGoja(), answers: map[string][]byte{}}
	defer engine.Close()
	every, taken, refused := max(1, 8/world.Storm(1)), 0, 0
	for i, c := range readCases(t) {
		if i%every != 0 || c.Path != "" || c.Run {
			continue
		}
		config := instrument.Defaults()
		if path := c.path(instrument.ConfigFile); exists(path) {
			read, err := instrument.ReadConfig(path)
			if err != nil {
				t.Fatal(err)
			}
			config = read
		}
		dir, before, after := t.TempDir(), one(t, c, "orig.*"), one(t, c, "new.*")
		code, err := os.ReadFile(after)
		if err := errors.Join(err, os.CopyFS(dir, os.DirFS(c.path(".")))); err != nil {
			t.Fatal(err)
		}
		contract, err := instrument.ReadContract(dir, config)
		if err != nil {
			t.Fatal(err)
		}
		config.TracerName = instrument.TracerName(dir, config, contract)
		list, err := instrument.Check(t.Context(), engine, before, after, config, c.path("."))
		if err != nil {
			t.Fatal(err)
		}
		blocks := slices.ContainsFunc(list, func(f rules.Finding) bool {
			return f.Severity == rules.Blocking && f.Rule != "COV-001" && f.Rule != "COV-002"
		})
		name := filepath.Base(before)
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := instrument.Applying{Dir: dir, Config: config}.Rewrite(t.Context(), engine,
			instrument.Rewritten{Path: name, Source: instrument.SourceHash(source), Code: code})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Files[0]
		if config.SDKInitFile != "" && f.Reason != "" && strings.HasPrefix(f.Reason, "it sets up telemetry") {
			continue
		}
		if (f.Status == instrument.Failed) != blocks {
			t.Errorf("%s/%s: %s: %s; check: %v", c.sitting, c.name, f.Status, f.Reason, list)
		}
		if blocks {
			refused++
		} else {
			taken++
		}
	}
	if t.Logf("%d taken, %d refused", taken, refused); taken < 10 || refused < 10 {
		t.Error("too few")
	}
}

const (
	counting = "export async function count(list) {\n  await save(list);\n  return list.length;\n}\nasync function save() {}\n"
	counted  = `import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');
export async function count(list) {
  return tracer.startActiveSpan('shop.list.count', async (span) => {
    try {
      span.setAttributes({ 'shop.list.size': list.length });
      await save(list);
      return list.length;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
async function save() {}
`
)

func rewritten(t *testing.T, spoil func(dir string, a *instrument.Applying, r *instrument.Rewritten)) (*instrument.RunResult, instrument.Planned) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.mjs": counting, "telemetry/manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\n",
		"telemetry/a.yaml": "groups:\n- {id: span.shop.start, type: span, span_kind: internal, stability: development, brief: b}\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	a := instrument.Applying{Dir: dir, Config: instrument.Defaults()}
	a.Config.SchemaPath, a.Config.TracerName = "telemetry", "shop"
	r := instrument.Rewritten{Path: "a.mjs", Source: instrument.SourceHash([]byte(counting)), Code: []byte(counted),
		NewSpans:      []edit.NewSpan{{ID: "shop.list.count", Kind: "internal", Brief: "Counts", Attributes: []string{"shop.list.size"}}},
		NewAttributes: []edit.NewAttribute{{Key: "shop.list.size", Type: "int", Brief: "How many", Examples: []string{"3"}}}}
	spoil(dir, &a, &r)
	result, made, err := a.Rewrite(t.Context(), jsast.NewGoja(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result, made
}

// TestWhatAWholeFileGets is counted, and stands in the registry.
func TestWhatAWholeFileGets(t *testing.T) {
	r, made := rewritten(t, func(string, *instrument.Applying, *instrument.Rewritten) {})
	f := r.Files[0]
	if f.Status != instrument.Success || f.SpansAdded != 1 || f.AttributesUsed != 1 || f.AttributesCreated != 1 || len(f.SchemaExtensions) != 2 ||
		string(f.After) != counted || len(r.SchemaDiff) == 0 || r.Succeeded != 1 {
		t.Errorf("%+v", f)
	}
	if c := made.Functions; len(c) != 1 || c[0].ID != "f1" || c[0].Name != "count" || c[0].Span != "shop.list.count" ||
		c[0].Attributes[0].Key != "shop.list.size" {
		t.Errorf("%+v", made)
	}
	if !strings.Contains(string(r.Registry["aburn-attributes.yaml"]), "shop.list.size") {
		t.Errorf("%s", r.Registry)
	}
}

// TestWhatAWholeFileCannotDo: nothing of it is in the result.
func TestWhatAWholeFileCannotDo(t *testing.T) {
	world.Slow(t)
	for _, tt := range []struct {
		name, reason string
		spoil        func(dir string, a *instrument.Applying, r *instrument.Rewritten)
	}{
		{"the file changed", "the file has changed since", func(dir string, _ *instrument.Applying, _ *instrument.Rewritten) {
			_ = os.WriteFile(filepath.Join(dir, "a.mjs"), []byte(counting+"f();\n"), 0o644)
		}},
		{"it sets up telemetry", "it sets up telemetry", func(_ string, a *instrument.Applying, _ *instrument.Rewritten) { a.Config.SDKInitFile = "a.mjs" }},
		{"an attribute that nobody declared", "a rule blocks it: SCH-002", func(_ string, _ *instrument.Applying, r *instrument.Rewritten) {
			r.NewAttributes, r.NewSpans[0].Attributes = nil, nil
		}},
		{"a span of another namespace", "the registry cannot be extended", func(_ string, _ *instrument.Applying, r *instrument.Rewritten) {
			r.NewSpans[0].ID = "other.list.count"
			r.Code = []byte(strings.Replace(counted, "shop.list.count", "other.list.count", 1))
		}},
		{"too many attributes", "the registry cannot be extended: the plan adds 6 attributes", func(_ string, _ *instrument.Applying, r *instrument.Rewritten) {
			code := counted
			for _, key := range []string{"a", "b", "c", "d", "e"} {
				key = "shop.list." + key + "_number"
				code = strings.Replace(code, "      await save", "      span.setAttribute('"+key+"', 1);\n      await save", 1)
				r.NewAttributes = append(r.NewAttributes, edit.NewAttribute{Key: key, Type: "int", Brief: "b", Examples: []string{"1"}})
			}
			r.Code = []byte(code)
		}},
		{"a value of another type", "a rule blocks it: SCH-003", func(_ string, _ *instrument.Applying, r *instrument.Rewritten) {
			r.NewAttributes[0].Type, r.NewAttributes[0].Examples = "string", []string{"a"}
		}},
		{"a link", "there is no such file, or it is a link", func(dir string, _ *instrument.Applying, r *instrument.Rewritten) {
			if runtime.GOOS == "windows" {
				t.Skip("needs links")
			}
			if err := os.Symlink("a.mjs", filepath.Join(dir, "b.mjs")); err != nil {
				t.Fatal(err)
			}
			r.Path = "b.mjs"
		}},
		{"nothing", "a rule blocks it: NDS-003", func(_ string, _ *instrument.Applying, r *instrument.Rewritten) { r.Code = nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := rewritten(t, tt.spoil)
			if f := r.Files[0]; f.Status != instrument.Failed || !strings.HasPrefix(f.Reason, tt.reason) || f.After != nil || r.Failed != 1 || len(r.Registry) > 0 ||
				f.SpansAdded != 0 {
				t.Errorf("%s: %s; %+v", f.Status, f.Reason, f)
			}
		})
	}
}

// TestFactsSayWhatToMend: where, what, why, and how it looks when it is right.
func TestFactsSayWhatToMend(t *testing.T) {
	r, _ := rewritten(t, func(_ string, _ *instrument.Applying, r *instrument.Rewritten) {
		r.Code = []byte(strings.Replace(counted, "      span.end();\n", "", 1))
	})
	if facts := strings.Join(r.Files[0].Facts(), "\n"); !strings.Contains(facts, "line 4, count: CDQ-001: ") ||
		!strings.Contains(facts, "like this: finally { span.end(); }") {
		t.Error(facts)
	}
}

// TestHostileWholeFiles: code that would run something, or change a result, is not taken in any place where spans are put in.
func TestHostileWholeFiles(t *testing.T) {
	world.Slow(t)
	const call = "globalThis.harm()"
	for _, tt := range [][2]string{ // in counted: what, and what stands there instead
		{"async (span) =>", "async (span = " + call + ") =>"},
		{"async (span) =>", "async (span, extra = " + call + ") =>"},
		{"async (span) =>", "async ({ ...span }) =>"},
		{"'shop.list.count', async", "'shop.list.count', { attributes: { 'shop.list.size': " + call + " } }, async"},
		{"'shop.list.count', async", "'shop.list.count', { ..." + call + " }, async"},
		{"'shop.list.count', async", "'shop.list.count', {}, " + call + ", async"},
		{"'shop.list.count', async", "(" + call + ", 'shop.list.count'), async"},
		{"getTracer('shop')", "getTracer('shop', " + call + ")"},
		{"getTracer('shop')", "getTracer(" + call + " ?? 'shop')"},
		{"trace.getTracer('shop')", "trace.getTracer('shop') ?? " + call},
		{"trace.getTracer('shop')", call + ".getTracer('shop')"},
		{"const tracer", call + ";\nconst tracer"},
		{"const tracer", "const other = " + call + ", tracer"},
		{"const tracer", "globalThis.tracer = trace;\nconst tracer"},
		{"import { trace,", "import 'node:child_process';\nimport { trace,"},
		{"from '@opentelemetry/api'", "from '@opentelemetry/api-evil'"},
		{"from '@opentelemetry/api'", "from './node_modules/@opentelemetry/api'"},
		{"import { trace,", "import { trace as evil } from 'evil';\nimport { trace,"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': " + call + " })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ get 'shop.list.size'() { return " + call + "; } })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': list.length, [" + call + "]: 1 })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': list.splice(0).length })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': list.length = 0 })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': delete list.length })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': await list })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': new list.Harm() })"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttributes({ 'shop.list.size': list.length }, " + call + ")"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span['constructor']['constructor']('harm()')()"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute.call(" + call + ")"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "if (" + call + ") span.setAttribute('shop.list.size', 1)"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "while (true) span.setAttribute('shop.list.size', 1)"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute`${" + call + "}`"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "import('evil')"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute('shop.list.size', process.env.SECRET)"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute('shop.list.size', `${process.env.SECRET}`)"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute('shop.list.size', process['e' + 'nv'].SECRET)"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute('shop.list.size', Object.entries(process.env).join())"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute('shop.list.size', JSON.stringify([process].map((p) => p.env)))"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.setAttribute('shop.list.size', globalThis.process.env.SECRET)"},
		{"span.setAttributes({ 'shop.list.size': list.length })", "span.addEvent('shop.list.size', { 'shop.list.size': process?.argv.length })"},
		{"'shop.list.count', async", "'shop.list.count', { attributes: { 'shop.list.size': process.env.SECRET.length } }, async"},
		{"span.recordException(error)", "span.recordException(new Error(process.env.SECRET))"},
		{"code: SpanStatusCode.ERROR", "code: SpanStatusCode.ERROR, message: process.env.SECRET"},
		{"span.recordException(error)", "span.recordException(" + call + ")"},
		{"span.recordException(error)", "span.recordException(error).then(" + call + ")"},
		{"throw error;", "throw " + call + ";"},
		{"throw error;", "if (error.x) throw error;"},
		{"throw error;", "return 0;"},
		{"span.end();", "span.end(" + call + ");"},
		{"span.end();", "span.end(); return 0;"},
		{"span.end();", "span.end(); " + call + ";"},
		{"code: SpanStatusCode.ERROR", "code: SpanStatusCode.ERROR, message: " + call},
		{"  return tracer.", "  tracer."},
		{"return list.length;", "return list.size;"},
		{"await save(list);", "save(list);"},
		{"async function save() {}", "async function save() { " + call + "; }"},
		{"async function save() {}", "async function save() {}\n" + call + ";"},
		{"async function save() {}", "async function save() {}\nexport default " + call + ";"},
		{"import { trace,", "'use strict';\nimport { trace,"},
		{"import { trace,", "#!/usr/bin/env evil\nimport { trace,"},
	} {
		r, _ := rewritten(t, func(_ string, _ *instrument.Applying, r *instrument.Rewritten) {
			if strings.Count(counted, tt[0]) != 1 {
				t.Fatal(tt[0])
			}
			r.Code = []byte(strings.Replace(counted, tt[0], tt[1], 1))
		})
		if f := r.Files[0]; f.Status != instrument.Failed || f.After != nil {
			t.Errorf("%q is %s: %s", tt[1], f.Status, f.Reason)
		}
	}
}
