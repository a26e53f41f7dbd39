package install

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRefusalsNameThePlace(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "f:1:1: the file is empty, which is not JSON"},
		{"only space", " \n\n", "f:3:1: the file is empty, which is not JSON"},
		{"only a BOM", "\ufeff", "f:1:1: the file is empty, which is not JSON"},
		{"line comment", "{\n  // mine\n  \"a\": 1\n}", "f:2:3: a comment, which JSON does not have"},
		{"block comment", "{\"a\": /* x */ 1}", "f:1:7: a comment, which JSON does not have"},
		{"comment at the end", "{}\n# end\n", "f:2:1: a comment, which JSON does not have"},
		{"trailing comma", "{\n  \"a\": 1,\n}", "f:2:9: a trailing comma, which JSON does not have"},
		{"trailing comma in a list", "[1, ]", "f:1:3: a trailing comma, which JSON does not have"},
		{"cut in an object", "{\n  \"a\": {\n    \"b\": 1", "f:3:11: the file ends here: what opened at 2:8 is never closed"},
		{"cut in a string", "{\r\n  \"a\": \"xy", "f:2:11: the file ends here: the string that opened at 2:8 is never closed"},
		{"cut in an escape", `{"a": "\u00`, "f:1:12: the file ends here: the string that opened at 1:7 is never closed"},
		{"cut behind a backslash", `{"a": "\`, "f:1:9: the file ends here: the string that opened at 1:7 is never closed"},
		{"cut before a value", `{"a":`, "f:1:6: the file ends here: a value is missing"},
		{"cut before a colon", `{"a"`, "f:1:5: the file ends here: a colon is missing"},
		{"NUL", "{\"a\": 1}\n\x00\x00", "f:2:1: a NUL byte"},
		{"NUL in a string", "{\"a\": \"x\x00\"}", "f:1:9: a NUL byte"},
		{"nothing but NULs", "\x00\x00\x00", "f:1:1: a NUL byte"},
		{"line end in a string", "{\"a\": \"x\ny\"}", "f:1:9: a control character (0x0a)"},
		{"two values", "{} {}", `f:1:4: '{': text after the end of the JSON value`},
		{"no comma", `{"a": 1 "b": 2}`, `f:1:9: '"': ',' or '}' is missing`},
		{"single quotes", "{'a': 1}", `f:1:2: '\'': a key in double quotes is missing`},
		{"word", `{"a": True}`, `f:1:7: 'T': a value is missing`},
		{"word that goes on", `{"a": nullx}`, `f:1:11: 'x': ',' or '}' is missing`},
		{"leading zero", `[01]`, `f:1:3: '1': ',' or ']' is missing`},
		{"no digits", `[1.]`, `f:1:4: ']': a digit is missing`},
		{"no exponent", `[1e+]`, `f:1:5: ']': a digit is missing`},
		{"bare minus", `[-]`, `f:1:3: ']': a digit is missing`},
		{"unknown escape", `["\x"]`, "f:1:3: an unknown escape in a string"},
		{"bad hex", `["\u12g4"]`, `f:1:3: \u needs four hex digits`},
		{"not UTF-8", "{\"\xe4\": 1}", "f:1:3: a byte that is not UTF-8 (0xe4)"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "f:1:1: UTF-16 text: the agents read UTF-8 only"},
		{"columns count characters", "{\"größe\": \"ü\", x}", `f:1:16: 'x': a key in double quotes is missing`},
		{"a BOM is no column", "\ufeff{x}", `f:1:2: 'x': a key in double quotes is missing`},
		{"lone carriage returns", "{\r\"a\":\rx}", "f:3:1: 'x': a value is missing"},
		{"too deep", strings.Repeat("[", 2000), "f:1:1002: nested more than 1000 deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("f", []byte(c.in))
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// FuzzScan holds the scanner against the standard library's: both must agree on what JSON is, save for what this one
// refuses on purpose.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{}`, ` [1, -0.5e+3, "\u00e4\\", null, true,false] `, `{"a":{"b":[{}]},"a":2}`, `[1,]`, `{"a"}`, `"\ud800"`, "\"\x7f\"", `01`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := parse("f", data)
		want := json.Valid(data) && utf8.Valid(data)
		if strings.HasPrefix(string(data), "\ufeff") || strings.Count(string(data), "[")+strings.Count(string(data), "{") > maxDepth {
			return
		}
		if (err == nil) != want {
			t.Fatalf("%q: error %v, but the standard library says %t", data, err, want)
		}
		if err == nil {
			checkPlaces(t, d, d.root)
		}
	})
}

// checkPlaces demands that every value's place holds that value's text.
func checkPlaces(t *testing.T, d *document, v value) {
	t.Helper()
	if !json.Valid(d.data[v.start:v.end]) {
		t.Fatalf("%q is no value", d.data[v.start:v.end])
	}
	for _, m := range v.members {
		if d.data[m.keyStart] != '"' || !json.Valid([]byte(d.keyText(m))) {
			t.Fatalf("%q is no key", d.keyText(m))
		}
		checkPlaces(t, d, m.value)
	}
	for _, e := range v.elems {
		checkPlaces(t, d, e)
	}
}
