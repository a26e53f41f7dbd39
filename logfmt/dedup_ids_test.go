package logfmt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A Deduper that was stored and restored in the middle answers as one that was not.
func TestDeduperRestored(t *testing.T) {
	for _, stored := range []int{0, 1, 100, 4095, 4096, 4097, 6000, 9000} {
		var whole, first, second Deduper
		for i := range 12_000 {
			if i == stored+10 { // stored again before the text was read
				if !second.RestoreText(second.AppendText(nil)) {
					t.Fatal("not restored")
				}
			}
			id := fmt.Sprintf("%016x", i*2654435761)
			if i%3 == 2 {
				id = fmt.Sprintf("%016x", (i-4000)*2654435761) // seen before, or long ago
			}
			if i == stored {
				if text := first.AppendText(nil); !second.RestoreText(text) || len(text) > 11*4096 {
					t.Fatalf("%d characters: not restored", len(text))
				}
			}
			half := &first
			if i >= stored {
				half = &second
			}
			if got, want := half.Seen(id), whole.Seen(id); got != want {
				t.Fatalf("stored at %d, id %d: seen %v, without storing %v", stored, i, got, want)
			}
		}
		if !bytes.Equal(second.AppendText(nil), whole.AppendText(nil)) {
			t.Errorf("stored at %d: remembers something else", stored)
		}
	}
}

// Text that is none of ours is refused, or no danger.
func TestDeduperRestoredFromAnything(t *testing.T) {
	for _, text := range []string{"A", strings.Repeat("A", 12), strings.Repeat("A", 11*4097)} {
		if d := new(Deduper); d.RestoreText([]byte(text)) {
			t.Errorf("%d characters were taken", len(text))
		}
	}
	for _, text := range []string{strings.Repeat("A", 11*4096), strings.Repeat("BBBBBBBBBBB", 4096), strings.Repeat("{\x00\xff\"", 11*700), ""} {
		var d Deduper
		if !d.RestoreText([]byte(text)) {
			t.Fatalf("%.20q was not taken", text)
		}
		for i := range 9000 {
			id := fmt.Sprintf("%016x", i+1000)
			if d.Seen(id) || !d.Seen(id) {
				t.Fatalf("%.20q: learns nothing of %s", text, id)
			}
			if i%100 == 0 && len(d.AppendText(nil)) > 11*4096 {
				t.Fatal("remembers too many")
			}
		}
	}
}

func TestIDText(t *testing.T) {
	for _, id := range []uint64{1, 63, 64, 0xffffffffffffffff, 0x8000000000000000, 0x0123456789abcdef} {
		text := appendID(nil, id)
		if got := readID(text); got != id || len(text) != idText {
			t.Errorf("%x is %s is %x", id, text, got)
		}
	}
}

// One entry in a process of its own, after a long log.
func BenchmarkDeduperRestored(b *testing.B) {
	var d Deduper
	for i := range 5000 {
		d.Seen(fmt.Sprintf("%016x", i*2654435761))
	}
	text := d.AppendText(nil)
	for _, n := range []int{1, 20, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var d Deduper
				d.RestoreText(text)
				for i := range n {
					d.seen(uint64(i+1) * 0x9e3779b97f4a7c15)
				}
			}
		})
	}
}
