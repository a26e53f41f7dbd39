package trace_test

import (
	"context"
	"fmt"

	"aburn/trace"
	"aburn/trace/claude"
)

// printer is a trace.Sink that prints what a reader finds.
type printer struct{}

func (printer) Previous(string) (*trace.SessionTrace, error) { return nil, nil }
func (printer) Damaged(d trace.Damage)                       { fmt.Println("unreadable:", d) }
func (printer) Progress(int64)                               {}
func (printer) Done(trace.Cursor, bool)                      {}

func (printer) Trace(t *trace.SessionTrace) error {
	fmt.Printf("%s %s: %d events, %d calls\n", t.Source, t.Agent.Version, len(t.Events), len(t.Calls()))
	return nil
}

// Find finds an agent's stores, and Read reads one of them into a Sink. All agents' readers work alike.
func ExampleReader() {
	ctx, reader := context.Background(), claude.New()
	in := trace.Places{Paths: []string{"claude/testdata/runs/basic"}, Getenv: func(string) string { return "" }}
	err := reader.Find(ctx, in, func(s trace.Store) error { return reader.Read(ctx, s, printer{}) })
	if err != nil {
		fmt.Println(err)
	}
	// Output: claude 2.1.329: 15 events, 5 calls
}
