package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/trace"
)

// rawOf is the record of one ref.
func rawOf(ctx context.Context, path string, ref trace.Ref) (record []byte, err error) {
	all := Records(ctx, path, []trace.Ref{ref}, func(_ int, data []byte, bad error) { record, err = data, bad })
	return record, errors.Join(all, err)
}

// TestRaw: every ref of every trace leads to the record that the event tells of.
func TestRaw(t *testing.T) {
	world.Slow(t)
	events, rows := fixture(t), fixture(t)
	change(t, rows, "DELETE FROM event")
	for _, store := range []string{events, rows, "testdata/legacy"} {
		for _, tr := range readAll(t, store).Traces {
			for _, e := range tr.Events {
				data, err := rawOf(t.Context(), tr.Sources[e.Ref.File].Path, e.Ref)
				if err != nil || !json.Valid(data) {
					t.Fatalf("%s %d: %v", tr.ID, e.Seq, err)
				}
				if !strings.Contains(string(data), e.Record) && e.Ref.Table != "message" && e.Ref.Table != "part" {
					t.Errorf("%s %d: %+v leads to %s, want %s", tr.ID, e.Seq, e.Ref, data, e.Record)
				}
				if c, ok := e.Body.(*trace.ToolCall); ok && !strings.Contains(string(data), c.Call) {
					t.Errorf("%s %d: the record has no call %s: %s", tr.ID, e.Seq, c.Call, data)
				}
			}
		}
	}
}

func TestRawRefuses(t *testing.T) {
	path := fixture(t)
	for _, table := range []string{"credential", "account", "session_share", "sqlite_schema", "", "event; DROP TABLE event"} {
		if data, err := rawOf(t.Context(), path, trace.Ref{Table: table, Key: "1"}); err == nil {
			t.Errorf("%q gave %q", table, data)
		}
	}
	if _, err := rawOf(t.Context(), path, trace.Ref{Table: "part", Key: "prt_none"}); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	for _, key := range []string{"../../../../etc/passwd", "x/../../../y"} {
		if _, err := rawOf(t.Context(), legacy+"/session/p/s.json", trace.Ref{Table: "part", Key: key}); err == nil || !strings.Contains(err.Error(), "leads out") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
