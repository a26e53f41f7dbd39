package draft_test

import (
	"strings"
	"testing"
	"time"

	"aburn/trace/draft"
)

// The keys are those that hooks make of the same inputs.
func TestInputKey(t *testing.T) {
	key := func(in string) string { return draft.InputKey([]byte(in), draft.Digest([]byte(in))) }
	if got := key(`{"command":"make"}`); got != "0feeb86e" {
		t.Errorf("printf '{\"command\":\"make\"}' | sha256sum begins with 0feeb86e, not %s", got)
	}
	for _, same := range [][2]string{
		{`{"command":"make","description":"Build it"}`, `{"command":"make"}`},
		{`{"description":"again","command":"make"}`, `{"command":"make"}`},
		{`{"command":"make","timeout":5,"description":"d"}`, `{"command":"make","timeout":5}`},
	} {
		if a, b := key(same[0]), key(same[1]); a != b {
			t.Errorf("%s has %s, and %s has %s", same[0], a, same[1], b)
		}
	}
	for _, other := range [][2]string{
		{`{"title":"t","description":"one"}`, `{"title":"t","description":"two"}`}, // no command: it is the input
		{`{"command":"make"}`, `{"command":"make","timeout":5}`},
		{`["description"]`, `["description",1]`},
	} {
		if key(other[0]) == key(other[1]) {
			t.Errorf("%s and %s have one key", other[0], other[1])
		}
	}
	if key("") != "" {
		t.Error("there is a key of nothing")
	}
}

func TestDigestText(t *testing.T) {
	for raw, text := range map[string]string{`"abc"`: "abc", `"a\nb\u00e9"`: "a\nbé", `""`: "", `null`: "", `17`: ""} {
		if got, want := draft.DigestText([]byte(raw)), draft.Digest([]byte(text)); got != want {
			t.Errorf("%s has %v, not %v", raw, got, want)
		}
	}
	long := strings.Repeat(`\"x`, 1000)
	if n := testing.AllocsPerRun(100, func() { draft.DigestText([]byte(`"` + long + `"`)) }); n > 6 {
		t.Errorf("%v allocations", n)
	}
	if d := draft.Digest([]byte("abc")); d.Hash != "ba7816bf8f01cfea" || d.Length != 3 {
		t.Errorf("the digest of abc is %v", d)
	}
}

func TestTime(t *testing.T) {
	want := time.Date(2026, 11, 21, 10, 3, 0, 123e6, time.UTC)
	for _, raw := range []string{`"2026-11-21T10:03:00.123Z"`, `"2026-11-21T11:03:00.123+01:00"`} {
		if got := draft.Time([]byte(raw)); got != want {
			t.Errorf("%s is %v", raw, got)
		}
	}
	for _, raw := range []string{``, `"`, `""`, `null`, `17`, `"today"`, `"2026-13-21T10:03:00Z"`} {
		if got := draft.Time([]byte(raw)); !got.IsZero() {
			t.Errorf("%s is %v", raw, got)
		}
	}
}
