package gemini

import (
	"os"
	"path/filepath"
	"testing"

	"aburn/trace"
)

// Of a sub-agent's file that is a link, what it leads to counts: that is what grows.
func TestFindLinkedAgent(t *testing.T) {
	dir := t.TempDir()
	elsewhere := filepath.Join(dir, "elsewhere.jsonl")
	const head = `{"sessionId":"eeec103d-cc70-445d-894a-fc16d15dd2be","projectHash":"x","kind":"subagent"}` + "\n"
	write(t, elsewhere, head)
	chats := filepath.Join(dir, ".gemini", "tmp", "p", "chats")
	session := filepath.Join(chats, "session-2026-01-01T10-00-5c52c37e.jsonl")
	write(t, session, head)
	agent := filepath.Join(chats, "5c52c37e-e2c1-4ad2-b1bf-af57e6f6bcbc", "eeec103d-cc70-445d-894a-fc16d15dd2be.jsonl")
	if err := os.MkdirAll(filepath.Dir(agent), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, agent); err != nil {
		t.Skip(err)
	}
	var stores []trace.Store
	in := trace.Places{Home: dir, Getenv: func(string) string { return "" }}
	if err := New().Find(t.Context(), in, func(s trace.Store) error {
		stores = append(stores, s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(stores) != 1 || stores[0].Path != session || len(stores[0].Parts) != 1 || stores[0].Parts[0] != agent || stores[0].Size != int64(2*len(head)) {
		t.Errorf("found %+v", stores)
	}
}
