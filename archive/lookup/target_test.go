package lookup

import (
	"reflect"
	"testing"

	"aburn/archive/digests"
	"aburn/insight"
)

func TestMatchingKeys(t *testing.T) {
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
		found, sessions := matchingKeys(all, word)
		if len(want) == 0 && len(found) == 0 {
			continue
		}
		if len(found) != len(want) || !reflect.DeepEqual(sessions, want) {
			t.Errorf("%q: %v, want %v", word, sessions, want)
		}
	}
}
