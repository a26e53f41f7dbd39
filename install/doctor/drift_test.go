package doctor

import (
	"strings"
	"testing"

	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/trace/readers"
)

// record is a line of a Claude Code session of the version that aburn was tried with.
const record = `{"type":"user","uuid":"u","sessionId":"s","version":"2.1.329","timestamp":"2026-11-21T07:47:38.682Z","cwd":"/p",` +
	`"message":{"role":"user","content":"x"}}` + "\n"

func TestANewerClient(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	w.write(".claude/projects/p/a.jsonl", record+strings.Replace(record, `"uuid"`, `"mood":1,"uuid"`, 1)+strings.Replace(record, `"user"`, `"dream"`, 1))
	tried := agentcli.Claude.Tried
	w.script("bin/claude", "echo "+tried+" '(Claude Code)'")
	w.expect(w.run(w.root), "! claude note Claude Code")
	w.script("bin/claude", "echo 2.999.0 '(Claude Code)'")
	w.expect(w.run(w.root), "claude note Claude Code 2.999.0 is newer than what aburn was tried with ("+tried+"): "+
		"11 unknown members in 2 records -> unknown: dream, dream.cwd, dream.message, dream.message.content, dream.message.role, dream.sessionId, …")
	w.write(".claude/projects/p/a.jsonl", record)
	w.expect(w.run(w.root), "claude note Claude Code 2.999.0 is newer than what aburn was tried with ("+tried+")")
	w.script("bin/claude", "echo 3.0.0 '(Claude Code)'")
	w.expect(w.run(w.root), "claude note Claude Code 3.0.0 is newer than what aburn was tried with ("+tried+"), and it was not tried on Claude Code 3")
}

// TestANewerClientInRecords: the sessions come from a machine with a newer client than the one here.
func TestANewerClientInRecords(t *testing.T) {
	w := newWorld(t)
	w.install(install.User, install.Claude)
	w.write(".claude/projects/p/a.jsonl", strings.Replace(record, "2.1.329", "2.998.1", 1))
	w.readers = readers.Readers()
	w.ingest()
	w.expect(w.run(w.root), "claude note Claude Code 2.998.1 is newer than what aburn was tried with")
}
