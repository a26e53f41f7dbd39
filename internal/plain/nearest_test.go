package plain

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"START", "COMPLETE", "FAILED", "TOOL", "PHASE_START"}
	for in, want := range map[string]string{
		"COMPLET": "COMPLETE", "complete": "COMPLETE", "FALIED": "FAILED", "STRAT": "START", "PHASE-START": "PHASE_START",
		"DEPLOYED": "", "X": "", "": "",
	} {
		if got := Nearest(in, words); got != want {
			t.Errorf("nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
