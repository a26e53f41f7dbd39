package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/cmd/aburn/internal/sessions"
	"aburn/internal/fault"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/own"
)

// pair is a session of the real Claude Code as its store has it and as hooks recorded it.
const pair = "../../trace/join/testdata/pairs/claude-denied"

// A session that hooks recorded too is listed once, its story has what they alone know, and the differences are said.
func TestShowJoins(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(pair)); err != nil {
		t.Fatal(err)
	}
	oss := filepath.Join(dir, "project", ".oss")
	if err := os.MkdirAll(filepath.Dir(oss), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "log"), oss); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(oss, 0o700); err != nil {
		t.Fatal(err)
	}
	run := ingested(t, []trace.Reader{claude.New(), own.New()}, filepath.Join(dir, "store"), filepath.Join(dir, "project"))

	var list sessions.SessionsReport
	_, out, errs := run("sessions", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Sessions) != 1 || !list.Sessions[0].Recorded || list.Sessions[0].Source != "claude" {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	code, story, errs := run("show", "aaaaaaaa", "--calls", "--all")
	if code != fault.ExitOK || !strings.Contains(story, "recorded   also by aburn's hooks, ") || !strings.Contains(story, "\n    + ") {
		t.Errorf("exit %d\n%s%s", code, story, errs)
	}
	shown := func(args ...string) *trace.SessionTrace {
		_, out, errs := run(append([]string{"show", "aaaaaaaa", "--json"}, args...)...)
		tr, err := tracetest.Parse([]byte(out))
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, errs)
		}
		return tr
	}
	alone, both := shown(), shown("--joined")
	if len(both.Events) <= len(alone.Events) || len(both.Sources) != len(alone.Sources)+1 {
		t.Errorf("joined, it has %d events of %d sources; alone %d of %d", len(both.Events), len(both.Sources), len(alone.Events), len(alone.Sources))
	}
	// The numbers in the story are those of --raw, whatever was put in between.
	for i := range alone.Events {
		n := strconv.Itoa(i + 1)
		if code, record, errs := run("show", "aaaaaaaa", "--raw", n); code != fault.ExitOK || !json.Valid([]byte(record)) {
			t.Errorf("--raw %s: exit %d %s%s", n, code, record, errs)
		}
	}
	if code, record, errs := run("show", "own/"+alone.ID, "--raw", "1"); code != fault.ExitOK || !strings.Contains(record, `"event":"SESSION_START"`) {
		t.Errorf("an entry of the log: exit %d %s%s", code, record, errs)
	}

	code, out, errs = run("show", "aaaaaaaa", "--differences", "--json")
	var r sessions.DifferencesReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != fault.ExitOK {
		t.Fatalf("exit %d %v\n%s", code, err, errs)
	}
	if r.StoreCalls != alone.Count().Calls || r.HookCalls == 0 || r.Agree+len(r.Differences) < r.StoreCalls {
		t.Errorf("%+v", r)
	}
	if code, out, _ := run("show", "aaaaaaaa", "--differences"); code != fault.ExitOK ||
		!strings.HasPrefix(out, "the store has 5 calls, the hooks have 5 calls: ") {
		t.Errorf("exit %d\n%s", code, out)
	}
	run = archived(t, session("bbbbbbbb-2", "root"))
	if code, _, errs := run("show", "bbbb", "--differences"); code != fault.ExitFailed ||
		!strings.Contains(errs, "aburn's hooks recorded nothing of claude/bbbbbbbb-2") {
		t.Errorf("exit %d\n%s", code, errs)
	}
}
