package scrub

import "strings"

// pem redacts a private key's block. The words "private key" of its BEGIN line end at end.
// Without an END line, as in a cut text, the block extends as long as it looks like one. A BEGIN
// line without a key is no secret.
func (f *finder) pem(i, end int) {
	s := f.text
	from := max(0, i-60)
	begin := lastFold(s[from:i], "begin")
	if begin < 0 {
		return
	}
	start := from + begin
	for start > 0 && (s[start-1] == '-' || s[start-1] == ' ') {
		start--
	}
	body := pemBody(s, end)
	if start == from+begin || body < 0 {
		return
	}
	f.add(start, f.pemEnd(body), "private-key", rankToken)
}

// lastFold is the offset of the last word in s in any case, or -1.
func lastFold(s, word string) int {
	for i := len(s) - len(word); i >= 0; i-- {
		if foldPrefix(s[i:], word) {
			return i
		}
	}
	return -1
}

// maxHeaderLine is the longest line like "DEK-Info: …" in a block, in bytes.
const maxHeaderLine = 200

// pemBody is where the key begins after the words "private key" that end at i, or -1. The key
// begins with 16 bytes of base64, after the rest of the BEGIN line and lines like "DEK-Info: …".
// Newlines may be escaped, and lines quoted.
func pemBody(s string, i int) int {
	if foldPrefix(s[i:], " block") {
		i += len(" block")
	}
	for range 8 {
		i = skipPEM(s, i)
		end := i
		for end < len(s) && end < i+16 && (setAlnum | setBase64).has(s[end]) {
			end++
		}
		if end == i+16 {
			return i
		}
		rest := s[i:min(len(s), i+maxHeaderLine)]
		line := strings.IndexAny(rest, "\n\\")
		if colon := strings.IndexByte(rest, ':'); line < 0 || colon < 0 || colon > line {
			return -1
		}
		i += line
	}
	return -1
}

// skipPEM skips what may stand between the lines of a block.
func skipPEM(s string, i int) int {
	for i < len(s) {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i += 2
		case setSpace.has(s[i]) || s[i] == '-' || s[i] == ',' || isQuote(s[i]) || s[i] == '+' && i+1 < len(s) && !setAlnum.has(s[i+1]):
			i++
		default:
			return i
		}
	}
	return i
}

func (f *finder) pemEnd(body int) int {
	s := f.text
	if !f.noEnd {
		for _, end := range [...]string{"-----END", "---- END", "Private-MAC"} {
			i := strings.Index(s[body:], end)
			f.work += len(end)
			if i >= 0 {
				return lineEnd(s, body+i+len(end))
			}
		}
		f.noEnd = true
	}
	i := body
	for i < len(s) && ((setAlnum | setBase64 | setEqual | setSpace | setDash).has(s[i]) || s[i] == '\\' || s[i] == ':' || s[i] == ',') {
		i++
	}
	f.work += i - body
	return i
}

// lineEnd is the end of the END line's dashes: "-----END RSA PRIVATE KEY-----".
func lineEnd(s string, i int) int {
	for limit := min(len(s), i+80); i < limit; i++ {
		if !(setAlnum|setDash).has(s[i]) && s[i] != ' ' || s[i] == '-' && i+1 < len(s) && s[i+1] != '-' {
			break
		}
	}
	for i < len(s) && s[i] == '-' {
		i++
	}
	return i
}
