package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"aburn/internal/lab/browser"
	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// A second aburn web ends with a new link of the first. An agent gets none, neither from the first nor by starting one.
func TestWebLinks(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	w.serve("--no-ingest")
	second := w.link()
	if !strings.HasPrefix(second, "http://aburn.localhost:"+w.port+"/#k=") {
		t.Fatalf("the second link is %q", second)
	}
	w.come(second)
	if code, _ := w.page("/"); code != 200 {
		t.Errorf("with it: %d", code)
	}
	state := filepath.Join(w.dir, "home", ".local", "state", "aburn")
	for name, mode := range map[string]os.FileMode{"web.lock": 0o600, "web.sock": 0o600 | os.ModeSocket} {
		if st, err := os.Lstat(filepath.Join(state, name)); err == nil && st.Mode() != mode {
			t.Errorf("%s has the mode %v", name, st.Mode())
		}
	}
	agent := w.command("aburn", "web", "--print")
	agent.Env = append(agent.Env, "CLAUDE_CODE_SESSION_ID=aaaa1111")
	out, err := agent.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "only people get links, and Claude Code started this process") || strings.Contains(string(out), "#k=") {
		t.Errorf("an agent gets %v %s", err, out)
	}
	// The one that runs looks for itself: it asks nobody about the variables.
	if _, err := os.Stat("/proc/self/environ"); err == nil {
		child := w.command("sh", "-c", "env -u CODEX_SESSION_ID -u CODEX_THREAD_ID aburn web --print; true")
		child.Env = append(child.Env, "CODEX_SESSION_ID=bbbb2222")
		if out, _ := child.CombinedOutput(); !strings.Contains(string(out), "Codex started this process") || strings.Contains(string(out), "#k=") {
			t.Errorf("an agent's child gets %s", out)
		}
	}
}

