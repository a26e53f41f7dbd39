package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/history/notes"
	"aburn/internal/lab/world"
)

// TestNotes: a note names the lines that a session provably wrote, and no others; a note that is there stays, whoever wrote it; and where nobody
// has the session, the note says who made the commit.
func TestNotes(t *testing.T) {
	world.Slow(t)
	h := newHistoried(t)
	h.write("README", "one\n")
	h.git("add", ".")
	h.git("commit", "-qm", "start")
	h.prompt("write a parser")
	h.creates("parser.go", "package parser\n\nfunc A() {}\n")
	h.creates("lexer.go", "package parser\n")
	h.write("README", "one\ntwo\n") // a person, beside the session
	h.write("lexer.go", "package lexer\n")
	h.bash(`git add -A && git commit -m "add the parser"`, func() string { h.git("add", "-A"); return h.git("commit", "-m", "add the parser") })
	made := h.git("rev-parse", "HEAD")
	notesWrite := func(args ...string) string {
		t.Helper()
		out, errs, code := h.run(append([]string{"-C", h.repo, "notes", "write"}, args...)...)
		if code != 0 {
			t.Fatal(errs)
		}
		return out
	}
	t.Setenv("GIT_AUTHOR_NAME", "Ann")
	t.Setenv("GIT_AUTHOR_EMAIL", "ann@x")
	t.Setenv("GIT_COMMITTER_NAME", "Ann")
	t.Setenv("GIT_COMMITTER_EMAIL", "ann@x")

	if out := notesWrite("--dry-run"); !strings.Contains(out, made[:10]+"  would note: 3 of 5 added lines in 1 file") {
		t.Error(out)
	}
	if exec.Command("git", "-C", h.repo, "rev-parse", "-q", "--verify", "refs/notes/ai").Run() == nil {
		t.Fatal("--dry-run wrote")
	}
	var record notes.Trace
	if err := json.Unmarshal([]byte(notesWrite("--agent-trace")), &record); err != nil || record.VCS.Revision != made || len(record.Files) != 1 ||
		record.Files[0].Conversations[0].Contributor.Model != "anthropic/claude-sonnet-4-5" {
		t.Errorf("%v %+v", err, record)
	}
	if out := notesWrite(); !strings.Contains(out, made[:10]+"  noted: 3 of 5 added lines in 1 file") {
		t.Error(out)
	}
	note, err := notes.Parse(h.git("notes", "--ref=ai", "show", made))
	key := notes.Key("claude", whyID)
	if err != nil || len(note.Files) != 1 || note.Files[0].Path != "parser.go" || note.Lines() != 3 ||
		note.Authors[key] != (notes.Author{Tool: "claude", Session: whyID, Model: "claude-sonnet-4-5"}) {
		t.Errorf("%v %+v", err, note)
	}
	before := h.git("rev-parse", "refs/notes/ai")
	if out := notesWrite("main"); !strings.Contains(out, "left alone: it has a note") || !strings.Contains(out, "left alone: no session") ||
		h.git("rev-parse", "refs/notes/ai") != before {
		t.Error(out)
	}

	// Another machine: the commit and the note, but not the session.
	clone := filepath.Join(t.TempDir(), "clone")
	h.git("clone", "-q", h.repo, clone)
	h.git("-C", clone, "fetch", "-q", "origin", "refs/notes/ai:refs/notes/ai")
	other := &exported{t, t.TempDir()}
	out, errs, code := other.run("-C", clone, "why", made)
	if code != 0 || !strings.Contains(out, "stated   Git AI note: claude claude-sonnet-4-5, session "+whyID) {
		t.Errorf("%d %s%s", code, out, errs)
	}

	// A person's own note in that ref stays, and says nothing.
	h.now = h.now.Add(time.Hour)
	h.creates("more.go", "package parser\n")
	h.bash(`git add -A && git commit -m "more"`, func() string { h.git("add", "-A"); return h.git("commit", "-m", "more") })
	h.git("notes", "--ref=ai", "add", "-m", "mine")
	if out := notesWrite(); !strings.Contains(out, "left alone: it has a note") || h.git("notes", "--ref=ai", "show", "HEAD") != "mine" {
		t.Error(out)
	}
}
