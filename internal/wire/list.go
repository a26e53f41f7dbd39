package wire

// Walk is what walks over a value: a Coder, or a type that embeds one.
type Walk interface{ coder() *Coder }

func (c *Coder) coder() *Coder { return c }

// List codes the number of entries and then the entries. An entry takes at least least bytes, so that a forged number
// cannot ask for more memory than the rest of the form could fill. When reading, an empty list leaves *all unchanged.
// pool may be nil.
func List[W Walk, T any](w W, all *[]T, pool *Pool[T], least int, each func(W, *T)) {
	c := w.coder()
	if !c.reading {
		c.Put(uint64(len(*all)))
	} else {
		n := c.Take()
		if n > uint64(c.Left()/least) {
			c.Fail("%d of a list, and %d bytes are left", n, c.Left())
		}
		if n == 0 || c.err != nil {
			return
		}
		*all = pool.Take(int(n))
	}
	for i := range *all {
		if c.err != nil {
			return
		}
		each(w, &(*all)[i])
	}
}

// Pointer codes a field that may be missing. pool may be nil.
func Pointer[W Walk, T any](w W, p **T, pool *Pool[T], field func(W, *T)) {
	c := w.coder()
	there := *p != nil
	if c.Bool(&there); !there {
		return
	}
	if c.reading {
		*p = &pool.Take(1)[0]
	}
	field(w, *p)
}

// Pool is memory for the lists and pointers of many values that live equally long: it frees nothing before all of them
// are unreachable. It grows in parts, each twice as large as the one before, from firstPart to lastPart entries.
type Pool[T any] struct {
	free []T
	part int
}

const firstPart, lastPart = 16, 1024

// Take returns n zero values.
func (p *Pool[T]) Take(n int) []T {
	if p == nil {
		return make([]T, n)
	}
	if n > len(p.free) {
		p.part = min(max(2*p.part, firstPart), lastPart)
		p.free = make([]T, max(n, p.part))
	}
	all := p.free[:n:n]
	p.free = p.free[n:]
	return all
}
