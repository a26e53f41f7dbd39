package coordinator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/instrument"
	"aburn/instrument/provider"
	"aburn/internal/lab/world"
)

const (
	noSpan = `{"functions":[{"id":"f1","action":"span","span":"shop.absent.run","tier":1,"reason":"r","attributes":[]}],"newSpans":[],"newAttributes":[],` +
		`"libraries":[],"notes":[]}`
	badEnum = `{"functions":[{"id":"f1","action":"wrap","span":"a.b","tier":1,"reason":"r","attributes":[]}],"newSpans":[],"newAttributes":[],"libraries":[],` +
		`"notes":[]}`
	skipAll = `{"functions":[{"id":"f1","action":"skip","span":"","tier":0,"reason":"no","attributes":[]}],"newSpans":[],"newAttributes":[],"libraries":[],` +
		`"notes":[]}`
	// its new attribute has a foreign name
	halfGood = `{"functions":[{"id":"f1","action":"span","span":"shop.start","tier":2,"reason":"r","attributes":[{"key":"shop.id","expr":"id","at":"after:3"},` +
		`{"key":"other.x","expr":"id","at":"after:3"}]}],"newSpans":[],"newAttributes":[{"key":"other.x","type":"string","brief":"b","examples":["a"]}],` +
		`"libraries":[],"notes":[]}`
)

// TestWhatAModelCanAnswer, and how often it is asked for.
func TestWhatAModelCanAnswer(t *testing.T) {
	world.Slow(t)
	good := goodPlan("src/f0.mjs")
	fail := func(err error) provider.Answer {
		return provider.Answer{Response: provider.Response{Usage: provider.Usage{Input: 10}}, Err: err}
	}
	rate := func(d time.Duration) provider.Answer { return provider.Answer{Err: &provider.RateError{After: d}} }
	ok := provider.Answer{Response: good}
	for _, tt := range []struct {
		name    string
		say     []provider.Answer
		status  instrument.Status
		asked   int
		stopped string
		fact    string // in the second question
		reason  string
	}{
		{"good at once", []provider.Answer{ok}, instrument.Success, 1, "", "", ""},
		{"a span that the registry lacks, then good", append(answers(response(noSpan)), ok), instrument.Success, 2, "",
			`SCH-001: the registry has no span "shop.absent.run"`, ""},
		{"the same mistake twice", answers(response(noSpan)), instrument.Failed, 2, "", "SCH-001", "nothing of the plan passes the rules: SCH-001"},
		{"a wrong enum", append(answers(response(badEnum)), ok), instrument.Success, 2, "", `the action is "wrap"; it is span or skip`, ""},
		{"no form at all", append(answers(response(`{"code":"x"}`)), ok), instrument.Success, 2, "", "the model's answer doesn't match the schema", ""},
		{"no form, for ever", answers(response(`[]`)), instrument.Failed, 3, "",
			"the model's answer doesn't match the schema", "no plan: the model's answer doesn't match the schema"},
		{"it skips all", answers(response(skipAll)), instrument.Unchanged, 1, "", "", "the plan wants no span in it"},
		{"a lost attribute is not paid for again", answers(response(halfGood)), instrument.Success, 1, "", "", ""},
		{"refused", []provider.Answer{fail(provider.ErrRefused)}, instrument.Failed, 1, "", "", "no plan: the model refused to answer"},
		{"truncated, then good", []provider.Answer{fail(provider.ErrTruncated), ok}, instrument.Success, 2, "", "the answer was too long", ""},
		{"truncated twice", []provider.Answer{fail(provider.ErrTruncated)}, instrument.Failed, 2, "", "too long", "no plan: the answer was cut off at its bound"},
		{"a wrong login", []provider.Answer{fail(provider.ErrAuth)}, "", 1, "the provider does not accept the key or the login", "", ""},
		{"busy, then good", []provider.Answer{rate(time.Minute), rate(time.Minute), ok}, instrument.Success, 3, "", "", ""},
		{"busy for ever", []provider.Answer{rate(time.Minute)}, "", 4, "the provider takes no more questions for 1m0s", "", ""},
		{"busy for hours", []provider.Answer{rate(5 * time.Hour)}, "", 1, "the provider takes no more questions for 5h0m0s", "", ""},
		{"a broken service, then good", []provider.Answer{{Err: &provider.ServiceError{Status: 500, Text: "oops"}}, ok}, instrument.Success, 2, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, 1, nil)
			m := &planner{say: map[string][]provider.Answer{"src/f0.mjs": tt.say}}
			r := p.run(p.options(m), Callbacks{})
			for _, f := range r.Files {
				if f.Dropped == nil || f.Notes == nil || f.Advisory == nil || f.Blocking == nil || f.SchemaExtensions == nil {
					t.Errorf("a list is null: %+v", f.FileResult)
				}
			}
			if len(m.asked) != tt.asked || r.Stopped != tt.stopped {
				t.Fatalf("asked %d times, stopped %q", len(m.asked), r.Stopped)
			}
			if tt.fact != "" && !strings.Contains(m.texts[1], tt.fact) {
				t.Errorf("the second question does not say %q:\n%s", tt.fact, m.texts[1])
			}
			path, original := work(0)
			if !p.accepted(path, original) {
				t.Error("the file is neither the original nor accepted")
			}
			if tt.stopped != "" {
				if len(r.Files) != 0 || p.read(path) != original {
					t.Errorf("%+v", r.Files)
				}
				return
			}
			f := r.Files[0]
			if f.Status != tt.status || !strings.HasPrefix(f.Reason, tt.reason) {
				t.Errorf("%s: %s; %v", f.Status, f.Reason, f.Dropped)
			}
			if f.Status == instrument.Success && len(f.Dropped) > 0 && f.AttributesUsed != 1 {
				t.Errorf("%d attributes, left out %v", f.AttributesUsed, f.Dropped)
			}
		})
	}
}

