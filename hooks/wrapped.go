package hooks

import (
	"io"
	"os"
	"sync/atomic"
	"time"
)

// wrapTime bounds a wrapped status line; a variable for tests.
var wrapTime = 10 * time.Second

// maxWrapped bounds what is kept of a wrapped status line, in bytes.
const maxWrapped = 64 << 10

// wrappedLine is the running command of the status line that was there before.
type wrappedLine struct {
	process *os.Process
	stdout  *os.File
}

// startWrapped starts the command as the agent would, and gives it the payload. Nil if it cannot be started.
func startWrapped(line string, payload []byte) *wrappedLine {
	stdin, give, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer stdin.Close()
	take, stdout, err := os.Pipe()
	if err != nil {
		give.Close()
		return nil
	}
	defer stdout.Close()
	process, err := os.StartProcess("/bin/sh", []string{"sh", "-c", line}, &os.ProcAttr{Files: []*os.File{stdin, stdout, os.Stderr}, Sys: ownGroup()})
	if err != nil {
		give.Close()
		take.Close()
		return nil
	}
	go func() {
		_, _ = give.Write(payload) // a command that reads nothing closes the pipe
		give.Close()
	}()
	return &wrappedLine{process, take}
}

// output waits for the command and is what it prints; nothing if it fails, because the agent shows nothing then either.
// What the command leaves running may hold its output: nobody waits for that, and it is not ended. A command that takes too
// long is ended with all that it started, and what it printed until then counts.
func (w *wrappedLine) output() []byte {
	if w == nil {
		return nil
	}
	defer w.stdout.Close()
	var late atomic.Bool
	defer time.AfterFunc(wrapTime, func() { late.Store(true); w.end() }).Stop()
	read := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(w.stdout, maxWrapped))
		_, _ = io.Copy(io.Discard, w.stdout)
		read <- text
	}()
	state, err := w.process.Wait()
	_ = w.stdout.SetReadDeadline(time.Now()) // ends the reading, but leaves what is in the pipe
	text := <-read
	text = append(text, w.rest(maxWrapped-len(text))...)
	if !late.Load() && (err != nil || !state.Success()) {
		return nil
	}
	return text
}
