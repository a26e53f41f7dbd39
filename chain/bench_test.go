package chain_test

import (
	"testing"

	"aburn/chain"
)

// BenchmarkMiss reads 64 MiB for nothing.
func BenchmarkMiss(b *testing.B) {
	w := between(b, "ideate.", 64<<20, "")
	b.SetBytes(64 << 20)
	for b.Loop() {
		q := w.query(".", "ship")
		if _, err := chain.Last(w.log, q); err != nil {
			b.Fatal(err)
		}
	}
}
