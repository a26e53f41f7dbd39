package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"aburn/logfmt"
)

// writeWork makes a log of about size bytes as a project's days leave it: three sessions at a time, each of which
// does one build in phases, edits and tests in them, ends, and makes place for the next. Its last entry is as old as
// it takes to write what more adds, so that its three sessions are at work when that is looked at.
func writeWork(path string, size int64) (*project, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	w.WriteString(logfmt.FirstLine)
	p := &project{at: time.Now().Add(-time.Duration(size)*perByte - newEntries*step)}
	for written := int64(0); written < size; {
		n, err := p.write(w)
		if err != nil {
			return nil, err
		}
		written += int64(n)
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	return p, f.Close()
}

// Time goes on by the byte, so that however many entries a log has, it ends now. An entry takes about step.
const (
	step    = 700 * time.Millisecond
	perByte = 1500 * time.Microsecond
)

// project is who works in a log.
type project struct {
	at      time.Time
	seq     logfmt.Seq
	workers [3]worker
	begun   int // sessions
	line    []byte
}

// more appends n entries to the log that writeWork made.
func (p *project) more(path string, n int) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for range n {
		if _, err := p.write(w); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (p *project) write(w *bufio.Writer) (n int, err error) {
	p.seq++
	k := &p.workers[p.seq%3]
	if k.session == "" {
		*k = worker{session: logfmt.SessionID(fmt.Sprintf("5b0c2f91-7a44-4e0a-9d53-%012d", p.begun))}
		p.begun++
	}
	e := k.next()
	e.Time, e.Seq, e.Session = p.at, p.seq, k.session
	if e.ID == "" {
		e.ID = fmt.Sprintf("%016x", uint64(p.seq)*0x9e3779b97f4a7c15)
	}
	if e.Event == logfmt.SessionEnd {
		k.session = ""
	}
	if p.line, err = e.AppendTo(p.line[:0]); err != nil {
		return 0, err
	}
	p.at = p.at.Add(time.Duration(len(p.line)) * perByte)
	return w.Write(p.line)
}

// worker is a session at work.
type worker struct {
	session logfmt.SessionID
	done    int // entries
	calls   int
}

// callsInPhase is how many calls a phase has, and phases how many a session works through.
const (
	callsInPhase = 30
	phases       = 6
)

// next is what the session does next: its beginning, the phases with their calls, the end.
func (k *worker) next() *logfmt.Entry {
	n := k.done
	k.done++
	begin := []func() *logfmt.Entry{
		func() *logfmt.Entry {
			return hookEntry(logfmt.SessionStart, new(logfmt.Object).Str("source", "startup"))
		},
		func() *logfmt.Entry {
			return hookEntry(logfmt.Prompt, new(logfmt.Object).Str("head", "/build the health endpoint").Int("chars", 26))
		},
		func() *logfmt.Entry { return hookEntry(logfmt.Command, new(logfmt.Object).Str("command", "build")) },
		func() *logfmt.Entry { return &logfmt.Entry{Cmd: "build", Event: logfmt.Start, Source: "prompt"} },
	}
	if n < len(begin) {
		return begin[n]()
	}
	n -= len(begin)
	const inPhase = 2*callsInPhase + 3
	if n < phases*inPhase {
		return k.inPhase([]string{"RED", "GREEN", "REFACTOR"}[n/inPhase%3], n%inPhase)
	}
	end := []*logfmt.Entry{
		{Cmd: "build", Event: logfmt.Complete, Source: "prompt", Data: new(logfmt.Object).Str("summary", "The endpoint answers").Bytes()},
		hookEntry(logfmt.Stop, new(logfmt.Object)), hookEntry(logfmt.SessionEnd, new(logfmt.Object).Str("reason", "prompt_input_exit")),
	}
	return end[n-phases*inPhase]
}

// inPhase is the n-th entry of a phase: its start, calls, a milestone, its end.
func (k *worker) inPhase(phase string, n int) *logfmt.Entry {
	switch {
	case n == 0:
		return &logfmt.Entry{Cmd: "build", Phase: phase, Event: logfmt.PhaseStart, Source: "prompt"}
	case n == 2*callsInPhase+1:
		return &logfmt.Entry{Cmd: "build", Phase: phase, Event: logfmt.Milestone, Source: "prompt",
			Data: new(logfmt.Object).Str("description", "one more case").Bytes()}
	case n == 2*callsInPhase+2:
		data := new(logfmt.Object)
		if phase == "RED" {
			data.Str("details", "1 failing test")
		}
		return &logfmt.Entry{Cmd: "build", Phase: phase, Event: logfmt.PhaseComplete, Source: "prompt", Data: data.Bytes()}
	}
	e := k.call(phase, n%2 == 0)
	e.Cmd, e.Phase = "build", phase
	return e
}

// call is the start or the end of a call: three in four edit a file, the fourth runs the tests.
func (k *worker) call(phase string, end bool) *logfmt.Entry {
	ev := logfmt.ToolStart
	id := fmt.Sprintf("toolu_%s_%d", k.session[len(k.session)-6:], k.calls)
	data := new(logfmt.Object)
	tool, name, what := "Edit", "path", fmt.Sprintf("internal/health/health_%d_test.go", k.calls%7)
	if k.calls%4 == 3 {
		tool, name, what = "Bash", "head", "go test ./internal/health -count=1"
	}
	data.Str("tool", tool).Str("tool_use_id", id).Str(name, what).Str("input", fmt.Sprintf("%08x", uint32(k.calls)*2654435761))
	if end {
		if ev = logfmt.Tool; tool == "Bash" {
			data.Int("exit_code", 0)
		} else {
			data.Str("sha256", fmt.Sprintf("%064x", k.calls)).Int("bytes", int64(1000+k.calls))
		}
		data.Int("duration_ms", 650)
		k.calls++
	}
	e := hookEntry(ev, data.Int("hook_us", 640).Int("lock_us", 9))
	e.ID = logfmt.ToolID("claude", k.session, "", ev, id)
	return e
}

func hookEntry(ev logfmt.Event, data *logfmt.Object) *logfmt.Entry {
	return &logfmt.Entry{Cmd: logfmt.SessionCmd, Event: ev, Source: "claude", Data: data.Bytes()}
}
