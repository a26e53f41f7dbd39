package draft

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"aburn/internal/jsonl"
	"aburn/trace"
)

func Digest(content []byte) trace.Digest {
	sum := sha256.Sum256(content)
	var digits [16]byte // hex.EncodeToString would allocate
	hex.Encode(digits[:], sum[:len(digits)/2])
	return trace.Digest{Length: int64(len(content)), Hash: string(digits[:])}
}

// DigestText returns the digest of the text in a JSON string. It leaves no garbage.
func DigestText(raw []byte) trace.Digest {
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 {
		return Digest(raw[1 : len(raw)-1])
	}
	t, _ := texts.Get().(*Text)
	if t == nil {
		t = new(Text)
	}
	defer texts.Put(t)
	t.Reset()
	t.Add(raw)
	return t.Digest()
}

var texts sync.Pool // of *Text

// Text is a text in parts, each of them a JSON string. The zero value is the empty text.
type Text struct{ buf []byte }

// Reset empties the text and keeps its memory.
func (t *Text) Reset() { t.buf = t.buf[:0] }

// Add appends the text of the JSON string raw, and nothing if raw is no string.
func (t *Text) Add(raw []byte) { t.buf = jsonl.AppendText(t.buf, raw) }

// Bytes returns the text, which is valid until the next Add or Reset.
func (t *Text) Bytes() []byte { return t.buf }

func (t *Text) Digest() trace.Digest { return Digest(t.buf) }

// InputKey returns ToolCall.Key for a call's input as the client wrote it (logfmt/SPEC.md, section 7, "input"). d is
// the input's digest. What a model says beside a shell command does not count.
func InputKey(input []byte, d trace.Digest) string {
	if len(input) == 0 {
		return ""
	}
	if !bytes.Contains(input, []byte(`"description"`)) {
		return d.Hash[:8]
	}
	shell := false
	kept := make([]byte, 0, len(input))
	jsonl.Members(input, func(key, value []byte) bool {
		switch string(key) {
		case "command":
			shell = true
		case "description":
			return true
		}
		if len(kept) > 0 {
			kept = append(kept, ',')
		} else {
			kept = append(kept, '{')
		}
		kept = append(append(append(append(kept, '"'), key...), `":`...), value...)
		return true
	})
	if !shell {
		return d.Hash[:8]
	}
	return Digest(append(kept, '}')).Hash[:8]
}

// FileHash is the SHA-256 of a file's content, for FileChange.Hash.
func FileHash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// CountLines counts the lines of a text. A last line without a line break counts.
func CountLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// CountDiff counts the lines that a unified diff adds and removes. The file names before its first @@ do not count.
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
