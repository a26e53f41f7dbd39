package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets replayCase run this executable as its contender.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && replayMode(os.Args[1]) {
		exitOn(replay(os.Args[1], os.Args[2]))
		return
	}
	os.Exit(m.Run())
}

// TestEveryCaseRuns asserts nothing about time: that each contender ends well and
// each table is there.
func TestEveryCaseRuns(t *testing.T) {
	t.Chdir("../..")
	out := filepath.Join(t.TempDir(), "benchmarks.md")
	if err := bench(2, 2<<20, "", out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| tool call, 1 KB |", "| aburn-hook |", "| aburn-hook, tool call, 1 KB |", "| hit | 2 MB |", "| miss | 2 MB |", "| replay, all fields |", "| one look |", "| prompt, tasks of other sessions |", "| prompt, tasks handed over |", "p99 ≤ 100 ms"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no row %s in\n%s", want, page)
		}
	}
}
