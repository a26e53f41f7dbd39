package opencode

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"aburn/internal/jsonl"
	"aburn/internal/sqlite"
	"aburn/internal/sqlitero"
	"aburn/trace"
)

// database is an open database of opencode.
type database struct {
	*sqlitero.DB
	path      string
	columns   map[string][]string          // of the tables that the reader uses
	started   map[string]map[string]string // session → its calls that started sub-agents
	histories map[string]history           // of sessions that forks were compared with
	buf       []byte
	read      int64 // bytes of records
}

// history is the part of a session that forks copy.
type history struct {
	turns map[turn]int
	calls map[string]bool
}

// needed lists the tables and columns that the reader cannot do without. Other columns are used where they exist.
var needed = map[string][]string{
	"session":         {"id", "directory", "title", "version", "time_created", "time_updated"},
	"message":         {"id", "session_id", "time_created", "data"},
	"part":            {"id", "session_id", "message_id", "data"},
	"session_v2":      {"id", "directory", "title", "version", "time_created", "time_updated"},
	"session_message": {"id", "session_id", "type", "seq", "time_created", "time_updated", "data"},
}

// tablesV1 and tablesV2 are the tables of opencode 1 and 2. A database that was opened by both has all.
var (
	tablesV1 = []string{"session", "message", "part"}
	tablesV2 = []string{"session_v2", "session_message"}
)

// eventColumns identifies an event table of the known layout.
var eventColumns = []string{"id", "aggregate_id", "seq", "type", "data"}

// openDatabase opens the database at path. The error is *trace.UnknownLayout if the tables are unknown; the database
// is nil if it has no tables yet.
func openDatabase(ctx context.Context, path string) (*database, error) {
	db, err := sqlitero.Open(ctx, path)
	if err != nil {
		if sqlite.CodeOf(err) == sqlite.CodeNotADB {
			return nil, &trace.UnknownLayout{Agent: name, Path: path, Why: "it is no SQLite database"}
		}
		return nil, err
	}
	d := &database{DB: db, path: path, columns: map[string][]string{}, started: map[string]map[string]string{},
		histories: map[string]history{}}
	if err = d.layout(); err != nil {
		db.Close()
		return nil, err
	}
	if len(d.columns) == 0 {
		db.Close()
		return nil, nil
	}
	return d, nil
}

// layout lists the columns of the tables, and checks them.
func (d *database) layout() error {
	found := 0
	err := d.query("SELECT name FROM sqlite_schema WHERE type = 'table'", nil, func(row *sqlite.Row) error {
		found++
		switch table := row.Text(0); table {
		case "session", "message", "part", "event", "migration", "session_v2", "session_message":
			d.columns[table] = nil
		}
		return nil
	})
	if err != nil || found == 0 {
		return err
	}
	for table := range d.columns {
		err := d.query("SELECT name FROM pragma_table_info(?)", []any{table}, func(row *sqlite.Row) error {
			d.columns[table] = append(d.columns[table], row.Text(0))
			return nil
		})
		if err != nil {
			return err
		}
	}
	tables := tablesV1
	if d.hasV2() {
		tables = tablesV2
		if d.hasV1() {
			tables = slices.Concat(tablesV1, tablesV2)
		}
	}
	for _, table := range tables {
		for _, column := range needed[table] {
			if !d.has(table, column) {
				return d.unknown(fmt.Sprintf("it has no %s.%s", table, column))
			}
		}
	}
	return nil
}

func (d *database) has(table, column string) bool { return slices.Contains(d.columns[table], column) }

// hasV1 and hasV2 report whether the database has tables of opencode 1 or 2. Without the table of sessions the others are of no use.
func (d *database) hasV1() bool { return d.columns["session"] != nil }
func (d *database) hasV2() bool { return d.columns["session_v2"] != nil }

func (d *database) hasEvents() bool {
	return !slices.ContainsFunc(eventColumns, func(c string) bool { return !d.has("event", c) })
}

