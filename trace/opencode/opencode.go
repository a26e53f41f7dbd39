// Package opencode reads the sessions of opencode: its live SQLite database, and the JSON files of versions before it.
// It knows no other agent: everything behind trace is blind to the source. docs/formats/opencode.md says how each fact
// was found out.
//
// The database also holds credentials and the secrets of shared sessions. The reader names each table and column that
// it reads, and none of those is among them.
package opencode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"aburn/internal/jsonl"
	"aburn/internal/sqlite"
	"aburn/trace"
)

const name = "opencode"

const (
	layoutDatabase = "database"
	layoutFiles    = "json files"
)

type reader struct{}

// New returns the reader for opencode's sessions.
func New() trace.Reader { return reader{} }

func (reader) Name() string { return name }

// Read emits each session of a store that changed since its cursor, as a whole.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	if s.Layout == layoutFiles {
		return readFiles(ctx, s, sink)
	}
	return readDatabase(ctx, s, sink)
}

// errChanged says that a database was written although it was opened without its log because nobody could write it.
// What was read can be wrong.
var errChanged = errors.New("it was written while it was read without its log; read it again")

// otherSessions answers what a session's trace needs to know about the other sessions in its store.
type otherSessions interface {
	// spawningCalls maps the sub-agents that a session started to the calls that started them.
	spawningCalls(ctx context.Context, session string) (map[string]string, error)
	// originCandidates returns the sessions that hold a message of this time and are no younger than s, oldest first,
	// without s.
	originCandidates(ctx context.Context, s session, created int64) ([]string, error)
	// turnsOf counts the messages of a session, and returns the ids of its calls.
	turnsOf(ctx context.Context, session string) (map[turn]int, map[string]bool, error)
}

// turn is what the copy of a message keeps.
type turn struct {
	created int64
	role    string
}

// assemble makes the trace, with its relationships.
func (t *conversation) assemble(ctx context.Context, sh otherSessions, path, how,
	table string) (*trace.SessionTrace, error) {
	s := &traceBuilder{conversation: t}
	from, evidence, err := t.origin(ctx, sh)
	if err != nil {
		return nil, err
	}
	s.from = from
	if from == "" {
		for _, m := range t.messages {
			m.copied = false // a clock was set back; no other session has the same
		}
	}
	var parentCall string
	if t.session.parent != "" {
		calls, err := sh.spawningCalls(ctx, t.session.parent)
		if err != nil {
			return nil, err
		}
		parentCall = calls[t.session.id]
	}
	tr, err := s.build(path, how, table, func() { s.relate(parentCall, evidence) })
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", t.session.id, err)
	}
	return tr, nil
}

// ErrGone says that a record is no longer where it was read.
var ErrGone = errors.New("the record is no longer there")

// Records calls each with the index of each ref and its record as opencode wrote it, or why there is none. The refs are
// from a trace of the store at path. For the row of a session the record is an object of the columns that the reader uses.
func Records(ctx context.Context, path string, refs []trace.Ref, each func(i int, record []byte, err error)) error {
	if strings.HasSuffix(path, ".json") {
		f := storage(path)
		for i, ref := range refs {
			data, err := f.load(ref)
			each(i, data, err)
		}
		return ctx.Err()
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	d, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	if d != nil {
		defer d.Close()
	}
	for i, ref := range refs {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := []byte(nil), ErrGone
		if d != nil {
			data, err = d.record(ref)
		}
		if err != nil {
			err = fmt.Errorf("%s: %s %s: %w", path, ref.Table, ref.Key, err)
		}
		each(i, data, err)
	}
	return nil
}

// record is the record of a ref.
func (d *database) record(ref trace.Ref) (data []byte, err error) {
	var query string
	switch ref.Table {
	case "event", "message", "part", "session_message":
		query = "SELECT data FROM " + ref.Table + " WHERE id = ?"
	case "session", "session_v2":
		query = "SELECT json_object('id', id, 'parent_id', " + d.orNull(ref.Table, "parent_id") +
			", 'directory', directory, 'title', title, 'version', version, 'time_created', time_created, 'time_updated', time_updated) FROM " +
			ref.Table + " WHERE id = ?"
	default:
		return nil, fmt.Errorf("table %q holds no records", ref.Table)
	}
	err = d.query(query, []any{ref.Key}, func(row *sqlite.Row) error {
		if len(row.Bytes(0)) > jsonl.MaxLine {
			return errTooLarge
		}
		data = append([]byte{}, d.bytes(row, 0)...)
		return nil
	})
	if err == nil && data == nil {
		err = ErrGone
	}
	return data, err
}
