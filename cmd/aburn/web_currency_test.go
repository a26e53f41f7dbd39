package main

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// Every amount on every page is in the currency of the settings, and so are those of the commands that say the same.
func TestWebCurrency(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, 60)
	const own = `{"cost.currency": {"code": "EUR", "per_dollar": 0.5, "date": "2026-11-20"}}`
	if err := os.WriteFile(filepath.Join(w.dir, "home", ".config", "aburn", "settings.json"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	w.serve("--no-ingest")
	_, list := w.page("/sessions")
	session := regexp.MustCompile(`href="(/s/[^"/]+/[^"/?]+)"`).FindStringSubmatch(list)
	if session == nil {
		t.Fatal(list)
	}
	_, list = w.page("/failures?period=all")
	failure := regexp.MustCompile(`href="(/failures/[^"?]+)`).FindStringSubmatch(list)
	if failure == nil {
		t.Fatal(list)
	}
	dollars := regexp.MustCompile(`.{0,40}\$[0-9].{0,40}`)
	for _, path := range []string{"/", "/sessions", "/cost", "/cost?period=all", "/failures?period=all", "/projects", failure[1], session[1]} {
		code, text := w.page(path)
		const note = "$1 is EUR 0.5 at your rate of 2026-11-20."
		if n := strings.Count(text, note); code != 200 || n != 1 {
			t.Errorf("%s: status %d, and the rate is said %d times", path, code, n)
		}
		if !strings.Contains(strings.ReplaceAll(text, note, ""), "EUR ") {
			t.Errorf("%s has no amount", path)
		}
		for _, left := range dollars.FindAllString(strings.ReplaceAll(text, note, ""), -1) {
			t.Errorf("%s: %s", path, left)
		}
	}
	_, text := w.page("/cost?period=all")
	m := mainTag.FindStringSubmatch(text)
	sum, ok := new(big.Rat).SetString(m[2])
	if !ok || sum.Sign() <= 0 {
		t.Fatal(m)
	}
	if want := "EUR " + plainThousands(sum.Mul(sum, big.NewRat(1, 2)).FloatString(2)); !strings.Contains(text, want) {
		t.Errorf("the page does not say %s", want)
	}
	for _, args := range []string{"top --once", "cost --no-ingest", "cost --no-ingest --by session", "show --calls --no-ingest " + strings.TrimPrefix(session[1], "/s/")} {
		out := w.aburn(strings.Fields(args)...)
		if left := dollars.FindAllString(strings.ReplaceAll(out, "$1 is", ""), -1); left != nil || !strings.Contains(out, "EUR ") {
			t.Errorf("aburn %s: %q\n%s", args, left, out)
		}
	}
}

// plainThousands puts a comma before every third digit of a decimal number.
func plainThousands(s string) string {
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return fmt.Sprintf("%s.%s", whole, fraction)
}
