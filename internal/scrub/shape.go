package scrub

// A shape is the look of a token: letters that stand for themselves, {c20}, {c20,} or {c20,40} for as many bytes of
// class c (set.go), and at its ends < and > for "nothing goes on here": no word
// character, and no + as in base64 (but the one with which a line of a patch begins). Runs are greedy and give back what the rest
// needs. {c20,} ends at maxRun, so that a match costs no more than a look at a bounded stretch.

// maxRun is the longest run of a class without an upper limit, in bytes.
const maxRun = 8 << 10

// run is one {…} of a shape.
type run struct {
	class    set
	min, max int
	size     int // how many bytes of the shape it takes
}

func parseRun(shape string) run {
	r := run{class: class(shape[1])}
	i := 2
	number := func() (n int) {
		for ; '0' <= shape[i] && shape[i] <= '9'; i++ {
			n = 10*n + int(shape[i]-'0')
		}
		return n
	}
	r.min = number()
	r.max = r.min
	if shape[i] == ',' {
		i++
		if r.max = number(); r.max == 0 {
			r.max = maxRun
		}
	}
	r.size = i + 1
	return r
}

// match returns the end of the token of the given shape that starts at i, or -1. It adds the
// bytes it read to work.
func match(shape, s string, i int, work *int) int {
	for len(shape) > 0 {
		switch c := shape[0]; {
		case c == '<':
			if joinedAt(s, i-1) && !addedAt(s, i-1) {
				return -1
			}
			shape = shape[1:]
		case c == '>':
			if joinedAt(s, i) {
				return -1
			}
			shape = shape[1:]
		case c == '{':
			return matchRun(parseRun(shape), shape, s, i, work)
		case i < len(s) && s[i] == c:
			shape, i = shape[1:], i+1
			*work++
		default:
			return -1
		}
	}
	return i
}

func matchRun(r run, shape, s string, i int, work *int) int {
	n := 0
	for n < r.max && i+n < len(s) && r.class.has(s[i+n]) {
		n++
	}
	*work += n + 1
	rest := shape[r.size:]
	if rest == "" {
		if n < r.min {
			return -1
		}
		return i + n
	}
	for ; n >= r.min; n-- {
		if end := match(rest, s, i+n, work); end >= 0 {
			return end
		}
	}
	return -1
}

// addedAt reports whether the byte at i is the + of a line that a patch adds.
func addedAt(s string, i int) bool { return i >= 0 && s[i] == '+' && (i == 0 || s[i-1] == '\n') }

// joinedAt reports whether the byte at i continues a token in the sense of < and >.
func joinedAt(s string, i int) bool { return wordAt(s, i) || i >= 0 && i < len(s) && s[i] == '+' }
