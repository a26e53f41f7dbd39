package manager

import (
	"testing"

	"aburn/worker/slot"
)

// A worker gives permissions that it has, or less, whatever is asked of it or stands in its ledger.
func TestAtMost(t *testing.T) {
	rank := map[slot.Permissions]int{slot.Plan: 0, slot.Ask: 1, slot.Edits: 2, slot.Auto: 3}
	for want := range rank {
		for has := range rank {
			if got := AtMost(want, has); rank[got] != min(rank[want], rank[has]) {
				t.Errorf("%s of %s gives %s", want, has, got)
			}
		}
		if got := AtMost(want, "all"); got != slot.Plan {
			t.Errorf("%s of nobody knows what gives %s", want, got)
		}
	}
}
