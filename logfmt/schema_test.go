package logfmt

import (
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// schemaOf is what data.schema.json says of the members of data in entries of ev.
func schemaOf(t *testing.T, schema gjson.Result, ev Event) map[string]gjson.Result {
	t.Helper()
	members := map[string]gjson.Result{}
	take := func(props gjson.Result) {
		props.ForEach(func(k, v gjson.Result) bool { members[k.Str] = v; return true })
	}
	take(schema.Get(`$defs.common.properties`))
	found := 0
	for _, rule := range schema.Get("allOf").Array() {
		if rule.Get("if.properties.event.const").Str == string(ev) {
			found++
			name := rule.Get(`then.properties.data.$ref`).Str[len("#/$defs/"):]
			if !schema.Get("$defs." + name).Exists() {
				t.Errorf("%s: no $defs/%s", ev, name)
			}
			take(schema.Get("$defs." + name + ".properties"))
		}
	}
	if ev.Known() && found != 1 {
		t.Errorf("%s has %d rules in data.schema.json", ev, found)
	}
	return members
}

// typeFits knows the few types that the schema uses.
func typeFits(schema, member, v gjson.Result) bool {
	if ref := member.Get(`$ref`).Str; ref != "" {
		member = schema.Get("$defs." + ref[len("#/$defs/"):])
	}
	for _, typ := range append(member.Get("type").Array(), gjson.Result{}) {
		switch typ.Str {
		case "string":
			if v.Type == gjson.String {
				return true
			}
		case "integer":
			if v.Type == gjson.Number && v.Num == float64(v.Int()) {
				return true
			}
		case "boolean":
			if v.IsBool() {
				return true
			}
		case "object":
			if v.IsObject() {
				return true
			}
		case "array":
			if v.IsArray() {
				return true
			}
		}
	}
	return false
}

func TestSchemaKnowsEveryEventAndName(t *testing.T) {
	b, err := os.ReadFile("data.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !Valid(b) {
		t.Fatal("data.schema.json is not JSON")
	}
	schema := gjson.ParseBytes(b)
	for _, ev := range Events() {
		schemaOf(t, schema, ev)
	}
	if n := len(schema.Get("allOf").Array()); n != len(Events()) {
		t.Errorf("%d rules for %d events", n, len(Events()))
	}
	for _, c := range humanLines {
		e := drawn(c.entry, c.data)
		if !e.Event.Known() || e.Cmd == "oss:build" { // the last one is wrong on purpose
			continue
		}
		members := schemaOf(t, schema, e.Event)
		gjson.ParseBytes(e.Data).ForEach(func(k, v gjson.Result) bool {
			if m, ok := members[k.Str]; !ok {
				t.Errorf("%s: %q is not in data.schema.json", e.Event, k.Str)
			} else if !typeFits(schema, m, v) {
				t.Errorf("%s: %s is %s, the schema wants %s", e.Event, k.Str, v.Raw, m.Get("type").Raw)
			}
			return true
		})
	}
}

// The example at the top of SPEC.md is an entry as it is written.
func TestSpecExample(t *testing.T) {
	b, err := os.ReadFile("SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	found := false
	for i, line := range lines {
		if !strings.HasPrefix(line, `{"ts":"`) {
			continue
		}
		found = true
		e := mustParse(t, []byte(line))
		again, err := e.AppendTo(nil)
		if err != nil || string(again) != line+"\n"+lines[i+1]+"\n" || lines[i-1]+"\n" != FirstLine {
			t.Errorf("%v: %s", err, again)
		}
	}
	if !found {
		t.Error("no example")
	}
}
