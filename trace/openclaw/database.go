package openclaw

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/sqlite"
	"aburn/internal/sqlitero"
	"aburn/trace"
)

// table is the Ref.Table of a database's events. Their Key is the session and the event's number in it, "SESSION/SEQ".
const table = "transcript_events"

// db is a database being read.
type db struct {
	*sqlite.Conn
	path, how string
	agent     string // whose sessions it holds
	version   string // of the client
	columns   map[string][]string
}

// openDatabase opens the database and checks its layout.
func openDatabase(ctx context.Context, path string) (*sqlitero.DB, *db, error) {
	lite, err := sqlitero.Open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	d := &db{Conn: lite.Conn(), path: path, how: lite.How(), columns: map[string][]string{}}
	if err := d.readColumns(); err != nil {
		return nil, nil, errors.Join(err, lite.Close())
	}
	return lite, d, nil
}

// readColumns notes which of the columns that the reader uses exist.
func (d *db) readColumns() error {
	for _, t := range []string{table, "session_windows", "session_nodes", "schema_meta",
		"transcript_rewrite_watermarks",
		"transcript_event_identities", "session_transcript_cold_archives"} {
		err := d.Each("SELECT name FROM pragma_table_info(?)", func(s *sqlite.Row) error {
			d.columns[t] = append(d.columns[t], s.Text(0))
			return nil
		}, t)
		if err != nil {
			return fmt.Errorf("%s: the structure of %s: %w", d.path, t, err)
		}
	}
	schema := ""
	if err := d.query("schema_meta", "", nil, func(r row) error {
		schema, d.agent, d.version = r.text("schema_version"), r.text("agent_id"), r.text("app_version")
		return nil
	}, "schema_version", "agent_id", "app_version"); err != nil {
		return err
	}
	for t, needed := range map[string][]string{table: {"session_id", "seq", "event_json"},
		"session_windows": {"session_id", "session_key"}, "session_nodes": {"session_key"}} {
		for _, column := range needed {
			if !slices.Contains(d.columns[t], column) {
				return &trace.UnknownLayout{Agent: product,
					Version: strings.TrimSpace(d.version + " (schema " + schema + ")"), Path: d.path,
					Why: fmt.Sprintf("the table %s has no %s", t, column)}
			}
		}
	}
	return nil
}

// row is a result row with the columns that were asked for.
type row struct {
	*sqlite.Row
	names []string
}

func (r row) text(column string) string { return r.Text(slices.Index(r.names, column)) }
func (r row) int(column string) int64   { return r.Int64(slices.Index(r.names, column)) }

// query calls f with every row of a table that rest selects. Missing columns are NULL and a missing table is empty,
// because versions of the client differ.
func (d *db) query(table, rest string, args []any, f func(row) error, columns ...string) error {
	if len(d.columns[table]) == 0 {
		return nil
	}
	var list []string
	for _, c := range columns {
		if !slices.Contains(d.columns[table], c) {
			c = "NULL"
		}
		list = append(list, c)
	}
	query := "SELECT " + strings.Join(list, ", ") + " FROM " + table + " " + rest
	err := d.Each(query, func(s *sqlite.Row) error { return f(row{s, columns}) }, args...)
	if err != nil {
		return fmt.Errorf("%s: read %s: %w", d.path, table, err)
	}
	return nil
}

// state is what a cursor keeps: the mark that each session had when it was read.
type state struct {
	V        int               `json:"v"`
	Sessions map[string]string `json:"sessions"`
}

func readDatabase(ctx context.Context, s trace.Store, sink trace.Sink) (err error) {
	lite, d, err := openDatabase(ctx, s.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lite.Close()) }()
	all, err := d.windows()
	if err != nil {
		return err
	}
	var before state
	if len(s.Cursor.State) > 0 {
		if err := json.Unmarshal(s.Cursor.State, &before); err != nil || before.V != 1 {
			before = state{} // another version's state: read everything
		}
	}
	if d.agent == "" {
		d.agent = filepath.Base(filepath.Dir(filepath.Dir(s.Path)))
	}
	r := &reading{db: d, sink: sink, sessions: all, spawned: map[string]caller{}, ids: map[string]map[string]bool{},
		toRead: map[string]bool{}, incremental: len(before.Sessions) > 0}
	defer r.close()
	after := state{V: 1, Sessions: map[string]string{}}
	for _, w := range all.list {
		after.Sessions[token(w.id)] = w.mark
		r.toRead[w.id] = before.Sessions[token(w.id)] != w.mark
	}
	if err := r.run(ctx); err != nil {
		return err
	}
	if lite.Changed() {
		return fmt.Errorf("%s was written while it was read without a log", s.Path)
	}
	sink.Progress(max(s.Size-r.bytes, 0))
	data, err := json.Marshal(after)
	if err != nil {
		return err
	}
	sink.Done(trace.Cursor{State: data}, false)
	return nil
}
