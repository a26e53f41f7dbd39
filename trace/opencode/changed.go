package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"aburn/internal/sqlite"
	"aburn/trace"
	"aburn/trace/draft"
)

// state is what a cursor keeps: how far the database was read.
type state struct {
	// Row and Event name the newest row of the event table, to which opencode only adds. If the row holds another
	// event, somebody replaced or rebuilt the database.
	Row   int64  `json:"row,omitempty"`
	Event string `json:"event,omitempty"`
	// Updated is the newest write time of a row, in Unix milliseconds. More rows of that moment can follow.
	Updated int64 `json:"updated,omitempty"`
	// Orphans lists the sub-agents whose parents have not yet named the call that started them, newest last.
	Orphans []string `json:"orphans,omitempty"`
}

const maxOrphans = 100

// readDatabase emits the sessions that changed since the cursor.
func readDatabase(ctx context.Context, s trace.Store, sink trace.Sink) error {
	d, err := openDatabase(ctx, s.Path)
	if err != nil {
		return err
	}
	if d == nil {
		sink.Done(trace.Cursor{}, true)
		return nil
	}
	defer d.Close()
	var before state
	json.Unmarshal(s.Cursor.State, &before) // without a valid state all is read
	var ids []string
	var now state
	err = d.inOneState(func() error {
		ids, now, err = d.changed(before)
		return err
	})
	if err != nil {
		return err
	}
	whole := true
	for _, id := range ids {
		err := d.emit(ctx, id, sink, &now)
		if sqlite.CodeOf(err) == sqlite.CodeCorrupt {
			sink.Damaged(trace.Damage{Ref: trace.Ref{Table: "session", Key: draft.SessionID(id)},
				Reason: "the database is damaged where it should be"})
			whole = false
		} else if err != nil {
			return err
		}
	}
	if err := d.checkNewerTables(sink); err != nil {
		return err
	}
	var cursor trace.Cursor
	if whole { // otherwise the next reading begins anew
		if cursor.State, err = json.Marshal(now); err != nil {
			return err
		}
	}
	sink.Done(cursor, false)
	return nil
}

func (d *database) emit(ctx context.Context, id string, sink trace.Sink, now *state) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.read = 0
	t, err := d.trace(ctx, id)
	if err == nil && d.Changed() {
		err = fmt.Errorf("read %s: %w", d.path, errChanged)
	}
	if err != nil || t == nil {
		return err
	}
	for _, damage := range t.Damaged {
		sink.Damaged(damage)
	}
	if r := t.Relationships[0]; r.Kind == trace.Subagent && r.ParentCall == "" {
		now.Orphans = append(now.Orphans, id)
		if n := len(now.Orphans) - maxOrphans; n > 0 {
			now.Orphans = now.Orphans[n:]
		}
	}
	sink.Progress(d.read)
	return sink.Trace(t)
}

// changed returns the sessions that changed since before, oldest first, and the present state.
func (d *database) changed(before state) ([]string, state, error) {
	now, err := d.state()
	if err != nil {
		return nil, now, err
	}
	all := before.Updated == 0
	if now.Row > 0 || before.Row > 0 {
		same, err := d.isEvent(before.Row, before.Event)
		if err != nil {
			return nil, now, err
		}
		all = all || !same
	}
	dirty := map[string]bool{}
	mark := func(row *sqlite.Row) error {
		dirty[row.Text(0)] = true
		return nil
	}
	var queries [][]any
	switch {
	case all:
	case now.Row > 0:
		queries = [][]any{{"SELECT DISTINCT aggregate_id FROM event WHERE rowid > ?", before.Row}}
	case d.hasV1():
		queries = [][]any{{"SELECT DISTINCT session_id FROM part WHERE " + d.orNull("part",
			"time_updated") + " >= ?", before.Updated},
			{"SELECT DISTINCT session_id FROM message WHERE " + d.orNull("message", "time_updated") + " >= ?",
				before.Updated}}
	}
	if d.hasV2() && !all { // an answer's row is written again as it grows
		queries = append(queries, []any{"SELECT DISTINCT session_id FROM session_message WHERE time_updated >= ?", before.Updated})
	}
	for _, q := range queries {
		if err := d.query(q[0].(string), q[1:], mark); err != nil {
			return nil, now, err
		}
	}
	var ids []string
	err = d.query("SELECT id, time_updated, parent FROM ("+d.sessions()+") ORDER BY time_created, id", nil, func(row *sqlite.Row) error {
		id, parent := row.Text(0), row.Text(2)
		orphan := slices.Contains(before.Orphans, id)
		if all || dirty[id] || row.Int64(1) > before.Updated || orphan && dirty[parent] {
			ids = append(ids, id)
		} else if orphan {
			now.Orphans = append(now.Orphans, id)
		}
		return nil
	})
	return ids, now, err
}

// sessions selects the sessions of both versions, each once.
func (d *database) sessions() string {
	from := func(table string) string {
		return "SELECT id, time_updated, time_created, " + d.orNull(table, "parent_id") + " AS parent FROM " + table
	}
	switch {
	case !d.hasV2():
		return from("session")
	case !d.hasV1():
		return from("session_v2")
	}
	return from("session_v2") + " UNION ALL " + from("session") + " WHERE id NOT IN (SELECT id FROM session_v2)"
}

