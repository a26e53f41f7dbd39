package logfmt

import (
	"fmt"
	"slices"
	"testing"
)

// A Deduper that was stored and restored in the middle answers as one that was not.
func TestDeduperRestored(t *testing.T) {
	for _, stored := range []int{0, 1, 100, 4095, 4096, 4097, 6000, 9000} {
		var whole, first, second Deduper
		for i := range 12_000 {
			if i > stored && i == stored+40 { // stored again before there is an index
				second.Restore(second.AppendIDs(nil))
			}
			id := fmt.Sprintf("%016x", i*2654435761)
			if i%3 == 2 {
				id = fmt.Sprintf("%016x", (i-4000)*2654435761) // seen before, or long ago
			}
			if i == stored {
				second.Restore(first.AppendIDs(nil))
			}
			half := &first
			if i >= stored {
				half = &second
			}
			if got, want := half.Seen(id), whole.Seen(id); got != want {
				t.Fatalf("stored at %d, id %d: seen %v, without storing %v", stored, i, got, want)
			}
		}
		if !slices.Equal(second.AppendIDs(nil), whole.AppendIDs(nil)) {
			t.Errorf("stored at %d: remembers something else", stored)
		}
	}
}

// Broken ids, more than there can be, and the same again and again are no danger.
func TestDeduperRestoredFromAnything(t *testing.T) {
	var d Deduper
	ids := make([]uint64, 20_000)
	for i := range ids {
		ids[i] = uint64(i % 5000)
	}
	d.Restore(ids)
	for i := range 9000 {
		if n := len(d.AppendIDs(nil)); n > 4096 {
			t.Fatalf("remembers %d", n)
		}
		if id := fmt.Sprintf("%016x", i+1000); d.Seen(id) && i > 5000 || !d.Seen(id) {
			t.Fatalf("learns nothing of %s", id)
		}
	}
}
