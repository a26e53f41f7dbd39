package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/instrument/registry"
)

// contractOf reads a registry of one file.
func contractOf(t testing.TB, groups string) *Contract {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"manifest.yaml": "schema_url: https://example.com/schemas/shop/0.1.0\n", "shop.yaml": "groups:\n" + groups} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := registry.Load(dir, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Check()
	if err != nil || registry.VerdictOf(list) == registry.Invalid {
		t.Fatalf("%v, %+v", err, list)
	}
	resolved, _, err := r.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return &Contract{resolved, registry.VerdictOf(list) == registry.Valid}
}

const contractText = `
- id: span.shop.order.place
  type: span
  span_kind: server
  stability: stable
  brief: An order is placed
  attributes:
  - {ref: shop.order.id, requirement_level: required}
  - {ref: shop.order.total}
  - {ref: shop.order.note, requirement_level: opt_in}
- id: other.id
  type: span
  name: shop.named
  span_kind: internal
  stability: stable
  brief: A span with a name
  attributes:
  - {ref: shop.order.id, requirement_level: {conditionally_required: if known}}
- id: registry.shop
  type: attribute_group
  brief: Orders
  attributes:
  - {id: shop.order.id, type: string, stability: stable, brief: x, examples: [o-1]}
  - {id: shop.order.total, type: double, stability: stable, brief: x, examples: [0.5]}
  - {id: shop.order.note, type: string, stability: development, brief: x, examples: [x]}
  - {id: shop.order.parts, type: 'int[]', stability: stable, brief: x, examples: [[1]]}
  - {id: shop.header, type: 'template[string]', stability: stable, brief: x, examples: [x]}
  - {id: shop.old, type: string, stability: stable, brief: x, examples: [x], deprecated: {reason: renamed, renamed_to: shop.order.id}}
  - {id: shop.any, type: any, stability: stable, brief: x}
  - id: shop.state
    brief: x
    stability: stable
    type: {members: [{id: open, value: open, brief: x, stability: stable}, {id: paid, value: paid, brief: x, stability: stable}]}
`

// good is a span that breaks nothing.
func good(more ...Attribute) Span {
	return Span{Name: "shop.order.place", Kind: "server", Ended: true, File: "src/shop.js", Line: 3,
		Attributes: append([]Attribute{{"shop.order.id", "string", "o-1"}, {"shop.order.total", "int", "1"}}, more...)}
}