// unknown is the error for an unknown layout. Its version is the newest migration.
func (d *database) unknown(why string) error {
	version := ""
	if d.has("migration", "id") {
		d.query("SELECT max(id) FROM migration", nil,
			func(row *sqlite.Row) error { // without this table the version is unknown
				version = row.Text(0)
				return nil
			})
	}
	return &trace.UnknownLayout{Agent: name, Version: version, Path: d.path, Why: why}
}

func (d *database) query(query string, args []any, each func(*sqlite.Row) error) error {
	if err := d.Conn().Each(query, each, args...); err != nil {
		return fmt.Errorf("read %s: %w", d.path, err)
	}
	return nil
}

// inOneState calls f within one read transaction. f must be quick: while it runs opencode cannot truncate its log.
func (d *database) inOneState(f func() error) (err error) {
	if err := d.query("BEGIN", nil, nil); err != nil {
		return err
	}
	defer func() {
		if e := d.query("COMMIT", nil, nil); err == nil {
			err = e
		}
	}()
	return f()
}

// bytes returns a column that can be large. The slice is valid until the next call.
func (d *database) bytes(row *sqlite.Row, column int) []byte {
	d.buf = append(d.buf[:0], row.Bytes(column)...)
	d.read += int64(len(d.buf))
	return d.buf
}

// bounded selects a column as NULL if it exceeds the size of a record.
func bounded(column string) string {
	return fmt.Sprintf("CASE WHEN octet_length(%s) <= %d THEN %s END", column, jsonl.MaxLine, column)
}

// orNull selects a column, or NULL if the table has none of this name.
func (d *database) orNull(table, column string) string {
	if d.has(table, column) {
		return column
	}
	return "NULL"
}

// session reads the row of a session. ok is false if there is none. A session that is in the tables of both versions has what OpenCode 2
// says of it, and the earlier beginning.
func (d *database) session(id string) (s session, ok bool, err error) {
	if d.hasV1() {
		if s, ok, err = d.sessionIn("session", id); err != nil || !d.hasV2() {
			return s, ok, err
		}
	}
	newer, found, err := d.sessionIn("session_v2", id)
	if err != nil || !found {
		return s, ok, err
	}
	if ok {
		newer.created = min(newer.created, s.created)
	}
	newer.v2 = true
	return newer, true, nil
}

func (d *database) sessionIn(table, id string) (s session, ok bool, err error) {
	columns := []string{"id", "directory", "title", "version", "time_created", "time_updated"}
	for _, c := range []string{"parent_id", "agent", "model", "revert", "fork_session_id"} {
		columns = append(columns, d.orNull(table, c))
	}
	err = d.query("SELECT "+strings.Join(columns, ", ")+" FROM "+table+" WHERE id = ?", []any{id},
		func(row *sqlite.Row) error {
			ok = true
			s = session{id: row.Text(0), directory: row.Text(1), title: row.Text(2),
				version: row.Text(3),
				created: row.Int64(4), updated: row.Int64(5), parent: row.Text(6), agent: row.Text(7),
				model: text(d.bytes(row, 8), "id"), fork: row.Text(10), ref: trace.Ref{Table: table, Key: id}}
			revert := d.bytes(row, 9)
			s.revertTo, s.revertPart = text(revert, "messageID"), text(revert, "partID")
			return nil
		})
	return s, ok, err
}

// trace reads a session; nil if it no longer exists.
func (d *database) trace(ctx context.Context, id string) (*trace.SessionTrace, error) {
	var made *trace.SessionTrace
	err := d.inOneState(func() error {
		s, ok, err := d.session(id)
		if err != nil || !ok {
			return err
		}
		t, table, err := d.fold(s)
		if err != nil {
			return err
		}
		made, err = t.assemble(ctx, d, d.path, d.How(), table)
		return err
	})
	return made, err
}

// isOurs reports whether the file at path is a database with opencode's tables, under any name.
func isOurs(ctx context.Context, path string) bool {
	f, err := jsonl.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 16)
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != "SQLite format 3\x00" {
		return false
	}
	d, err := openDatabase(ctx, path)
	if err != nil || d == nil {
		return false
	}
	return d.Close() == nil
}
