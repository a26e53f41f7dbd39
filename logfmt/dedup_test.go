package logfmt

import (
	"fmt"
	"math/rand"
	"testing"
)

// The last 4,096 ids against a map that remembers when each came.
func TestDeduper(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var d Deduper
	came := map[string]int{} // number among the accepted ones
	accepted := 0
	for i := range 200_000 {
		n := i - rng.Intn(2*dedupWindow)
		id := fmt.Sprintf("%016x", uint64(n)*0x9e3779b97f4a7c15)
		if n%3 == 0 {
			id = fmt.Sprintf("tool:%d", n)
		}
		at, known := came[id]
		want := known && accepted-at < dedupWindow
		if got := d.SeenBytes([]byte(id)); got != want {
			t.Fatalf("step %d: id %s seen: %v, want %v (%d accepted, it came as %d)", i, id, got, want, accepted, at)
		}
		if !want {
			accepted++
			came[id] = accepted
		}
	}
	for range 2 {
		if d.Seen("") {
			t.Error("an entry without an id was seen before")
		}
	}
	if d.Seen("0000000000000000") || !d.Seen("0000000000000000") {
		t.Error("id of zeros")
	}
}

func TestToolID(t *testing.T) {
	base := []string{"claude", "s1", "a1", "TOOL", "toolu_1"}
	id := func(p []string) string { return ToolID(p[0], SessionID(p[1]), p[2], Event(p[3]), p[4]) }
	if got := id(base); len(got) != 16 {
		t.Errorf("id %q", got)
	}
	for i := range base {
		other := append([]string(nil), base...)
		other[i] += "x"
		if id(other) == id(base) {
			t.Errorf("part %d does not matter", i)
		}
	}
	if ToolID("a", "b", "", "c", "d") == ToolID("a", "", "b", "c", "d") {
		t.Error("parts run together")
	}
}

func TestToken(t *testing.T) {
	for in, want := range map[string]string{"": "", "build": "build", "a/b:c.d_e-9": "a/b:c.d_e-9"} {
		if got := Token(in, MaxCmd); got != want {
			t.Errorf("Token(%q) = %q", in, got)
		}
	}
	seen := map[string]string{}
	for _, in := range []string{"a b", "a-b", "a\tb", "a\u00e9", "é", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"} {
		got := Token(in, MaxPhase)
		if !isToken(got) || len(got) > MaxPhase || seen[got] != "" || Token(got, MaxPhase) != got {
			t.Errorf("Token(%q) = %q (taken by %q)", in, got, seen[got])
		}
		seen[got] = in
	}
}
