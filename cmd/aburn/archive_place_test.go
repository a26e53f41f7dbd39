package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/archiving"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
	"aburn/internal/units"
	"aburn/trace"
)

// readingCommands read the archive.
var readingCommands = []string{"ingest --check", "sessions", "sessions --json", "show aaaa", "graph", "graph aaaa --html x.html", "tools", "tools --json",
	"report", "report --json", "export --format jsonl"}

// pathOf is where the archive of a test is.
func pathOf(t *testing.T, run runner) string {
	t.Helper()
	_, out, _ := run("ingest", "--check", "--json")
	var r archiving.IngestCheckReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err, out)
	}
	return r.Archive
}

// Whatever is in the archive's place, each command says the fact, once, and what to do; none makes it worse.
func TestNoCommandIsAtALossForAnArchive(t *testing.T) {
	world.Unshared(t)
	for _, c := range []struct {
		name, want, hint string
		spoil            func(path string) error
	}{
		{"a text", "archive.db: sqlite3: file is not a database", "move it away", func(path string) error {
			return os.WriteFile(path, bytes.Repeat([]byte("no database "), 100), 0o600)
		}},
		{"pages that are spoilt", "malformed", "move it away", spoilPages},
		{"a folder", "not a regular file", "move away what is there", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		}},
		{"a file in place of the folder", "not a directory", "move away what is there", func(path string) error {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Dir(path), nil, 0o600)
		}},
	} {
		run := archived(t, session("aaaaaaaa-1", "root"), session("bbbbbbbb-2", "fork aaaaaaaa-1"))
		if err := c.spoil(pathOf(t, run)); err != nil {
			t.Fatal(err)
		}
		for _, command := range readingCommands {
			code, out, errs := run(strings.Fields(command)...)
			if code != fault.ExitFailed || out != "" || !strings.HasPrefix(errs, "aburn: error: ") || !strings.Contains(errs, c.want) ||
				!strings.Contains(errs, "\naburn: hint: ") || !strings.Contains(errs, c.hint) {
				t.Errorf("%s: aburn %s: exit %d\n%s%s", c.name, command, code, out, errs)
			}
		}
	}
}

// olderSchema writes the number of an older schema into the header of a database.
func olderSchema(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	copy(data[60:], []byte{0, 0, 0, 2})
	return os.WriteFile(path, data, 0o600)
}

// spoilPages overwrites what SQLite has in all pages behind those of the schema.
func spoilPages(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const page = 8192
	for at := 3 * page; at+page <= len(data); at += page {
		copy(data[at:], bytes.Repeat([]byte{0xff}, 4000))
	}
	return os.WriteFile(path, data, 0o600)
}

// Where no agent has saved a session, commands say so, with the folders. An archive that is not there and not to be made is a
// usage error.
func TestNothingArchivedYet(t *testing.T) {
	world.Unshared(t)
	run := archived(t)
	for _, command := range []string{"sessions", "graph", "tools", "report", "lessons", "export --format jsonl"} {
		code, out, errs := run(strings.Fields(command)...)
		said := strings.HasPrefix(errs, "aburn: note: "+lookup.NoSessions+"\naburn: note: aburn looked in ~/.claude/projects, ")
		if code != fault.ExitOK || out != "" || !said {
			t.Errorf("%s: exit %d\n%s%s", command, code, out, errs)
		}
	}
	for _, command := range []string{"replay 5b0c2f91", "remedy e1-8501f075f0ca"} {
		code, _, errs := run(strings.Fields(command)...)
		if code != fault.ExitFailed || errs != "aburn: error: the archive is empty\naburn: hint: aburn ingest  # reads what agents have written to disk\n" {
			t.Errorf("%s: exit %d\n%s", command, code, errs)
		}
	}
	path := pathOf(t, run)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	for _, command := range readingCommands[1:] {
		code, _, errs := run(strings.Fields(command + " --no-ingest")...)
		if want := "aburn: error: no archive yet in " + filepath.Dir(path) + "\naburn: hint: aburn ingest\n"; code != fault.ExitUsage || errs != want {
			t.Errorf("%s: exit %d\n%s", command, code, errs)
		}
	}
}

