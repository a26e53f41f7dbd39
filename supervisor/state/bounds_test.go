package state

import (
	"strings"
	"testing"
)

// A head of another tool, which nobody scrubbed, is cut so that no part of a secret stays, wherever the cut falls.
func TestCutLeavesNoPartOfASecret(t *testing.T) {
	secret := "gh" + "p_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2gH5"
	for before := maxInput - 48; before < maxInput+4; before++ {
		s, _ := fold(t, "@A Bash'"+strings.Repeat("x", before)+" "+secret+" and more'")
		list := session(t, s, "A").Own.Recent
		if len(list) != 1 {
			t.Fatalf("%d calls", len(list))
		}
		if got := list[0].Input; strings.Contains(got, secret[:8]) || len(got) > maxInput || !strings.HasPrefix(got, "xxxx") {
			t.Fatalf("%d: %q", before, got)
		}
	}
	for _, text := range []string{"", "short", strings.Repeat("ä", 100), "password=" + strings.Repeat("aB3", 2000)} {
		if got := cut(text, maxName); len(got) > maxName || strings.Contains(got, "aB3aB3") {
			t.Errorf("%.40q became %q", text, got)
		}
	}
}
