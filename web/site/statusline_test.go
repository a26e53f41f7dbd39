package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/hooks"
	"aburn/internal/lab/world"
)

// What a finished ingest has read reaches the status lines by itself, also while no page was ever asked for.
func TestAFinishedIngestWakesTheSum(t *testing.T) {
	world.Slow(t)
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	dir := filepath.Join(home, ".claude", "projects", "-shop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const id = "99990000-0000-4000-8000-000000000009"
	now := time.Now().UTC()
	common := fmt.Sprintf(`"sessionId":%q,"cwd":"/shop","version":"2.1.329","timestamp":%q`, id, now.Format("2006-01-02T15:04:05.000Z"))
	const answer = `{"id":"m1","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":"Done."}],` +
		`"usage":{"input_tokens":0,"output_tokens":10000}}`
	text := fmt.Sprintf(`{"type":"user","uuid":"u1","parentUuid":null,%[1]s,"message":{"role":"user","content":"go on"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1",%[1]s,"message":%[2]s}
`, common, answer)
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Dir: filepath.Join(home, "archive"), Env: func(name string) string {
		if name == "ABURN_HOME" {
			return filepath.Join(home, "archive")
		}
		return env(name)
	}, Zone: time.UTC, Clock: func() time.Time { return now }})
	warn := func(err error) { t.Error(err) }
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	running.Go(func() { s.KeepStatusLines(ctx, true, warn) })
	running.Go(func() { s.KeepComplete(ctx, warn) })
	for until := time.Now().Add(5 * time.Minute); ; time.Sleep(25 * time.Millisecond) {
		g := hooks.ReadGlance(env)
		if strings.Contains(g.Today, "$0.20") {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("today is %q", g.Today)
		}
	}
}
