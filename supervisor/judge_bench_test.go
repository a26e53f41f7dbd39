package supervisor

import (
	"testing"
	"time"

	"aburn/internal/lab/scenario"
)

// Three sessions that have much going on are judged in well under 100 µs.
func BenchmarkJudge(b *testing.B) {
	var t testing.T
	var items []scenario.Item
	for i, id := range []string{"A", "B", "C"} {
		items = append(items,
			drawnAs(&t, id,
				"PROMPT/build build> { build:RED> Edit'a_test.go' Bash'go test ./...'!1 build:RED. build:GREEN> Agent'x'<x (tester tester~Read'a' tester~Edit'b.go' "+
					"tester) ^x { Read'c' Bash'go vet' Edit'd.go' }*4 Bash'go test ./...' build:GREEN. build*'x' }*3 build:RED> Bash'make'<")...)
		items[i].Entry.Seq = 0
	}
	s := foldItems(items)
	in := Input{Now: s.Last.Time().Add(10 * time.Minute)}
	b.ReportAllocs()
	for b.Loop() {
		Judge(s, in)
	}
}
