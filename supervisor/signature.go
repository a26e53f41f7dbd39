package supervisor

import (
	"strconv"
	"strings"

	"aburn/logfmt"
)

// signature is the type and a hash of all that makes this trouble another than a
// later one of its kind.
func signature(t Type, session logfmt.SessionID, parts ...string) string {
	const prime, basis = 1099511628211, 14695981039346656037
	h := uint64(basis)
	for _, part := range append([]string{string(session)}, parts...) {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * prime
		}
		h = (h ^ 0xff) * prime // no byte of UTF-8
	}
	hex := strconv.FormatUint(h, 16)
	return string(t) + "-" + strings.Repeat("0", 16-len(hex)) + hex
}
