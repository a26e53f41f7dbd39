package logfmt_test

import (
	"bytes"
	"fmt"
	"time"

	"aburn/logfmt"
)

// An entry has two lines: JSON, and one for people that follows from it.
func Example() {
	e := logfmt.Entry{
		Time: time.Date(2026, 11, 28, 9, 30, 0, 0, time.UTC), Cmd: "build", Phase: "GREEN", Event: logfmt.Complete,
		Session: "af1c5fba", Source: "prompt", Data: []byte(`{"summary":"all tests pass"}`),
	}
	block, err := e.AppendTo(nil)
	if err != nil {
		panic(err)
	}
	for line := range bytes.SplitSeq(block, []byte("\n")) {
		if logfmt.Classify(line) != logfmt.EntryLine {
			continue
		}
		back, err := logfmt.Parse(line)
		fmt.Println(back.Cmd, back.Phase, back.Event, string(back.Data), err)
	}
	// Output: build GREEN COMPLETE {"summary":"all tests pass"} <nil>
}
