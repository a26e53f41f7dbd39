package logfmt

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, s := range []string{
		``, ` `, `{}`, `[]`, ` { } `, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" : [ 1 , 2 ] }`, `{a:1}`,
		`[1,]`, `[,1]`, `[1 2]`, `"a"`, `"a`, `"a\`, `"\u12"`, `"\u12g4"`, `"\u12F4"`, `"\x"`, `"\/"`, "\"a\nb\"", "\"\x7f\"", "\"\x00\"",
		`0`, `-0`, `01`, `-`, `1.`, `.1`, `1.5e`, `1e+`, `1e+5`, `1E-5`, `+1`, `0x1`, `1e5.5`, `true`, `tru`, `nul`, `null`, `nullx`, `false`,
		`{"12345678":"12345678"}`, `{"1234567\"":"1234567\\"}`, `{}x`, `{} {}`, "\ufeff{}", `"é"`, `{"a":{"b":[{"c":null}]}}`,
		`"ab` + "\x1f" + `cdefgh"`, `"abcdefg` + "\x01" + `"`, `["`, `[`, `{"a":1`, `{"a":[}`, `[{]`,
	} {
		if got, want := Valid([]byte(s)), json.Valid([]byte(s)); got != want {
			t.Errorf("Valid(%q) = %v, encoding/json says %v", s, got, want)
		}
	}
}

func TestValidBoundsNesting(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if !Valid(nest(maxDepth)) {
		t.Errorf("%d brackets are refused", maxDepth)
	}
	if Valid(nest(maxDepth + 1)) {
		t.Errorf("%d brackets pass", maxDepth+1)
	}
	// A recursive scanner dies of this one (a stack overflow cannot be recovered).
	if Valid([]byte(strings.Repeat("[", 16<<20))) {
		t.Error("16 Mi brackets pass")
	}
	if Valid([]byte(strings.Repeat(`{"a":`, 4<<20))) {
		t.Error("4 Mi open objects pass")
	}
}

func FuzzValid(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e+3,"x\u00e9\n",true,false,null,{}]}`))
	f.Add([]byte(`"aaaaaaa\"aaaaaaaaaaaaaa"`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Count(string(b), "[")+strings.Count(string(b), "{") > maxDepth {
			return
		}
		if got, want := Valid(b), json.Valid(b); got != want {
			t.Errorf("Valid(%q) = %v, encoding/json says %v", b, got, want)
		}
	})
}
