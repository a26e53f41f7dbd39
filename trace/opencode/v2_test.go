package opencode

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// fixtureV2 is a database of OpenCode 2 that was opencode 1's before, written by hand.
func fixtureV2(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "opencode.db")
	conn, err := sqlite.Open(path, sqlite.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	statements, err := os.ReadFile("testdata/v2/built.sql")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(statements)) {
		if err := conn.Exec(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return path
}

const (
	bothVersions = "ses_v2eeeeeeeeeeeeeeeeeeeeeeee"
	onlyOld      = "ses_v2ffffffffffffffffffffffff"
	strange      = "ses_v2iiiiiiiiiiiiiiiiiiiiiiii"
	forkedV2     = "ses_v2dddddddddddddddddddddddd"
	delegatedV2  = "ses_v2cccccccccccccccccccccccc"
)

func TestTruthV2(t *testing.T) {
	s := readAll(t, fixtureV2(t))
	tracetest.Truth(t, s, "testdata/v2/v2.truth")
	for _, tr := range s.Traces {
		tr.Sources[0].Path = "opencode.db"
	}
	tracetest.Golden(t, s.Ordered(), "testdata/golden/v2.json", *update)
	if len(s.Damage) != 1 || s.Damage[0].Ref != (trace.Ref{Table: "session_message", Key: "msg_e3"}) || !strings.Contains(s.Damage[0].Reason, "hologram") {
		t.Errorf("damage %+v", s.Damage)
	}
	if r := s.Traces[forkedV2].Relationships[0]; r.Provenance != trace.Explicit {
		t.Errorf("fork %+v", r)
	}
	if r := s.Traces[delegatedV2].Relationships[0]; r.ParentCall != "call_p1" || r.AgentType != "build" {
		t.Errorf("sub-agent %+v", r)
	}
}

// TestBothVersionsOfASession: it is told from which tables it was read, and in the order of time.
func TestBothVersionsOfASession(t *testing.T) {
	tr := readAll(t, fixtureV2(t)).Traces[bothVersions]
	if string(tr.Extra) != `{"table":"session_message, message, part"}` {
		t.Errorf("%s", tr.Extra)
	}
	var said []string
	for _, e := range tr.Events {
		if m, ok := e.Body.(*trace.UserMessage); ok {
			said = append(said, m.Head)
		}
	}
	if !slices.Equal(said, []string{"begin", "go on", "and once more"}) {
		t.Errorf("%q", said)
	}
}

// TestDatabasesOfOneVersion: OpenCode 2 alone has none of the tables of opencode 1.
func TestDatabasesOfOneVersion(t *testing.T) {
	path := fixtureV2(t)
	change(t, path, "DROP TABLE session", "DROP TABLE message", "DROP TABLE part")
	s := readAll(t, path)
	if s.Traces[onlyOld] != nil || len(s.Traces) != 8 {
		t.Errorf("%d sessions", len(s.Traces))
	}
	if tr := s.Traces[bothVersions]; tr.Usage.Input != 70 || string(tr.Extra) != `{"table":"session_message"}` {
		t.Errorf("%+v from %s", tr.Usage, tr.Extra)
	}
}

func TestGoesOnWithWhatChangedV2(t *testing.T) {
	path := fixtureV2(t)
	first := readAll(t, path)
	change(t, path, "UPDATE session_message SET time_updated = 1793099000000, data = json_set(data, '$.time.completed', 1793099000000, '$.finish', 'stop') "+
		"WHERE id = 'msg_k2'", "INSERT INTO message VALUES ('msg_q3','"+onlyOld+"',1793099000001,1793099000001,'{\"role\":\"user\"}')")
	_, ids := goOn(t, path, first)
	if !slices.Equal(ids, []string{onlyOld, "ses_v2gggggggggggggggggggggggg"}) {
		t.Errorf("gave %v", ids)
	}
}

func TestUnknownLayoutsV2(t *testing.T) {
	for why, statements := range map[string][]string{
		"it has no session_message.id":      {"DROP TABLE session_message"},
		"it has no session_message.seq":     {"ALTER TABLE session_message RENAME COLUMN seq TO place"},
		"it has no session_v2.directory":    {"ALTER TABLE session_v2 RENAME COLUMN directory TO location"},
		"it has no part.id":                 {"DROP TABLE part"},
		"it has no session_message.data":    {"ALTER TABLE session_message RENAME COLUMN data TO body"},
		"it has no session.id":              {"DROP TABLE session_v2", "DROP TABLE session", "DROP TABLE message", "DROP TABLE part"},
		"it has no session_v2.time_updated": {"ALTER TABLE session_v2 RENAME COLUMN time_updated TO updated"},
	} {
		path := fixtureV2(t)
		change(t, path, statements...)
		var unknown *trace.UnknownLayout
		if err := errorOf(t, path); !errors.As(err, &unknown) || unknown.Why != why {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// TestRecordsV2: each ref of a trace leads to its record.
func TestRecordsV2(t *testing.T) {
	path := fixtureV2(t)
	for _, tr := range readAll(t, path).Traces {
		refs := map[trace.Ref]bool{}
		for _, e := range tr.Events {
			refs[e.Ref] = true
		}
		all := slices.Collect(maps.Keys(refs))
		err := Records(t.Context(), path, all, func(i int, record []byte, err error) {
			if err != nil || len(record) == 0 {
				t.Errorf("%s %+v: %v", tr.ID, all[i], err)
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func FuzzMessageV2(f *testing.F) {
	f.Add("assistant", []byte(`{"content":[{"type":"tool","id":"c","name":"shell","state":`+
		`{"status":"completed","input":{"command":"x"},"content":[{"text":"y"}]}}]}`))
	f.Add("compaction", []byte(`{"status":"failed","error":{"type":"x","message":"y"}}`))
	f.Add("shell", []byte(`{"command":"x","exit":1,"status":"running"}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		v := v2fold{conversation: newConversation(session{id: "ses_1", created: 1000, v2: true, ref: trace.Ref{Table: "session_v2", Key: "ses_1"}}),
			turns: map[turn]bool{}, calls: map[string]bool{}}
		for _, kind := range []string{"user", kind, "idle"} {
			v.take(kind, record{id: kind, at: 2000, data: data, ref: trace.Ref{Table: "session_message", Key: kind}})
		}
		v.settle(nil)
		if _, err := v.assemble(t.Context(), noOthers{}, "opencode.db", "", "session_message"); err != nil {
			t.Error(err)
		}
	})
}
