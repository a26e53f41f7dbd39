package draft

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// Digest is the digest of a content.
func Digest(content []byte) trace.Digest {
	sum := sha256.Sum256(content)
	var digits [16]byte // rather than a slice that hex allocates
	hex.Encode(digits[:], sum[:len(digits)/2])
	return trace.Digest{Length: int64(len(content)), Hash: string(digits[:])}
}

// DigestText is the digest of the text that a JSON string stands for. It leaves no garbage.
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

// Text is a text that comes in parts, each of them a JSON string. The zero value is the empty text.
type Text struct{ buf []byte }

// Reset empties it and keeps its memory.
func (t *Text) Reset() { t.buf = t.buf[:0] }

// Add appends what the JSON string raw stands for; nothing if it is no string.
func (t *Text) Add(raw []byte) { t.buf = jsonl.AppendText(t.buf, raw) }

// Bytes is the text, valid until the next Add or Reset.
func (t *Text) Bytes() []byte { return t.buf }

// Digest is the text's digest.
func (t *Text) Digest() trace.Digest { return Digest(t.buf) }

// InputKey is what the workflow log keeps of a call's input as the client wrote it (logfmt/SPEC.md, section 7, "input"), for
// ToolCall.Key; d is the input's digest. What a model says beside a shell command is no part of it.
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
