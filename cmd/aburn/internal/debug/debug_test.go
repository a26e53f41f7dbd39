package debug

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
)

// planted are secrets and texts that no bundle may hold, by where they are.
var planted = map[string]string{
	"a prompt":                 "sentinelprompt rewrite the billing",
	"a key in a prompt":        "ghp_" + "R8x2kQ9vLmZ4pT7w" + "B1nC6dF3gH5jK0sY2uVq",
	"a command":                "sentinelcommand",
	"a tool's path":            "sentinelpath.go",
	"a task":                   "sentineltask",
	"a worker's name":          "sentinelworker",
	"a message's sender":       "sentinelsender",
	"a reason in a ledger":     "sentinelwhy",
	"a setting":                "sentinelsetting",
	"a setting's key":          "sentinel/key/of/a/project",
	"a command in settings":    "sentinelargument",
	"a key in settings":        "sk-ant-" + strings.Repeat("q7W", 16),
	"a key in a log":           "glpat-" + strings.Repeat("x9Z", 7),
	"a variable's value":       "correct-horse-battery",
	"a variable's value twice": "letmeinplease",
}

// stocked is a home and a project with all of them.
func stocked(t *testing.T) (a *kit.App, root string, out *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	root = filepath.Join(home, "sentinelproject")
	env := map[string]string{"HOME": home, "PATH": os.Getenv("PATH")}
	getenv := func(name string) string { return env[name] }
	t.Setenv("SHOP_API_KEY", planted["a variable's value"])
	t.Setenv("PGPASSWORD", planted["a variable's value twice"])
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(project.ConfigDir(getenv), "settings.json"),
		`{"sync": "durable", "rotate": 4096, "notify": {"command": ["`+planted["a command in settings"]+`", "`+planted["a key in settings"]+
			`"]}, "cost": {"projects": {"`+planted["a setting's key"]+`": 12}}}`)
	put(filepath.Join(root, ".oss", "settings.json"), `{"phases": {"build": {"longest": "30m", "timeout": "`+planted["a setting"]+`"}}}`)
	put(filepath.Join(project.StateDir(getenv), "daemon", "log"),
		"2026-11-28 forge: refused "+planted["a key in a log"]+" in "+root+"\npassword "+planted["a variable's value twice"]+"\n")
	oss, err := os.OpenRoot(filepath.Join(root, ".oss"))
	if err != nil {
		t.Fatal(err)
	}
	defer oss.Close()
	log := journal.New(oss, journal.Options{By: journal.Command})
	for range 20 {
		_, err = log.Append(func(journal.Tail) []*logfmt.Entry {
			return []*logfmt.Entry{
				{Time: time.Now(), Cmd: "session", Event: logfmt.Prompt, Session: "s1", Source: "claude",
					Data: []byte(`{"head":"` + planted["a prompt"] + ` ` + planted["a key in a prompt"] + `","bytes":412}`)},
				{Time: time.Now(), Cmd: "session", Event: logfmt.ToolFailed, Session: "s1", Source: "claude",
					Data: []byte(`{"tool":"Bash","head":"` + planted["a command"] + `","path":"` + planted["a tool's path"] + `","exit":2,"` + planted["a command"] +
						` x":1}`)},
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	store, err := ledger.Open(root, getenv)
	if err != nil {
		t.Fatal(err)
	}
	book := store.Book(planted["a worker's name"])
	if err := book.Create(nil); err != nil {
		t.Fatal(err)
	}
	err = book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Requested}, Detail: ledger.Detail{Task: planted["a task"]}},
		ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 1},
			Detail: ledger.Detail{Why: planted["a reason in a ledger"], From: planted["a message's sender"]}})
	if err != nil {
		t.Fatal(err)
	}
	out = new(bytes.Buffer)
	return &kit.App{Stdout: out, Stderr: out, Getenv: getenv}, root, out
}

