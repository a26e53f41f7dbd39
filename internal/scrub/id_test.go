package scrub

import (
	"strings"
	"testing"
)

func TestID(t *testing.T) {
	pat := "gh" + "p_" + strings.Repeat("a1B2c3", 6)
	for _, id := range []string{
		"", "s1", "8b01f1c6-573a-43c4-a62d-514dfebcb4ee", "ses_5f1e2d3c4b5a69788796a5b4c3d2e1f0", "agent-a1b2c3", "password=hunter2x",
		"01K9Z3NDEKTSV4RRFFQ69G5FAV",
		"toolu_01A09q90qw90lq917835lq9", "run-" + strings.Repeat("0123abcd", 5),
	} {
		if got := ID(id); got != id {
			t.Errorf("%s became %s", id, got)
		}
	}
	a, b := ID(pat), ID("x:"+pat)
	if a == b || a != ID(pat) || leak(a+b, pat) != "" || len(a) != len("sha256-")+24 || ID(a) != a {
		t.Errorf("%s, %s", a, b)
	}
}
