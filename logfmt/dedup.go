package logfmt

// Deduper remembers the last 4,096 ids. The zero value is ready.
type Deduper struct {
	seen map[string]struct{}
	ring []string
	next int
}

const dedupWindow = 4096

// Seen reports whether id is among the last 4,096 and remembers it. An empty
// id is never seen.
func (d *Deduper) Seen(id string) bool {
	if id == "" {
		return false
	}
	if _, ok := d.seen[id]; ok {
		return true
	}
	if d.seen == nil {
		d.seen = make(map[string]struct{})
	}
	if len(d.ring) < dedupWindow {
		d.ring = append(d.ring, id)
	} else {
		delete(d.seen, d.ring[d.next])
		d.ring[d.next] = id
		d.next = (d.next + 1) % dedupWindow
	}
	d.seen[id] = struct{}{}
	return false
}

// SeenBytes is Seen for a Header's id.
func (d *Deduper) SeenBytes(id []byte) bool { return d.Seen(string(id)) }
