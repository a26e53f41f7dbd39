package logfmt

import "hash/crc32"

// The end of a line of ours: ,"crc":"9a3c01fe"}
const (
	crcKey  = `,"crc":"`
	crcTail = len(crcKey) + 8 + len(`"}`)
)

func hasCrcTail(line []byte) bool {
	n := len(line) - crcTail
	return n > 0 && string(line[len(line)-2:]) == `"}` && string(line[n:n+len(crcKey)]) == crcKey
}

// Intact reports whether line ends in a crc that matches.
func Intact(line []byte) bool { return hasCrcTail(line) && crcOK(line) }

func (s *scanned) crcMatches() bool {
	p := s.field[fCrc]
	return p.hi == len(s.line)-1 && hasCrcTail(s.line) && crcOK(s.line)
}

// crcOK checks the crc of a line that has a crc tail.
func crcOK(line []byte) bool {
	n := len(line) - crcTail
	var want [8]byte
	return string(appendHex32(want[:0], crc32.ChecksumIEEE(line[:n]))) == string(line[n+len(crcKey):len(line)-2])
}

func appendHex32(dst []byte, v uint32) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[v>>shift&15])
	}
	return dst
}

// nibbles is the table of CRC-32 (IEEE) for four bits at a time.
var nibbles = [16]uint32{
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
	0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
}

// Sum is crc32.ChecksumIEEE. For one entry's line it avoids the tables that the package builds on
// first use: in a hook's fresh process they cost half as much as encoding an entry.
func Sum(line []byte) uint32 {
	const long = 4 << 10
	if len(line) > long {
		return crc32.ChecksumIEEE(line)
	}
	crc := ^uint32(0)
	for _, b := range line {
		crc ^= uint32(b)
		crc = crc>>4 ^ nibbles[crc&15]
		crc = crc>>4 ^ nibbles[crc&15]
	}
	return ^crc
}
