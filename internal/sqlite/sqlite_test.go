package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string, mode Mode) *Conn {
	t.Helper()
	c, err := Open(path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func exec(t *testing.T, c *Conn, script string) {
	t.Helper()
	if err := c.Exec(script); err != nil {
		t.Fatalf("%s: %v", script, err)
	}
}

// What is bound comes back, also nothing, which is not NULL.
func TestValues(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "a ?#%20.db"), Create)
	exec(t, c, "CREATE TABLE t (i INTEGER, f REAL, s TEXT, b BLOB NOT NULL, e BLOB NOT NULL, n)")
	if err := c.Each("INSERT INTO t VALUES (?,?,?,?,?,?)", nil, int64(1)<<62, 1.5, "ä\x00z", []byte{0, 1}, []byte(nil), nil); err != nil {
		t.Fatal(err)
	}
	rows := 0
	if err := c.Each("SELECT * FROM t", func(r *Row) error {
		rows++
		if r.Int64(0) != 1<<62 || r.Float(1) != 1.5 || r.Text(2) != "ä\x00z" || string(r.Bytes(3)) != "\x00\x01" || len(r.Bytes(4)) != 0 || r.Null(4) || !r.Null(5) {
			t.Errorf("%d %v %q %q", r.Int64(0), r.Float(1), r.Text(2), r.Bytes(3))
		}
		return nil
	}); err != nil || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
	for _, wrong := range []string{"", "SELECT 1; SELECT 2", "SELECT nobody"} {
		if err := c.Each(wrong, nil); err == nil {
			t.Errorf("%q ran", wrong)
		}
	}
	if err := c.Each("SELECT ?", nil, struct{}{}); err == nil {
		t.Error("a struct was bound")
	}
}

// A row may run the query that gives it.
func TestNested(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "x.db"), Create)
	query, n := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT i FROM n", 0
	if err := c.Each(query, func(*Row) error { return c.Each(query, func(*Row) error { n++; return nil }) }); err != nil || n != 9 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestTransaction(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "x.db"), Create)
	exec(t, c, "CREATE TABLE t (i)")
	failed := errors.New("no")
	for _, want := range []error{failed, nil} {
		if err := c.Transaction(func() error { return errors.Join(c.Each("INSERT INTO t VALUES (1)", nil), want) }); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if n, err := c.Number("SELECT count(*) FROM t"); err != nil || n != 1 {
		t.Errorf("%d rows, %v", n, err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "x.db"), Create)
	ctx, cancel := context.WithCancel(t.Context())
	c.SetInterrupt(ctx)
	rows := 0
	err := c.Each("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n WHERE i % 100000 = 0", func(*Row) error {
		rows++
		cancel()
		return nil
	})
	if CodeOf(err) != CodeInterrupt || rows != 1 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// What somebody else's database may not do.
func TestDistrust(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	c := open(t, path, Create)
	exec(t, c, "CREATE TABLE t (s); INSERT INTO t VALUES (zeroblob(2000)); CREATE TABLE safe (i)")
	if err := c.Distrust(1000); err != nil {
		t.Fatal(err)
	}
	if err := c.Each("SELECT s FROM t", func(r *Row) error { _ = r.Bytes(0); return nil }); err == nil {
		t.Error("a longer value can be read")
	}
	exec(t, c, "PRAGMA writable_schema = 1")
	if err := c.Exec("UPDATE sqlite_schema SET sql = 'nonsense'"); err == nil {
		t.Error("the schema can be overwritten")
	}
	if n, err := c.Number("PRAGMA trusted_schema"); err != nil || n != 0 {
		t.Errorf("trusted_schema is %d, %v", n, err)
	}
}

func TestFullText(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "x.db"), Create)
	if err := c.FullText(); err != nil {
		t.Fatal(err)
	}
	exec(t, c, `CREATE VIRTUAL TABLE v USING fts5(text, tokenize = "unicode61 tokenchars '_'"); INSERT INTO v VALUES ('one my_name')`)
	if n, err := c.Number("SELECT count(*) FROM v WHERE v MATCH ?", `"my_na" *`); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestWhatIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	if c, err := Open(filepath.Join(dir, "none.db"), ReadOnly); CodeOf(err) != CodeCantOpen {
		t.Errorf("%v, %v", c, err)
	}
	if CodeOf(errors.New("else")) != CodeOK || CodeOf(nil) != CodeOK {
		t.Error("another error has a code")
	}
	c := open(t, filepath.Join(dir, "x.db"), Create)
	version := ""
	if err := c.Each("SELECT sqlite_version()", func(r *Row) error { version = r.Text(0); return nil }); err != nil || !strings.HasPrefix(version, "3.") {
		t.Errorf("%q, %v", version, err)
	}
	t.Log("SQLite", version)
}
