package claude_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/trace"
	"aburn/trace/claude"
)

// devNull is a sink that keeps nothing.
type devNull struct{}

func (devNull) Previous(string) (*trace.SessionTrace, error) { return nil, nil }
func (devNull) Trace(*trace.SessionTrace) error              { return nil }
func (devNull) Damaged(trace.Damage)                         {}
func (devNull) Progress(int64)                               {}
func (devNull) Done(trace.Cursor, bool)                      {}

// large writes a transcript of about 8 MB in the proportions of real ones: most of it what the client told the model, and
// results of tools, twice each.
func large(b *testing.B) string {
	d := newDraft(one)
	text := func(n int) string {
		return strings.Repeat("\tfor i, line := range lines { fmt.Println(\"a line\", i) }\n", n/56+1)[:n]
	}
	parent := ""
	for turn := range 60 {
		d.turn = fmt.Sprint("turn", turn)
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", turn)
		d.text("p"+id, parent, text(300))
		d.record("attachment", "s"+id, "p"+id, fmt.Sprintf(`,"attachment":{"type":"prompt_snapshot","systemPrompt":[%q]}`, text(20000)))
		d.put(fmt.Sprintf(`{"type":"api-request-blob","sessionId":%q,"message":{"role":"system","content":%q}}`, one, text(10000)))
		parent = "s" + id
		for n := range 10 {
			call := fmt.Sprint(n, id)
			d.calls(call, parent, "Bash", fmt.Sprintf(`{"command":"go test ./pkg%d/...","description":%q}`, n, text(30)))
			out := text(4000)
			d.result("r"+call, call, fmt.Sprintf("%q", out), false, fmt.Sprintf(`,"toolUseResult":{"stdout":%q,"stderr":"","interrupted":false}`, out))
			parent = "r" + call
		}
		d.answers("a"+id, parent)
		parent = "a" + id
	}
	return d.write(b, b.TempDir())
}

func BenchmarkRead(b *testing.B) {
	path := large(b)
	r := claude.New()
	size(b, path)
	for b.Loop() {
		if err := r.Read(b.Context(), trace.Store{Path: path}, devNull{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLines is what wc -l does: the bound of what reading can be.
func BenchmarkLines(b *testing.B) {
	path := large(b)
	size(b, path)
	buf := make([]byte, 256<<10)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for n, err := 0, error(nil); err == nil; {
			n, err = f.Read(buf)
			bytes.Count(buf[:n], []byte{'\n'})
		}
		f.Close()
	}
}

// BenchmarkEncodingJSON decodes each line into a tree, as the simplest reader does.
func BenchmarkEncodingJSON(b *testing.B) {
	path := large(b)
	size(b, path)
	for b.Loop() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		r := bufio.NewReader(f)
		for {
			line, err := r.ReadBytes('\n')
			if err == io.EOF {
				break
			}
			var v map[string]any
			if err := json.Unmarshal(line, &v); err != nil {
				b.Fatal(err)
			}
		}
		f.Close()
	}
}

func BenchmarkFind(b *testing.B) {
	home := b.TempDir()
	for i := range 2000 {
		session := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i)
		dir := filepath.Join(home, ".claude/projects", fmt.Sprintf("-p%d", i%20))
		file(b, filepath.Join(dir, session+".jsonl"), "{}\n")
		file(b, filepath.Join(dir, session, "subagents/agent-x.jsonl"), "{}\n")
		file(b, filepath.Join(dir, session, "subagents/agent-x.meta.json"), "{}")
	}
	r := claude.New()
	for b.Loop() {
		n := 0
		err := r.Find(b.Context(), trace.Places{Home: home, Getenv: func(string) string { return "" }}, func(trace.Store) error { n++; return nil })
		if err != nil || n != 4000 {
			b.Fatal(n, err)
		}
	}
}

// size makes the benchmark tell bytes a second.
func size(b *testing.B, path string) {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
}
