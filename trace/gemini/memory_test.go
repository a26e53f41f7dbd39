package gemini

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
)

// A trace holds nothing of the lines that it was read from: its memory does not grow with them.
func TestMemory(t *testing.T) {
	world.Slow(t)
	const lines, size = 8, 1 << 20
	path := filepath.Join(t.TempDir(), "chats", "session-2026-01-01T10-00-5c52c37e.jsonl")
	long := strings.Repeat("long ", size/5)
	var b strings.Builder
	b.WriteString(`{"sessionId":"5c52c37e-0","projectHash":"x","startTime":"2026-01-01T10:00:00Z","kind":"main"}` + "\n")
	for i := range lines {
		fmt.Fprintf(&b, `{"id":"u%[1]d","timestamp":"2026-01-01T10:00:00Z","type":"user","content":"/ask %[2]s"}`+"\n", i, long)
		fmt.Fprintf(&b,
			`{"id":"g%[1]d","timestamp":"2026-01-01T10:00:00Z","type":"gemini","content":"%[2]s","tokens":{"input":1},"model":"m","toolCalls":[{"id":"c%[1]d",`+
				`"name":"write_file","args":{"file_path":"/a/b%[1]d","content":"%[2]s"},"status":"success","agentId":"k%[1]d",`+
				`"result":[{"functionResponse":{"response":{"output":"%[2]s"}}}],"resultDisplay":{"filePath":"/a/b","fileDiff":"@@\n+x","newContent":"%[2]s"}}]}`+"\n", i,
			long)
		fmt.Fprintf(&b, `{"id":"i%[1]d","timestamp":"2026-01-01T10:00:00Z","type":"error","content":"%[2]s"}`+"\n", i, long)
		fmt.Fprintf(&b, `{"$set":{"messages":[{"id":"u%[1]d","type":"user","content":"%[2]s"},{"id":"g%[1]d","type":"gemini","content":"%[2]s"}]}}`+"\n", i, long)
	}
	write(t, path, b.String())
	file := b.Len()
	b.Reset()
	held, traces := tracetest.Held(t, New(), path)
	if held > 2<<20 {
		t.Errorf("%d MiB are held of %d MiB of lines", held>>20, file>>20)
	}
	if n := len(traces[0].Events); n < 4*lines {
		t.Errorf("only %d events, so this shows nothing", n)
	}
}
