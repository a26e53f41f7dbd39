package main

import (
	"html"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/browser"
	"aburn/internal/lab/world"
)

// Each head of a column is a link that sorts by it, without a script. The parts of a sorted list follow one another, and a filter keeps the order.
func TestWebSort(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, webUnits)
	w.serve("--no-ingest")
	head := regexp.MustCompile(`<th scope="col"[^>]*><a href="([^"]*)">([^&<]*)`)
	heads := func(page string) map[string]string {
		all := map[string]string{}
		for _, m := range head.FindAllStringSubmatch(page, -1) {
			all[m[2]] = html.UnescapeString(m[1])
		}
		return all
	}
	amount := regexp.MustCompile(`data-name="cost with sub-agents" data-value="([0-9.]*)"`)
	_, page := w.page("/sessions")
	for _, name := range []string{"last active", "result", "first prompt", "project", "agent", "active", "failed calls", "sub-agents", "cost with sub-agents"} {
		at := heads(page)[name]
		code, sorted := w.page(at)
		if code != 200 || at == "" || strings.Count(sorted, "aria-sort=") != 1 || strings.Count(sorted, "data-row") != strings.Count(page, "data-row") {
			t.Errorf("%s leads to %q: %d", name, at, code)
		}
	}
	var costs []string
	for at := heads(page)["cost with sub-agents"]; at != ""; {
		_, part := w.page(at)
		for _, m := range amount.FindAllStringSubmatch(part, -1) {
			costs = append(costs, m[1])
		}
		next := regexp.MustCompile(`rel="next" href="([^"]*)"`).FindStringSubmatch(part)
		if at = ""; next != nil {
			at = html.UnescapeString(next[1])
		}
		if !strings.Contains(part, `<input type="hidden" name="sort" value="cost">`) {
			t.Error("the filters forget the order")
		}
	}
	if len(costs) < 101 {
		t.Fatalf("%d amounts", len(costs))
	}
	for i := 1; i < len(costs); i++ {
		a, known := new(big.Rat).SetString(costs[i-1])
		b, also := new(big.Rat).SetString(costs[i])
		if !known || !also || b.Cmp(a) > 0 {
			t.Fatalf("%s comes after %s", costs[i], costs[i-1])
		}
	}
	_, page = w.page("/cost?period=all")
	if at := heads(page)["output"]; !strings.Contains(at, "days.output") && !strings.Contains(at, "sessions.output") || !strings.Contains(at, "#h-") {
		t.Errorf("output leads to %q", at)
	}
	_, page = w.page("/cost?period=all&sort=models.sessions")
	if strings.Count(page, "aria-sort=") < 3 || !strings.Contains(page, `href="/cost?period=all&amp;sort=-models.sessions#h-models"`) {
		t.Error("models are not sorted by sessions")
	}
	if _, page = w.page("/failures?sort=errors.last"); !strings.Contains(page, `sort=-errors.last#h-errors"`) {
		t.Error("errors are not sorted by their last time")
	}
}

// A theme is chosen without a script, kept in a cookie, and never leads to somebody else's page.
func TestWebTheme(t *testing.T) {
	t.Parallel()
	w := newWebWorld(t, 0)
	w.serve("--no-ingest")
	if _, page := w.page("/health"); strings.Contains(page, "data-theme") || !strings.Contains(page, `<b>system</b>`) {
		t.Error("a theme that nobody chose")
	}
	code, page := w.page("/theme?to=dark&back=/health")
	if code != 200 || !strings.Contains(page, `data-theme="dark"`) || !strings.Contains(page, "<h1>Health</h1>") {
		t.Errorf("dark: %d", code)
	}
	if _, page := w.page("/theme?to=system&back=/cost%3Fperiod=all"); strings.Contains(page, "data-theme") || !strings.Contains(page, "<h1>Cost</h1>") {
		t.Error("the system's theme again")
	}
	still := w.Client
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, back := range []string{"https://example.com/", "//example.com/", `/\example.com`, "javascript:alert(1)", "%2F%2Fexample.com", "/%5Cexample.com"} {
		got, err := still.Get(w.at("/theme?to=light&back=" + back))
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if to := got.Header.Get("Location"); got.StatusCode != http.StatusSeeOther || to != "/" {
			t.Errorf("back to %s leads to %q", back, to)
		}
	}
}

// A session is one line of a table on a wide screen, and a card on a narrow one. The theme wins over the system's scheme.
func TestWebRowsInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	w := newWebWorld(t, 0)
	for id, prompt := range map[string]string{"99990000-0000-4000-8000-000000000009": "short",
		"88880000-0000-4000-8000-000000000008": strings.Repeat("A prompt that needs more room than a line of a table of sessions has. ", 3)} {
		session := w.stored(id)
		session.prompt(prompt)
		session.answer("claude-opus-5-5", 10_000)
	}
	w.aburn("ingest", "--quiet")
	w.serve("--no-ingest")
	b.Open(w.link())
	b.Until(`String(document.querySelector('#live-waiting') !== null)`, "true")
	local := func(path string) string { return strings.Replace(w.at(path), "127.0.0.1", "aburn.localhost", 1) }
	b.Go(local("/sessions"))
	// A border's width aside, the row with the long prompt is as high as the other one.
	const heights = `(() => { const all = [...document.querySelectorAll('.rows tbody tr')].map((r) => r.getBoundingClientRect().height); ` +
		`return all.length + ' ' + (Math.max(...all) - Math.min(...all) < 2); })()`
	for _, width := range []int{1280, 390} {
		b.Resize(width, 900)
		if got := b.Value(heights); got != "2 true" {
			t.Errorf("rows at %d: %s", width, got)
		}
	}
	if got := b.Value(`getComputedStyle(document.querySelector('.rows tbody tr')).display`); got != "grid" {
		t.Errorf("a row at 390 is a %s", got)
	}
	b.Prefer("light")
	b.Go(local("/theme?to=dark&back=/sessions"))
	if got := b.Value(`getComputedStyle(document.body).backgroundColor`); got != "rgb(21, 23, 27)" {
		t.Errorf("the dark theme is %s", got)
	}
	b.Press("?")
	if got := b.Value(`(() => { const box = (e) => e.getBoundingClientRect(), key = document.querySelector('.meanings dt kbd:last-child'); ` +
		`return String(box(key.parentElement.nextElementSibling).left - box(key).right < 60); })()`); got != "true" {
		t.Error("a key is far from its meaning")
	}
	b.Quiet()
}
