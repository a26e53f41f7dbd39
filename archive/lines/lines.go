// Package lines is the index of first lines: the prompts, commands, paths and errors of all sessions, as the archive holds them,
// scrubbed and shortened. It holds nothing of what was said in full. It is derived from the archive and can be deleted at any time.
package lines

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aburn/archive"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// Name is the index's file in the archive's folder.
const Name = "lines.db"

// version numbers the tables and what is put into them. An index of another version is made anew.
const version = 1

// A line's rowid is its session's key, then its number within the session in these bits. So a session's lines stand together,
// and are deleted without looking at others.
const lineBits = 20

const tables = `
CREATE TABLE sessions (key INTEGER PRIMARY KEY, stamp INTEGER NOT NULL) STRICT;
CREATE VIRTUAL TABLE lines USING fts5(text, event UNINDEXED, kind UNINDEXED, tokenize = "unicode61 tokenchars '_'");
`

// Index is an open index. It is for one goroutine at a time.
type Index struct{ conn *sqlite.Conn }

// Open opens the index in the archive's folder, and makes it if there is none, or one that cannot be used.
func Open(dir string) (*Index, error) {
	path := filepath.Join(dir, Name)
	x, err := open(path)
	if err == nil || sqlite.CodeOf(err) == sqlite.CodeBusy {
		return x, err
	}
	for _, end := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return open(path)
}

func open(path string) (x *Index, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite gives its other files the mode of this one
	if err != nil {
		return nil, err
	}
	f.Close()
	conn, err := sqlite.Open(path, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	x = &Index{conn}
	if err := x.conn.FullText(); err != nil {
		return nil, err
	}
	if err := x.conn.Exec("PRAGMA synchronous = OFF"); err != nil { // what a power cut tears is made anew
		return nil, err
	}
	have := 0
	if err := x.each("PRAGMA user_version", func(s *sqlite.Row) { have = s.Int(0) }); err != nil {
		return nil, err
	}
	switch have {
	case version:
		return x, nil
	case 0:
		return x, x.conn.Transaction(func() error { return x.conn.Exec(tables + fmt.Sprintf("PRAGMA user_version = %d;", version)) })
	}
	return nil, fmt.Errorf("%s: version %d", path, have)
}

// Close closes the index.
func (x *Index) Close() error { return x.conn.Close() }

func (x *Index) each(query string, row func(*sqlite.Row), args ...any) error {
	return x.conn.Each(query, func(r *sqlite.Row) error {
		row(r)
		return nil
	}, args...)
}

// atOnce is how many sessions are indexed in one transaction.
const atOnce = 200

// Update brings the index up to date with the archive. progress is told how many of the changed sessions are done.
func (x *Index) Update(ctx context.Context, arch *archive.Archive, progress func(done, total int)) error {
	now, err := arch.Stamps()
	if err != nil {
		return err
	}
	var stale []int64
	if err := x.each("SELECT key, stamp FROM sessions", func(s *sqlite.Row) {
		key := s.Int64(0)
		if stamp, known := now[key]; !known {
			stale = append(stale, key)
		} else if stamp == s.Int64(1) {
			delete(now, key)
		}
	}); err != nil {
		return err
	}
	for key := range now {
		stale = append(stale, key)
	}
	x.conn.SetInterrupt(ctx)
	for done := 0; done < len(stale); done += atOnce {
		progress(done, len(stale))
		if err := x.conn.Transaction(func() error { return x.write(ctx, arch, stale[done:min(done+atOnce, len(stale))], now) }); err != nil {
			return err
		}
	}
	return nil
}

// write puts the lines of sessions into the index in place of their old ones. Those without a stamp are no longer there.
func (x *Index) write(ctx context.Context, arch *archive.Archive, keys []int64, stamps map[int64]int64) error {
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.each("DELETE FROM lines WHERE rowid BETWEEN ? AND ?", func(*sqlite.Row) {}, key<<lineBits, (key+1)<<lineBits-1); err != nil {
			return err
		}
		stamp, there := stamps[key]
		if !there {
			if err := x.each("DELETE FROM sessions WHERE key = ?", func(*sqlite.Row) {}, key); err != nil {
				return err
			}
			continue
		}
		t, err := arch.Trace(ctx, key)
		if err != nil {
			continue // a session that cannot be read has no lines; Health says so
		}
		if err := x.add(key, t); err != nil {
			return err
		}
		if err := x.each("INSERT OR REPLACE INTO sessions (key, stamp) VALUES (?, ?)", func(*sqlite.Row) {}, key, stamp); err != nil {
			return err
		}
	}
	return nil
}

// add puts the lines of a trace into the index. Copies are their own session's.
func (x *Index) add(key int64, t *trace.SessionTrace) error {
	n := int64(0)
	var failed error
	put := func(event int, kind, text string) {
		if strings.TrimSpace(text) == "" || n >= 1<<lineBits || failed != nil {
			return
		}
		failed = x.each("INSERT INTO lines (rowid, text, event, kind) VALUES (?, ?, ?, ?)", func(*sqlite.Row) {}, key<<lineBits+n, text, event, kind)
		n++
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" {
			continue
		}
		switch b := e.Body.(type) {
		case *trace.UserMessage:
			if b.Machine == "" {
				put(e.Seq, "prompt", b.Head)
			}
		case *trace.ToolCall:
			put(e.Seq, "command", b.Head)
			put(e.Seq, "path", b.Path)
		case *trace.ToolResult:
			put(e.Seq, "error", t.Results[b.Result].Head)
		case *trace.FileChange:
			if b.Call == "" {
				put(e.Seq, "path", b.Path)
			}
		case *trace.Error:
			put(e.Seq, "error", b.Head)
		}
	}
	return failed
}

// Found is the lines of one session that hold all words.
type Found struct {
	Key   int64
	Count int
	Rows  []int64 // the first of them, for Line
}

// mostRows is how many lines of a session Found has.
const mostRows = 3

// Find returns the lines that hold all words of a text, the last of them also as the beginning of a word, by session, in no order.
func (x *Index) Find(ctx context.Context, text string) ([]Found, error) {
	match := query(text)
	if match == "" {
		return nil, nil
	}
	x.conn.SetInterrupt(ctx)
	at := map[int64]int{}
	var all []Found
	err := x.each("SELECT rowid FROM lines WHERE lines MATCH ? ORDER BY rowid", func(s *sqlite.Row) {
		row := s.Int64(0)
		key := row >> lineBits
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, Found{Key: key})
		}
		f := &all[i]
		if f.Count++; len(f.Rows) < mostRows {
			f.Rows = append(f.Rows, row)
		}
	}, match)
	return all, err
}

// query is a text as FTS5 wants it: each word quoted, and the last one a prefix.
func query(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " AND ") + " *"
}

// Line is a line of the index.
type Line struct {
	Event int
	Kind  string // prompt, command, path, error
	Text  string
}

// Line returns the line of a row.
func (x *Index) Line(row int64) (l Line, err error) {
	err = x.each("SELECT event, kind, text FROM lines WHERE rowid = ?", func(s *sqlite.Row) {
		l = Line{s.Int(0), s.Text(1), s.Text(2)}
	}, row)
	return l, err
}
