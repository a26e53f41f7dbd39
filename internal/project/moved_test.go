package project

import (
	"os"
	"path/filepath"
	"testing"
)

// Each project that comes to a path which others moved away from has a key of its own.
func TestKeysAtOnePath(t *testing.T) {
	state := t.TempDir()
	if err := os.MkdirAll(filepath.Join(state, LedgersDir), 0o700); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for n := range 4 {
		key := KeyOf("/p", state)
		if seen[key] {
			t.Fatalf("project %d at /p has the key of an earlier one, %s", n+1, key)
		}
		seen[key] = true
		if err := SetRoot(key, "/moved-"+string(rune('a'+n)), state); err != nil {
			t.Fatal(err)
		}
	}
	if got := KeyOf("/moved-b", state); !seen[got] {
		t.Errorf("a project that moved has another key: %s", got)
	}
}
