package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"aburn/internal/lab/world"
)

func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parsed(t testing.TB, data []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every golden trace, of whatever reader, is of the published form.
func TestGoldensAreOfTheSchema(t *testing.T) {
	schema := compiled(t)
	files, err := filepath.Glob("*/testdata/golden/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, golden) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v := parsed(t, data)
		all, ok := v.([]any)
		if !ok {
			all = []any{v}
		}
		for _, one := range all {
			if err := schema.Validate(one); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// Whatever is changed in the form of a trace, the schema refuses it.
func TestSchemaRefusesMutants(t *testing.T) {
	world.Slow(t)
	schema := compiled(t)
	data, err := handmade().AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	try := func(root any, what string) {
		n++
		if schema.Validate(root) == nil {
			t.Errorf("the schema takes a trace with %s", what)
		}
	}
	root := parsed(t, data)
	mutate(root, root, "", try)
	if n < 500 {
		t.Errorf("there were only %d mutants", n)
	}
}

// mutate changes each member below v in turn: adds one that is unknown, gives it another type, takes away one that is required.
func mutate(root, v any, path string, try func(root any, what string)) {
	switch v := v.(type) {
	case map[string]any:
		if strings.HasPrefix(path, ".extra") {
			return // anything goes
		}
		v["unknown"] = json.Number("1")
		try(root, path+".unknown")
		delete(v, "unknown")
		for _, k := range slices.Sorted(maps.Keys(v)) {
			old := v[k]
			for _, other := range others(old) {
				if free := kindOf(path) == "sources" && k == "path" || k == "cost_usd"; free && reflect.TypeOf(old) == reflect.TypeOf(other) && other != "" {
					continue // every path and every cost can be right
				}
				v[k] = other
				try(root, fmt.Sprintf("%s.%s = %v", path, k, other))
			}
			if strings.Contains(" "+required[kindOf(path)]+" ", " "+k+" ") {
				delete(v, k)
				try(root, "no "+path+"."+k)
			}
			v[k] = old
			mutate(root, old, path+"."+k, try)
		}
	case []any:
		for i := range v {
			mutate(root, v[i], fmt.Sprintf("%s[%d]", path, i), try)
		}
	}
}

// others are values of other types, and of the same type where no value of it can be right.
func others(v any) []any {
	switch v := v.(type) {
	case string:
		return []any{nil, true, json.Number("1"), []any{}, map[string]any{}, "", v + "\n", strings.Repeat("x", 5000)}
	case bool:
		return []any{nil, json.Number("1"), "true"}
	case json.Number:
		return []any{nil, true, "1", json.Number("-1e99"), json.Number("1.5e-7"), []any{}}
	case []any:
		return []any{nil, json.Number("1"), "x", map[string]any{"0": v}, []any{json.Number("1")}}
	}
	return []any{nil, json.Number("1"), "x", []any{v}}
}

// required are the members that must be there, by the last name on the way to the object.
var required = map[string]string{
	"":       "v source id agent project active_ms outcome events results responses relationships usage sources scrub outcome_from",
	"events": "seq ref kind", "results": "v source session call call_index event_index status event_source content",
	"responses": "id event usage ref", "relationships": "v kind source session provenance related evidence", "usage": "input cache_read cache_write output",
	"agent": "name", "sources": "path", "scrub": "version redacted", "damaged": "ref reason", "input": "length", "content": "length",
	"user_message": "length", "agent_message": "length", "tool_call": "call index tool type input", "tool_result": "call result",
	"file_change": "path action", "error": "length", "session": "marker command phase",
}

func kindOf(path string) string {
	last := path[strings.LastIndexByte(path, '.')+1:]
	name, _, _ := strings.Cut(last, "[")
	return name
}

// The schema has the members that the types have, and requires those that are always written.
func TestSchemaHasTheMembersOfTheTypes(t *testing.T) {
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	var schema struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	check := func(name string, o object, typ reflect.Type) {
		all, always := members(typ)
		have := slices.Sorted(maps.Keys(o.Properties))
		slices.Sort(o.Required)
		if !slices.Equal(have, all) || !slices.Equal(o.Required, always) {
			t.Errorf("%s has %q, requires %q; %v has %q, always %q", name, have, o.Required, typ, all, always)
		}
	}
	check("the trace", schema.object, reflect.TypeFor[SessionTrace]())
	for name, typ := range map[string]reflect.Type{
		"digest": reflect.TypeFor[Digest](), "ref": reflect.TypeFor[Ref](), "event": reflect.TypeFor[wire](), "result": reflect.TypeFor[ToolResultEvent](),
		"usage": reflect.TypeFor[Usage](), "response": reflect.TypeFor[Response](), "relationship": reflect.TypeFor[SessionRelationship](),
		"damage": reflect.TypeFor[Damage](),
	} {
		check(name, schema.Defs[name], typ)
	}
	for _, b := range bodies() {
		check(b.Kind(), schema.Defs[b.Kind()], reflect.TypeOf(b).Elem())
	}
}

// members are the JSON names of a type's fields, and those that are always written.
func members(typ reflect.Type) (all, always []string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			a, b := members(inner)
			all, always = append(all, a...), append(always, b...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		all = append(all, name)
		if options == "" {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}
