package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/browser"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/overview"
	"aburn/worker/react"
)

// boarding is a scripted agent without a terminal, whose task says what it does.
const boarding = `#!/bin/sh
here=$(pwd) id=5b0c2f91
for a; do [ "$before" = --session-id ] && id=$a; [ "$before" = --resume ] && id=$a; before=$a; done
hook() { printf '{"session_id":"%s","cwd":"%s",%s}' "$id" "$here" "$1" | aburn-hook claude; }
part() { printf '%s' "$line" | sed "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/"; }
say() { echo "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}}"; }
hook '"hook_event_name":"SessionStart","source":"startup"'
while IFS= read -r line; do
	uuid=$(part uuid) text=$(part content)
	printf '%s\n' "$text" >> ../told-$(basename "$here")
	for state in queued started; do echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"$state\"}"; done
	hook "\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"$text\""
	echo "{\"type\":\"user\",\"isReplay\":true,\"message\":{\"role\":\"user\",\"content\":\"$text\"}}"
	case $text in
	*migrate*)
		input='{"command":"psql \"$DATABASE_URL\" -c \"ALTER TABLE carts ADD COLUMN total numeric\""}'
		hook "\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\",\"tool_input\":$input"
		echo "{\"type\":\"control_request\",\"request_id\":\"r1\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\",\"tool_use_id\":\"t1\",\"input\":$input}}"
		IFS= read -r line
		echo "$line" >> ../answers
		say "thank you" ;;
	*slowly*)
		hook '"hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"go test ./..."}'
		until [ -e ../go ]; do sleep 0.1; done ;;
	*rounding*) printf 'total = round(sum, 2)\n' > cart.txt; say "I changed cart.txt" ;;
	*finish*) printf 'done\n' > new.txt; git add new.txt; git commit -q -m 'Add the export'; aburn done "the export is there" >&2 ;;
	esac
	hook '"hook_event_name":"Stop"'
	echo '{"type":"result","subtype":"success","is_error":false}'
	echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"completed\"}"
done
`

