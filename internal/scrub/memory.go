package scrub

import "strings"

// Memory holds values that were redacted, because something beside them said that they are secret, and redacts them where
// nothing says so: "the token is X" beside `export TOKEN=X`. Its zero value is ready. It lives as long as one entry or one
// session is read, and only in memory. It is not safe for concurrent use.
type Memory struct {
	known []knownValue // the newest last
}

// knownValue is a value, and the rule that found it.
type knownValue struct{ value, rule string }

// The bounds of a Memory: its values, and the length of one in bytes. alone is the length from which a value also counts within
// a longer word.
const (
	maxKnown       = 64
	minKnownLength = 8
	maxKnownLength = 512
	alone          = 16
)

// Text is the function Text, which also redacts the values that m holds. m then holds the values of s, too.
func (m *Memory) Text(s string) (string, int) {
	count := 0
	for range maxRounds {
		spans := m.find(s)
		if len(spans) == 0 {
			break
		}
		count += len(spans)
		s = replace(s, spans)
	}
	return s, count
}

// Learn adds the secrets of s to m.
func (m *Memory) Learn(s string) {
	if spans := find(s); len(spans) > 0 {
		m.keep(s, spans)
	}
}

// Hide redacts the values that m holds, and nothing else.
func (m *Memory) Hide(s string) string {
	if len(m.known) == 0 {
		return s
	}
	spans := unite(s, m.occurrences(s, nil))
	if len(spans) == 0 {
		return s
	}
	return replace(s, spans)
}

// Empty reports whether m holds no value.
func (m *Memory) Empty() bool { return len(m.known) == 0 }

// find returns the secrets of s, and where the values of m stand in s, in order and without overlaps.
func (m *Memory) find(s string) []span {
	spans := find(s)
	if len(spans) > 0 {
		m.keep(s, spans)
	}
	if len(m.known) == 0 {
		return spans
	}
	return unite(s, m.occurrences(s, spans))
}

// keep adds the values of these spans of s that can be told from ordinary text.
func (m *Memory) keep(s string, spans []span) {
	for _, sp := range spans {
		v := s[sp.start:sp.end]
		if sp.rule != "cookie" {
			m.add(v, sp.rule)
			continue
		}
		for pair := range strings.SplitSeq(v, ";") {
			_, v, _ := strings.Cut(pair, "=")
			m.add(v, sp.rule)
		}
	}
}

func (m *Memory) add(v, rule string) {
	if !isTelling(v) {
		return
	}
	for _, k := range m.known {
		if k.value == v {
			return
		}
	}
	if len(m.known) == maxKnown {
		m.known = append(m.known[:0], m.known[1:]...)
	}
	m.known = append(m.known, knownValue{strings.Clone(v), rule})
}

// occurrences adds to spans where the values of m stand in s.
func (m *Memory) occurrences(s string, spans []span) []span {
	for _, k := range m.known {
		for at := 0; ; {
			n := strings.Index(s[at:], k.value)
			if n < 0 {
				break
			}
			start := at + n
			at = start + len(k.value)
			if len(k.value) >= alone || !wordAt(s, start-1) && !wordAt(s, at) {
				spans = append(spans, span{start, at, k.rule, rankPlace})
			}
		}
	}
	return spans
}

// isTelling reports whether nobody writes v but to mean this secret. Words, numbers, dates, versions, paths, branches and names
// of models and algorithms are not telling, even if somebody used one as a password.
func isTelling(v string) bool {
	if len(v) < minKnownLength || len(v) > maxKnownLength || strings.ContainsAny(v, " \t\n\"'`\\<>(){}[]") {
		return false
	}
	if countIn(v, setLetter) < 3 || !hasDigit(v) || distinct(v) < 6 || isReference(v, 0) || isPath(v) || dotted(v) || slugLike(v) ||
		isAlgorithm(v) || isName(v) {
		return false
	}
	return mixed(v) || hasSymbol(v) || hasRandomPart(v, minKnownLength) || len(v) >= 10 && countIn(v, setDigit) >= 2
}

// slugLike reports whether v is words and numbers, alone or joined: build2024, claude-sonnet-4-20250514, fix/LOGIN-1234.
func slugLike(v string) bool {
	i := 0
	for start := 0; i <= len(v); i++ {
		if i < len(v) && !(setDash | setUnder | setDot).has(v[i]) && v[i] != '/' && v[i] != ':' {
			continue
		}
		if part := v[start:i]; len(part) > 3 && !slugPart(part) && !allIn(part, setDigit) && !allIn(part, setLetter) {
			return false
		}
		start = i + 1
	}
	return true
}
