package plain

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is printed as JSON means the same, and all of it shows.
func TestAppendJSON(t *testing.T) {
	pieces := []string{"plain", "\u007f", "\u009b31m", "\u202e", "\U000e0041", "日本", `\u001b[2J`, `\"`, "\u2028", "👩\u200d💻", "é", "✔\ufe0f", "\ufffd",
		"\U0010ffff", "\U000e0101"}
	for range 500 {
		var b strings.Builder
		for range rand.IntN(8) {
			b.WriteString(pieces[rand.IntN(len(pieces))])
		}
		line := `{"cmd":"` + b.String() + `","data":{}}`
		safe := AppendJSON(nil, []byte(line))
		var got, want struct{ Cmd string }
		if err := json.Unmarshal(safe, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil || got != want {
			t.Fatalf("%q became %q", want, got)
		}
		if s := string(safe); ModelLine(s) != s || string(AppendJSON(nil, safe)) != s {
			t.Fatalf("%q is left of %q", s, line)
		}
	}
	for in, want := range map[string]string{
		"{\"a\":\"\xff\"}":        `{"a":"\ufffd"}`,
		"{\"a\":\n\t1,\r\"b\":2}": "{\"a\": \t1, \"b\":2}",
		"\"\x01\"":                `"\u0001"`,
		"":                        "",
	} {
		if got := string(AppendJSON([]byte("x"), []byte(in))); got != "x"+want {
			t.Errorf("%q became %q", in, got)
		}
	}
}
