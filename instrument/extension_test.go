package instrument

import (
	"strings"
	"testing"

	"aburn/instrument/edit"
	"aburn/instrument/jsast"
)

// TestOnlyWhatIsUsedEntersTheRegistry: nothing of a choice that was left out does, and a new span lists
// the attributes that are set on it.
func TestOnlyWhatIsUsedEntersTheRegistry(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.mjs": "export async function place(order) {\n" +
			"  const a = await save(order.id);\n  return a + 1;\n}\nexport async function* list(order) {\n  yield save(order);\n}\nasync function save() {}\n",
		"telemetry/manifest.yaml": "schema_url: https://shop.example/schemas/0.1.0\n",
		"telemetry/a.yaml": "groups:\n- {id: registry.shop, type: attribute_group, brief: b, stability: development, " +
			"attributes: [{id: shop.x, type: string, brief: b, stability: development, examples: [a]}]}\n",
	})
	attribute := func(key string) edit.NewAttribute {
		return edit.NewAttribute{Key: key, Type: "string", Brief: "b", Examples: []string{"x"}}
	}
	plan := edit.Plan{
		Functions: []edit.Choice{
			{ID: "f1", Name: "place", Action: "span", Span: "shop.order.place", Attributes: []edit.Attribute{{Key: "shop.order.id", Expr: "order.id"},
				{Key: "shop.order.bad", Expr: "order.save()"}, {Key: "shop.x", Expr: "order.x"}}},
			{ID: "f2", Name: "list", Action: "span", Span: "shop.order.list", Attributes: []edit.Attribute{{Key: "shop.order.page", Expr: "order.page"}}},
		},
		NewSpans: []edit.NewSpan{{ID: "shop.order.place", Kind: "client", Brief: "b", Attributes: []string{"shop.order.bad"}},
			{ID: "shop.order.list", Brief: "b"}},
		NewAttributes: []edit.NewAttribute{attribute("shop.order.id"), attribute("shop.order.bad"), attribute("shop.order.page")},
	}
	c := Defaults()
	c.SchemaPath = "telemetry"
	r, err := Applying{Dir: dir, Config: c, Plan: &Plan{[]Planned{{Path: "a.mjs", Plan: plan}}}}.Work(t.Context(), jsast.NewGoja())
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, file := range r.Registry {
		text.Write(file)
	}
	for _, want := range []string{"id: span.shop.order.place", "span_kind: client", "ref: shop.order.id", "ref: shop.x", "id: shop.order.id"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s is not in the registry\n%s", want, text.String())
		}
	}
	for _, not := range []string{"shop.order.bad", "shop.order.list", "shop.order.page"} {
		if strings.Contains(text.String(), not) {
			t.Errorf("%s is in the registry\n%s", not, text.String())
		}
	}
	for _, f := range r.Files {
		for _, finding := range append(f.Blocking, f.Advisory...) {
			if strings.Contains(finding.Message, "shop.order.list") {
				t.Errorf("a refused span is judged: %+v", finding)
			}
		}
		if f.AttributesCreated != 1 || !strings.Contains(string(f.After), "SpanKind.CLIENT") {
			t.Errorf("%d attributes created\n%s", f.AttributesCreated, f.After)
		}
	}
}

// TestPlanMistakes: each mistake has its place in the plan, and no name of Go.
func TestPlanMistakes(t *testing.T) {
	for _, c := range []struct{ plan, want, words string }{
		{`{"files":[{"path":"a.js","functions":[],"newSpans":[{"name":"a.b"}]}]}`, `p.json:1: files[0].newSpans[0].name: unknown key`, "id kind brief attributes"},
		{`{"files":[{"path":"a.js",` + "\n" + `"functions":[{"id":3}]}]}`, `p.json:2: files[0].functions[0].id is a number, and has to be a string`, ""},
		{`{"files":[{"path":"a.js","functions":[{"id":"f1","attributes":[{"key":"a","expression":"x"}]}]}]}`,
			`p.json:1: files[0].functions[0].attributes[0].expression: unknown key`, "key expr at"},
		{`{"files":{"path":1}}`, `p.json:1: files is an object, and has to be a list`, ""},
		{`{"files":[{"path":"a.js","functions":[{"id":"f1","action":"span","tier":"one"}]}]}`,
			`p.json:1: files[0].functions[0].tier is a string, and has to be a number`, ""},
		{`{"files":[{"path":"a.js","functions":[],"newSpans":[{"kind":"client"}]}]}`, `p.json:1: files[0].newSpans[0].id is missing`, ""},
		{`{"files":[{"path":"a.js","functions":[],"newAttributes":[{"type":"int"}]}]}`, `p.json:1: files[0].newAttributes[0].key is missing`, ""},
		{`[]`, `p.json:1: the plan is a list, and has to be an object`, ""},
	} {
		_, err := ParsePlan("p.json", []byte(c.plan))
		mistake, ok := err.(*PlanError)
		if !ok || mistake.Error() != c.want || strings.Join(mistake.Words, " ") != c.words {
			t.Errorf("%s: %v\nwant %s", c.plan, err, c.want)
		} else if strings.Contains(c.words+" ", mistake.Word+" ") && mistake.Word != "" {
			t.Errorf("%s: %s is suggested for itself", c.plan, mistake.Word)
		}
	}
}
