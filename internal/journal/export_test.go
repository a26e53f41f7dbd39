package journal

import "aburn/logfmt"

// AnchorBytes is the content of an anchor for a log that began with first and has reached seq.
func AnchorBytes(first, seq logfmt.Seq, sum [32]byte) []byte {
	a := anchor{first: first, seq: seq, sum: sum}
	copy(a.begun[:], "2026-11-21T10:00:00.000Z")
	copy(a.at[:], "2026-11-21T11:00:00.000Z")
	a.told()
	return a.bytes()
}
