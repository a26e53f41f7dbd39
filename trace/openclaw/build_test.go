package openclaw

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/sqlite"
)

// built makes the database of testdata/built.sql at its place below dir, with the first n of its statements.
func built(t testing.TB, dir string, n int) string {
	t.Helper()
	path := filepath.Join(dir, "agents", "main", "agent", databaseFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	conn := open(t, path)
	defer conn.Close()
	execute(t, conn, "PRAGMA foreign_keys = 0", "PRAGMA synchronous = 0")
	schema, err := os.ReadFile("testdata/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(string(schema)); err != nil {
		t.Fatal(err)
	}
	execute(t, conn, statements(t)[:n]...)
	return path
}

// statements is those of testdata/built.sql.
func statements(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/built.sql")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func open(t testing.TB, path string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.Open(path, sqlite.Create)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func execute(t testing.TB, conn *sqlite.Conn, queries ...string) {
	t.Helper()
	for _, q := range queries {
		if err := conn.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
}
