package chain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"aburn/chain"
	"aburn/logfmt"
	"aburn/workflow"
)

// Last says what a command completed last in this worktree, and which state it is in now.
func ExampleLog_Last() {
	now := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	entry := logfmt.Entry{
		Time: now.Add(-time.Hour), Cmd: "plan", Event: logfmt.Complete, Session: "af1c5fba", Source: "prompt", Data: []byte(`{"summary":"three steps"}`),
	}
	lines, err := entry.AppendTo(nil)
	if err != nil {
		panic(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".oss"), 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".oss", "workflow.log"), lines, 0o600); err != nil {
		panic(err)
	}
	log, err := chain.Open(dir, func(string) string { return "" })
	if err != nil {
		panic(err)
	}
	defer log.Close()
	r, err := log.Last(chain.Query{Cmd: "plan", Model: workflow.Default(), Now: now})
	fmt.Println(r.Found, r.State, r.Summary, r.Age, err)
	// Output: true done three steps 1h0m0s <nil>
}
