package logfmt

import "math/bits"

const (
	dedupWindow = 4096
	dedupSlots  = 2 * dedupWindow // a power of two
)

// Deduper remembers the last 4,096 ids. The zero value is ready.
//
// It stores 64 bits of each id: all of aburn's own (16 hex digits), a hash of others. So it
// confuses two ids once in 4e15 entries.
type Deduper struct {
	slots []uint64 // open addressing, linear probing; 0 is free; nil: not made yet
	ring  []uint64 // in order of arrival
	next  int      // the oldest in a full ring

	text []byte // the ids before the ring, as AppendText wrote them; nil once there are slots
	few  int    // how many more ids are searched in text
}

// Seen reports whether id is among the last 4,096, and remembers it. An empty id never is.
func (d *Deduper) Seen(id string) bool { return id != "" && d.seen(idBits(id)) }

// SeenBytes is Seen for a Header's id.
func (d *Deduper) SeenBytes(id []byte) bool { return len(id) > 0 && d.seen(idBits(id)) }

func (d *Deduper) seen(k uint64) bool {
	if d.slots == nil {
		if d.few > 0 {
			return d.search(k)
		}
		d.index()
	}
	i := home(k)
	for ; d.slots[i] != 0; i = (i + 1) % dedupSlots {
		if d.slots[i] == k {
			return true
		}
	}
	d.slots[i] = k
	if len(d.ring) < dedupWindow {
		d.ring = append(d.ring, k)
		return false
	}
	d.forget(d.ring[d.next])
	d.ring[d.next] = k
	d.next = (d.next + 1) % dedupWindow
	return false
}

// forget frees the slot of k, and moves up those after it that would no longer be found from
// their home.
func (d *Deduper) forget(k uint64) {
	i := home(k)
	for d.slots[i] != k {
		i = (i + 1) % dedupSlots
	}
	for j := (i + 1) % dedupSlots; d.slots[j] != 0; j = (j + 1) % dedupSlots {
		if (j-home(d.slots[j]))%dedupSlots >= (j-i)%dedupSlots {
			d.slots[i] = d.slots[j]
			i = j
		}
	}
	d.slots[i] = 0
}

func home(k uint64) uint { return uint(k*0x9e3779b97f4a7c15>>32) % dedupSlots }

// idBits is never 0.
func idBits[T string | []byte](id T) uint64 {
	if len(id) == 16 {
		if k, ok := hex64(id); ok {
			return max(k, 1)
		}
	}
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(id); i++ {
		h = (bits.RotateLeft64(h, 5) ^ uint64(id[i])) * 0x100000001b3
	}
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return max(h^h>>32, 1)
}

func hex64[T string | []byte](id T) (k uint64, ok bool) {
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case '0' <= c && c <= '9':
			k = k<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			k = k<<4 | uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	return k, true
}