// TestBudgetsHold: before each question, with what it could take.
func TestBudgetsHold(t *testing.T) {
	world.Slow(t)
	p := newProject(t, 2, nil)
	p.config.MaxTokensPerFile = 6000 // one question of about 1,900 tokens and an answer of 3,200; a second one is too much
	m := &planner{say: map[string][]provider.Answer{"src/f0.mjs": {{Response: provider.Response{JSON: response(noSpan).JSON,
		Usage: provider.Usage{Input: 1800, Output: 100}}}}}}
	r := p.run(p.options(m), Callbacks{})
	if got := strings.Join(m.asked, " "); got != "src/f0.mjs src/f1.mjs" || r.Files[0].Status != instrument.Failed || r.Files[1].Status != instrument.Success {
		t.Errorf("asked %s; %+v", got, r.Files[0].FileResult)
	}

	p = newProject(t, 3, nil)
	m = &planner{say: map[string][]provider.Answer{"src/f0.mjs": {{Response: provider.Response{JSON: goodPlan("src/f0.mjs").JSON,
		Usage: provider.Usage{Input: 52_000}}}}}} // with the next question more than three files may take
	r = p.run(p.options(m), Callbacks{})
	if len(m.asked) != 1 || !strings.HasPrefix(r.Stopped, "the ceiling of ") || r.Succeeded != 1 || r.Branch == "" {
		t.Errorf("asked %v, stopped %q", m.asked, r.Stopped)
	}

	p = newProject(t, 3, nil)
	p.config.MaxTokensPerRun = 8000
	m = &planner{say: map[string][]provider.Answer{"src/f0.mjs": {{Response: provider.Response{JSON: goodPlan("src/f0.mjs").JSON,
		Usage: provider.Usage{Input: 5000}}}}}}
	if r = p.run(p.options(m), Callbacks{}); len(m.asked) != 1 || !strings.Contains(r.Stopped, "8000 tokens") {
		t.Errorf("asked %v, stopped %q", m.asked, r.Stopped)
	}
}

// TestNoQuestionBeforeTheCeilingIsAccepted, and none without somebody to accept it.
func TestNoQuestionBeforeTheCeilingIsAccepted(t *testing.T) {
	world.Unshared(t)
	for name, accept := range map[string]func(Ceiling) bool{"nobody": nil,
		"no": func(c Ceiling) bool { return c.Calls != 6 || c.MaxTokens == 0 || c.Basis != "estimated" }} {
		p := newProject(t, 2, nil)
		m := &planner{}
		_, err := Run(t.Context(), p.options(m), Callbacks{OnCeiling: accept})
		if _, ok := err.(*Declined); !ok || len(m.asked) > 0 || p.git("branch", "--show-current") != "main" || p.git("branch", "--list", "aburn/*") != "" {
			t.Errorf("%s: %v, asked %v", name, err, m.asked)
		}
	}
}

// TestAFileForAPersonBringsNoLibraries: where reviewSensitivity is strict a person decides on a file with many spans, and nothing
// that its plan asks for is installed before.
func TestAFileForAPersonBringsNoLibraries(t *testing.T) {
	world.Slow(t)
	const library = "@opentelemetry/instrumentation-pg"
	source, code := "import pg from 'pg';\nimport { readFile } from 'node:fs/promises';\nexport const Pool = pg.Pool;\n",
		"import pg from 'pg';\nimport { readFile } from 'node:fs/promises';\nimport { trace, SpanStatusCode } from '@opentelemetry/api';\nconst tracer = "+
			"trace.getTracer('shop');\nexport const Pool = pg.Pool;\n"
	var functions, spans []string
	for i := 1; i <= 4; i++ {
		body := fmt.Sprintf("export async function step%d(order) {\n", i)
		source += body + "  return await readFile(order.id);\n}\n"
		code += body +
			fmt.Sprintf("  return tracer.startActiveSpan('shop.step%d.run', async (span) => {\n    try {\n      return await readFile(order.id);\n    } catch "+
				"(error) {\n      span.recordException(error);\n"+
				"      span.setStatus({ code: SpanStatusCode.ERROR });\n      throw error;\n    } finally {\n      span.end();\n    }\n  });\n}\n", i)
		functions = append(functions, fmt.Sprintf(`{"id":"f%d","action":"span","span":"shop.step%d.run","tier":1,"reason":"r","attributes":[]}`, i, i))
		spans = append(spans, fmt.Sprintf(`{"id":"shop.step%d.run","kind":"internal","brief":"A step","attributes":[]}`, i))
	}
	text, _ := json.Marshal(code) // a string
	rest := `"newSpans":[` + strings.Join(spans, ",") + `],"newAttributes":[],"libraries":["` + library + `"],"notes":[]}`
	for mode, answer := range map[string]string{Plan: `{"functions":[` + strings.Join(functions, ",") + `],` + rest,
		Rewrite: `{"code":` + string(text) + `,` + rest} {
		for sensitivity, want := range map[string]instrument.Status{"strict": instrument.NeedsHuman, "moderate": instrument.Success} {
			p := newProject(t, 0, map[string]string{"src/steps.mjs": source})
			p.config.Mode, p.config.ReviewSensitivity = mode, sensitivity
			r := p.run(p.options(&planner{say: map[string][]provider.Answer{"src/steps.mjs": answers(response(answer))}}), Callbacks{})
			if len(r.Files) != 1 || r.Files[0].Status != want || slices.Contains(r.Libraries, library) != (want == instrument.Success) {
				t.Errorf("%s, %s: %+v of %q", mode, sensitivity, r.Files, r.Libraries)
			}
		}
	}
}
