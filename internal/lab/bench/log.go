package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"aburn/logfmt"
)

// writeLog makes a log of about size bytes: tool calls as the hooks write them,
// over 20 sessions. With plan, a COMPLETE of plan stands 100 KB before the end.
func writeLog(path string, size int64, plan bool) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	w.WriteString(logfmt.FirstLine)
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	var line []byte
	for seq, written := logfmt.Seq(1), int64(0); written < size; seq++ {
		e := toolEntry(seq, at)
		if plan && written < size-100_000 && written+int64(len(line)) >= size-100_000 {
			e = planEntry(seq, at)
		}
		if line, err = e.AppendTo(line[:0]); err != nil {
			return err
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		written += int64(len(line))
		at = at.Add(700 * time.Millisecond)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func toolEntry(seq logfmt.Seq, at time.Time) *logfmt.Entry {
	session := logfmt.SessionID(fmt.Sprintf("b97d2ad7-d108-46fe-9fe9-644dc86c4e%02d", seq%20))
	id := fmt.Sprintf("toolu_%08d", seq/2)
	e := &logfmt.Entry{Time: at, Cmd: "build", Phase: "RED", Event: logfmt.Tool, Session: session, Seq: seq, Source: "claude",
		ID: logfmt.ToolID("claude", session, "", logfmt.Tool, id)}
	var data logfmt.Object
	data.Str("tool", "Bash").Str("tool_use_id", id).Str("head", "go test ./... -run TestHealth -count=1").
		Int("exit_code", int64(seq%2)).Int("duration_ms", 812).Int("hook_us", 640).Int("lock_us", 9)
	e.Data = data.Bytes()
	return e
}

func planEntry(seq logfmt.Seq, at time.Time) *logfmt.Entry {
	e := &logfmt.Entry{Time: at, Cmd: "plan", Event: logfmt.Complete, Session: "b97d2ad7-d108-46fe-9fe9-644dc86c4e02", Seq: seq, Source: "prompt",
		ID: "plan-complete"}
	var data logfmt.Object
	e.Data = data.Str("summary", "Planned the health endpoint").Str("next_suggested", "build").Bytes()
	return e
}
