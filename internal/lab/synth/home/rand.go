package home

// random is a stream of pseudo-random numbers (splitmix64): the same seed gives the same numbers with every Go version.
type random struct{ state uint64 }

// fork is a stream of its own for the n-th thing, so that what one session draws changes no other.
func (r *random) fork(n uint64) *random {
	return &random{state: mix(r.state ^ mix(n+0x9e3779b97f4a7c15))}
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	return mix(r.state)
}

// below draws from 0 to n-1.
func (r *random) below(n int) int { return int((r.next() >> 33) % uint64(n)) }

// from draws from lo to hi.
func (r *random) from(lo, hi int) int { return lo + r.below(hi-lo+1) }

// percent is true p times in a hundred.
func (r *random) percent(p int) bool { return r.below(100) < p }

func pick[T any](r *random, of []T) T { return of[r.below(len(of))] }

const hexDigits = "0123456789abcdef"

// hex is n hex digits.
func (r *random) hex(n int) string {
	b := make([]byte, n)
	for i := 0; i < n; {
		v := r.next()
		for k := 0; k < 16 && i < n; k++ {
			b[i] = hexDigits[v&15]
			v >>= 4
			i++
		}
	}
	return string(b)
}

// alnum is n letters and digits.
func (r *random) alnum(n int) string {
	return r.of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", n)
}

func (r *random) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.below(len(alphabet))]
	}
	return string(b)
}

// uuid is a random UUID (version 4).
func (r *random) uuid() string {
	h := []byte(r.hex(36))
	h[8], h[13], h[18], h[23] = '-', '-', '-', '-'
	h[14] = '4'
	h[19] = "89ab"[r.below(4)]
	return string(h)
}

// thread is a UUID that sorts by time (version 7), as Codex names threads and turns. ms is Unix milliseconds.
func (r *random) thread(ms int64) string {
	h := []byte(r.uuid())
	for i, at := 0, 0; i < 12; i++ {
		if at == 8 {
			at++
		}
		h[at] = hexDigits[ms>>(44-4*i)&15]
		at++
	}
	h[14] = '7'
	return string(h)
}
