package scenario

import (
	"path/filepath"
	"slices"
	"testing"

	"aburn/internal/lab/world"
	"aburn/supervisor/limits"
)

// TestSecond: the later examinations can be read, name known types only, and have what an examination needs.
func TestSecond(t *testing.T) {
	world.Slow(t)
	var all []*Scenario
	for _, part := range []string{"examiner-2", "examiner-2-reworded", "examiner-2-after", "generated", "probes", "blind", "proof", "young"} {
		list, err := Load(filepath.Join(testdata, part+".txtar"))
		if err != nil {
			t.Error(err)
		}
		all = append(all, list...)
	}
	first := map[string]bool{}
	for _, s := range load(t) {
		first[s.Name] = true
	}
	known, found, healthy := limits.Types(), map[string]int{}, 0
	for _, s := range all {
		checkLog(t, s)
		checkClaims(t, s, known)
		if first[s.Name] {
			t.Errorf("there are two scenarios %s", s.Name)
		}
		first[s.Name] = true
		for _, c := range s.Expect {
			found[c.Type]++
		}
		if s.Healthy() {
			healthy++
		}
	}
	if len(all) < 260 || healthy < 140 {
		t.Errorf("%d scenarios, %d of them healthy", len(all), healthy)
	}
	for _, typ := range known {
		if found[typ] < 2 {
			t.Errorf("%s: %d scenarios", typ, found[typ])
		}
	}
}

// checkClaims holds a scenario's claims against the types and against each other.
func checkClaims(t *testing.T, s *Scenario, known []string) {
	t.Helper()
	for _, list := range [][]Claim{s.Expect, s.Never, s.Allow, s.Open, s.Cleared} {
		for _, c := range list {
			if !slices.Contains(known, c.Type) {
				t.Errorf("%s: there is no type %q", s.Name, c.Type)
			}
		}
	}
	for _, c := range slices.Concat(s.Open, s.Cleared) {
		if !slices.ContainsFunc(s.Expect, func(e Claim) bool { return e.Type == c.Type && e.Session == c.Session }) {
			t.Errorf("%s: %s %s stands or is gone at the end, and was not expected", s.Name, c.Type, c.Session)
		}
	}
	for _, c := range s.Never {
		if slices.ContainsFunc(slices.Concat(s.Expect, s.Allow), func(e Claim) bool { return c.About(e.Type, e.Session) }) {
			t.Errorf("%s: %s %s is both expected and a trap", s.Name, c.Type, c.Session)
		}
	}
}
