package logfmt

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// benchLog is a log as hooks write it: about 700 bytes an entry.
func benchLog(tb testing.TB, entries int) []byte {
	var log []byte
	at := time.Date(2026, 11, 21, 10, 3, 0, 0, time.UTC)
	for i := range entries {
		var o Object
		o.Str("tool", "Bash").Str("tool_use_id", fmt.Sprintf("toolu_01%022d", i))
		o.Str("head", "go test ./internal/journal -run 'TestStorm|TestCut' -count=1 2>&1 | tail -20")
		o.Int("exit_code", int64(i%7/6)).Int("duration_ms", int64(i%5000)).Int("hook_us", 412).Int("lock_us", 3)
		o.Str("outcome", "ok").Str("note", "Wrote the failing tests first, then the code that makes them pass, then looked at the coverage of the fold.")
		e := Entry{
			Time: at.Add(time.Duration(i) * time.Second), Cmd: "build", Phase: "GREEN", Event: Tool,
			Session: "8ccc287b-2e9c-4699-a1d2-d5b766fc4add", Seq: Seq(i + 1), ID: fmt.Sprintf("%016x", i*7919), Source: "claude", Data: o.Bytes(),
		}
		if i%9 == 0 {
			e.Agent = &Agent{Type: "Explore", ID: "a25cb23ddefdc6a23", ParentCmd: "build"}
		}
		var err error
		if log, err = e.AppendTo(log); err != nil {
			tb.Fatal(err)
		}
	}
	return log
}

func eachLine(log []byte, do func([]byte)) {
	for len(log) > 0 {
		n := bytes.IndexByte(log, '\n')
		do(log[:n])
		log = log[n+1:]
	}
}

// BenchmarkLines is the floor of the two below: finding the lines, like `wc -l`.
func BenchmarkLines(b *testing.B) {
	log := benchLog(b, 10_000)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		n := 0
		eachLine(log, func(line []byte) { n++ })
	}
}

func BenchmarkParseHeader(b *testing.B) {
	var h Header
	log := benchLog(b, 10_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		eachLine(log, func(line []byte) {
			if h.Read(line) {
				n++
			}
		})
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}

func BenchmarkParser(b *testing.B) {
	log := benchLog(b, 10_000)
	b.Run("header", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		b.ReportAllocs()
		var p Parser
		var h Header
		for b.Loop() {
			eachLine(log, func(line []byte) { p.Header(line, &h) })
		}
	})
	b.Run("entry", func(b *testing.B) {
		b.SetBytes(int64(len(log)))
		b.ReportAllocs()
		var p Parser
		var e Entry
		for b.Loop() {
			eachLine(log, func(line []byte) {
				if line[0] == '{' && p.Parse(line, &e) != nil {
					b.Fatal("no entry")
				}
			})
		}
	})
}

func BenchmarkParse(b *testing.B) {
	log := benchLog(b, 10_000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		eachLine(log, func(line []byte) {
			if line[0] != '{' {
				return
			}
			if e, err := Parse(line); err != nil || e.Edited {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkAppendTo(b *testing.B) {
	log := benchLog(b, 1)
	e, err := Parse(log[:bytes.IndexByte(log, '\n')])
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	buf := make([]byte, 0, MaxEntry)
	for b.Loop() {
		if _, err := e.AppendTo(buf); err != nil {
			b.Fatal(err)
		}
	}
}