// A session's name can be too short, or mean several, or name its source; a project and a tool can be mistyped.
func TestNamesThatMeanNothing(t *testing.T) {
	world.Unshared(t)
	ids := []string{"aaaaaaaa-1", "aaaaaaaa-2", "bbbbbbbb-3"}
	for i := range 9 {
		ids = append(ids, "cccccccc-"+strconv.Itoa(i))
	}
	var traces []*trace.SessionTrace
	for _, id := range ids {
		s := session(id, "root")
		s.Project = trace.Project{Path: "/home/user/shop", Key: "/home/user/shop"}
		traces = append(traces, s)
	}
	run := archived(t, traces...)
	ended := time.Date(2025, 11, 20, 10, 0, 2, 0, time.UTC).Local().Format("2006-01-02 15:04")
	for command, want := range map[string]string{
		"show aaa":  "\"aaa\" is too short: give the first or last 4 characters of an id\naburn: hint: aburn sessions\n",
		"show zzzz": "no session in the archive is called \"zzzz\"\n",
		"show aaaa": "2 sessions are called \"aaaa\"\naburn: hint: aaaaaaaa-1 · claude · " + ended +
			" · do it\naburn: hint: aaaaaaaa-2 · claude · " + ended + " · do it\n",
		"show cccc":                    "aburn: hint: and 1 more: aburn sessions --limit 0\n",
		"show codex/bbbb":              "no session in the archive is called \"codex/bbbb\"\n",
		"sessions --project shp":       "aburn: hint: did you mean shop?\n",
		"sessions --project nonsense":  "aburn: hint: one of shop\n",
		"tools --tool bahs":            "aburn: note: no call matches\naburn: hint: did you mean Bash?\n",
		"tools --type shall":           "aburn: hint: did you mean shell?\n",
		"graph bbbb --limit x":         "aburn: error: --limit: \"x\" is not a number\n",
		"sessions --limit 1.5":         "aburn: error: --limit: \"1.5\" is not a number\n",
		"sessions --json=maybe":        "aburn: error: --json: \"maybe\" is neither true nor false\n",
		"show bbbb --raw 17a":          "aburn: error: --raw: \"17a\" is not a number\n",
		"sessions --relationship none": "aburn: hint: one of root, continuation, fork, subagent\n",
	} {
		if code, _, errs := run(strings.Fields(command)...); (code == fault.ExitOK) != strings.HasPrefix(command, "tools --tool") || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d\n%s want %s", command, code, errs, want)
		}
	}
	if code, out, errs := run("show", "claude/bbbb", "--calls"); code != fault.ExitOK || !strings.Contains(out, "claude/bbbbbbbb-3") {
		t.Errorf("source/part: exit %d\n%s%s", code, out, errs)
	}
}

// --tool takes a tool as its agent calls it, and as the tables show it.
func TestToolAsItIsShown(t *testing.T) {
	world.Unshared(t)
	s := session("aaaaaaaa-1", "root")
	s.Events[1].Body.(*trace.ToolCall).Tool = "mcp__tracker__search"
	run := archived(t, s)
	for _, name := range []string{"mcp__tracker__search", "tracker:search"} {
		if code, out, errs := run("tools", "--failed", "--tool", name); code != fault.ExitOK || !strings.Contains(out, "1 call failed of 1 that ended (100.0%)") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
		}
	}
	if _, _, errs := run("tools", "--tool", "traker:search"); !strings.Contains(errs, "did you mean tracker:search?") {
		t.Error(errs)
	}
}

// In a narrow table a time that is far off is told apart by its month and year, in the future too.
func TestDateLayouts(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	for at, want := range map[time.Time]string{
		now.Add(-time.Hour): "11:00", now.AddDate(0, 0, -2): "19 Nov", now.AddDate(-1, 0, 0): "2025-11", now.AddDate(0, 0, 2): "23 Nov",
		now.AddDate(7000, 0, 0): "9026-11",
	} {
		if got := at.Format(units.DateLayout(true, at, now)); got != want {
			t.Errorf("%v: %s, want %s", at, got, want)
		}
	}
}
