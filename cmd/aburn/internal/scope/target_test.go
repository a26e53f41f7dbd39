package scope

import (
	"reflect"
	"testing"

	"aburn/archive/digests"
	"aburn/cmd/internal/kit"
	"aburn/insight"
)

func TestKeysLike(t *testing.T) {
	var all []digests.Session
	for _, k := range []insight.Keys{
		{Coarse: "f1-aaaa11112222", Sub: "s1-aaaa33334444", Fine: "e1-bbbb55556666"},
		{Coarse: "f1-aaaa11112222", Sub: "s1-aaaa99998888"},
		{Coarse: "f2-cccc11112222"},
	} {
		all = append(all, digests.Session{Digest: &insight.Digest{Keys: k}})
	}
	for word, want := range map[string]map[string]int{
		"f1-aaaa11112222": {"f1-aaaa11112222": 2},
		"f1-aaaa":         {"f1-aaaa11112222": 2},
		"aaaa":            {"f1-aaaa11112222": 2, "s1-aaaa33334444": 1, "s1-aaaa99998888": 1},
		"aaaa3":           {"s1-aaaa33334444": 1},
		"s1-aaaa":         {"s1-aaaa33334444": 1, "s1-aaaa99998888": 1},
		"bbbb55556666":    {"e1-bbbb55556666": 1},
		"f2-cccc":         {"f2-cccc11112222": 1},
		"f2-aaaa":         {}, "f1-cccc": {}, "aaa": {}, "": {}, "AAAA": {}, "f1-": {}, "aaaa11112222f": {}, "xxxx": {}, "aaaa-1111": {}, "f1-aaaa ": {},
		"aaaa11112222aaaa": {},
	} {
		found, sessions := keysLike(all, word)
		if len(want) == 0 && len(found) == 0 {
			continue
		}
		if len(found) != len(want) || !reflect.DeepEqual(sessions, want) {
			t.Errorf("%q: %v, want %v", word, sessions, want)
		}
	}
}

func TestListLead(t *testing.T) {
	for line, want := range map[string][2]string{
		"- text": {"- ", "text"}, "   - text": {"   - ", "text"}, "12. text more": {"12. ", "text more"}, "plain text": {"", "plain text"},
		"2026-11-21 was": {"", "2026-11-21 was"}, "1.5 of": {"", "1.5 of"}, ". x": {"", ". x"}, "": {"", ""}, "-": {"", "-"}, "   ": {"   ", ""},
	} {
		lead, body := kit.ListLead(line)
		if lead != want[0] || body != want[1] {
			t.Errorf("%q: %q and %q", line, lead, body)
		}
	}
}
