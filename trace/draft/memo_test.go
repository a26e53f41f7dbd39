package draft_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// Whatever was asked before, and however often, an id becomes what Token makes of it. There are more ids than are remembered.
func TestRememberedTokens(t *testing.T) {
	secret := "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	ids := []string{"", "x", "1234567", "12345678", "toolu_" + secret, secret, strings.Repeat("long", 100), "two\nlines", "a" + secret}
	for i := range 500 {
		ids = append(ids, fmt.Sprintf("call_%d", i), fmt.Sprintf("%d", i))
	}
	b := draft.New("claude", "session", "claude", "/f")
	for range 3 {
		for _, id := range ids {
			b.Add(trace.Event{Record: id, Turn: id, Ref: trace.Ref{Line: 1}, Body: &trace.AgentMessage{Response: id}})
		}
	}
	for i, e := range b.Trace().Events {
		want := draft.Token(ids[i%len(ids)])
		if got := e.Body.(*trace.AgentMessage).Response; e.Record != want || e.Turn != want || got != want {
			t.Fatalf("%q became %q, %q and %q, not %q", ids[i%len(ids)], e.Record, e.Turn, got, want)
		}
	}
}

func TestMemo(t *testing.T) {
	var m draft.Memo
	for _, c := range []struct{ raw, text, found string }{
		{`"call_1"`, "call_1", "call_1"},
		{`"a"`, "a", "a"},
		{`""`, "", ""},
		{`"a\nb"`, "a\nb", ""},     // it has an escape
		{`"secret"`, "marker", ""}, // it was not let pass
		{`null`, "", ""},
		{`nulln`, "ull", ""}, // no string
		{``, "", ""},
	} {
		if got := m.Keep([]byte(c.raw), c.text); got != c.text {
			t.Errorf("kept %s as %q", c.raw, got)
		}
		if got := m.Find([]byte(c.raw)); got != c.found {
			t.Errorf("found %q for %s, not %q", got, c.raw, c.found)
		}
	}
	if got := m.Find([]byte(`"call_2"`)); got != "" {
		t.Errorf("found %q, which was not kept", got)
	}
}

// Texts that share memory are those that they would be by themselves, also after many more were made.
func TestMemoText(t *testing.T) {
	var m draft.Memo
	var got, want []string
	for i := range 1000 {
		for _, raw := range []string{fmt.Sprintf(`"call_%d"`, i), fmt.Sprintf(`"%s"`, strings.Repeat("x", i%150)), fmt.Sprintf(`"a\\nb%d"`, i), `""`, `null`, `"`} {
			got, want = append(got, m.Text([]byte(raw))), append(want, jsonl.Text([]byte(raw)))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
