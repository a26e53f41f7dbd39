package openclaw

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
)

// A trace holds nothing of the records that it was read from: its memory does not grow with them.
func TestMemory(t *testing.T) {
	world.Slow(t)
	const records, size = 8, 1 << 20
	path := filepath.Join(sessionsDir(t), "x.jsonl")
	long := strings.Repeat("long ", size/5)
	var b strings.Builder
	b.WriteString(`{"type":"session","version":4,"id":"x","timestamp":"2026-01-01T10:00:00Z","cwd":"/a"}` + "\n")
	add := func(i int, kind, body string) {
		fmt.Fprintf(&b, `{"type":"%s","id":"%s%d","parentId":"p%d","timestamp":"2026-01-01T10:00:00Z",%s}`+"\n", kind, body[:1], i, i,
			strings.ReplaceAll(body[1:], "LONG", long))
	}
	for i := range records {
		add(i, "message", `u"message":{"role":"user","content":"/ask LONG"}`)
		add(i, "message",
			fmt.Sprintf(`a"message":{"role":"assistant","content":[{"type":"text","text":"LONG"},{"type":"toolCall","id":"c%[1]d","name":"write",`+
				`"arguments":{"path":"/a/b%[1]d","content":"LONG"}},{"type":"toolCall","id":"d%[1]d","name":"exec","arguments":{"command":"ls LONG"}},`+
				`{"type":"toolCall","id":"e%[1]d","name":"sessions_spawn","arguments":{"label":"kid","x":"LONG"}}],"model":"m%[1]d","stopReason":"aborted",`+
				`"errorMessage":"stop","usage":{"input":1}}`, i))
		add(i, "message", fmt.Sprintf(`r"message":{"role":"toolResult","toolCallId":"c%[1]d","content":"LONG","details":{"patch":"--- x\n+++ y\nLONG","diff":"x"}}`,
			i))
		add(i, "message",
			fmt.Sprintf(`s"message":{"role":"toolResult","toolCallId":"d%[1]d","isError":true,"content":"LONG","details":{"status":"running","sessionId":"bay%[1]d"}}`,
				i))
		add(i, "message", fmt.Sprintf(`t"message":{"role":"toolResult","toolCallId":"e%[1]d","content":"LONG","details":{"childSessionKey":"agent:k:%[1]d"}}`, i))
		add(i, "message", `e"message":{"role":"assistant","content":[],"stopReason":"error","errorCode":"code","errorMessage":"500 LONG"}`)
		add(i, "model_change", fmt.Sprintf(`m"modelId":"model-%d","x":"LONG"`, i))
		add(i, "compaction", `c"summary":"LONG"`)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	file := b.Len()
	b.Reset()
	held, traces := tracetest.Held(t, New(), path)
	if held > 2<<20 {
		t.Errorf("%d MiB are held of %d MiB of lines", held>>20, file>>20)
	}
	if n := len(traces[0].Events); n < 10*records {
		t.Errorf("only %d events, so this shows nothing", n)
	}
}
