package scenario

import (
	"path/filepath"
	"slices"
	"testing"

	"aburn/workflow"
)

const testdata = "../testdata"

func load(t *testing.T) []*Scenario {
	t.Helper()
	var all []*Scenario
	for _, dir := range []string{"corpus", "frozen"} {
		list, err := Load(filepath.Join(testdata, dir))
		if err != nil {
			t.Error(err)
		}
		all = append(all, list...)
	}
	return all
}

// TestCorpus: every scenario can be read, makes a log as the format wants it, and names known types only.
func TestCorpus(t *testing.T) {
	known := workflow.Types()
	for _, s := range load(t) {
		checkLog(t, s)
		for _, list := range [][]Claim{s.Expect, s.Never, s.Allow, s.Open, s.Cleared} {
			for _, c := range list {
				if !slices.Contains(known, c.Type) {
					t.Errorf("%s: there is no type %q", s.Name, c.Type)
				}
			}
		}
	}
}
