package logfmt

import "slices"

// worthwhile is for how many ids a search of the ring costs less than an index of it.
const worthwhile = 64

// AppendIDs appends what the Deduper remembers, oldest first: 64 bits an id, never
// 0, at most 4,096 of them. Restore makes a Deduper of them that answers the same.
func (d *Deduper) AppendIDs(dst []uint64) []uint64 {
	return append(append(slices.Grow(dst, len(d.ring)), d.ring[d.next:]...), d.ring[:d.next]...)
}

// Restore makes the Deduper remember these ids and no others; it keeps the slice.
// Ids that AppendIDs did not make are no danger, but may be forgotten.
func (d *Deduper) Restore(ids []uint64) {
	*d = Deduper{ring: ids[max(0, len(ids)-dedupWindow):], few: worthwhile}
}

// search is seen without an index: a process that was started for one entry asks
// for few.
func (d *Deduper) search(k uint64) bool {
	d.few--
	if slices.Contains(d.ring, k) {
		return true
	}
	if len(d.ring) < dedupWindow {
		d.ring = append(d.ring, k)
		return false
	}
	d.ring[d.next] = k
	d.next = (d.next + 1) % dedupWindow
	return false
}

// index makes the slots of the ring.
func (d *Deduper) index() {
	ids := d.AppendIDs(nil)
	*d = Deduper{slots: make([]uint64, dedupSlots), ring: ids[:0]}
	for _, id := range ids {
		if id != 0 {
			d.seen(id)
		}
	}
}