// Projects that the user's settings hide are on no page. All others are shown, trusted or not; --project names the only one.
func TestWebNarrows(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, webUnits)
	const hidden = `{"hidden": ["quarry", "/home/*/work/anvil", "meadow"]}`
	if err := os.WriteFile(filepath.Join(w.home(), ".config", "aburn", "settings.json"), []byte(hidden), 0o600); err != nil {
		t.Fatal(err)
	}
	w.serve("--no-ingest")
	for _, at := range []string{"/", "/sessions?kind=all", "/cost?period=all", "/failures", "/health", "/projects", "/sessions?kind=all&q=quarry",
		"/sessions?kind=all&project=%2Fhome%2Fuser%2Fwork%2Fquarry"} {
		_, page := w.page(at)
		page = strings.ReplaceAll(page, "work/quarry/tool.py", "") // an error of another project's session names it
		for _, name := range []string{"work/anvil", "work/meadow", "work/quarry", ">quarry<"} {
			if strings.Contains(strings.ReplaceAll(page, "project=%2Fhome", ""), name) && !strings.Contains(at, "quarry") {
				i := strings.Index(page, name)
				t.Errorf("%s shows %s: %s", at, name, page[max(i-200, 0):min(i+100, len(page))])
			}
		}
	}
	if _, page := w.page("/health"); !strings.Contains(page, "that your settings hide") {
		t.Error("it does not say that it leaves some out")
	}
	trusted, others := 0, 0
	var list struct {
		Sessions []struct {
			Source, Session string
			Project         struct{ Key string }
		}
	}
	if err := json.Unmarshal([]byte(w.aburn("sessions", "--subagents", "--no-ingest", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	for _, s := range list.Sessions {
		code, _ := w.page("/s/" + s.Source + "/" + s.Session)
		name := filepath.Base(s.Project.Key)
		if want := map[bool]int{true: 404, false: 200}[strings.Contains("quarry anvil meadow", name)]; code != want {
			t.Fatalf("a session of %s: %d, want %d", s.Project.Key, code, want)
		}
		if strings.Contains("orchard tundra lantern harbor willow", name) {
			trusted++
		} else {
			others++
		}
	}
	if trusted == 0 || others == 0 {
		t.Errorf("%d sessions of trusted projects, %d of others", trusted, others)
	}
	top := w.aburn("top", "--json", "--no-ingest", "--project", "quarry") // who names a project wants to see it
	if strings.Contains(top, "hide") {
		t.Error(top)
	}
}

// What hooks write appears by itself, with the whole question, and goes when it is answered; the tab counts; the reader's focus stays.
func TestWebFollowsTheLog(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	w := newWebWorld(t, 0)
	w.serve("--no-ingest")
	b.Open(w.link())
	b.Until(`document.title`, "Now · aburn")
	b.Until(`String(!!document.querySelector('#live-working') && location.hash === '')`, "true")
	b.Open(strings.Replace(w.at("/"), "127.0.0.1", "aburn.localhost", 1))
	const session = "aaaa1111-0000-4000-8000-000000000001"
	w.begin(session, "Fix rounding")
	b.Until(`String(document.querySelectorAll('#live-working .works').length)`, "1")
	b.Value(`document.querySelector('#q').focus()`)
	w.asks(session, "psql -c '<img src=x onerror=pwned=1>'")
	b.Until(`(document.querySelector('#live-waiting pre') || {}).textContent || ''`, "psql -c '<img src=x onerror=pwned=1>'")
	b.Until(`document.title`, "(1) Now · aburn")
	b.Until(`document.querySelector('#news').textContent`, "1 waiting for you")
	if got := b.Value(`document.activeElement.id`); got != "q" {
		t.Errorf("the focus went to %s", got)
	}
	b.Press("Escape")
	b.Value(`document.activeElement.blur()`)
	b.Press("j")
	if got := b.Value(`document.activeElement.className`); got != "card asks" {
		t.Errorf("j goes to %s", got)
	}
	answered := func() {
		w.hook(map[string]any{"session_id": session, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "x"},
			"tool_response": map[string]any{}, "tool_use_id": "toolu_" + session})
	}
	answered()
	b.Until(`document.title`, "Now · aburn")
	b.Until(`String(document.querySelectorAll('#live-waiting .card').length)`, "0")
	if got := b.Value(`String(window.pwned)`); got != "undefined" {
		t.Error("a command became a script")
	}
	b.Quiet()
	// A page about something else counts, too, without being made anew.
	b.Open(strings.Replace(w.at("/cost?period=all"), "127.0.0.1", "aburn.localhost", 1))
	b.Until(`document.title`, "Cost · aburn")
	anew := ""
	for range 5 { // it is made anew once, at any time, if it may have missed something before it joined the tab that listens
		b.Value(`String(performance.clearResourceTimings())`)
		w.asks(session, "make migrate")
		b.Until(`document.title`, "(1) Cost · aburn")
		b.Until(`document.querySelector('#marks .wait').textContent`, "◆ 1 waiting")
		if anew = b.Value(`performance.getEntriesByType('resource').map((e) => e.name).filter((n) => n.includes('/cost')).join(' ')`); anew == "" {
			break
		}
		answered()
		b.Until(`document.title`, "Cost · aburn")
	}
	if anew != "" {
		t.Errorf("an entry makes the page anew: %s", anew)
	}
}

// New sessions are read while the page is open, and it says so by itself.
func TestWebReadsNewSessions(t *testing.T) {
	t.Parallel()
	w := newWebWorld(t, 0)
	w.stored("99990000-0000-4000-8000-000000000009").prompt("weed the garden")
	w.serve()
	page := w.until("/sessions?kind=all", "weed the garden")
	if !strings.Contains(page, "/s/claude/99990000-0000-4000-8000-000000000009") {
		t.Error(page)
	}
	if code, _ := w.page("/s/99990000"); code != 200 {
		t.Errorf("by its short name: %d", code)
	}
}

// stored is a new session of Claude Code in the shop.
func (w *webWorld) stored(id string) *storedSession {
	w.Helper()
	path := filepath.Join(w.dir, "home", ".claude", "projects", "-shop", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.Fatal(err)
	}
	return &storedSession{t: w.T, path: path, dir: w.shop, id: id}
}

// What nobody knows is not 0, and a file that was copied just now makes its session of last year no living one.
func TestWebSaysNoMoreThanIsKnown(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	w.stored("99990000-0000-4000-8000-000000000009").answer("claude-opus-5-5", 10_000)
	w.stored("88880000-0000-4000-8000-000000000008").answer("mystery-9", 10_000)
	w.stored("77770000-0000-4000-8000-000000000007").prompt("asked a year ago")
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	_, page := w.page("/cost?period=all")
	_, row, _ := strings.Cut(page, ">mystery-9</a>")
	if row, _, _ = strings.Cut(row, "</tr>"); !strings.Contains(row, "no price") || !strings.Contains(row, ">–</td>") {
		t.Errorf("the share of a model without a price: %s", row)
	}
	if _, page = w.page("/s/claude/77770000-0000-4000-8000-000000000007"); strings.Contains(page, `data-name="tokens" data-value="0"`) ||
		strings.Contains(mainOf(page), "$0.00") || !strings.Contains(page, `data-name="tokens" data-value="–"`) {
		t.Errorf("a session without token data:\n%s", mainOf(page))
	}
	if _, page = w.page("/"); strings.Contains(page, "asked a year ago") || !strings.Contains(page, "no hooks: its own file was last written") {
		t.Errorf("a session of last year lives:\n%s", page)
	}
	_, page = w.page("/projects")
	if !strings.Contains(page, "<span aria-hidden=\"true\">●</span> 2 running</span>") || !strings.Contains(page, `data-name="sessions" data-value="3"`) {
		t.Errorf("projects:\n%s", page)
	}
}

// hostileWords break out of a page, a terminal or a line where they are not taken for text.
var hostileWords = []string{
	`</script><script>pwned=1</script>`, `"><img src=x onerror=pwned=1>`, `' onmouseover='pwned=1`, `{{.}}<b>`, "\u202egnp.exe", "ze\u200bro\u2060width",
	"\x1b]0;mine\x07\x1b[31m",
	"a\ud7ff\ufffdb", "tag\U000e0041", "javascript:pwned=1", "line\u2028sep",
}

// Hostile prompts, commands, results, branches and paths are text on every page, and what is invisible shows.
func TestWebHostileTexts(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 0)
	for i, words := range hostileWords {
		s := w.stored(fmt.Sprintf("%04d9999-0000-4000-8000-000000000009", i))
		s.prompt(words)
		for range 4 {
			s.shell(words, words)
		}
		w.begin(fmt.Sprintf("aaaa%04d-0000-4000-8000-000000000001", i), words)
		w.asks(fmt.Sprintf("aaaa%04d-0000-4000-8000-000000000001", i), words)
	}
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	w.until("/", fmt.Sprintf("%d</span></h2>", len(hostileWords)))
	paths := []string{"/", "/sessions?kind=all", "/cost?period=all", "/failures", "/health", "/projects",
		"/sessions?q=" + "%3Cscript%3Epwned%3D1%3C%2Fscript%3E%E2%80%AE", "/s/%3Cscript%3E/x", "/failures/%3Cb%3E", "/cost?model=%22%3E%3Cscript%3E&period=all"}
	_, page := w.page("/sessions?kind=all")
	for i := range hostileWords {
		paths = append(paths, fmt.Sprintf("/s/claude/%04d9999-0000-4000-8000-000000000009", i))
	}
	if strings.Count(page, `9999-0000-4000-8000-000000000009">`) != len(hostileWords) {
		t.Error("not all sessions are there")
	}
	_, page = w.page("/failures")
	for _, m := range strings.Split(page, `<a href="/failures/`)[1:] {
		at, _, _ := strings.Cut(m, `"`)
		paths = append(paths, "/failures/"+at)
	}
	moves := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && plain.Person(r) != r
	}
	for _, at := range paths {
		_, page := w.page(at)
		for _, no := range []string{"<script>pwned", "<img", "<b>\n", "' onmouseover", `href="javascript`} {
			if strings.Contains(page, no) {
				t.Errorf("%s holds %q", at, no)
			}
		}
		if i := strings.IndexFunc(page, moves); i >= 0 {
			t.Errorf("%s holds %q", at, page[max(0, i-40):min(len(page), i+20)])
		}
	}
	b := browser.Start(t)
	b.Open(w.link())
	b.Until(`String(!!document.querySelector('#live-working') && location.hash === '')`, "true")
	for _, at := range paths {
		b.Go(strings.Replace(w.at(at), "127.0.0.1", "aburn.localhost", 1))
		if got := b.Value(`String(window.pwned)`); got != "undefined" {
			t.Errorf("%s runs what it shows", at)
		}
	}
}

