package chain_test

import (
	"testing"
)

// BenchmarkMiss reads 64 MiB for nothing.
func BenchmarkMiss(b *testing.B) {
	w := between(b, "ideate.", 64<<20, "")
	b.SetBytes(64 << 20)
	for b.Loop() {
		q := w.query(".", "ship")
		if _, err := w.open().Last(q); err != nil {
			b.Fatal(err)
		}
	}
}