// newBoard is a project with workers of each kind, and an aburn web that shows them.
func newBoard(t *testing.T, serve ...string) (*site, *webWorld) {
	s := newSite(t)
	s.shim("claude", boarding)
	s.must(os.WriteFile(filepath.Join(s.project, "cart.txt"), []byte("total = sum\n"), 0o600))
	s.ok("git", "add", "cart.txt")
	s.ok("git", "commit", "-q", "-m", "cart")
	w := &webWorld{T: t, dir: filepath.Dir(s.home), shop: s.project,
		extra: append([]string{"PATH=" + s.shims + ":" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=", "ABURN_HOME="}, s.more...)}
	t.Cleanup(func() { // no holder may write into a folder that is being removed
		if names := s.living(); len(names) > 0 {
			s.command("aburn", append([]string{"kill"}, names...)...).Run()
		}
		s.noProcess()
	})
	if serve != nil {
		w.serve(append([]string{"--no-ingest"}, serve...)...)
	}
	return s, w
}

func (s *site) headless(name, task string) {
	s.Helper()
	s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--name", name, task)
}

// crowd spawns a worker for each zone that needs no forge, and waits until each stands in its own.
func (s *site) crowd() {
	s.Helper()
	s.headless("migrate-carts", "migrate the carts table: totals get a column of their own")
	s.headless("slow-tests", "slowly find out which tests take longest </script><script>pwned=1</script>")
	s.headless("fix-rounding", "fix the rounding of totals in the cart")
	s.headless("export", "finish the CSV export")
	for name, state := range map[string]string{"migrate-carts": "needs_input", "slow-tests": "working", "fix-rounding": "idle", "export": "done"} {
		s.until(name+" is "+state, s.is(name, state))
	}
}

// zone is what a column of the board shows.
func zone(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `aria-labelledby="z-`+id+`"`)
	if !ok {
		t.Fatalf("there is no zone %s:\n%s", id, page)
	}
	part, _, _ := strings.Cut(rest, "</section>")
	return part
}

// Each worker stands in the zone of what it wants of its person, with what it asks, whole. What it asks is not listed again below. It
// moves by itself.
func TestBoard(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.crowd()
	w.serve("--no-ingest")
	w.until("/", "Permission for Bash")
	w.until("/", "1 file &#43;1 −1")
	page := w.until("/", "1 file &#43;1 −0")
	for id, wants := range map[string][]string{
		"needs": {">migrate-carts<", "needs you: asks", "Permission for Bash", `psql &#34;$DATABASE_URL&#34; -c &#34;ALTER TABLE carts ADD COLUMN total numeric&#34;`,
			"aburn/migrate-carts", "Claude Code", "of the log"},
		"works": {">slow-tests<", "working", "&lt;/script&gt;&lt;script&gt;pwned=1&lt;/script&gt;"},
		"ready": {">fix-rounding<", "1 file &#43;1 −1", `href="/w/project-`},
		"done":  {">export<", "done", "“the export is there”", "1 file &#43;1 −0"},
	} {
		part := zone(t, page, id)
		for _, want := range wants {
			if !strings.Contains(part, want) {
				t.Errorf("%s lacks %s:\n%s", id, want, part)
			}
		}
		if n := strings.Count(part, "data-row data-worker="); n != 1 {
			t.Errorf("%d cards in %s", n, id)
		}
	}
	if !strings.Contains(page, "1 waiting</a>") || strings.Count(page, "ALTER TABLE") != 1 {
		t.Errorf("a question stands twice, or nobody waits:\n%s", page)
	}
	if _, page := w.page("/marks"); !strings.Contains(page, `data-value="1"`) {
		t.Errorf("the number on every page: %s", page)
	}
	s.must(os.WriteFile(filepath.Join(filepath.Dir(s.tree("slow-tests")), "go"), nil, 0o600))
	w.moved(t, "slow-tests", "ready")
	s.ok("aburn", "answer", "migrate-carts", "allow")
	w.moved(t, "migrate-carts", "ready")
	s.ok("aburn", "kill", "export")
	w.moved(t, "export", "done")
	if got := w.until("/", `data-value="0"`); strings.Contains(zone(t, got, "needs"), "data-worker") {
		t.Error("somebody still needs the person")
	}
	s.ok("aburn", "cleanup", "export")
	w.gone(t, "export")

	if _, page := w.page("/"); strings.Contains(page, "Whose workers") {
		t.Error("a choice among one project")
	}
	other := filepath.Join(s.home, "shop")
	s.ok("git", "init", "-q", "-b", "main", other)
	s.ok("git", "-C", other, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "first")
	s.ok("aburn", "-C", other, "init")
	s.ok("aburn", "-C", other, "spawn", "--runtime", "headless", "--trust", "--name", "orders", "look at the orders")
	defer s.ok("aburn", "-C", other, "kill", "orders")
	w.until("/", ">shop 1</a>")
	all := w.until("/", `aria-current="true">All 4</a>`)
	one := w.until("/?project=shop", `data-worker="orders"`)
	if !strings.Contains(all, `data-worker="orders"`) || !strings.Contains(all, `data-worker="slow-tests"`) || strings.Contains(one, `data-worker="slow-tests"`) ||
		!strings.Contains(one, ">project 3</a>") {
		t.Errorf("of one project:\n%s", mainOf(one))
	}
}

func (s *site) tree(name string) string {
	s.Helper()
	for _, r := range s.workers() {
		if r.Worker == name {
			return r.Tree
		}
	}
	s.Fatal("no worker " + name)
	return ""
}

// moved waits until a worker's card stands in a zone.
func (w *webWorld) moved(t *testing.T, name, id string) {
	t.Helper()
	w.until("/", "z-"+id)
	for until := time.Now().Add(longWait); time.Now().Before(until); nap() {
		if _, page := w.page("/"); strings.Contains(zone(t, page, id), `data-worker="`+name+`"`) {
			return
		}
	}
	_, page := w.page("/")
	t.Fatalf("%s never comes to %s:\n%s\n%s", name, id, w.aburn("-C", w.shop, "ps"), page)
}

func (w *webWorld) gone(t *testing.T, name string) {
	t.Helper()
	for until := time.Now().Add(longWait); time.Now().Before(until); nap() {
		if _, page := w.page("/"); !strings.Contains(page, `data-worker="`+name+`"`) {
			return
		}
	}
	t.Fatalf("%s never goes", name)
}

// The board in a browser: it moves without a reload, says who waits, shows hostile text as text, fits each screen, and asks no other
// computer for anything.
func TestBoardInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, w := newBoard(t, "--read-only")
	s.crowd()
	w.until("/", "&#43;1 −1")
	b.Open(w.link())
	b.Until(`String(document.querySelectorAll('.worker').length)`, "4")
	b.Open(strings.Replace(w.at("/"), "127.0.0.1", "aburn.localhost", 1))
	w.looks(b, "board")
	b.Resize(1280, 900)
	s.must(os.WriteFile(filepath.Join(filepath.Dir(s.tree("slow-tests")), "go"), nil, 0o600))
	w.moved(t, "slow-tests", "ready")
	b.Until(`String(!!document.querySelector('[aria-labelledby=z-ready] [data-worker=slow-tests]'))`, "true")
	s.headless("another", "migrate the orders table")
	b.Until(`document.querySelector('#news').textContent`, "2 waiting for you")
	b.Until(`document.title`, "(2) Now · aburn")
	b.Value(`document.activeElement.blur()`)
	b.Press("j")
	if got := b.Value(`document.activeElement.dataset.worker`); got != "migrate-carts" {
		t.Errorf("j goes to %s", got)
	}
	if got := b.Value(`String(window.pwned)`); got != "undefined" {
		t.Error("a task became a script")
	}
	w.alone(b)
}

// An entry of the log reaches the board in the browser. How long that takes is logged, with the hook's own process in it: it depends on
// the machine.
func TestEntriesReachTheBrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, w := newBoard(t, "--no-notices")
	s.headless("mine", "fix the rounding")
	s.until("its turn is over", s.is("mine", "idle"))
	b.Open(w.link())
	b.Until(`String(document.querySelectorAll('.worker').length)`, "1")
	b.Open(strings.Replace(w.at("/"), "127.0.0.1", "aburn.localhost", 1))
	state := `(document.querySelector('[data-worker=mine] .state') || {}).textContent || ''`
	b.Until(state, "ready")
	b.Value(`(() => { let last = 'ready'; window.moved = []; new MutationObserver(() => { const now = ` + state +
		`; if (now !== last) { last = now; moved.push(Date.now()); } }).observe(document.body, { childList: true, subtree: true }); })()`)
	tree, session := s.tree("mine"), s.report("mine").Session
	var took []time.Duration
	for i := range 20 * world.Storm(1) {
		event, want := "UserPromptSubmit", "working"
		if i%2 == 1 {
			event, want = "Stop", "ready"
		}
		cmd := s.command("aburn-hook", "claude")
		cmd.Dir, cmd.Stdin = tree, strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q,"prompt":"go on"}`, session, tree, event))
		start := time.Now()
		s.must(cmd.Run())
		b.Until(state, want)
		var at int64
		fmt.Sscan(b.Value(`String(moved[moved.length - 1])`), &at)
		took = append(took, time.UnixMilli(at).Sub(start))
		time.Sleep(250 * time.Millisecond) // a page swaps ten times a second at most
	}
	slices.Sort(took)
	t.Logf("from the hook's start to the card in the browser: median %v, p95 %v of %d", took[len(took)/2], took[len(took)*95/100], len(took))
	w.alone(b)
}

// alone fails the test if the page reported an error or asked another computer.
func (w *webWorld) alone(b *browser.Browser) {
	w.Helper()
	b.Quiet()
	if got := b.Value(`[...performance.getEntriesByType('resource')].map((e) => e.name).filter((n) => !n.startsWith(location.origin + '/')).join(' ')`); got != "" {
		w.Errorf("it asks for %s", got)
	}
}

func nap() { time.Sleep(25 * time.Millisecond) }

// presses are the headers of a tab that came in with a link.
type presses struct {
	*webWorld
	token string
}

// tab comes in with a new link, as a tab that may press buttons.
func (w *webWorld) tab() *presses {
	w.Helper()
	at, err := url.Parse(w.link())
	if err != nil {
		w.Fatal(err)
	}
	r, _ := http.NewRequest("POST", w.at("/auth"), strings.NewReader(`{"code":"`+strings.TrimPrefix(at.Fragment, "k=")+`"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", w.at(""))
	got, err := w.Do(r)
	if err != nil {
		w.Fatal(err)
	}
	defer got.Body.Close()
	var said struct{ Token string }
	if err := json.NewDecoder(got.Body).Decode(&said); err != nil || said.Token == "" {
		w.Fatalf("no token: %v %s", err, got.Status)
	}
	return &presses{w, said.Token}
}

// press asks for something of a worker, as a page does.
func (p *presses) press(wish map[string]any) (d struct {
	Text, Sure string
	Lines      []string
	OK, Ask    bool
}) {
	p.Helper()
	code, text := p.post("/do", wish, nil)
	if code != 200 {
		p.Fatalf("%v: %d %s", wish, code, text)
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		p.Fatal(err)
	}
	return d
}

// post sends a POST of a page of ours; change may break what makes it one.
func (p *presses) post(path string, body any, change func(*http.Request)) (code int, text string) {
	p.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		p.Fatal(err)
	}
	r, _ := http.NewRequest("POST", p.at(path), strings.NewReader(string(data)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", p.at(""))
	r.Header.Set("Aburn-Token", p.token)
	if change != nil {
		change(r)
	}
	got, err := p.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer got.Body.Close()
	out, err := io.ReadAll(got.Body)
	if err != nil {
		p.Fatal(err)
	}
	return got.StatusCode, string(out)
}

// key is how addresses name the site's project.
func (w *webWorld) key() string {
	w.Helper()
	page := w.until("/", `href="/w/`)
	_, rest, _ := strings.Cut(page, `href="/w/`)
	key, _, _ := strings.Cut(rest, "/")
	return key
}

// The page of a worker says why its state is what it is, by the entries, and what it changed; its buttons do what the commands do, and
// what cannot be taken back asks first, with what would happen.
func TestWorkerPage(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.crowd()
	w.serve("--no-ingest")
	p, key := w.tab(), w.key()
	at := "/w/" + key + "/"
	has := func(path string, wants ...string) {
		t.Helper()
		code, page := w.page(path)
		for _, want := range wants {
			if code != 200 || !strings.Contains(page, want) {
				t.Errorf("%s: %d, lacks %q:\n%s", path, code, want, mainOf(page))
			}
		}
	}
	has(at+"migrate-carts", "Why it is in this state", "<b>permission</b>", "entry ", "psql &#34;$DATABASE_URL&#34;", `data-do="answer" data-id="r1"`,
		`data-do="kill"`,
		"ledger 1")
	has(at+"migrate-carts?only=ledger", "requested")
	if _, page := w.page(at + "migrate-carts?only=ledger"); strings.Contains(strings.SplitN(page, "live-timeline", 2)[1], "entry ") {
		t.Error("the ledger alone has entries of the log")
	}
	has("/w/project/export/diff", "new.txt", `<span class="add">&#43;done`)
	has(at+"export", "the export is there", "worker done", "requested")
	has(at+"fix-rounding/diff", `<span class="del">-total = <b>sum</b>`, "1 changed file")
	w.until(at+"fix-rounding/terminal", "I changed cart.txt") // its holder writes down what it says
	has(at+"fix-rounding/terminal", "I changed cart.txt", "fix the rounding")
	if code, page := w.page(at + "nobody"); code != 404 || !strings.Contains(page, "no worker is called") {
		t.Errorf("an unknown worker: %d", code)
	}
	wish := func(do, name string, more ...any) map[string]any {
		m := map[string]any{"do": do, "project": key, "worker": name}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}

	if d := p.press(wish("answer", "migrate-carts", "id", "r1", "allow", true)); !d.OK || !strings.HasPrefix(d.Text, "Allowed: Bash: psql") {
		t.Errorf("answer: %+v", d)
	}
	s.until("it goes on", s.is("migrate-carts", "idle"))
	if answers := s.read(filepath.Join(filepath.Dir(s.tree("migrate-carts")), "answers")); strings.Count(answers, `"behavior":"allow"`) != 1 {
		t.Errorf("it was told %s", answers)
	}
	if d := p.press(wish("send", "migrate-carts", "text", "and the orders")); !d.OK || !strings.Contains(d.Text, "It has the message") {
		t.Errorf("send: %+v", d)
	}
	if told := s.read(filepath.Join(filepath.Dir(s.tree("migrate-carts")), "told-migrate-carts")); strings.Count(told, "and the orders") != 1 {
		t.Errorf("it was told %s", told)
	}
	has(at+"migrate-carts", "its record shows it")

	d := p.press(wish("merge", "export"))
	if !d.Ask || d.Sure == "" || d.Text != "Merge export into main?" ||
		!strings.Contains(strings.Join(d.Lines, "\n"), "would merge into main without a conflict: 1 commit, 1 file") && len(d.Lines) == 0 {
		t.Fatalf("merge: %+v", d)
	}
	if fileExists(filepath.Join(s.project, "new.txt")) {
		t.Error("it was merged before the person was sure")
	}
	// For another worker, then again, then one that is not ours.
	for i, wrong := range []map[string]any{wish("merge", "fix-rounding", "sure", d.Sure), wish("merge", "export", "sure", d.Sure),
		wish("merge", "export", "sure", "x")} {
		if got := p.press(wrong); got.OK || got.Ask || !strings.Contains(got.Text, "press the button again") {
			t.Errorf("wrong word %d: %+v", i, got)
		}
	}
	// What moved since the person was asked is another merge.
	d = p.press(wish("merge", "export"))
	s.ok("git", "switch", "-q", "-c", "release")
	if got := p.press(wish("merge", "export", "sure", d.Sure)); got.OK ||
		!strings.Contains(got.Text, "this checkout stands on release now, and you were asked about main") {
		t.Errorf("a merge into another branch: %+v", got)
	}
	s.ok("git", "switch", "-q", "main")
	d = p.press(wish("merge", "export"))
	s.must(os.WriteFile(filepath.Join(s.tree("export"), "later.txt"), []byte("later\n"), 0o600))
	s.ok("git", "-C", s.tree("export"), "add", "later.txt")
	s.ok("git", "-C", s.tree("export"), "commit", "-q", "-m", "later")
	if got := p.press(wish("merge", "export", "sure", d.Sure)); got.OK || !strings.Contains(got.Text, "its branch stands on ") ||
		fileExists(filepath.Join(s.project, "new.txt")) {
		t.Errorf("a merge of a commit that was not shown: %+v", got)
	}
	if got := p.press(wish("merge", "export", "sure", p.press(wish("merge", "export")).Sure)); !got.OK || got.Text != "Merged into main." ||
		!fileExists(filepath.Join(s.project, "new.txt")) {
		t.Errorf("merge: %+v", got)
	}

	if got := p.press(wish("cleanup", "export")); got.OK || !strings.Contains(strings.Join(got.Lines, " "), "it has not ended") {
		t.Errorf("cleanup of one that runs: %+v", got)
	}
	for _, do := range []string{"kill", "cleanup"} {
		asked := p.press(wish(do, "export"))
		if !asked.Ask {
			t.Fatalf("%s does not ask: %+v", do, asked)
		}
		if got := p.press(wish(do, "export", "sure", asked.Sure)); !got.OK {
			t.Errorf("%s: %+v", do, got)
		}
	}
	w.gone(t, "export")
	if got := p.press(wish("resume", "export")); !got.OK || !strings.Contains(got.Text, "resumed") {
		t.Errorf("resume: %+v", got)
	}
	s.until("it runs again", func() bool { return !s.is("export", "terminated")() })
	if got := p.press(wish("interrupt", "fix-rounding")); got.OK || !strings.Contains(got.Text, "no turn of it is known to run") {
		t.Errorf("interrupt: %+v", got)
	}
	if got := p.press(wish("drop everything", "fix-rounding")); got.OK {
		t.Errorf("an unknown wish: %+v", got)
	}
	if got := p.press(wish("kill", "nobody")); got.OK || !strings.Contains(got.Text, "no longer exists") {
		t.Errorf("an unknown worker: %+v", got)
	}
}

// What forges, other workers and the agents' own sessions say stands on the card as far as it is known: a pull request moves it to its
// zone, a conflict names the other one, the cost comes with the session.
func TestBoardTellsWhatIsKnown(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.headless("one", "fix the rounding")
	s.until("one is idle", s.is("one", "idle"))
	s.headless("two", "nothing")
	s.until("two is idle", s.is("two", "idle"))
	s.must(os.WriteFile(filepath.Join(s.tree("two"), "cart.txt"), []byte("total = sum / 2\n"), 0o600))
	s.command("aburn", "overlap").Run() // 1: they conflict
	w.serve("--no-ingest")
	w.until("/", "conflict with two")
	w.moved(t, "one", "ready")
	part := zone(t, w.until("/", "conflict with one"), "ready")
	if strings.Contains(part, "#31") || strings.Contains(part, "checks") || strings.Contains(part, "$") {
		t.Errorf("it says what nobody knows:\n%s", part)
	}
	store, err := ledger.Open(s.project, func(name string) string { return map[string]string{"HOME": s.home}[name] })
	s.must(err)
	tell := func(facts ...worker.Fact) {
		for _, f := range facts {
			f.Gen = 1
			s.must(store.Book("one").Append(ledger.Entry{Fact: f}))
		}
	}
	s.must(store.Book("one").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Pulled, Gen: 1, PR: 31, Is: worker.PullOpen, Head: "abc"},
		Detail: ledger.Detail{URL: "https://forge.example/o/shop/pull/31"}}))
	s.must(store.Book("one").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Checked, Gen: 1, Is: worker.CheckFailing, Head: "abc"},
		Detail: ledger.Detail{Failed: []string{"unit tests", "<b>lint</b>"}}}))
	w.moved(t, "one", "review")
	if part := zone(t, w.until("/", "checks failing"), "review"); !strings.Contains(part,
		`<a href="https://forge.example/o/shop/pull/31" target="_blank" rel="noopener noreferrer">#31</a> open · checks failing: <span class="bad">unit tests, `+
			`&lt;b&gt;lint&lt;/b&gt;</span>`) || !strings.Contains(part, "ci failed") {
		t.Error(part)
	}
	tell(worker.Fact{Kind: worker.Checked, Is: worker.CheckPassing, Head: "abc"}, worker.Fact{Kind: worker.Reviewed, Is: worker.ReviewApproved})
	w.moved(t, "one", "ready")
	if part := zone(t, w.until("/", "approved"), "ready"); !strings.Contains(part, "#31</a> open · checks passing · approved") ||
		strings.Contains(part, "unit tests") {
		t.Error(part)
	}
	// Its page says what the forge said, each thing once, and what followed of it.
	tell(worker.Fact{Kind: worker.Reviewed, Is: worker.ReviewChanges, Threads: 2})
	s.must(store.Book("one").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Gen: 1, Key: worker.KeyChanges, Message: "m7"},
		Detail: ledger.Detail{Items: []string{"cart.go:12 <b>rounding</b>", "thread 2"}}}))
	tell(worker.Fact{Kind: worker.Reviewed, Is: worker.ReviewChanges, Threads: 2}, worker.Fact{Kind: worker.Reviewed, Is: worker.ReviewApproved})
	_, rest, _ := strings.Cut(w.until("/w/"+w.key()+"/one", "its agent was told"), `id="live-pull"`)
	part, _, _ = strings.Cut(rest, "</section>")
	for _, want := range []string{"#31, open", "checks", "failing on abc: unit tests, &lt;b&gt;lint&lt;/b&gt;", "passing", "changes requested, 2 open threads",
		"changes requested: cart.go:12 &lt;b&gt;rounding&lt;/b&gt;, thread 2 (m7)"} {
		if !strings.Contains(part, want) {
			t.Errorf("its pull request lacks %q:\n%s", want, part)
		}
	}
	if strings.Count(part, "2 open threads") != 1 {
		t.Errorf("it says a thing twice:\n%s", part)
	}
	s.must(store.Book("two").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Gen: 1, Key: react.KeyNeeds, Action: worker.ActionNotify},
		Detail: ledger.Detail{Subject: "1:1:1099511629057"}}))
	if page := w.until("/w/"+w.key()+"/two", "you were notified: agent needs input"); !strings.Contains(page, `id="live-pull" data-live="work" hidden`) ||
		strings.Contains(page, "1099511629057") {
		t.Error("a worker without a pull request has a section for it, or numbers of aburn's own are shown")
	}
	// What a message said stands with what sent it: as the agent's hook recorded it.
	hook := s.command("aburn-hook", "claude")
	hook.Dir, hook.Stdin = s.tree("one"),
		strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"[aburn m-7] The check unit tests failed: `+
			`<i>rounding</i>"}`, s.report("one").Session, s.tree("one")))
	s.must(hook.Run())
	s.must(store.Book("one").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Gen: 1, Key: worker.KeyCI, Message: "m-7"}}))
	w.until("/w/"+w.key()+"/one?only=ledger", "its agent was told: ci failed: “The check unit tests failed: &lt;i&gt;rounding&lt;/i&gt;”")
	if page := w.until("/projects", "2 ready"); !strings.Contains(page, s.project) {
		t.Errorf("the projects:\n%s", mainOf(page))
	}
	session := w.stored(s.report("one").Session)
	session.dir = s.tree("one")
	session.answer("claude-opus-5-5", 1000)
	s.ok("aburn", "ingest", "--quiet")
	if part := zone(t, w.until("/", "cost with sub-agents"), "ready"); !strings.Contains(part, "cost with sub-agents") ||
		!strings.Contains(part, ">$0.0") {
		t.Error(part)
	}
}

