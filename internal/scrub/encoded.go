package scrub

import "strings"

// This file finds secrets in base64 and hex: the text in them is searched like any other, and if it has a secret, the whole run is one.

// The bounds of what is decoded: the shortest run, how much of one, how much of one text, and how many layers.
const (
	minEncoded = 20
	maxEncoded = 8 << 10
	allEncoded = 64 << 10
	maxLayers  = 2
)

// encoded redacts the runs of base64 and hex in the text in which a secret is found. layer counts the runs around the text.
func (f *finder) encoded(layer int) {
	s := f.text
	left := allEncoded
	for i := minEncoded - 1; i < len(s) && left > 0; {
		if !inRun(s[i]) { // no run of minEncoded bytes holds this byte
			i += minEncoded
			continue
		}
		start := i
		for start > 0 && i-start < minEncoded && inRun(s[start-1]) {
			start--
		}
		end := i + 1
		for end < len(s) && inRun(s[end]) {
			end++
		}
		if end-start >= minEncoded {
			left -= f.run(start, end, layer)
		}
		i = end + minEncoded
	}
}

// inRun reports whether b stands in base64, in either alphabet, or in hex.
func inRun(b byte) bool { return (setAlnum | setBase64 | setUnder | setDash).has(b) }

// run redacts s[start:end] if its decoded text has a secret, and returns how many bytes it decoded.
func (f *finder) run(start, end, layer int) int {
	s := f.text
	if foldContains(s[max(0, start-16):start], "auth plain ") { // of SMTP and IMAP: user and password
		f.add(start, end, "authorization", rankName)
		return 0
	}
	if foldPrefix(s[start:], "0x") {
		start += len("0x")
	}
	run := s[start:min(end, start+maxEncoded)]
	if len(run) < minEncoded-len("0x") {
		return 0
	}
	text := decodedRun(run)
	if text == "" {
		return 0
	}
	f.work += len(run)
	inner := findLayer(text, layer+1)
	if len(inner) > 0 {
		for end < len(s) && s[end] == '=' {
			end++
		}
		f.add(start, end, inner[0].rule, rankName)
	}
	return len(run)
}

// decodedRun is the text that run encodes, or "" if that is none: a first look at 16 bytes rules out nearly all that is not.
func decodedRun(run string) string {
	if allIn(run[:16], setDigit|setAF|setUpAF) {
		if hexBytes(run[:16]) != "" {
			return hexBytes(run)
		}
		return ""
	}
	if base64Bytes(run[:16]) == "" {
		return ""
	}
	return base64Bytes(run)
}

// hexBytes is the text that run encodes in hex, or "" if one byte of it is none of a text.
func hexBytes(run string) string {
	b := make([]byte, 0, len(run)/2)
	for i := 0; i+1 < len(run); i += 2 {
		hi, lo := hexDigit(run[i]), hexDigit(run[i+1])
		if hi < 0 || lo < 0 || !isText(byte(hi<<4|lo)) {
			return ""
		}
		b = append(b, byte(hi<<4|lo))
	}
	return string(b)
}

// base64Bytes is the text that run encodes in base64, or "" if one byte of it is none of a text. Zeros are left out: UTF-16 has them.
func base64Bytes(run string) string {
	b := make([]byte, 0, len(run)/4*3)
	bits, n := uint32(0), 0
	zeros := 0
	for i := range len(run) {
		bits, n = bits<<6|uint32(sextet(run[i])), n+6
		if n < 8 {
			continue
		}
		n -= 8
		c := byte(bits >> n)
		switch {
		case c == 0:
			zeros++
		case !isText(c):
			return ""
		default:
			b = append(b, c)
		}
	}
	if zeros > len(b)+1 {
		return ""
	}
	return string(b)
}

// isText reports whether b may stand in a text of ASCII.
func isText(b byte) bool { return b >= ' ' && b < 0x7f || b == '\n' || b == '\t' || b == '\r' }

// sextet is the number that b stands for in base64.
func sextet(b byte) byte {
	switch {
	case b >= 'A' && b <= 'Z':
		return b - 'A'
	case b >= 'a' && b <= 'z':
		return b - 'a' + 26
	case b >= '0' && b <= '9':
		return b - '0' + 52
	case b == '+' || b == '-':
		return 62
	}
	return 63
}

// findLayer returns the secrets of a decoded text.
func findLayer(text string, layer int) []span {
	if text = strings.TrimRight(text, "\x00"); text == "" {
		return nil
	}
	return findIn(text, layer)
}
