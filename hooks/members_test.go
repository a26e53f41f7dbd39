package hooks_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/hooks"
)

func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, ` { "a" : -1.5e3 , "b" : [ 1 , {"c":"]}\\\""} ] , "c\"d\u0065":"\\" } `, `[1]`, `"x"`, `{"a":"` + strings.Repeat(`\\\"`, 20) + `","b":null}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, json string) {
		if !gjson.Valid(json) {
			return
		}
		var got, want []string
		hooks.JSON(json).Members(func(k string, v hooks.JSON) bool { got = append(got, k, string(v)); return true })
		if r := gjson.Parse(json); r.IsObject() {
			r.ForEach(func(k, v gjson.Result) bool { want = append(want, k.Str, v.Raw); return true })
		}
		if strings.Join(got, "\x00") != strings.Join(want, "\x00") {
			t.Errorf("%s:\ngot  %q\nwant %q", json, got, want)
		}
	})
}