// Nobody finds a secret of a session on a page.
func TestWebHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	w := newWebWorld(t, 0)
	secret := "ghp_" + strings.Repeat("aB3dE6gH", 4) + "Zz99"
	s := w.stored("99990000-0000-4000-8000-000000000009")
	s.prompt("use " + secret)
	s.shell("curl -H 'Authorization: Bearer "+secret+"' x", "401 for "+secret)
	w.begin("aaaa1111-0000-4000-8000-000000000001", "use "+secret)
	w.asks("aaaa1111-0000-4000-8000-000000000001", "export TOKEN="+secret)
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	w.until("/", "Permission")
	for _, at := range []string{"/", "/sessions", "/s/claude/99990000-0000-4000-8000-000000000009", "/failures", "/cost?period=all", "/health"} {
		if code, page := w.page(at); code != http.StatusOK || strings.Contains(page, secret[4:20]) {
			t.Errorf("%s: %d, or it holds the secret", at, code)
		}
	}
}

// The demo shows recorded sessions and a log that goes on, keeps away from the user's files, and leaves nothing behind.
func TestWebDemo(t *testing.T) {
	world.Slow(t)
	w := newWebWorld(t, 0)
	temp := filepath.Join(w.dir, "temp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	w.extra = []string{"TMPDIR=" + temp}
	t.Run("while it runs", func(t *testing.T) {
		inner := *w
		inner.T = t
		inner.serve("--demo")
		inner.until("/", "ALTER TABLE cart_items")
		page := inner.until("/", `class="card works"`) // the session that goes on, with its prompt from the start
		if !strings.Contains(page, ">/build</a>") && !strings.Contains(page, "> Claude Code af1c5fba</h3>") || strings.Contains(page, "without a prompt") {
			t.Errorf("its card has no title:\n%s", page)
		}
		inner.until("/", ">/build</a>")
		inner.until("/sessions", "Review the migration of invoices")
		page = inner.until("/cost?period=all", "claude-opus-5-5")
		if !strings.Contains(page, "This is a demo") {
			t.Error("it does not say that it is a demo")
		}
	})
	if list, _ := os.ReadDir(temp); len(list) != 0 {
		t.Errorf("it leaves %s behind", list[0].Name())
	}
	if _, err := os.Stat(filepath.Join(w.dir, "archive")); err == nil {
		t.Error("it wrote into the user's archive")
	}
}

// A link of a report leads through the door to the session.
func TestWebLinksOfReports(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, webUnits)
	w.serve("--no-ingest")
	path := filepath.Join(w.dir, "report.html")
	w.aburn("report", "--no-ingest", "--html", path, "--project", "/home/user/work/orchard")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), `href="http://aburn.localhost:4780/s/`)
	if !ok {
		t.Fatal("the report has no link")
	}
	at, _, _ := strings.Cut(rest, `"`)
	r, _ := http.NewRequest("GET", w.at("/s/"+at), nil)
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Accept": "text/html"} {
		r.Header.Set(name, value)
	}
	got, err := w.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	door, _ := io.ReadAll(got.Body)
	if got.StatusCode != http.StatusForbidden || !strings.Contains(string(door), `<a class="button" href="/s/`+at+`">`) {
		t.Errorf("the door: %d %s", got.StatusCode, door)
	}
	if code, page := w.page("/s/" + at); code != 200 || !strings.Contains(page, `aria-label="What happened"`) {
		t.Errorf("behind it: %d", code)
	}
}

// --read-only takes the button away, and its path takes nothing.
func TestWebReadOnly(t *testing.T) {
	t.Parallel()
	w := newWebWorld(t, 0)
	w.serve("--no-ingest", "--read-only")
	if code, page := w.page("/health"); code != 200 || strings.Contains(page, "ingestnow") {
		t.Errorf("health: %d, or with a button", code)
	}
	r, _ := http.NewRequest("POST", w.at("/ingest"), strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", w.at(""))
	got, err := w.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("the button: %d", got.StatusCode)
	}
}
