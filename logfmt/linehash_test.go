package logfmt

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"
)

// The hash is the same however the bytes are cut, and is that of SPEC.md.
func TestLineHash(t *testing.T) {
	text := []byte("# first\n\n{\"a\":1}\n\r\n  # x\ntorn")
	var want Hash
	for _, line := range []string{"# first\n", "\n", "{\"a\":1}\n", "\r\n", "  # x\n"} {
		want = sha256.Sum256(append(want[:], line...))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var l LineHash
		for rest := text; len(rest) > 0; {
			n := 1 + rng.IntN(len(rest))
			l.Write(rest[:n])
			rest = rest[n:]
		}
		if l.Hash != want || l.Size != int64(len(text)-len("torn")) || l.Whole() {
			t.Fatalf("%+v, want %s", l, want)
		}
		on := LineHash{Size: l.Size, Hash: l.Hash}
		l.Write([]byte("\n"))
		on.Write([]byte("torn\n"))
		if on.Hash != l.Hash || !l.Whole() || on.Size != l.Size {
			t.Fatalf("continued %+v, want %+v", on, l)
		}
	}
}
