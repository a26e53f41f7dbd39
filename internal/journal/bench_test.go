package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"aburn/internal/journal"
	"aburn/logfmt"
)

// BenchmarkAppend compares an append with the least that could be done: open,
// one write of the same bytes, close.
func BenchmarkAppend(b *testing.B) {
	text, err := entry("0123456789abcdef").AppendTo(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("bare open write close", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "log")
		for b.Loop() {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.Write(text); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	b.Run("anchored", func(b *testing.B) {
		_, j, _ := anchored(b, journal.Options{})
		e := entry("")
		for b.Loop() {
			e.ID = ""
			if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
				b.Fatal(err)
			}
		}
	})
	for name, preset := range map[string]bool{"random id": false, "tool id": true} {
		b.Run(name, func(b *testing.B) {
			root, err := os.OpenRoot(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer root.Close()
			j := journal.New(root, journal.Options{})
			e := entry("")
			for i := 0; b.Loop(); i++ {
				e.ID = ""
				if preset {
					e.ID = fmt.Sprintf("%016x", i)
				}
				// A thousand a second, so that repeatWindow spans more than a tail.
				e.Time = day.Add(1e6 * 1)
				if _, err := j.Append(func(journal.Tail) []*logfmt.Entry { return []*logfmt.Entry{e} }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
