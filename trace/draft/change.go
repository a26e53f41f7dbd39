package draft

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// FileHash is the SHA-256 of a file's content, as FileChange.Hash has it.
func FileHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// CountLines is how many lines a text has, the last one also without its end.
func CountLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// CountDiff counts the lines that a unified diff adds and removes; the names of the files before its first @@ are none.
func CountDiff(diff string) (added, removed int) {
	inside := false
	for line := range strings.SplitSeq(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			inside = true
		case inside && strings.HasPrefix(line, "+"):
			added++
		case inside && strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}
