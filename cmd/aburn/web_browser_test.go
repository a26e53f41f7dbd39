package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/browser"
)

// webPages are the pages of the world of newWebWorld, by the names of their pictures.
func (w *webWorld) webPages() [][2]string {
	list := [][2]string{{"now", "/"}, {"projects", "/projects"}, {"sessions", "/sessions"}, {"cost", "/cost?period=all"}, {"failures", "/failures"},
		{"health", "/health"}, {"search", "/search?q=test"}, {"nothing", "/s/none/none"}}
	_, text := w.page("/sessions?outcome=failed")
	if _, rest, ok := strings.Cut(text, `<a href="/s/`); ok {
		at, _, _ := strings.Cut(rest, `"`)
		list = append(list, [2]string{"session", "/s/" + at})
	}
	_, text = w.page("/failures")
	if _, rest, ok := strings.Cut(text, `<a href="/failures/`); ok {
		at, _, _ := strings.Cut(rest, `"`)
		list = append(list, [2]string{"failure", "/failures/" + at})
	}
	return list
}

// Each page in both schemes and at four widths: a quiet console, no request to another computer, nothing wider than the screen,
// every control with a name.
func TestWebPagesInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	w := newWebWorld(t, webUnits)
	w.begin("aaaa1111-0000-4000-8000-000000000001", "Fix rounding in cart totals, please")
	w.asks("aaaa1111-0000-4000-8000-000000000001", `psql "$DATABASE_URL" -c "ALTER TABLE cart_items ALTER COLUMN price TYPE numeric(12,4)"`)
	w.begin("bbbb2222-0000-4000-8000-000000000002", "Cursor pagination for /orders")
	docs := w.elsewhere("docs-site")
	docs.begin("cccc3333-0000-4000-8000-000000000003", "Split the CLI guide")
	docs.hook(map[string]any{"session_id": "cccc3333-0000-4000-8000-000000000003", "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion",
		"tool_use_id": "toolu_q",
		"tool_input": map[string]any{"questions": []any{map[string]any{"question": "The old guide documents both v1 and v2 flags. Delete the v1 section, move " +
			"it to an appendix, or keep both side by side?"}}}})
	docs.loops("dddd4444-0000-4000-8000-000000000004")
	docs.begin("eeee5555-0000-4000-8000-000000000005", "Why is /health slow?")
	docs.hook(map[string]any{"session_id": "eeee5555-0000-4000-8000-000000000005", "hook_event_name": "Stop"})
	w.serve("--no-ingest")
	w.until("/", "Permission")
	w.until("/health", "as by aburn doctor")
	pages := w.webPages()
	if len(pages) != 10 {
		t.Fatalf("pages are missing: %v", pages)
	}
	b.Open(w.link())
	b.Until(`String(document.querySelector('#live-waiting') !== null)`, "true")
	for _, p := range pages {
		b.Go(strings.Replace(w.at(p[1]), "127.0.0.1", "aburn.localhost", 1))
		w.looks(b, p[0])
		if p[0] != "nothing" {
			b.Quiet()
		}
		const elsewhere = `[...performance.getEntriesByType('resource')].map((e) => e.name).filter((n) => !n.startsWith(location.origin + '/')).join(' ')`
		if got := b.Value(elsewhere); got != "" {
			t.Errorf("%s asks for %s", p[0], got)
		}
	}
}

// looks checks the open page in both schemes at four widths, and takes pictures with -keep.
func (w *webWorld) looks(b *browser.Browser, name string) {
	w.Helper()
	for _, scheme := range []string{"light", "dark"} {
		b.Prefer(scheme)
		for _, width := range []int{1280, 768, 400, 360} {
			b.Resize(width, 900)
			for what, expression := range map[string]string{
				"wider than the screen": `String(document.documentElement.scrollWidth - document.documentElement.clientWidth || '')`,
				"boxes outside of it":   outside, "figures out of sight": sideways, "controls without a name": nameless, "text that is hard to read": pale,
			} {
				if got := b.Value(expression); got != "" {
					w.Errorf("%s %s %d: %s: %s", name, scheme, width, what, got)
				}
			}
			if browser.Keeping() {
				b.Screenshot(filepath.Join(browser.Folder(w.T), fmt.Sprintf("web-%s-%d-%s.png", name, width, scheme)))
			}
		}
	}
}

// outside lists what stands right of the screen, but for what scrolls inside of a box.
const outside = `[...document.querySelectorAll('main *, header *')].filter((e) => e.getClientRects().length && !e.closest('.scroll, .hide, svg') && ` +
	`e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)).join('\n')`

// sideways are the figures of a table that only shows them when somebody scrolls it sideways.
const sideways = `[...document.querySelectorAll('.scroll .num')].filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > ` +
	`e.closest('.scroll').getBoundingClientRect().right).map((e) => e.closest('tr').textContent.trim().slice(0, 80)).join('\n')`

// nameless lists the controls that a reader of the screen has no name for.
const nameless = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, [tabindex="0"], dialog')].filter((e) => ` +
	`!(e.getAttribute('aria-label') || (e.getAttribute('aria-labelledby') && document.getElementById(e.getAttribute('aria-labelledby'))) || ` +
	`e.textContent.trim() || (e.labels && e.labels.length))).map((e) => e.outerHTML.slice(0, 120)).join('\n')`

// pale lists texts whose contrast with what is behind them is below 4.5.
const pale = `(() => {
  const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map((x) => { x /= 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
  const bad = new Set();
  for (const e of document.querySelectorAll('body *')) {
    if (!e.getClientRects().length || e.closest('svg, .hide') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const a = light(getComputedStyle(e).color), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.add(ratio.toFixed(2) + ' ' + e.outerHTML.slice(0, 80));
  }
  return [...bad].slice(0, 5).join('\n');
})()`
