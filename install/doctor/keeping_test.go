package doctor

import (
	"context"
	"os"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/gemini"
)

// old makes a file as old as so many days, and returns its time.
func (w *world) old(name string, days float64) (at time.Time) {
	w.Helper()
	at = time.Now().Add(-time.Duration(days * float64(day)))
	if err := os.Chtimes(w.path(name), at, at); err != nil {
		w.Fatal(err)
	}
	return at
}

// ingest archives everything.
func (w *world) ingest() {
	w.Helper()
	a, err := archive.Open(context.Background(), archive.Dir(os.Getenv))
	if err != nil {
		w.Fatal(err)
	}
	defer a.Close()
	if _, err := ingest.Run(context.Background(), ingest.Options{
		Archive: a, Readers: []trace.Reader{claude.New(), gemini.New()}, Places: trace.Places{Home: w.home, Getenv: os.Getenv},
	}); err != nil {
		w.Fatal(err)
	}
}

// Sessions that their agent is about to delete and that are not in the archive are told of.
func TestExpiringSessions(t *testing.T) {
	w := newWorld(t)
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("ABURN_HOME", "")
	t.Setenv("GEMINI_CLI_HOME", "")
	w.readers = []trace.Reader{claude.New(), gemini.New()}
	w.expect(w.run(w.root), "! archive")
	w.claudeSession("c1", w.root, time.Now().Add(-20*day))
	name := ".claude/projects/-slug/c1.jsonl"
	w.old(name, 20)
	w.expect(w.run(w.root), "archive ok it has every session that an agent is about to delete\n")
	at := w.old(name, 26)
	w.expect(w.run(w.root), "archive note Claude Code deletes 1 file of sessions from "+at.Add(30*day).Format("2006-01-02")+
		" on (cleanupPeriodDays: 30 days), and they are not archived -> aburn ingest\n")
	w.write(".claude/settings.json", `{"cleanupPeriodDays": 90}`)
	w.expect(w.run(w.root), "archive ok it has every session")
	w.write(".claude/settings.json", `{"cleanupPeriodDays": 10}`)
	w.expect(w.run(w.root), "archive note Claude Code deletes 1 file of sessions the next time it starts (cleanupPeriodDays: 10 days)")
	w.ingest()
	w.expect(w.run(w.root), "archive ok it has every session that an agent is about to delete\n")
	// It went on after it was archived.
	w.claudeSession("c1", w.root, time.Now().Add(-9*day))
	w.old(name, 9)
	w.expect(w.run(w.root), "archive note Claude Code deletes 1 file of sessions from ")
	w.ingest()
	w.write(".gemini/tmp/p/chats/session-2026-10-01T10-00-00000000.jsonl",
		`{"sessionId":"00000000-0000-4000-8000-000000000000","projectHash":"x","startTime":"2026-10-01T10:00:00.000Z","lastUpdated":"2026-10-01T10:00:00.000Z",`+
			`"kind":"main"}`+"\n")
	w.old(".gemini/tmp/p/chats/session-2026-10-01T10-00-00000000.jsonl", 40)
	w.expect(w.run(w.root), "archive note Gemini CLI deletes 1 file of sessions the next time it starts (general.sessionRetention: 30 days)")
	w.expect(w.run(w.root), "! archive ok") // that another agent's are safe is not what it would say
	w.write(".gemini/settings.json", `{"general":{"sessionRetention":{"enabled":true,"maxAge":"12w"}}}`)
	w.expect(w.run(w.root), "! archive note Gemini CLI")
	w.write(".gemini/settings.json", `{"general":{"sessionRetention":{"enabled":false}}}`)
	w.expect(w.run(w.root), "! archive note Gemini CLI")
}
