package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/browser"
)

// newTextsWorld is a world with one conversation that has some of everything, ingested.
func newTextsWorld(t *testing.T) (w *webWorld, s *storedSession) {
	w = newWebWorld(t, 0)
	s = w.stored("7e470000-0000-4000-8000-000000000001")
	s.prompt("Fix rounding in cart totals, please.\n\n- `TotalCents` is off by **one** for 3 × $0.33\n- do not change the public API\n\nSee [the " +
		"ticket](https://tracker.example/SHOP-12).")
	s.add("assistant", []any{map[string]any{"type": "thinking",
		"thinking": "The user wants totals that add up.\nI should look at the tests first.\nThen the code.", "signature": strings.Repeat("sig", 40)}})
	s.says("I shall look at the code and its tests first.\n\n## Plan\n\n1. read `cart/total.go`\n2. write a failing test\n3. fix it\n\n| file | lines " +
		"|\n|---|---|\n| cart/total.go | 84 |\n\n```go\nfunc Total(items []Item) int64 {\n\treturn round(sum)\n}\n```")
	var out strings.Builder
	for i := range 240 {
		fmt.Fprintf(&out, "=== RUN   TestTotal/case_%d\n", i)
	}
	s.prints("go test ./cart -run TestTotal -v", out.String()+"PASS\nok  \tshop/cart\t0.214s\n")
	s.add("assistant", []any{map[string]any{"type": "tool_use", "id": "toolu_edit", "name": "Edit", "input": map[string]any{"file_path": w.shop + "/cart/total.go",
		"old_string": "\tsum := 0.0\n\tfor _, i := range items {\n\t\tsum += i.Price\n\t}\n\treturn int64(sum * 100)\n",
		"new_string": "\tvar sum int64\n\tfor _, i := range items {\n\t\tsum += i.Cents\n\t}\n\treturn sum\n"}}})
	s.add("user", []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_edit", "content": "The file has been updated."}})
	s.shell("curl -H 'Authorization: Bearer "+"ey"+"JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZw"+"' https://api.example/carts/7",
		"curl: (22) The requested URL returned error: 503")
	s.prompt(`</script><script>window.pwned = 1</script><img src=x onerror="window.pwned = 1"> ` + "\u202egnp.exe\u200b \x1b[2J [x](javascript:window.pwned=1)")
	s.says("Done: the total is exact now, " + strings.Repeat("averylongwordwithoutanybreak", 12) + " and the tests pass.")
	w.aburn("ingest", "--quiet")
	return w, s
}

// A conversation in both schemes and at four widths: nothing wider than the screen, every control named, text that can be read, and
// nothing of the conversation runs.
func TestWebTextsInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	w, s := newTextsWorld(t)
	w.serve("--no-ingest")
	at := "/s/claude/" + s.id
	b.Open(w.link())
	b.Until(`String(document.querySelector('#live-waiting') !== null)`, "true")
	for _, p := range [][2]string{{"conversation", at}, {"lines", at + "?texts=none"}, {"event", at + "/raw/5"}, {"hostile", at + "/raw/11"},
		{"found", "/search?q=total"}} {
		b.Open(strings.Replace(w.at(p[1]), "127.0.0.1", "aburn.localhost", 1))
		w.looks(b, p[0])
		if got := b.Value(`String(window.pwned)`); got != "undefined" {
			t.Errorf("%s: window.pwned is %s", p[0], got)
		}
		b.Quiet()
		if got := b.Value(`[...performance.getEntriesByType('resource')].map((e) => e.name).filter((n) => !n.startsWith(location.origin + '/')).join(' ')`); got != "" {
			t.Errorf("%s asks for %s", p[0], got)
		}
		if got := b.Value(`[...document.querySelectorAll('a[href]')].map((a) => a.href).filter((h) => !h.startsWith(location.origin + '/')).join(' ')`); got != "" {
			t.Errorf("%s leads to %s", p[0], got)
		}
	}
}

// Keys lead to the fields, to prompts and failures; the first lines follow what is typed; Enter looks inside conversations.
func TestWebSearchKeys(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	w, s := newTextsWorld(t)
	w.serve("--no-ingest")
	b.Open(w.link())
	b.Until(`String(document.querySelector('#live-waiting') !== null)`, "true")
	there := func(at string) string { return strings.Replace(w.at(at), "127.0.0.1", "aburn.localhost", 1) }
	focus := func(key, want string) {
		t.Helper()
		b.Press(key)
		b.Until(`document.activeElement.id || document.activeElement.dataset.kind || document.activeElement.tagName`, want)
	}
	b.Open(there("/s/claude/" + s.id))
	focus("n", "e1")
	focus("n", "e11")
	focus("p", "e1")
	focus("e", "e9")
	focus("f", "find")
	b.Value(`document.activeElement.value = 'rounding'; setTimeout(() => $('find').form.requestSubmit(), 0); ''`)
	b.Until(`location.pathname + document.querySelector('#searched')?.textContent.slice(0, 13)`, "/search1 text found,")
	b.Until(`document.readyState`, "complete") // keys work once the script has begun
	focus("/", "q")
	b.Value(`document.querySelector('#q').value = 'curl'; document.querySelector('#q').dispatchEvent(new Event('input')); ''`)
	b.Until(`String(/error.*503/s.test(document.querySelector('#live-found').textContent)) + location.search`, "true?q=curl")
	b.Quiet()
}

// What a reader has seen of a session is remembered, also by the next aburn web: its list marks the session once it grows, and its
// page says where the new part begins.
func TestWebRemembersWhatWasSeen(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	w, s := newTextsWorld(t)
	w.serve("--no-ingest")
	b.Open(w.link())
	b.Until(`String(document.querySelector('#live-waiting') !== null)`, "true")
	b.Until(`String(!!kept('token'))`, "true")
	is := func(at, selector, want string) { // in the tab that has the token
		t.Helper()
		b.Value(`document.documentElement.dataset.old = '1'; setTimeout(() => { location.href = '` + at + `'; }, 0); ''`)
		b.Until(`String(document.readyState === 'complete' && !document.documentElement.dataset.old)`, "true")
		if got := b.Value(`String(document.querySelectorAll('` + selector + `').length)`); got != want {
			t.Errorf("%s has %s of %s, not %s", at, got, selector, want)
		}
	}
	const dot, mark = `[aria-label="new since you looked"]`, `li.rule.new`
	is("/sessions", dot, "0")
	is("/s/claude/"+s.id, mark, "0")
	b.Until(`String(performance.getEntriesByType('resource').some((e) => e.name.endsWith('/seen') && e.responseStatus === 204))`, "true")
	is("/cost", mark, "0") // the page of the session would follow it, and see what is new
	s.says("something new")
	w.aburn("ingest", "--quiet")
	w.until("/s/claude/"+s.id, "something new")
	w.until("/sessions", "new since you looked") // the lists know of it a moment later
	is("/sessions", dot, "1")
	is("/s/claude/"+s.id, mark, "1")
	b.Until(`String(performance.getEntriesByType('resource').some((e) => e.name.endsWith('/seen') && e.responseStatus === 204))`, "true")
	is("/sessions", dot, "0")
	is("/s/claude/"+s.id, mark, "0")
	st, err := os.Stat(filepath.Join(w.dir, "home", ".local", "state", "aburn", "web-seen.json"))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
}
