package logfmt

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// span is line[lo:hi]; the zero span is "not there".
type span struct{ lo, hi int }

// routing is where the members ts to wt of a line in the fixed order stand.
// This is the one place where a nanosecond counts: a replay reads every line's.
type routing struct {
	time, cmd, phase, event, session, id, source, wt span
	agent                                            [3]span // type, id, parent_cmd
	hasAgent                                         bool
	seq                                              Seq
	end                                              int // where the next member's comma is
}

// read fills r from a line that has a crc tail; false: another order, or an
// escape among the routing fields. The keys are compared with constants, so
// that each costs one or two words; most values end within a word.
func (r *routing) read(line []byte) bool {
	const begin, afterTime = `{"ts":"`, `","cmd":"`
	const at = len(begin) + len(timeLayout)
	if len(line) < at+len(afterTime)+crcTail || !hasPrefix(line, begin) || !hasPrefix(line[at:], afterTime) {
		return false
	}
	r.time = span{len(begin), at}
	r.cmd = stringAt(line, at+len(afterTime))
	i := r.cmd.hi + 1
	if hasPrefix(line[i:], `,"phase":"`) {
		r.phase = stringAt(line, i+len(`,"phase":"`))
		i = r.phase.hi + 1
	}
	if !hasPrefix(line[i:], `,"event":"`) {
		return false
	}
	r.event = stringAt(line, i+len(`,"event":"`))
	i = r.event.hi + 1
	if hasPrefix(line[i:], `,"session":"`) {
		r.session = longStringAt(line, i+len(`,"session":"`))
		i = r.session.hi + 1
	}
	if hasPrefix(line[i:], `,"seq":`) {
		i = r.readSeq(line, i+len(`,"seq":`))
	}
	if hasPrefix(line[i:], `,"id":"`) {
		r.id = longStringAt(line, i+len(`,"id":"`))
		i = r.id.hi + 1
	}
	return r.readRest(line, i)
}

// readRest goes on with agent, source and wt.
func (r *routing) readRest(line []byte, i int) bool {
	if hasPrefix(line[i:], `,"agent":{`) {
		i = r.readAgent(line, i+len(`,"agent":{`))
	}
	if hasPrefix(line[i:], `,"source":"`) {
		r.source = stringAt(line, i+len(`,"source":"`))
		i = r.source.hi + 1
	}
	if hasPrefix(line[i:], `,"wt":"`) {
		r.wt = stringAt(line, i+len(`,"wt":"`))
		i = r.wt.hi + 1
	}
	r.end = i
	// A quote behind a backslash ends no string: then what follows is read
	// wrongly, but the backslash is in what was read.
	return r.cmd.lo < r.cmd.hi && r.event.lo < r.event.hi && bytes.IndexByte(line[:i], '\\') < 0
}

func (r *routing) readSeq(line []byte, i int) int {
	end := skipDigits(line, i)
	var ok bool
	if r.seq, ok = parseSeq(line[i:end]); !ok {
		return i // where no key matches any more
	}
	return end
}

// readAgent reads an object of the three strings, each optional.
func (r *routing) readAgent(line []byte, i int) int {
	for n, key := range [...]string{`"type":"`, `"id":"`, `"parent_cmd":"`} {
		if line[i] == ',' && line[i-1] == '"' {
			i++
		}
		if hasPrefix(line[i:], key) {
			r.agent[n] = longStringAt(line, i+len(key))
			i = r.agent[n].hi + 1
		}
	}
	r.hasAgent = true
	if line[i] != '}' {
		return i // where no key matches any more
	}
	return i + 1
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// stringAt is the string that begins at line[i], up to the next quote. There is
// one: the line ends in a crc.
func stringAt(line []byte, i int) span {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	if i+8 <= len(line) {
		w := binary.LittleEndian.Uint64(line[i:]) ^ ones*'"'
		if m := (w - ones) &^ w & tops; m != 0 {
			return span{i, i + bits.TrailingZeros64(m)>>3}
		}
	}
	return longStringAt(line, i)
}

func longStringAt(line []byte, i int) span {
	return span{i, i + max(0, bytes.IndexByte(line[i:], '"'))}
}
