package remedy

import (
	"testing"

	"aburn/insight"
)

// A session's own sub-agents, and theirs, are no evidence that its failure was ever resolved; the same ones of another are.
func TestOwnSubagentsAreNoSiblings(t *testing.T) {
	failed := with(session("lead", insight.Errored, "s1-aa", 2), "build/shell/1: a")
	all := []*insight.Digest{failed}
	for _, id := range []string{"a", "b", "c"} {
		d := with(session("lead/"+id, insight.Completed, "s1-aa", 1), "build/shell/1: a")
		d.Parent = "lead"
		all = append(all, d)
	}
	deep := session("lead/a/x", insight.Completed, "s1-aa", 1)
	deep.Parent = "lead/a"
	all = append(all, deep)
	if a := ForSession(failed, all, nil); a.Tier != None || a.Reason != NoResolvedSibling || a.Resolved != 0 {
		t.Errorf("its own family made it %s: %s, %d resolved", a.Tier, a.Reason, a.Resolved)
	}
	other := with(session("other", insight.Errored, "s1-aa", 2), "build/shell/1: a")
	if a := ForSession(other, append(all, other), nil); a.Tier != Medium || a.Resolved != 4 || a.Failed != 2 {
		t.Errorf("another session's family made it %s with %d failed, %d resolved", a.Tier, a.Failed, a.Resolved)
	}
}
