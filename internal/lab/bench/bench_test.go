package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets cases run this executable as their contender.
func TestMain(m *testing.M) {
	if contender(os.Args) {
		return
	}
	os.Exit(m.Run())
}

// TestEveryCaseRuns asserts nothing about time: that each contender ends well and
// each table is there.
func TestEveryCaseRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a thousand processes")
	}
	t.Chdir("../../..")
	out := filepath.Join(t.TempDir(), "benchmarks.md")
	if err := bench(newPage(1, 2<<20, true), "", out); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| after a tool call, 1 KB |", "| stop after a turn of 10 calls |", "| status line |", "| aburn-hook |",
		"| aburn-hook, tool call, 1 KB |", "| hit | 2 MB |", "| miss | 2 MB |", "| replay, all fields |", "| one check |", "| prompt, tasks of other sessions |",
		"| prompt, tasks handed over |", "p99 ≤ 100 ms", "| `aburn ingest`, first, 4 MB |", "| `aburn ingest`, one session grown |", "| encoding/json, all records |",
		"The archive of the big home has ", "| `aburn report`, first |", "| `aburn mcp`, up to its answer to initialize |", "| `remedy` |", "| check, without node |",
		"| first byte of /cost |", "| `aburn daemon start`, memory |", "| `aburn-hold`, memory |", "| `aburn ps` |",
		"| a log entry until the page that shows it is fetched, p95 |", "| five recorded sessions of both clients at once, ", "| `aburn top --once`, "} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no row %s in\n%s", want, page)
		}
	}
}
