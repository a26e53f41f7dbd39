package draft

import (
	"bytes"
	"strings"

	"aburn/internal/jsonl"
)

// Memo caches cleaned texts, because ids recur in all records of a call or a turn. The zero value is ready. It is not
// safe for several goroutines.
type Memo struct {
	known [memoSize]string
	texts strings.Builder // what Text returned last, one after the other
}

// memoSize is how many texts are cached, a power of two. A new one may replace another.
const memoSize = 64

// Find returns the text cached for the JSON string raw, "" if there is none. A string with escapes is never found.
func (m *Memo) Find(raw []byte) string {
	if len(raw) < 3 || raw[0] != '"' {
		return ""
	}
	inside := raw[1 : len(raw)-1]
	if known := m.known[slot(inside)]; known == string(inside) {
		return known
	}
	return ""
}

// Text returns the text of the JSON string raw. Short texts share memory, which is fine within one trace.
func (m *Memo) Text(raw []byte) string {
	const share, short = 2 << 10, 100 // bytes
	if len(raw) < 2 || len(raw) > short || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return jsonl.Text(raw)
	}
	if m.texts.Cap()-m.texts.Len() < len(raw) {
		m.texts.Reset()
		m.texts.Grow(share)
	}
	at := m.texts.Len()
	m.texts.Write(raw[1 : len(raw)-1])
	return m.texts.String()[at:]
}

// Keep caches s as the text of the JSON string raw, if it equals that, and returns s.
func (m *Memo) Keep(raw []byte, s string) string {
	if s != "" && len(raw) == len(s)+2 && string(raw[1:len(raw)-1]) == s {
		m.known[slot(s)] = s
	}
	return s
}

// cached returns clean(s), and skips the call if s is cached as already clean.
func (m *Memo) cached(s string, clean func(string) string) string {
	if s == "" {
		return ""
	}
	at := slot(s)
	if known := m.known[at]; known == s {
		return known
	}
	t := clean(s)
	if t == s {
		m.known[at] = s
	}
	return t
}

// slot is a text's place in the cache, by its last bytes: the first bytes of ids are mostly equal.
func slot[T string | []byte](s T) uint64 {
	const mix = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	var x uint64
	if n := len(s); n >= 8 {
		x = uint64(s[n-8]) | uint64(s[n-7])<<8 | uint64(s[n-6])<<16 | uint64(s[n-5])<<24 |
			uint64(s[n-4])<<32 | uint64(s[n-3])<<40 | uint64(s[n-2])<<48 | uint64(s[n-1])<<56
	} else {
		for i := range n {
			x = x<<8 | uint64(s[i])
		}
	}
	return x * mix >> 32 % memoSize
}
