package opencode

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
)

// errorOf is the one error of reading the store at path.
func errorOf(t *testing.T, path string) error {
	t.Helper()
	s := tracetest.Read(t, New(), path)
	if len(s.Stores) != 1 {
		t.Fatalf("found %v", s.Stores)
	}
	return s.Errors[path]
}

func TestUnknownLayouts(t *testing.T) {
	const newest = "20260622202450_simplify_session_input"
	for name, c := range map[string]struct {
		statements   []string
		version, why string
	}{
		"a table is missing":  {[]string{"DROP TABLE part"}, newest, "it has no part.id"},
		"a column is missing": {[]string{"ALTER TABLE message RENAME COLUMN data TO body"}, newest, "it has no message.data"},
		"a view in its place": {[]string{"ALTER TABLE part RENAME TO part2", "CREATE VIEW part AS SELECT * FROM part2"}, newest, "it has no part.id"},
		"no version":          {[]string{"DROP TABLE migration", "DROP TABLE session"}, "?", "it has no session.id"},
		"only what comes after": {[]string{"DELETE FROM message", "DELETE FROM part", "DELETE FROM event",
			"INSERT INTO session_message SELECT 'm1', id, 'user', 1, 1, 1, '{}' FROM session LIMIT 1"}, newest, newerTables},
	} {
		t.Run(name, func(t *testing.T) {
			path := fixture(t)
			change(t, path, c.statements...)
			var unknown *trace.UnknownLayout
			if err := errorOf(t, path); !errors.As(err, &unknown) {
				t.Fatalf("%v", err)
			}
			if got := unknown.Error(); !strings.Contains(got, "unknown layout of opencode, version "+c.version) || unknown.Why != c.why {
				t.Errorf("%s", got)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("this is no database\n", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	var unknown *trace.UnknownLayout
	if err := errorOf(t, path); !errors.As(err, &unknown) {
		t.Errorf("no database: %v", err)
	}
}

func TestASessionOfTheSuccessorIsTold(t *testing.T) {
	path := fixture(t)
	change(t, path, "DELETE FROM message WHERE session_id = '"+child+"'", "DELETE FROM event WHERE aggregate_id = '"+child+"'",
		"INSERT INTO session_message SELECT 'm1', id, 'user', 1, 1, 1, '{}' FROM session WHERE id = '"+child+"'")
	if s := readAll(t, path); len(s.Damage) != 1 || s.Damage[0].Ref.Key != child {
		t.Errorf("%+v", s.Damage)
	}
}

// TestOlderDatabases: without what was added later.
func TestOlderDatabases(t *testing.T) {
	path := fixture(t)
	change(t, path, "DROP TABLE event", "DROP TABLE event_sequence", "DROP TABLE session_message", "DROP TABLE migration",
		"ALTER TABLE session DROP COLUMN agent", "ALTER TABLE session DROP COLUMN model", "ALTER TABLE session DROP COLUMN metadata")
	s := readAll(t, path)
	tracetest.Truth(t, s, "testdata/opencode.truth")
	if r := s.Traces[child].Relationships[0]; r.AgentType != "general" || r.Description != "look around" {
		t.Errorf("%+v", r)
	}
}

// TestCredentialTablesAreNotNeeded: nothing asks for them.
func TestCredentialTablesAreNotNeeded(t *testing.T) {
	path := fixture(t)
	change(t, path, "DROP TABLE account_state", "DROP TABLE account", "DROP TABLE control_account", "DROP TABLE credential", "DROP TABLE session_share")
	tracetest.Truth(t, readAll(t, path), "testdata/opencode.truth")
}

// TestEventsThatAreNotAll: if some are missing, or of another version, or a message has none, the tables are read.
func TestEventsThatAreNotAll(t *testing.T) {
	in := " WHERE aggregate_id = '" + origin + "'"
	for name, statement := range map[string]string{
		"the first is missing": "DELETE FROM event" + in + " AND seq = 0",
		"one is missing":       "DELETE FROM event" + in + " AND seq = 20",
		"another version":      "UPDATE event SET type = 'message.updated.2'" + in + " AND seq = 5",
		"a message that none made": "INSERT INTO message SELECT 'msg_new', session_id, time_created, time_updated, data FROM message WHERE session_id = '" + origin +
			"' LIMIT 1",
		"a part that none made": "UPDATE part SET id = 'prt_new' WHERE id = (SELECT id FROM part WHERE session_id = '" + origin + "' LIMIT 1)",
	} {
		path := fixture(t)
		change(t, path, statement)
		if tr := readAll(t, path).Traces[origin]; string(tr.Extra) != `{"table":"message, part"}` || tr.Count().Calls != 3 {
			t.Errorf("%s: read from %s, %+v", name, tr.Extra, tr.Count())
		}
	}
}

// TestWhatWasTakenOut: opencode deletes what was reverted at the next prompt; the events still have it.
func TestWhatWasTakenOut(t *testing.T) {
	for name, told := range map[string]bool{"with an event that says so": true, "without": false} {
		path := fixture(t)
		before := readAll(t, path).Traces[origin]
		last := "(SELECT id FROM message WHERE session_id = '" + origin + "' ORDER BY time_created DESC, id DESC LIMIT 1)"
		if told {
			change(t, path, "INSERT INTO event SELECT 'evt_gone', '"+origin+"', max(seq) + 1, 'message.removed.1', json_object('sessionID', '"+origin+"', 'messageID', "+
				last+") FROM event WHERE aggregate_id = '"+origin+"'")
		}
		change(t, path, "DELETE FROM part WHERE message_id = "+last, "DELETE FROM message WHERE id = "+last)
		tr := readAll(t, path).Traces[origin]
		if tr.Usage != before.Usage || tr.Count() != before.Count() {
			t.Errorf("%s: %+v %+v, before %+v %+v", name, tr.Usage, tr.Count(), before.Usage, before.Count())
		}
		abandoned := 0
		for _, e := range tr.Events {
			if e.Abandoned {
				abandoned++
			}
		}
		if abandoned != 2 || tr.Outcome != trace.Killed { // the text and the end of the turn
			t.Errorf("%s: %d abandoned, outcome %s", name, abandoned, tr.Outcome)
		}
	}
}

// TestDamagedRecords: each is told with its place, and what is around it is read.
func TestDamagedRecords(t *testing.T) {
	world.Slow(t)
	for _, c := range []struct{ table, id string }{
		{"part", "prt_1fd118ad1001NiJCOIKqef1eGB"}, {"message", "msg_1fd118ccd001QDdq5w4KLdkR4N"},
	} {
		for _, bad := range []string{"", "{", `{"type":`, "[]", "null", `{"role":"nobody"}`, "\x00\xff"} {
			path := fixture(t)
			change(t, path, "DELETE FROM event", fmt.Sprintf("UPDATE %s SET data = CAST(x'%x' AS TEXT) WHERE id = '%s'", c.table, bad, c.id))
			s := readAll(t, path)
			tr := s.Traces[origin]
			if len(s.Traces) != 26 || len(tr.Damaged) == 0 || tr.Damaged[0].Ref != (trace.Ref{Table: c.table, Key: c.id}) || tr.Count().Calls != 2 {
				t.Errorf("%s %q: %d sessions, %+v", c.table, bad, len(s.Traces), tr.Damaged)
			}
		}
	}
}

// TestCutDatabases: at some pages and at 40 random bytes, a database that was cut is an error or read in part, and what
// is read of a session is all of it.
func TestCutDatabases(t *testing.T) {
	whole := fixture(t)
	all := readAll(t, whole)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	places := []int{1, 99, 100, 101}
	for n := 4096; n < len(data); n += 16 * 4096 {
		places = append(places, n)
	}
	random := rand.New(rand.NewPCG(4, 4))
	for range 40 {
		places = append(places, random.IntN(len(data)))
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	for _, n := range places {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s := tracetest.Read(t, New(), path)
		if s.Errors[path] == nil && len(s.Damage) == 0 && (!s.Torn[path] || n >= 100) { // what has no header yet is a database with no tables
			t.Errorf("cut at %d of %d: neither an error nor damage, and %d sessions", n, len(data), len(s.Traces))
		}
		for id, tr := range s.Traces {
			if show(tr.Events) != show(all.Traces[id].Events) {
				t.Errorf("cut at %d: %s is not as in the whole", n, id)
			}
		}
	}
}

// TestSpoiltDatabases: pages with wrong bytes give an error, damage or what is there, and end.
func TestSpoiltDatabases(t *testing.T) {
	data, err := os.ReadFile(fixture(t))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	path := filepath.Join(t.TempDir(), "opencode.db")
	failed, damaged := 0, 0
	for range 25 {
		spoilt := append([]byte{}, data...)
		for range 1 + random.IntN(400) {
			spoilt[random.IntN(len(spoilt))] = byte(random.Uint32())
		}
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		s := tracetest.Read(t, New(), path)
		if len(s.Errors) > 0 {
			failed++
		} else if len(s.Damage) > 0 {
			damaged++
		}
	}
	t.Logf("%d of 25 gave an error, %d were read but for what is damaged", failed, damaged)
}

func FuzzDatabase(f *testing.F) {
	small := filepath.Join(f.TempDir(), "opencode.db")
	data, err := os.ReadFile(fixture(f))
	if err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(small, data, 0o600); err != nil {
		f.Fatal(err)
	}
	change(f, small, "DELETE FROM session WHERE id <> '"+child+"'", "DELETE FROM message WHERE session_id <> '"+child+"'",
		"DELETE FROM part WHERE session_id <> '"+child+"'", "DELETE FROM event WHERE aggregate_id <> '"+child+"'", "VACUUM")
	tracetest.Fuzz(f, New(), func(dir string) string { return filepath.Join(dir, "opencode.db") }, small)
}

func FuzzSessionFile(f *testing.F) {
	seeds, err := filepath.Glob(legacy + "/session/*/*.json")
	if err != nil || len(seeds) == 0 {
		f.Fatal(err, seeds)
	}
	place := func(dir string) string { return filepath.Join(dir, "storage", "session", "p", "ses_x.json") }
	tracetest.Fuzz(f, New(), place, seeds...)
}

// FuzzRecords feeds the data of one message and one part to what both layouts share.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(done),
		[]byte(`{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"c"},"output":"","metadata":{"exit":1}}}`))
	f.Add([]byte(ask), []byte(`{"type":"text","text":"hi","synthetic":true}`))
	f.Add([]byte(open), []byte(`{"type":"step-finish","reason":"stop","cost":1e308,"tokens":{"input":-1,"output":1e99,"cache":{"read":9223372036854775807}}}`))
	f.Fuzz(func(t *testing.T, message, part []byte) {
		talk := newConversation(session{id: "ses_1", created: 1000, ref: trace.Ref{Table: "session", Key: "ses_1"}})
		for i := range 3 {
			talk.apply(record{kind: ofMessage, pos: int64(3 * i), ref: trace.Ref{Table: "message", Key: "m"}, id: fmt.Sprint(i), data: message})
			talk.apply(record{kind: ofPart, pos: int64(3*i + 1), ref: trace.Ref{Table: "part", Key: "p"}, id: fmt.Sprint(i), message: fmt.Sprint(i), data: part})
		}
		talk.settle(nil)
		if _, err := talk.assemble(t.Context(), noOthers{}, "opencode.db", "", "event"); err != nil {
			t.Error(err)
		}
	})
}
