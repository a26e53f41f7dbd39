package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/journal"
	"aburn/logfmt"
)

func verify(t testing.TB, dir string) journal.Report {
	t.Helper()
	report, err := open(t, dir, journal.Options{}).Verify(context.Background())
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	return report
}

// The gap that a deleted segment leaves is damage; the one that a rotation
// leaves, because it keeps only so much, is not.
func TestVerifyAcrossSegments(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir, journal.Options{By: journal.Command})
	for _, id := range names("a", 3) {
		mustAppend(t, j, entry(id))
		rotate(t, j)
	}
	if r := verify(t, dir); len(r.Damage)+len(r.Notes) > 0 || r.Entries != 9 || r.First != 1 || r.Last != 9 || len(r.Segments) != 4 {
		t.Fatalf("whole: %+v", r)
	}
	middle := filepath.Join(dir, "workflow.log.2") // 2 to 4
	text, err := os.ReadFile(middle)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(middle); err != nil {
		t.Fatal(err)
	}
	r := verify(t, dir)
	if len(r.Damage) != 1 || r.Damage[0].Kind != journal.Gap || r.Damage[0].Text != "missing between 1 and 5" || r.Damage[0].Segment != "workflow.log.5" ||
		r.Damage[0].Line != 2 {
		t.Errorf("middle segment deleted: %+v", r.Damage)
	}
	if err := os.WriteFile(middle, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "workflow.log.1")); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, dir); kinds(r.Damage) != "1 missing" || r.Damage[0].Segment != "workflow.log.1" {
		t.Errorf("oldest segment deleted: %+v", r.Damage)
	}
}

func TestVerifyNothing(t *testing.T) {
	if r := verify(t, t.TempDir()); r.Entries != 0 || len(r.Damage)+len(r.Notes)+len(r.Segments) > 0 {
		t.Errorf("no log: %+v", r)
	}
}

// A report stays small, whatever the log is.
func TestVerifyJunk(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, strings.Repeat("junk\n", 5000)+strings.Repeat("x", 3<<20)+"\n"+withID(t, "a"))
	r := verify(t, dir)
	if len(r.Damage) != 1000 || r.Left != 4001 || r.Entries != 1 {
		t.Errorf("%d findings, %d left, %d entries", len(r.Damage), r.Left, r.Entries)
	}
}

func TestVerifyStops(t *testing.T) {
	dir := t.TempDir()
	writeLog(t, dir, strings.Repeat(withID(t, "a"), 5000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := open(t, dir, journal.Options{}).Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("verify: %v, want Canceled", err)
	}
}

// A finding says where: file, line and offset.
func TestVerifyPlace(t *testing.T) {
	dir := t.TempDir()
	good := logfmt.FirstLine + numbered(t, 1)
	writeLog(t, dir, good+"\x00\x00\n"+strings.Repeat("y", 2<<20)+"\n{torn")
	r := verify(t, dir)
	want := []journal.Finding{
		{Segment: journal.Name, Offset: int64(len(good)), Line: 4, Kind: journal.BadLine, Text: "neither entry nor comment", Since: day},
		{Segment: journal.Name, Offset: int64(len(good)) + 3, Line: 5, Kind: journal.BadLine, Text: "longer than any entry", Since: day},
		{Segment: journal.Name, Offset: int64(len(good)) + 3 + 2<<20 + 1, Line: 6, Kind: journal.TornTail, Text: "5 bytes after the last newline", Since: day},
	}
	if len(r.Damage) != len(want) {
		t.Fatalf("damage %+v", r.Damage)
	}
	for i := range want {
		if r.Damage[i] != want[i] {
			t.Errorf("finding %d is %+v, want %+v", i, r.Damage[i], want[i])
		}
	}
}

// A payload that no hook could read is no damage of the log, and verify tells it.
func TestVerifyTellsUnreadable(t *testing.T) {
	dir := t.TempDir()
	e := entry("a")
	e.Event = logfmt.Unreadable
	line, err := e.AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	writeLog(t, dir, string(line))
	r := verify(t, dir)
	if !slices.ContainsFunc(r.Notes, func(f journal.Finding) bool { return f.Kind == journal.Unread }) {
		t.Errorf("notes %+v, damage %+v", r.Notes, r.Damage)
	}
}