// debugIn runs the command in a folder.
func debugIn(t *testing.T, a *kit.App, dir string, args ...string) int {
	t.Helper()
	root := func() *cli.Command {
		return &cli.Command{Name: "aburn", Flags: []cli.Flag{&cli.StringFlag{Name: "C", Value: "."}}, Commands: []*cli.Command{Command(a)}}
	}
	return a.Run(t.Context(), root, append([]string{"aburn", "-C", dir, "debug"}, args...))
}

// A bundle holds none of what was planted, and exactly what was listed before it was written.
func TestBundleHoldsNoSecret(t *testing.T) {
	a, root, out := stocked(t)
	path := filepath.Join(t.TempDir(), "bundle.zip")
	if code := debugIn(t, a, root, "--output", path, "--entries", "30"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	texts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(text)
		if fields := strings.Fields(lineWith(out.String(), f.Name)); len(fields) < 3 || fields[0] != f.Name || fields[1] != strconv.Itoa(len(text)) {
			t.Errorf("%s has %d bytes and is listed as %q", f.Name, len(text), fields)
		}
	}
	all := out.String()
	for name, text := range texts {
		all += text
		for what, secret := range planted {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %s: %s", name, what, secret)
			}
		}
	}
	if strings.Contains(all, "sentinel") && !strings.Contains(all, "PROJECT") || strings.Contains(all, a.Getenv("HOME")+"/sentinelproject") {
		t.Error("it names the user's folders")
	}
	for name, wants := range map[string][]string{
		"versions.json": {`"aburn"`, `"go"`, `"platform"`}, "doctor.json": {`"checks"`},
		"settings-user.json":    {`"sync": "durable"`, `"rotate": 4096`, `"<16 bytes>"`},
		"settings-project.json": {`"phases"`, `"longest": "30m"`}, "entries.jsonl": {`"event":"PROMPT"`, `"bytes":412`, `"tool":"Bash"`, `"exit":2`},
		"workers.json":   {`"kind": "launch_failed"`, `"worker": 1`},
		"daemon-log.txt": {"forge: refused"}, "files.json": {`"workflow.log"`},
	} {
		for _, want := range wants {
			if !strings.Contains(texts[name], want) {
				t.Errorf("%s lacks %s:\n%s", name, want, texts[name])
			}
		}
	}
	if n := strings.Count(texts["entries.jsonl"], "\n"); n != 30 {
		t.Errorf("%d entries", n)
	}
	if before, _, ok := strings.Cut(out.String(), "written: "); !ok || !strings.Contains(before, "entries.jsonl") {
		t.Error("it was not listed before it was written")
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v %v", st.Mode(), err)
	}
	if code := debugIn(t, a, root, "--output", path); code != fault.ExitFailed {
		t.Errorf("it replaces a file: exit %d", code)
	}
}

func lineWith(text, name string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), name+" ") {
			return line
		}
	}
	return ""
}

// --dry-run lists and writes nothing; --json says the same; without a project there are versions and doctor's answer.
func TestBundleIsListed(t *testing.T) {
	a, root, out := stocked(t)
	if code := debugIn(t, a, root, "--dry-run", "--json"); code != 0 || !strings.Contains(out.String(), `"name":"entries.jsonl"`) ||
		strings.Contains(out.String(), `"file"`) {
		t.Errorf("exit %d: %s", code, out)
	}
	if found, _ := filepath.Glob(filepath.Join(root, "*.zip")); len(found) > 0 {
		t.Errorf("it wrote %v", found)
	}
	out.Reset()
	empty := t.TempDir()
	if code := debugIn(t, a, empty); code != 0 || !strings.Contains(out.String(), "doctor.json") || strings.Contains(out.String(), "entries.jsonl") {
		t.Errorf("exit %d: %s", code, out)
	}
	if found, _ := filepath.Glob(filepath.Join(empty, "aburn-debug-*.zip")); len(found) != 1 {
		t.Errorf("it wrote %v", found)
	}
	if code := debugIn(t, a, root, "--entries", "-1"); code != fault.ExitUsage {
		t.Errorf("--entries -1: exit %d", code)
	}
}
