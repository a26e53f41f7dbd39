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