func TestJudgeAgainstARegistry(t *testing.T) {
	c := contractOf(t, contractText)
	with := func(key, kind, value string) Span { return good(Attribute{key, kind, value}) }
	for name, x := range map[string]struct {
		span Span
		want string // id, level, attribute
	}{
		"right": {good(), ""},
		"right, all": {good(Attribute{"shop.order.parts", "int[]", ""}, Attribute{"shop.any", "boolean", "true"}, Attribute{"shop.state", "string", "open"}),
			""},
		"empty list":        {with("shop.order.parts", "array[]", ""), ""},
		"unknown attribute": {with("shop.order.idd", "string", "x"), "extends_namespace information shop.order.idd, missing_attribute violation shop.order.idd"},
		"other namespace":   {with("pay.id", "string", "x"), "missing_attribute violation pay.id"},
		"no namespace":      {with("id", "string", "x"), "missing_attribute violation id, missing_namespace improvement id"},
		"upper case":        {with("pay.Id", "string", "x"), "invalid_format violation pay.Id, missing_attribute violation pay.Id"},
		"below an attribute": {with("shop.order.id.part", "string", "x"),
			"extends_namespace information shop.order.id.part, illegal_namespace violation shop.order.id.part, missing_attribute violation shop.order.id.part"},
		"above attributes": {with("shop.order", "string", "x"),
			"extends_namespace information shop.order, illegal_namespace violation shop.order, missing_attribute violation shop.order"},
		"wrong type": {with("shop.order.note", "int", "1"), "not_stable improvement shop.order.note, type_mismatch violation shop.order.note"},
		"wrong list": {with("shop.order.parts", "string[]", ""), "type_mismatch violation shop.order.parts"},
		"not stable": {with("shop.order.note", "string", "x"), "not_stable improvement shop.order.note"},
		"deprecated": {with("shop.old", "string", "x"), "deprecated violation shop.old"},
		"template":   {with("shop.header.accept", "string", "x"), "template_attribute information shop.header.accept"},
		"template, type": {with("shop.header.accept", "int", "1"),
			"template_attribute information shop.header.accept, type_mismatch violation shop.header.accept"},
		"template's own name": {with("shop.header", "string", "x"), "template_attribute information shop.header"},
		"no member":           {with("shop.state", "string", "gone"), "undefined_enum_variant information shop.state"},
		"member's type":       {with("shop.state", "int", "1"), "type_mismatch violation shop.state"},
		"undefined":           {with("shop.order.note", "undefined", ""), "aburn.undefined_value violation shop.order.note"},
		"object":              {with("shop.order.note", "object", ""), "aburn.invalid_value violation shop.order.note"},
		"kind":                {Span{Name: "shop.named", Kind: "client", Ended: true}, "aburn.span_kind_mismatch violation "},
		"by name":             {Span{Name: "shop.named", Kind: "internal", Ended: true}, ""},
		"by id":               {Span{Name: "other.id", Kind: "internal", Ended: true}, ""},
		"unknown span":        {Span{Name: "shop.order.plaice", Kind: "internal", Ended: true}, "aburn.undefined_span violation "},
		"no attributes": {Span{Name: "shop.order.place", Kind: "server", Ended: true},
			"aburn.span_recommended_attribute_not_present improvement shop.order.total, aburn.span_required_attribute_not_present violation shop.order.id"},
		"open":  {Span{Name: "shop.named", Kind: "internal"}, "aburn.span_never_ended violation "},
		"twice": {Span{Name: "shop.named", Kind: "internal", Ended: true, EndedAgain: 2}, "aburn.span_ended_twice improvement "},
	} {
		var got []string
		for _, f := range Judge(&Recording{Mode: Recorder, Spans: []Span{x.span}}, c) {
			if f.ID != "aburn.schema_span_never_seen" {
				got = append(got, f.ID+" "+string(f.Level)+" "+f.Attribute)
			}
			if strings.Contains(f.Message, "gone") {
				t.Errorf("%s tells a value: %s", name, f.Message)
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != x.want {
			t.Errorf("%s: %s\nwant %s", name, text, x.want)
		}
	}
	list := Judge(&Recording{Mode: Recorder, Spans: []Span{good(), good()}}, c)
	if len(list) != 1 || list[0].ID != "aburn.schema_span_never_seen" || list[0].Span != "other.id" {
		t.Errorf("%+v", list)
	}
	list = Judge(&Recording{Mode: Recorder, Spans: []Span{with("pay.id", "string", "x"), with("pay.id", "string", "y")}}, c)
	if list[0].ID != "missing_attribute" || list[0].Count != 2 || list[0].File != "src/shop.js" || list[0].Line != 3 {
		t.Errorf("%+v", list[0])
	}
}

// What stands in a dependency that is not here is not judged, and not wrong.
func TestJudgeWithoutADependency(t *testing.T) {
	c := contractOf(t, contractText)
	c.Whole = false
	list := Judge(&Recording{Mode: Recorder, Spans: []Span{good(Attribute{"http.route", "string", "/"}), {Name: "GET /", Kind: "server", Ended: true}}}, c)
	if Worst(list) || !has(list, "missing_attribute", NotJudged) || !has(list, "aburn.undefined_span", NotJudged) {
		t.Errorf("%+v", list)
	}
}

func TestScore(t *testing.T) {
	begin := time.Unix(1, 0)
	span := func(trace string, n int, parent, kind string, d time.Duration) Span {
		return Span{Trace: trace, ID: fmt.Sprint(trace, n), Parent: parent, Kind: kind, Start: begin, End: begin.Add(d), Ended: true}
	}
	many := func(trace string, n int, d time.Duration) (list []Span) {
		list = append(list, span(trace, 0, "", "server", 60*time.Millisecond))
		for i := range n {
			list = append(list, span(trace, i+1, trace+"0", "internal", d))
		}
		return list
	}
	for name, x := range map[string]struct {
		recording Recording
		failed    string
		value     float64
		judged    int
	}{
		"nothing":         {Recording{Mode: Recorder}, "", 0, 0},
		"right":           {Recording{Mode: Recorder, Spans: many("a", 10, time.Second)}, "", 100, 4},
		"internal, short": {Recording{Mode: Recorder, Spans: many("a", 21, time.Millisecond)}, "SPA-001 SPA-005", 50, 4},
		"short in tests":  {Recording{Mode: Recorder, Spans: many("a", 21, time.Millisecond)[1:]}, "SPA-001 SPA-002", 30.0 / 70 * 100, 3},
		"orphan":          {Recording{Mode: Recorder, Spans: []Span{span("a", 1, "gone", "internal", 0)}}, "SPA-002", 50.0 / 70 * 100, 3},
		"client":          {Recording{Mode: Recorder, Spans: []Span{span("a", 1, "", "client", 0)}}, "SPA-004", 40.0 / 70 * 100, 3},
		"never ended":     {Recording{Mode: Recorder, Spans: []Span{{Trace: "a", ID: "a1", Kind: "client"}}}, "", 0, 0},
		"no resource":     {Recording{Mode: OTLP, Spans: []Span{span("a", 1, "", "server", 0)}}, "RES-001 RES-005", 70.0 / 130 * 100, 5},
		"resource": {Recording{Mode: Tap, Spans: []Span{{Trace: "a", ID: "a1", Kind: "server", Ended: true,
			Resource: []Attribute{{"service.name", "string", "shop"}, {"service.instance.id", "string", "1"}}}}},
			"", 100, 5},
	} {
		s := Rate(&x.recording)
		var failed []string
		for _, r := range s.Rules {
			if !r.Passed {
				failed = append(failed, r.ID)
			}
		}
		if got := strings.Join(failed, " "); got != x.failed || s.Judged != x.judged || s.Of != 19 || s.Value-x.value > 0.01 || x.value-s.Value > 0.01 ||
			len(s.Says) == 0 || (s.Category == "") != (s.Judged == 0) {
			t.Errorf("%s: %q failed, %+v", name, got, s)
		}
	}
}

// A span whose maker is unknown belongs to the only file that has its name.
func TestPlacesByName(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/a.js": "x\nstart('only.one')\n", "src/b.ts": "start(`two.places`)\n", "src/c.mjs": "start(\"two.places\")\n", "src/only.test.js": "'only.one'",
		"node_modules/x/a.js": "'only.one'", ".git/a.js": "'only.one'",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := &Recording{Spans: []Span{{Name: "only.one"}, {Name: "two.places"}, {Name: "nowhere"}, {Name: "only.one", File: "known.js", Line: 7}}}
	FindPlaces(r, dir)
	var got []string
	for _, s := range r.Spans {
		got = append(got, Place(s.File, s.Line))
	}
	if text := strings.Join(got, ", "); text != "src/a.js:2, place unknown, place unknown, known.js:7" {
		t.Error(text)
	}
}

func TestSecretsAreTakenOutOfNames(t *testing.T) {
	secret := "gh" + "p_" + "x7Kq2mVd9RtLw4Zb8Ny3" + "Hc6Jf1Sg5Pa0Ue7T"
	r := &Recording{Command: []string{"npm", secret}, Spans: []Span{{Name: "GET /" + secret, Test: Test{"a.js", secret},
		Attributes: []Attribute{{Key: secret, Kind: "string"}}}}}
	r.scrub()
	if text := fmt.Sprintf("%+v %+v", NewReport(r, nil, Judge(r, nil)), r.Command); strings.Contains(text, secret) {
		t.Error(text)
	}
}

// The line that the runtime tells is of the code as it ran.
func TestLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.js")
	text := "// a span\ntracer.startActiveSpan(\n  'only.one',\n)\nx\ny\nstart('far')\nstart('two'); start('two')\nstart('two')\n"
	for _, name := range []string{file, file + ".ts"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct {
		file, name string
		line, want int
	}{
		{file, "only.one", 2, 2}, {file, "only.one", 1, 1}, {file, "only.one", 5, 3}, {file, "only.one", 900, 3}, {file, "far", 2, 7}, {file, "two", 2, 2},
		{file, "two", 5, 0}, {file, "computed", 2, 2}, {file, "computed", 5, 0},
		{file + ".ts", "computed", 2, 0}, {file + ".ts", "far", 2, 7}, {file + ".gone", "far", 2, 0}, {file, "far", -1, 7},
	} {
		if got := (&sourceLines{files: map[string][]string{}}).of(x.file, x.line, x.name); got != x.want {
			t.Errorf("%s at %d: %d, want %d", x.name, x.line, got, x.want)
		}
	}
}
