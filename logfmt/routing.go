package logfmt

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// This is the one place where a nanosecond counts: a replay reads the routing
// fields of every line. So keys are compared in pieces of at most 8 bytes, which
// the compiler turns into one comparison each (a longer one is a call), and the
// Header is filled where it stands.

// own fills h from a line in the fixed order that has a crc tail, and returns where the comma of
// the member after wt is. 0 means another order, or an escape in those fields; h is then
// undefined.
func (h *Header) own(line []byte) int {
	const begin, beforeCmd = `{"ts":"`, `","cmd":"`
	const at = len(begin) + len(timeLayout)
	if len(line) < at+len(beforeCmd)+crcTail || !hasPrefix(line, begin) || !hasPrefix(line[at:], `","cmd":`) || line[at+8] != '"' {
		return 0
	}
	cmd, phase, event, session := len(h.Cmd), len(h.Phase), len(h.Event), len(h.Session)
	id, source, wt := len(h.ID), len(h.Source), len(h.Wt)
	*h = Header{Time: line[len(begin):at]}
	i := 0
	h.Cmd, i = shortString(line, at+len(beforeCmd), cmd)
	if hasPrefix(line[i:], `,"phase"`) && hasPrefix(line[i+8:], `:"`) {
		h.Phase, i = shortString(line, i+10, phase)
	}
	if !hasPrefix(line[i:], `,"event"`) || !hasPrefix(line[i+8:], `:"`) {
		return 0
	}
	h.Event, i = shortString(line, i+10, event)
	if hasPrefix(line[i:], `,"sessio`) && hasPrefix(line[i+8:], `n":"`) {
		h.Session, i = longString(line, i+12, session)
	}
	if hasPrefix(line[i:], `,"seq":`) {
		h.Seq, i = readSeq(line, i+7)
	}
	if hasPrefix(line[i:], `,"id":"`) {
		h.ID, i = longString(line, i+7, id)
	}
	if hasPrefix(line[i:], `,"agent"`) && hasPrefix(line[i+8:], `:{`) {
		if h.agent = agentAt(line[i+10:]); h.agent == nil {
			return 0
		}
		i += 10 + len(h.agent)
	}
	return h.ownRest(line, i, source, wt)
}

// ownRest continues with source and wt.
func (h *Header) ownRest(line []byte, i, source, wt int) int {
	if hasPrefix(line[i:], `,"source`) && hasPrefix(line[i+8:], `":"`) {
		h.Source, i = shortString(line, i+11, source)
	}
	if hasPrefix(line[i:], `,"wt":"`) {
		h.Wt, i = shortString(line, i+7, wt)
	}
	// An escaped quote does not end its string. What follows would be misread, but the backslash
	// is in what was read.
	if len(h.Cmd) == 0 || len(h.Event) == 0 || bytes.IndexByte(line[:i], '\\') >= 0 {
		return 0
	}
	h.Agent = h.agent != nil
	return i
}

// readSeq reads the number at line[i]. If it is not ours, it returns i, where no key matches any
// more.
func readSeq(line []byte, i int) (Seq, int) {
	var n Seq
	end := i
	for ; end < len(line) && line[end]-'0' <= 9; end++ {
		n = n*10 + Seq(line[end]-'0')
	}
	if end == i || end > i+16 || line[i] == '0' || n > MaxSeq {
		return 0, i
	}
	return n, end
}

// agentAt is the inside of an object of three strings, with its brace, if rest begins with one.
func agentAt(rest []byte) []byte {
	_, end := readAgent(rest)
	if rest[end] != '}' {
		return nil
	}
	return rest[:end+1]
}

// readAgent reads the three strings, all optional, and returns them and where the brace must be.
func readAgent(inside []byte) (parts [3][]byte, end int) {
	for n, key := range [...]string{`"type":"`, `"id":"`, `"parent_cmd":"`} {
		at := end
		if end > 0 && inside[end] == ',' {
			at++
		}
		if hasPrefix(inside[at:], key) {
			parts[n], end = longString(inside, at+len(key), 0)
		}
	}
	return parts, end
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// shortString is the string that begins at line[i], and the index after its quote. A quote must
// follow, because the line ends in a crc. likely is the string's length in the previous line.
func shortString(line []byte, i, likely int) ([]byte, int) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	if i+8 <= len(line) {
		w := binary.LittleEndian.Uint64(line[i:]) ^ ones*'"'
		if m := (w - ones) &^ w & tops; m != 0 {
			n := bits.TrailingZeros64(m) >> 3
			if n == likely {
				return line[i : i+likely], i + likely + 1
			}
			return line[i : i+n], i + n + 1
		}
	}
	return longString(line, i, likely)
}

// longString is shortString for strings that rarely end within a word.
func longString(line []byte, i, likely int) ([]byte, int) {
	n := max(0, bytes.IndexByte(line[i:], '"'))
	if n == likely {
		return line[i : i+likely], i + likely + 1
	}
	return line[i : i+n], i + n + 1
}
