package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"aburn/internal/jsonl"
)

// members is what Members says, as JSON again.
func members(obj string) (string, bool) {
	var all []string
	ok := jsonl.Members([]byte(obj), func(key, value []byte) bool {
		all = append(all, fmt.Sprintf("%s=%s", key, value))
		return true
	})
	return strings.Join(all, " "), ok
}

func TestMembers(t *testing.T) {
	for obj, want := range map[string]string{
		`{}`:    "",
		` { } `: "",
		`{"a":1,"b":"x","c":[1,{"d":"]"}],"e":{"f":"}\""},"g":null}`: `a=1 b="x" c=[1,{"d":"]"}] e={"f":"}\""} g=null`,
		`{ "a" : true , "b\u0063\"" : -1.5e3 }`:                      `a=true bc"=-1.5e3`,
		`{"a":"\\","b":"\\\"","c":"\\\\"}`:                           `a="\\" b="\\\"" c="\\\\"`,
		`{"":""}`:                                                    `=""`,
	} {
		if got, ok := members(obj); !ok || got != want {
			t.Errorf("%s: %q %v, want %q", obj, got, ok, want)
		}
	}
	for _, obj := range []string{``, `[]`, `{`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":1}}`, `{"a":"\"}`, `{"a":{"b":1}`, `{"a" 1}`,
		`{a:1}`, `{"a":,"b":1}`, `null`, `{"a":1;}`} {
		if got, ok := members(obj); ok {
			t.Errorf("%s is an object with %q", obj, got)
		}
	}
	n := 0
	if !jsonl.Members([]byte(`{"a":1,"b":2,broken`), func(_, _ []byte) bool { n++; return n < 2 }) || n != 2 {
		t.Errorf("it went on after %d members", n)
	}
}

func TestElements(t *testing.T) {
	for arr, want := range map[string]string{
		`[]`: "", ` [ ] `: "", `[1]`: "1", `[ "a" , [2,3] , {"b":"]"} ]`: `"a"|[2,3]|{"b":"]"}`,
	} {
		var all []string
		if ok := jsonl.Elements([]byte(arr), func(v []byte) bool { all = append(all, string(v)); return true }); !ok || strings.Join(all, "|") != want {
			t.Errorf("%s: %q %v", arr, all, ok)
		}
	}
	for _, arr := range []string{``, `{}`, `[`, `[1`, `[1,`, `[1,]`, `[1]]`, `["]`, `[1;2]`} {
		if jsonl.Elements([]byte(arr), func([]byte) bool { return true }) {
			t.Errorf("%s is an array", arr)
		}
	}
}

// Text says what encoding/json says of every string that it accepts.
func FuzzText(f *testing.F) {
	for _, s := range []string{`"plain"`, `"\n\t\"\\\/\b\f\r"`, `"\u00e9\u00E9"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx\ude00"`, `"\ud83d\u0041"`, `""`,
		`"日本\\"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = bytes.TrimSpace(raw)
		got := jsonl.Text(raw)
		var want string
		if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &want) != nil {
			return
		}
		if got = strings.ToValidUTF8(got, "\ufffd"); got != strings.ToValidUTF8(want, "\ufffd") && !strings.Contains(want, "\ufffd") {
			t.Errorf("%s is %q, not %q", raw, got, want)
		}
	})
}

// Members sees what encoding/json sees in every object that it accepts.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":{"c":[1,2,"}"]}}`, `{"\u0061":"\\"}`, `{}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := map[string]string{}
		ok := jsonl.Members(raw, func(k, v []byte) bool {
			got[strings.ToValidUTF8(string(k), "\ufffd")] = string(v)
			return true
		})
		var want map[string]json.RawMessage
		if len(raw) == 0 || json.Unmarshal(raw, &want) != nil || want == nil {
			return
		}
		if !ok || len(got) != len(want) {
			t.Fatalf("%s: %v, not %v", raw, got, want)
		}
		for k, v := range want {
			if k = strings.ToValidUTF8(k, "\ufffd"); !strings.Contains(k, "\ufffd") && got[k] != string(v) {
				t.Errorf("%s: %q is %s, not %s", raw, k, got[k], v)
			}
		}
	})
}

func TestInt(t *testing.T) {
	for raw, want := range map[string]int64{"0": 0, "-5": -5, "9007199254740993": 9007199254740993} {
		if got, ok := jsonl.Int([]byte(raw)); !ok || got != want {
			t.Errorf("%s is %d %v", raw, got, ok)
		}
	}
	for _, raw := range []string{"", "1.5", `"1"`, "null", "99999999999999999999"} {
		if got, ok := jsonl.Int([]byte(raw)); ok {
			t.Errorf("%s is %d", raw, got)
		}
	}
}

// The text of a program, as records have it.
func BenchmarkAppendText(b *testing.B) {
	source, err := os.ReadFile("value.go")
	if err != nil {
		b.Fatal(err)
	}
	raw, err := json.Marshal(string(source))
	if err != nil {
		b.Fatal(err)
	}
	var text []byte
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		text = jsonl.AppendText(text[:0], raw)
	}
}
