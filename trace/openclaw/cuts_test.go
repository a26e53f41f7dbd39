package openclaw

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
)

func TestCuts(t *testing.T) {
	world.Slow(t)
	for name, path := range map[string]string{"client's": clientsDatabase, "built": built(t, t.TempDir(), len(statements(t)))} {
		dir := sessionsDir(t)
		transcriptsOf(t, path, dir)
		files, err := fs.Glob(os.DirFS(dir), "*.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasPrefix(file, "27b03c54") || strings.HasPrefix(file, "30787d90") {
				continue // as bf159ebb and 8f8f762d
			}
			t.Run(name+" "+file, func(t *testing.T) {
				alone := sessionsDir(t)
				needs := map[string]string{"h1.jsonl": "s1.jsonl"} // what it was copied from
				for _, f := range []string{file, "sessions.json", needs[file]} {
					if data, err := os.ReadFile(filepath.Join(dir, f)); err == nil && f != "" {
						if err := os.WriteFile(filepath.Join(alone, f), data, 0o644); err != nil {
							t.Fatal(err)
						}
					}
				}
				tracetest.CutFile(t, New(), alone, file)
			})
		}
	}
}

func FuzzLines(f *testing.F) {
	dir := sessionsDir(f)
	transcriptsOf(f, built(f, f.TempDir(), len(statements(f))), dir)
	transcriptsOf(f, clientsDatabase, dir)
	place := func(dir string) string { return filepath.Join(dir, "sessions", "s1.jsonl") }
	tracetest.Fuzz(f, New(), place, filepath.Join(dir, "s1.jsonl"), filepath.Join(dir, "tr.jsonl"),
		filepath.Join(dir, "98c8c2b9-48e3-47be-8fa3-7d45532e57d0.jsonl"))
}

func FuzzDatabase(f *testing.F) {
	tracetest.Fuzz(f, New(), func(dir string) string { return filepath.Join(dir, databaseFile) }, clientsDatabase)
}
