package main

import (
	"encoding/json"
	"html"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// figureTag is a number of a page: its name, its exact value and where it leads to.
var figureTag = regexp.MustCompile(`<a class="num[^"]*" href="([^"]*)" data-name="([^"]*)" data-value="([^"]*)"`)

// mainTag is what a page is about.
var mainTag = regexp.MustCompile(`<main id="main" tabindex="-1" data-total="([^"]*)" data-dollars="([^"]*)">`)

type webFigure struct{ name, value, href string }

func figuresOf(page string) (list []webFigure) {
	for _, m := range figureTag.FindAllStringSubmatch(page, -1) {
		list = append(list, webFigure{html.UnescapeString(m[2]), html.UnescapeString(m[3]), html.UnescapeString(m[1])})
	}
	return list
}

// One name, one number: on all pages a name with its link has one value, and what it leads to has as many rows, or costs as much.
// A number of sessions, of failures, of calls, an amount: each is followed.
func TestWebNumbers(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, webUnits)
	w.begin("bbbb2222-0000-4000-8000-000000000002", "Cursor pagination for /orders")
	w.serve("--no-ingest")
	w.until("/", "works")
	type key struct{ name, href string }
	first, where, followed := map[key]string{}, map[key]string{}, map[string][2]string{}
	queue, seen := []string{"/", "/sessions", "/sessions?kind=all", "/sessions?kind=subagent", "/cost", "/cost?period=all", "/failures", "/failures?since=90d",
		"/health", "/projects", "/search?q=test", "/search?q=go&since=90d"}, map[string]bool{}
	numbers := map[string]int{}
	for len(queue) > 0 && len(seen) < 260 {
		at := queue[0]
		queue = queue[1:]
		if at, _, _ = strings.Cut(at, "#"); seen[at] {
			continue
		}
		seen[at] = true
		code, page := w.page(at)
		m := mainTag.FindStringSubmatch(page)
		if code != 200 || m == nil {
			t.Fatalf("%s: %d\n%s", at, code, page)
		}
		if len(page) > 150<<10 {
			t.Errorf("%s has %d bytes", at, len(page))
		}
		followed[at] = [2]string{m[1], html.UnescapeString(m[2])}
		for _, f := range figuresOf(page) {
			k := key{f.name, f.href}
			if old, known := first[k]; known && old != f.value {
				t.Errorf("%q, which leads to %s, is %s on %s and %s on %s", f.name, f.href, old, where[k], f.value, at)
			}
			first[k], where[k] = f.value, at
			numbers[f.name]++
			if numbers[f.name] < 25 {
				queue = append(queue, f.href)
			}
		}
	}
	checked := map[string]int{}
	for k, value := range first {
		at, _, _ := strings.Cut(k.href, "#")
		got, known := followed[at]
		switch {
		case !known || k.name == "waiting" && at == "/" && got[0] == value:
		case strings.HasPrefix(at, "/cost"):
			if got[1] != value {
				t.Errorf("%q on %s is $%s, and leads to %s, which is about $%s", k.name, where[k], value, at, got[1])
			}
			checked["dollars"]++
		case got[0] != value:
			t.Errorf("%q on %s is %s, and leads to %s, which has %s", k.name, where[k], value, at, got[0])
		default:
			checked[k.name]++
		}
	}
	for _, name := range []string{"dollars", "sessions", "failed sessions", "sessions and sub-agents", "sub-agents", "failed calls", "solved later",
		"sessions and sub-agents with answers", "failed sessions and sub-agents"} {
		if checked[name] == 0 {
			t.Errorf("no %q was followed", name)
		}
	}
	t.Logf("%d pages, %v", len(seen), checked)
}

// What the page says of money, aburn cost says, to the last digit.
func TestWebCostIsCost(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, webUnits)
	w.serve("--no-ingest", "--timezone", "America/Los_Angeles")
	for _, by := range []string{"day", "model", "agent"} {
		sums := map[string]*big.Rat{}
		var r struct {
			Rows []struct{ Name, USD string }
		}
		if err := json.Unmarshal([]byte(w.aburn("cost", "--no-ingest", "--by", by, "--json", "--timezone", "America/Los_Angeles")), &r); err != nil {
			t.Fatal(err)
		}
		for _, row := range r.Rows {
			usd, ok := new(big.Rat).SetString(row.USD)
			if !ok {
				t.Fatal(row.USD)
			}
			sums[row.Name] = usd
		}
		if len(sums) == 0 || by == "day" && len(sums) < 20 {
			t.Fatalf("by %s there are %d sums", by, len(sums))
		}
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			want := sums[name]
			if name == "" { // unknown
				name = "-"
			}
			_, page := w.page("/cost?period=all&" + by + "=" + name)
			m := mainTag.FindStringSubmatch(page)
			if m == nil {
				t.Fatal(page)
			}
			if got, ok := new(big.Rat).SetString(m[2]); !ok || got.Cmp(want) != 0 {
				t.Errorf("%s %s: the page says $%s, aburn cost $%s", by, name, m[2], want.FloatString(12))
			}
		}
	}
}

// Every row of a list is on exactly one of its pages, in the list's order, also while newer sessions come.
func TestWebPaging(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	w := newWebWorld(t, webUnits)
	w.serve("--no-ingest")
	row := regexp.MustCompile(`<td class="wide"[^>]*>(?:<span[^>]*>[^<]*</span>)*\s*<a href="(/s/[^"]*)">`)
	older := regexp.MustCompile(`<a class="button" rel="next" href="([^"]*)">older`)
	var all []string
	pages := 0
	for at := "/sessions?kind=all"; at != ""; pages++ {
		_, text := w.page(at)
		rows := row.FindAllStringSubmatch(text, -1)
		if len(rows) > 100 {
			t.Errorf("%s has %d rows", at, len(rows))
		}
		for _, m := range rows {
			all = append(all, m[1])
		}
		next := older.FindStringSubmatch(text)
		if at = ""; next != nil {
			at = html.UnescapeString(next[1])
		}
	}
	_, text := w.page("/sessions?kind=all")
	if want := mainTag.FindStringSubmatch(text)[1]; pages < 2 || want != figuresOf(text)[2].value {
		t.Errorf("%d pages, %s rows, %+v", pages, want, figuresOf(text)[:3])
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(all)))
	if len(distinct) != len(all) || len(all) < 150 {
		t.Errorf("%d rows, %d different ones", len(all), len(distinct))
	}
}
