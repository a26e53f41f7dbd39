package archive

import (
	"fmt"
	"testing"
	"time"

	"aburn/trace"
)

// long is a session of 300 calls.
func long(tb testing.TB) *trace.SessionTrace {
	what := "ask"
	for range 300 {
		what += " call done"
	}
	return story(tb, "claude", "a", 1, what)
}

func BenchmarkPackCalls(b *testing.B) {
	t := long(b)
	b.ReportAllocs()
	for b.Loop() {
		packCalls(t)
	}
}

func BenchmarkReadCalls(b *testing.B) {
	row := packCalls(long(b))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		calls, err := readCalls(row)
		if err == nil {
			err = calls.each(CallRow{}, false, func(CallRow) bool { n++; return true })
		}
		if err != nil || n != 300 {
			b.Fatal(n, err)
		}
	}
}

func cursorsOf(n int) (all []Known) {
	for i := range n {
		all = append(all, Known{Store: int64(i + 1), Reader: "claude",
			Path:   fmt.Sprintf("/home/u/.claude/projects/-home-u-p%d/%08x-0000-4000-8000-000000000001.jsonl", i/50, i*7919),
			Layout: "session", Size: int64(i) * 1000, Modified: time.Unix(1_700_000_000+int64(i), 5), Scrub: 3, Sessions: 1})
	}
	return all
}

func BenchmarkListParts(b *testing.B) {
	all := cursorsOf(10_000)
	b.ReportAllocs()
	for b.Loop() {
		listParts(all)
	}
}

func BenchmarkReadParts(b *testing.B) {
	parts := listParts(cursorsOf(10_000))
	b.ReportAllocs()
	for b.Loop() {
		var all []Known
		var err error
		for _, p := range parts {
			if all, err = readPart(string(p), all); err != nil {
				b.Fatal(err)
			}
		}
		if len(all) != 10_000 {
			b.Fatal(len(all))
		}
	}
}