func (d *database) state() (state, error) {
	var s state
	if d.hasEvents() {
		err := d.query("SELECT rowid, id FROM event ORDER BY rowid DESC LIMIT 1", nil, func(row *sqlite.Row) error {
			s.Row, s.Event = row.Int64(0), row.Text(1)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	newest := func(row *sqlite.Row) error {
		s.Updated = max(s.Updated, row.Int64(0))
		return nil
	}
	var tables []string
	if d.hasV1() {
		tables = append(tables, "session")
		if s.Row == 0 {
			tables = append(tables, "message", "part")
		}
	}
	if d.hasV2() {
		tables = append(tables, tablesV2...)
	}
	for _, table := range tables {
		if err := d.query("SELECT max("+d.orNull(table, "time_updated")+") FROM "+table, nil, newest); err != nil {
			return s, err
		}
	}
	return s, nil
}

// isEvent reports whether this row of the event table holds the event id.
func (d *database) isEvent(row int64, id string) (same bool, err error) {
	if !d.hasEvents() {
		return false, nil
	}
	err = d.query("SELECT 1 FROM event WHERE rowid = ? AND id = ?", []any{row, id}, func(*sqlite.Row) error {
		same = true
		return nil
	})
	return same, err
}

// newerTables is the error for a store that holds only the successors of messages and parts.
const newerTables = "its sessions are in the table session_message, which this version of aburn does not know"

// checkNewerTables looks for sessions in the tables that will replace message and part. If the database has no others,
// its layout is unknown; else those sessions are reported as damaged.
func (d *database) checkNewerTables(sink trace.Sink) error {
	if d.hasV2() || !d.has("session_message", "session_id") {
		return nil
	}
	var newer []string
	err := d.query("SELECT DISTINCT session_id FROM session_message WHERE session_id NOT IN (SELECT session_id FROM message)", nil, func(row *sqlite.Row) error {
		newer = append(newer, row.Text(0))
		return nil
	})
	if err != nil || len(newer) == 0 {
		return err
	}
	older := false
	err = d.query("SELECT 1 FROM message LIMIT 1", nil, func(*sqlite.Row) error {
		older = true
		return nil
	})
	if err != nil {
		return err
	}
	if !older {
		return d.unknown(newerTables)
	}
	for _, id := range newer {
		sink.Damaged(trace.Damage{Ref: trace.Ref{Table: "session_message", Key: draft.SessionID(id)},
			Reason: "this version of aburn does not know the table"})
	}
	return nil
}

func (d *database) spawningCalls(_ context.Context, session string) (map[string]string, error) {
	if calls, ok := d.started[session]; ok {
		return calls, nil
	}
	calls := map[string]string{}
	d.started[session] = calls
	if d.hasV2() {
		if err := d.spawningCallsV2(calls, session); err != nil {
			return nil, err
		}
	}
	if !d.hasV1() {
		return calls, nil
	}
	err := d.query("SELECT "+bounded("data")+" FROM part WHERE session_id = ? AND instr(data, '\"sessionId\"') ORDER BY id", []any{session},
		func(row *sqlite.Row) error {
			noteSpawningCall(calls, d.bytes(row, 0))
			return nil
		})
	return calls, err
}

// noteSpawningCall notes the call that started a sub-agent: the first one that names it, because later ones can resume
// it.
func noteSpawningCall(calls map[string]string, part []byte) {
	t := tool{secrets: &draft.Secrets{}}
	t.update(part, "")
	if t.child != "" && calls[t.child] == "" {
		calls[t.child] = t.call
	}
}

func (d *database) originCandidates(_ context.Context, s session, created int64) ([]string, error) {
	if s.v2 {
		return d.queryIDs("SELECT s.id FROM session_v2 s WHERE s.id <> ? AND s.time_created <= ? AND EXISTS (SELECT 1 FROM session_message m "+
			"WHERE m.session_id = s.id AND m.time_created = ?) ORDER BY s.time_created, s.id", s.id, s.created, created)
	}
	return d.queryIDs("SELECT s.id FROM session s WHERE s.id <> ? AND s.time_created <= ? AND EXISTS (SELECT 1 FROM message m WHERE m.session_id = s.id AND "+
		"m.time_created = ?) ORDER BY s.time_created, s.id", s.id, s.created, created)
}

func (d *database) queryIDs(query string, args ...any) (ids []string, err error) {
	err = d.query(query, args, func(row *sqlite.Row) error {
		ids = append(ids, row.Text(0))
		return nil
	})
	return ids, err
}

func (d *database) turnsOf(_ context.Context, session string) (map[turn]int, map[string]bool, error) {
	if h, ok := d.histories[session]; ok {
		return h.turns, h.calls, nil
	}
	turns, calls := map[turn]int{}, map[string]bool{}
	if d.hasV2() {
		if err := d.turnsOfV2(session, turns, calls); err != nil {
			return nil, nil, err
		}
		if len(turns) > 0 || !d.hasV1() {
			d.histories[session] = history{turns, calls}
			return turns, calls, nil
		}
	}
	err := d.query("SELECT time_created, "+bounded("data")+" FROM message WHERE session_id = ?", []any{session},
		func(row *sqlite.Row) error {
			turns[turn{row.Int64(0), text(d.bytes(row, 1), "role")}]++
			return nil
		})
	if err != nil {
		return nil, nil, err
	}
	err = d.query("SELECT "+bounded("data")+" FROM part WHERE session_id = ? AND instr(data, '\"callID\"')",
		[]any{session}, func(row *sqlite.Row) error {
			if call := text(d.bytes(row, 0), "callID"); call != "" {
				calls[call] = true
			}
			return nil
		})
	if err == nil {
		d.histories[session] = history{turns, calls}
	}
	return turns, calls, err
}
