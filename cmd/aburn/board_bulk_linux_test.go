package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/internal/lab/browser"
)

// A person ticks workers of the board: all get a message, are merged in the order of the ticks, and end, each after one question. What
// was ticked outlives a board that moves.
func TestTickedWorkers(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	s, w := newBoard(t, "--no-notices")
	s.headless("one", "finish the CSV export")
	s.headless("two", "look at the orders")
	s.headless("three", "look at the carts")
	for name, state := range map[string]string{"one": "done", "two": "idle", "three": "idle"} {
		s.until(name+" is "+state, s.is(name, state))
	}
	tree := s.tree("two")
	s.must(os.WriteFile(filepath.Join(tree, "orders.txt"), []byte("orders\n"), 0o600))
	s.ok("git", "-C", tree, "add", "orders.txt")
	s.ok("git", "-C", tree, "commit", "-q", "-m", "Add the orders")
	b.Open(w.link())
	b.Until(`String(document.querySelectorAll('.worker').length)`, "3")
	b.Open(strings.Replace(w.at("/"), "127.0.0.1", "aburn.localhost", 1))
	b.Until(`String([...document.querySelectorAll('.pick')].filter((p) => !p.hidden).length)`, "3")
	tick := func(names ...string) {
		for _, name := range names {
			b.Value(`document.querySelector('.pick[data-worker=` + name + `]').click()`)
		}
	}
	press := func(what string) { b.Value(`document.querySelector('#bulk [data-bulk=` + what + `]').click()`) }
	did := `document.querySelector('#did').textContent`
	if b.Value(`String(document.querySelector('#bulk').getClientRects().length)`) != "0" {
		t.Error("buttons for nobody are shown")
	}

	tick("two", "three")
	b.Until(`document.querySelector('#picked').textContent`, "2 ticked")
	b.Value(`document.querySelector('#bulk-text').value = 'fix the rounding'; document.querySelector('#bulk').requestSubmit()`)
	b.Until(did+`.split('\n')[0]`, "Sent.")
	for _, name := range []string{"two", "three"} {
		told, err := os.ReadFile(filepath.Join(filepath.Dir(tree), "told-"+name))
		if err != nil || !strings.Contains(string(told), "fix the rounding") {
			t.Errorf("%s was told %q %v", name, told, err)
		}
		s.until(name+" is idle", s.is(name, "idle"))
	}
	b.Until(`String(document.querySelectorAll('[aria-labelledby=z-ready] .worker').length)`, "2")
	b.Until(`[...document.querySelectorAll('.pick:checked')].map((p) => p.dataset.worker).sort().join()`, "three,two")
	s.ok("git", "-C", tree, "checkout", "-q", "--", ".") // what the message made it change
	w.looks(b, "ticked")
	b.Resize(1280, 900)

	press("none")
	tick("two", "one")
	press("merge")
	b.Until(`document.querySelector('#sure-h').textContent`, "Merge 2 in this order?")
	lines := b.Value(`document.querySelector('#sure-lines').textContent`)
	if at, then := strings.Index(lines, "1. two: Merge two into main?"), strings.Index(lines, "2. one: Merge one into main?"); at < 0 || then < at {
		t.Errorf("it asks about %q", lines)
	}
	b.Value(`document.querySelector('#sure-yes').click()`)
	b.Until(did+`.split('\n').slice(0, 3).join('|')`, "Done.|two: Merged into main.|one: Merged into main.")
	for _, name := range []string{"orders.txt", "new.txt"} {
		if !fileExists(filepath.Join(s.project, name)) {
			t.Errorf("%s was not merged", name)
		}
	}

	tick("three")
	press("all")
	b.Until(`document.querySelector('#picked').textContent`, "3 ticked")
	press("kill")
	b.Until(`document.querySelector('#sure-h').textContent`, "End 3 agents and all that they started?")
	b.Value(`document.querySelector('#sure-yes').click()`)
	b.Until(did+`.split('\n')[0]`, "Done.")
	if left := s.living(); len(left) > 0 {
		t.Errorf("%v go on", left)
	}
	w.alone(b)
}
