package archive

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// maxFaults bounds how many faults Check reports.
const maxFaults = 100

// Check verifies the archive: the file's pages, every trace, and that all rows follow from the traces. It returns one
// line per fault. An error means that it could not check.
func (a *Archive) Check(ctx context.Context) (faults []string, err error) {
	bad := func(format string, args ...any) {
		if len(faults) < maxFaults {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	err = a.each("PRAGMA integrity_check", func(s *sqlite.Row) error {
		if text := s.Text(0); text != "ok" {
			bad("the file: %s", text)
		}
		return nil
	})
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	for _, orphan := range [...]struct{ what, query string }{
		{"sessions without a trace", "SELECT count(*) FROM sessions WHERE key NOT IN (SELECT key FROM traces)"},
		{"traces without a session", "SELECT count(*) FROM traces WHERE key NOT IN (SELECT key FROM sessions)"},
		{"calls without a session", "SELECT count(*) FROM calls WHERE session NOT IN (SELECT key FROM sessions)"},
		{"answers without a session", "SELECT count(*) FROM answers WHERE session NOT IN (SELECT key FROM sessions)"},
		{"limits without a session", "SELECT count(*) FROM limits WHERE session NOT IN (SELECT key FROM sessions)"},
		{"relationships without a session", "SELECT count(*) FROM relations WHERE session NOT IN (SELECT key FROM sessions)"},
		{"spawns without a session", "SELECT count(*) FROM spawns WHERE session NOT IN (SELECT key FROM sessions)"},
		{"digests without a session", "SELECT count(*) FROM digests WHERE key NOT IN (SELECT key FROM sessions)"},
		{"traces that could not be read when the archive was made anew, and are kept as they are",
			"SELECT count(*) FROM unread"},
		{"sessions of no store", "SELECT count(*) FROM sessions WHERE store <> 0 AND store NOT IN (SELECT store FROM cursors)"},
		{"damage of no store", "SELECT count(*) FROM damage WHERE store NOT IN (SELECT store FROM cursors)"},
		{"stores without a place to go on", "SELECT count(*) FROM cursors WHERE store NOT IN (SELECT store FROM places)"},
		{"places in no store", "SELECT count(*) FROM places WHERE store NOT IN (SELECT store FROM cursors)"},
		{"stores with another number of sessions", `SELECT count(*) FROM cursors c WHERE NOT whole
			AND sessions <> (SELECT count(*) FROM sessions s WHERE s.store = c.store)`},
	} {
		n, err := a.number(orphan.query)
		if err != nil {
			return faults, err
		}
		if n > 0 {
			bad("%d %s", n, orphan.what)
		}
	}
	if fault, err := a.checkListing(); err != nil {
		return faults, err
	} else if fault != "" {
		bad("%s", fault)
	}
	keys, err := a.keys("SELECT key FROM sessions ORDER BY key")
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return faults, err
		}
		if fault := a.checkSession(ctx, key); fault != "" {
			bad("%s", fault)
		}
	}
	return faults, err
}

// checkAnswers compares the row of answers of a session with its trace.
func (a *Archive) checkAnswers(t *trace.SessionTrace, key int64) (fault string) {
	want := billed(t)
	for i := range want {
		want[i].Time = instant(millis(want[i].Time))
	}
	err := a.each("SELECT rows FROM answers WHERE session = ?", func(s *sqlite.Row) error {
		have, err := expandAnswers(columnBytes(s, 0))
		if err == nil && !slices.Equal(have, want) {
			err = errAnswers
		}
		want = nil
		return err
	}, key)
	switch {
	case err != nil:
		return err.Error()
	case len(want) > 0:
		return fmt.Sprintf("its %d answers are missing", len(want))
	}
	return ""
}

// keys returns the first column of a query.
func (a *Archive) keys(query string, args ...any) (keys []int64, err error) {
	err = a.each(query, func(s *sqlite.Row) error {
		keys = append(keys, s.Int64(0))
		return nil
	}, args...)
	return keys, err
}

// checkSession compares the rows of a session with its trace.
func (a *Archive) checkSession(ctx context.Context, key int64) (fault string) {
	t, err := a.Trace(ctx, key)
	if err != nil {
		return fmt.Sprintf("session %d: %v", key, err)
	}
	name := t.Source + "/" + t.ID
	want, err := pack(t)
	if err != nil {
		return err.Error()
	}
	have, err := a.session(key)
	if err != nil {
		return err.Error()
	}
	if w := want.session; have.Source != w.Source || have.ID != w.ID || have.Counts != w.Counts ||
		have.Usage != w.Usage ||
		have.Agent != w.Agent || have.Project != w.Project || have.Ask != w.Ask || have.Relation != w.Relation ||
		millis(have.Start) != millis(w.Start) || millis(have.End) != millis(w.End) || have.Stated != w.Stated {
		return name + ": its row is not what its trace gives"
	}
	calls := slices.DeleteFunc(t.Calls(), func(c trace.Call) bool { return !c.Counts() })
	n := 0
	for row, err := range a.storedCalls(CallFilter{Filter: Filter{Own: true}, Key: key}) {
		if err != nil {
			return err.Error()
		}
		if n++; n > len(calls) {
			break
		}
		w := callRow(&calls[n-1])
		w.Key, w.Source, w.Session, w.Start = row.Key, row.Source, row.Session, instant(millis(w.Start))
		if !reflect.DeepEqual(row, w) {
			return fmt.Sprintf("%s: call %d is not what its trace gives", name, row.Index)
		}
	}
	if n != len(calls) || n != t.Count().Calls {
		return fmt.Sprintf("%s: %d calls in the table, %d in its trace", name, n, t.Count().Calls)
	}
	if fault := a.checkAnswers(t, key); fault != "" {
		return name + ": " + fault
	}
	for what, n := range map[string]int{"limits": len(want.limits), "relations": len(want.relations), "spawns": len(want.spawns)} {
		if rows, err := a.number("SELECT count(*) FROM "+what+" WHERE session = ?", key); err != nil || int(rows) != n {
			return fmt.Sprintf("%s: %d rows in %s, %d in its trace", name, rows, what, n)
		}
	}
	return ""
}

// session returns the stored row of a session.
func (a *Archive) session(key int64) (Session, error) {
	list, err := a.sessions("SELECT "+sessionColumns()+" FROM "+listed+" s WHERE s.key = ?", key)
	if err != nil || len(list) == 0 {
		return Session{}, err
	}
	return list[0], nil
}
