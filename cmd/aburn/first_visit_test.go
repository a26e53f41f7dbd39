package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// firstVisit is a home on which nobody has run aburn: no project is trusted, and no hook is installed.
func firstVisit(t *testing.T) *webWorld {
	t.Helper()
	t.Parallel()
	world.Unshared(t)
	w := &webWorld{T: t, dir: placeOf(t), extra: []string{"ABURN_HOME=", "CLAUDE_PROJECT_DIR="}}
	if err := os.Mkdir(w.home(), 0o700); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *webWorld) home() string { return filepath.Join(w.dir, "home") }

// run runs aburn in a folder. Its exit code has to be 0.
func (w *webWorld) run(dir string, args ...string) (out, errs string) {
	w.Helper()
	cmd := w.command("aburn", args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		w.Fatalf("aburn %s: %v\n%s%s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String(), stderr.String()
}

var timestamp = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`)

// save writes a session of a fixture as if it had just ended its last step, in another project.
func (w *webWorld) save(fixture, as, project, inProject string) {
	w.Helper()
	text, err := os.ReadFile(fixture)
	if err != nil {
		w.Fatal(err)
	}
	var last time.Time
	for _, at := range timestamp.FindAllString(string(text), -1) {
		if at, err := time.Parse(time.RFC3339Nano, at); err == nil && at.After(last) {
			last = at
		}
	}
	shift := time.Since(last) - 2*time.Second // unused where the file has no times
	text = timestamp.ReplaceAllFunc(text, func(at []byte) []byte {
		was, err := time.Parse(time.RFC3339Nano, string(at))
		if err != nil {
			return at
		}
		return []byte(was.Add(shift).UTC().Format("2006-01-02T15:04:05.000Z"))
	})
	text = bytes.ReplaceAll(text, []byte(project), []byte(inProject))
	path := filepath.Join(w.home(), as)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		w.Fatal(err)
	}
}

// saveThree saves a session of each of three agents, in three projects. Only shop's folder exists.
func (w *webWorld) saveThree() (shop string) {
	w.Helper()
	if now := time.Now().UTC(); now.Hour() == 0 && now.Minute() < 5 {
		w.Skip("a session of the last minutes may be yesterday's")
	}
	shop = filepath.Join(w.home(), "src", "shop")
	if err := os.MkdirAll(filepath.Join(shop, ".git"), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shop, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		w.Fatal(err)
	}
	const claude, codex = "5b0c2f91-0000-4000-8000-000000000001", "rollout-2025-11-20T11-00-00-019ddd00-0000-7000-8000-00000000c0de"
	w.save("testdata/store/home/.claude/projects/-home-user-shop/"+claude+".jsonl", ".claude/projects/-home-user-shop/"+claude+".jsonl", "/home/user/shop", shop)
	w.save("testdata/store/home/.codex/sessions/2025/11/20/"+codex+".jsonl", ".codex/sessions/2026/11/20/"+codex+".jsonl", "/home/user/shop", "/srv/bank")
	for _, name := range []string{".gemini/projects.json", ".gemini/tmp/gm-proj/.project_root"} {
		w.save("../../trace/gemini/testdata/home/"+name, name, "/home/user/gm-proj", "/srv/gm-proj")
	}
	const gemini = "session-2026-11-21T08-00-6c7d4b74"
	w.save("../../trace/gemini/testdata/home/.gemini/tmp/gm-proj/chats/"+gemini+".jsonl", ".gemini/tmp/gm-proj/chats/"+gemini+".jsonl", "/home/user/gm-proj",
		"/srv/gm-proj")
	return shop
}

// mentions reports each text that is missing.
func mentions(t *testing.T, what, said string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(said, text) {
			t.Errorf("%s doesn't say %q:\n%s", what, text, said)
		}
	}
}

// conceals reports each text that would hide a session, or turn away a newcomer.
func conceals(t *testing.T, what, said string) {
	t.Helper()
	for _, text := range []string{"$0.00", "not trusted", "aburn init", "no .oss"} {
		if strings.Contains(said, text) {
			t.Errorf("%s says %q:\n%s", what, text, said)
		}
	}
}

// The first command on a machine shows all that agents saved there: no project has to be trusted first.
func TestFirstVisit(t *testing.T) {
	w := firstVisit(t)
	shop := w.saveThree()
	top, _ := w.run(w.home(), "top", "--once")
	mentions(t, "top", top, "3 sessions running · today ~$0.0", "shop", "bank", "gm-proj", "claude", "codex", "gemini")
	conceals(t, "top", top)
	status, _ := w.run(w.home(), "status")
	mentions(t, "status", status, "shop", "bank", "gm-proj", "claude", "codex", "gemini")
	conceals(t, "status", status)
	here, errs := w.run(shop, "status")
	mentions(t, "status in a project", here, "shop", "claude")
	conceals(t, "status in a project", strings.ReplaceAll(here+errs, "aburn init", ""))
	if strings.Contains(here, "bank") {
		t.Errorf("status in a project has sessions of others:\n%s", here)
	}
	w.serve()
	now := w.until("/", "fix the tests of the shop")
	mentions(t, "the page Now", now, "shop", "bank", "gm-proj", "Claude Code", "Codex", "Gemini CLI")
	for _, path := range []string{"/", "/sessions", "/projects", "/cost", "/failures", "/health"} {
		code, page := w.page(path)
		if code != 200 {
			t.Errorf("%s: %d", path, code)
		}
		if path == "/failures" { // no session failed
			page = strings.Replace(page, ">$0.00<", "", 1)
		}
		conceals(t, path, page)
	}
	sessions := w.until("/sessions", "fix the tests of the shop")
	mentions(t, "the page Sessions", sessions, "bank", "gm-proj", "list the prices")
	mentions(t, "the page Projects", w.until("/projects", ">shop<"), ">bank<", ">gm-proj<")
}

// On a machine without sessions each command says so, and where it looked. None says what to do in the home folder.
func TestFirstVisitWithoutSessions(t *testing.T) {
	w := firstVisit(t)
	const none, looked = "no agent has saved sessions here yet", "aburn looked in ~/.claude/projects, "
	for _, args := range [][]string{{"top", "--once"}, {"status"}} {
		out, errs := w.run(w.home(), args...)
		mentions(t, args[0], out+errs, none, looked)
		conceals(t, args[0], out+errs)
	}
	w.serve()
	for _, path := range []string{"/", "/sessions", "/projects", "/cost", "/failures"} {
		page := w.until(path, looked)
		mentions(t, path, strings.ToLower(page), none)
		conceals(t, path, page)
	}
}

// What a repository ships is shown as little as before, and the page says so.
func TestUntrustedLogIsLeftOut(t *testing.T) {
	w := firstVisit(t)
	w.saveThree()
	clone := filepath.Join(w.home(), "src", "clone")
	if err := os.MkdirAll(filepath.Join(clone, ".oss"), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile("testdata/golden/home/shop/.oss/workflow.log")
	if err != nil {
		log = []byte(`{"ts":"2026-11-21T10:00:00.000Z","cmd":"session","phase":"","event":"PROMPT","session":"planted-1","seq":1,"id":"a1","source":"claude",` +
			`"data":{"head":"planted words"}}` + "\n")
	}
	if err := os.WriteFile(filepath.Join(clone, ".oss", "workflow.log"), log, 0o600); err != nil {
		t.Fatal(err)
	}
	w.extra = append(w.extra, "PWD="+clone)
	w.run(clone, "ingest")
	w.serve()
	sessions := w.until("/sessions", "fix the tests of the shop")
	if strings.Contains(sessions, "planted words") {
		t.Error("the page shows what an untrusted log says")
	}
	mentions(t, "the page", sessions, "1 session is only in the log of a project that you have not trusted")
}
