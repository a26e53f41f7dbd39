package chain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"aburn/chain"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/workflow"
)

// Last says what a command completed last in this worktree, and which command comes next.
func ExampleLast() {
	now := time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC)
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Mkdir(filepath.Join(dir, project.OssDir), 0o755); err != nil {
		panic(err)
	}
	env := func(string) string { return "" }
	p, err := project.Find(dir, env)
	if err != nil {
		panic(err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, project.OssDir))
	if err != nil {
		panic(err)
	}
	defer root.Close()
	log := journal.New(root, journal.Options{By: journal.Command, Now: func() time.Time { return now }})
	_, err = log.Append(func(journal.Tail) []*logfmt.Entry {
		return []*logfmt.Entry{{
			Time: now, Cmd: "plan", Event: logfmt.Complete, Session: "af1c5fba", Source: "prompt", Data: []byte(`{"summary":"three steps"}`),
		}}
	})
	if err != nil {
		panic(err)
	}
	r, err := chain.Last(log, chain.Query{Cmd: "plan", Project: p, Model: workflow.Default(), Now: now, Env: env})
	fmt.Println(r.Found, r.State, r.Summary, err)
	// Output: true done three steps <nil>
}
