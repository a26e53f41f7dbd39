package jsonl_test

import (
	"fmt"
	"testing"

	"aburn/internal/jsonl"
)

// walked is what Object and Array say of a value, each key with how deep it stands.
func walked(text []byte, depth int, said *string) int {
	switch {
	case len(text) > 0 && text[0] == '{':
		return jsonl.Object(text, func(key, rest []byte) int {
			*said += fmt.Sprintf("%d%s ", depth, key)
			return walked(rest, depth+1, said)
		})
	case len(text) > 0 && text[0] == '[':
		return jsonl.Array(text, func(rest []byte) int { return walked(rest, depth+1, said) })
	}
	return 0
}

func TestWalk(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:           "",
		`{ "a" : 1 } `: "0a ",
		`{"a":{"b":[1,{"c":"}"},[ ]],"d":"\"}"},"e":[]}x`: "0a 1b 3c 1d 0e ",
		`[{"a":null},{"b":true}]`:                         "1a 1b ",
	} {
		said := ""
		n := walked([]byte(text), 0, &said)
		if whole := jsonl.Value([]byte(text)); said != want || n != whole || n <= 0 {
			t.Errorf("%s: %q, %d bytes of %d", text, said, n, whole)
		}
	}
	for _, text := range []string{`{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `[`, `[1`, `[1,`, `[,]`, `{"a":[}`,
		`{"a":"x}`, `7`} {
		said := ""
		if n := walked([]byte(text), 0, &said); text != "7" && n != -1 || text == "7" && n != 0 {
			t.Errorf("%s takes %d bytes", text, n)
		}
	}
	if n := jsonl.Object([]byte(`{"a":1,"b":broken`), func(key, _ []byte) int { return map[string]int{"b": jsonl.Stop}[string(key)] }); n != jsonl.Stop {
		t.Errorf("stopped, it says %d", n)
	}
	if n := jsonl.Array([]byte(`[1,broken`), func(rest []byte) int { return map[bool]int{rest[0] == 'b': jsonl.Stop}[true] }); n != jsonl.Stop {
		t.Errorf("stopped, it says %d", n)
	}
}
