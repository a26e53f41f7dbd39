package journal

import (
	"encoding/hex"
	"time"

	"aburn/logfmt"
)

// AnchorBytes is the content of an anchor for a log that began with first and has reached seq. Its
// place has this size and hash.
func AnchorBytes(first, seq uint64, sum [32]byte, size int64, hash [32]byte) []byte {
	a := anchor([]byte(anchorForm))
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	a.setTime(begunField, at)
	a.setTime(atField, at)
	a.setNumber(firstField, first)
	a.setNumber(seqField, seq)
	a.set(sumField, hex.EncodeToString(sum[:]))
	a.setPlace(0, &logfmt.LineHash{Size: size, Hash: hash})
	a.seal()
	return a[:]
}

// The places of the fields, as a reader of the text finds them.
func AnchorFields() map[string][2]int {
	all := map[string][2]int{}
	for name, f := range map[string]field{
		"begun": begunField, "first": firstField, "ours": oursField, "seq": seqField, "at": atField, "sha256": sumField,
		"file": fileField, "size": sizeField, "hash": hashField, "broke": brokeField, "written": writtenField, "found": foundField, "accepted": acceptedField,
		"unwritten": unwrittenField, "from": fromField, "to": toField, "reason": reasonField, "crc": crcField,
	} {
		all[name] = [2]int{f.from, f.to}
	}
	return all
}
