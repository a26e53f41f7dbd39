package logfmt

import (
	"bytes"
	"encoding/binary"
	"slices"
)

const (
	idText     = 11 // characters for an id's 64 bits, 6 bits each
	idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

	// worthwhile is the number of ids up to which searching the text costs less than parsing it.
	worthwhile = 16
)

// AppendText appends the remembered ids, oldest first: 11 characters an id (letters, digits, -
// and _), at most 4,096 ids. RestoreText makes a Deduper of them that answers the same.
func (d *Deduper) AppendText(dst []byte) []byte {
	dst = slices.Grow(dst, len(d.text)+idText*len(d.ring))
	dst = append(dst, d.text...)
	for _, id := range d.ring[d.next:] {
		dst = appendID(dst, id)
	}
	for _, id := range d.ring[:d.next] {
		dst = appendID(dst, id)
	}
	return dst
}

// RestoreText makes the Deduper remember these ids and no others. It keeps the text unparsed,
// because a process started for a few entries has no time for more. It returns false if
// AppendText cannot have made the text. Foreign characters do no harm: they make ids of their
// own.
func (d *Deduper) RestoreText(text []byte) bool {
	if len(text)%idText != 0 || len(text) > idText*dedupWindow {
		return false
	}
	*d = Deduper{text: text, few: worthwhile}
	return true
}

// search is seen while the text is unparsed.
func (d *Deduper) search(k uint64) bool {
	d.few--
	if slices.Contains(d.ring, k) || inText(d.text, k) {
		return true
	}
	if d.ring = append(d.ring, k); len(d.text)/idText+len(d.ring) > dedupWindow {
		d.text = d.text[idText:]
	}
	return false
}

func inText(text []byte, k uint64) bool {
	var buf [idText]byte
	want := appendID(buf[:0], k)
	most := binary.LittleEndian.Uint64(want)
	for ; len(text) >= idText; text = text[idText:] {
		if binary.LittleEndian.Uint64(text) == most && bytes.Equal(text[8:idText], want[8:]) {
			return true
		}
	}
	return false
}

// index parses the text.
func (d *Deduper) index() {
	text, ring := d.text, d.ring
	*d = Deduper{slots: make([]uint64, dedupSlots), ring: make([]uint64, 0, len(text)/idText+len(ring)+worthwhile)}
	for id := range slices.Chunk(text, idText) {
		if k := readID(id); k != 0 {
			d.seen(k)
		}
	}
	for _, k := range ring {
		d.seen(k)
	}
}

func appendID(dst []byte, id uint64) []byte {
	for shift := 58; shift > 0; shift -= 6 {
		dst = append(dst, idAlphabet[id>>shift&63])
	}
	return append(dst, idAlphabet[id<<2&63])
}

// idValues are the bits of idAlphabet's characters, 0 for others. A switch took three times as
// long, because branches on random data are mispredicted.
var idValues = [256]uint8{
	'A': 0, 'B': 1, 'C': 2, 'D': 3, 'E': 4, 'F': 5, 'G': 6, 'H': 7, 'I': 8, 'J': 9, 'K': 10, 'L': 11, 'M': 12,
	'N': 13, 'O': 14, 'P': 15, 'Q': 16, 'R': 17, 'S': 18, 'T': 19, 'U': 20, 'V': 21, 'W': 22, 'X': 23, 'Y': 24, 'Z': 25,
	'a': 26, 'b': 27, 'c': 28, 'd': 29, 'e': 30, 'f': 31, 'g': 32, 'h': 33, 'i': 34, 'j': 35, 'k': 36, 'l': 37, 'm': 38,
	'n': 39, 'o': 40, 'p': 41, 'q': 42, 'r': 43, 's': 44, 't': 45, 'u': 46, 'v': 47, 'w': 48, 'x': 49, 'y': 50, 'z': 51,
	'0': 52, '1': 53, '2': 54, '3': 55, '4': 56, '5': 57, '6': 58, '7': 59, '8': 60, '9': 61, '-': 62, '_': 63,
}

func readID(text []byte) (id uint64) {
	for _, c := range text[:idText-1] {
		id = id<<6 | uint64(idValues[c])
	}
	return id<<4 | uint64(idValues[text[idText-1]]>>2)
}
