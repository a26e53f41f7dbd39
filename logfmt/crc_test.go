package logfmt

import (
	"bytes"
	"hash/crc32"
	"testing"
)

func TestSumIsCRC32(t *testing.T) {
	for n := range 6000 {
		line := bytes.Repeat([]byte{byte(n), 'x', byte(n >> 8)}, n/3+1)[:n]
		if got, want := Sum(line), crc32.ChecksumIEEE(line); got != want {
			t.Fatalf("sum of %d bytes is %08x, want %08x", n, got, want)
		}
	}
}