func (s *site) report(name string) overview.WorkerReport {
	s.Helper()
	for _, r := range s.workers() {
		if r.Worker == name {
			return r
		}
	}
	s.Fatal("no worker " + name)
	return overview.WorkerReport{}
}

// A person goes from the board to a worker by keys, tells it something, answers what it asks, and merges another one after looking at what
// would happen.
func TestWorkerPageInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, w := newBoard(t, "--no-notices")
	s.crowd()
	key := w.key()
	here := func(path string) string { return strings.Replace(w.at(path), "127.0.0.1", "aburn.localhost", 1) }
	at := "/w/" + key + "/"
	b.Open(w.link())
	b.Until(`String(document.querySelectorAll('.worker').length)`, "4")
	b.Open(here("/")) // a tab that was opened by hand may do what the others may
	b.Until(`String(document.documentElement.classList.contains('can'))`, "true")
	b.Value(`document.activeElement.blur()`)
	b.Press("j", "s")
	// A fragment has the focus before the page's scripts run, which listen for keys.
	b.Until(`document.readyState + ' ' + location.pathname + location.hash + ' ' + document.activeElement.id`, "complete "+at+"migrate-carts#send send")
	b.Press("Escape")
	b.Until(`document.activeElement.tagName`, "BODY")
	for _, p := range [][2]string{{"worker", at + "migrate-carts"}, {"diff", at + "export/diff"}, {"story", at + "migrate-carts/terminal"}} {
		b.Value(`location.assign('` + p[1] + `')`)
		b.Until(`String(document.readyState === 'complete' && location.pathname === '`+p[1]+`')`, "true")
		w.looks(b, p[0])
		b.Resize(1280, 900)
		w.alone(b)
	}
	b.Until(`String(document.documentElement.classList.contains('can'))`, "true")
	b.Value(`document.querySelector('form.answer button').click()`)
	b.Until(`document.querySelector('#did').textContent.slice(0, 13)`, "Allowed: Bash")
	b.Until(`document.querySelector('.worker.line .state').textContent`, "ready")
	b.Value(`document.querySelector('#send').value = 'and the <b>orders</b>'; document.querySelector('.tell').requestSubmit()`)
	b.Until(`document.querySelector('#did').textContent.slice(0, 18)`, "It has the message")
	b.Until(`String([...document.querySelectorAll('.said-list .person div')].filter((e) => e.textContent.includes('and the <b>orders</b>')).length > 0)`, "true")

	b.Value(`location.assign('` + at + `export')`)
	b.Until(`String(document.readyState === 'complete' && location.pathname === '`+at+`export')`, "true")
	press := func() { b.Value(`document.querySelector('[data-do=merge]').click()`) }
	press()
	b.Until(`document.querySelector('#sure-h').textContent`, "Merge export into main?")
	b.Until(`String(document.querySelector('#sure').open)`, "true")
	if browser.Keeping() {
		b.Screenshot(filepath.Join(browser.Folder(t), "web-sure.png"))
	}
	b.Value(`document.querySelector('#sure button').click()`)
	b.Until(`document.querySelector('#did').textContent`, "Nothing was done.")
	if fileExists(filepath.Join(s.project, "new.txt")) {
		t.Error("it was merged although the person left it")
	}
	press()
	b.Until(`String(document.querySelector('#sure').open)`, "true")
	b.Value(`document.querySelector('#sure-yes').click()`)
	b.Until(`document.querySelector('#did').textContent.split('\n')[0]`, "Merged into main.")
	if got := b.Value(`String(window.pwned)`); got != "undefined" {
		t.Error("a text became a script")
	}
	w.alone(b)
}

// aburn daemon start serves the page too: dashboard and web give links of it, the board works, and agents get none. Until somebody asks it is
// small. One aburn web that runs keeps the page, and start takes it over when that ends.
func TestStartServesThePage(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.Cleanup(func() { s.command("aburn", "daemon", "stop", "--keep-workers").Run() })
	s.headless("mine", "fix the rounding")
	s.ok("aburn", "daemon", "start", "--port", "47700")
	pid := s.started().PID
	served := func(pid int) func() bool {
		return func() bool {
			log := s.read(filepath.Join(s.home, ".local/state/aburn/daemon/log"))
			_, mine, _ := strings.Cut(log, "as process "+strconv.Itoa(pid))
			return strings.Contains(mine, "the page is on port 477")
		}
	}
	s.until("it serves the page", served(pid))
	if kb := resident(t, pid); kb > 40<<10 && !tracetest.Race {
		t.Errorf("before anybody opened the page it takes %d KB", kb)
	}
	link := strings.TrimSpace(w.aburn("dashboard", "--print"))
	w.come(link)
	w.moved(t, "mine", "ready")
	if d := w.tab().press(map[string]any{"do": "send", "project": w.key(), "worker": "mine", "text": "more"}); !d.OK {
		t.Errorf("a press: %+v", d)
	}
	agent := w.command("aburn", "dashboard", "--print")
	agent.Env = append(agent.Env, "ABURN_WORKER=project-00000000/mine/5b0c2f91")
	if out, err := agent.CombinedOutput(); err == nil || strings.Contains(string(out), "#k=") {
		t.Errorf("a worker gets %s", out)
	}
	s.ok("aburn", "daemon", "stop", "--keep-workers")
	if _, err := w.Get(w.at("/")); err == nil {
		t.Error("the page outlives what served it")
	}

	web := s.command("aburn", "web", "--print", "--no-ingest", "--port", "47750")
	out, err := web.StdoutPipe()
	s.must(err)
	s.must(web.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	s.ok("aburn", "daemon", "start", "--port", "47700")
	pid = s.started().PID
	if link := w.aburn("dashboard", "--print"); !strings.Contains(link, ":4775") {
		t.Errorf("beside aburn web the link is %s", link)
	}
	web.Process.Signal(os.Interrupt)
	s.must(web.Wait())
	s.patiently("start serves it then", served(pid))
	if link := w.aburn("dashboard", "--print"); !strings.Contains(link, ":477") || strings.Contains(link, ":4775") {
		t.Errorf("then the link is %s", link)
	}
	refused, err := s.command("aburn", "daemon", "start", "--port", "0").CombinedOutput()
	if err == nil || !strings.Contains(string(refused), "a number from 1 to 65535") {
		t.Errorf("--port 0: %s", refused)
	}
}

// resident is the memory of a process, in KB.
func resident(t *testing.T, pid int) (kb int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fmt.Sscan(rest, &kb)
	return kb
}

func (s *site) read(path string) string {
	s.Helper()
	text, err := os.ReadFile(path)
	s.must(err)
	return string(text)
}
