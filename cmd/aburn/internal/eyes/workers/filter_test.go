package workers

import (
	"net/url"
	"testing"

	"aburn/worker"
	"aburn/worker/board"
	"aburn/worker/describe"
)

// A filter takes a worker if every part of it does, and its address says the same filter again.
func TestFilterTakes(t *testing.T) {
	w := &board.Standing{Summary: describe.Summary{Worker: "fix-rounding", Task: "Fix the totals", Agent: "claude", Branch: "aburn/fix-rounding"},
		Key: "shop", Words: "in review: ci failed", Pull: worker.Pull{Number: 31}}
	for query, want := range map[string]bool{
		"": true, "project=shop": true, "project=other": false, "agent=claude": true, "agent=codex": false, "zone=review": true, "zone=works": false,
		"words=TOTALS": true, "words=totals+ci": true, "words=totals+nothing": false, "words=%2331": true, "project=shop&agent=claude&zone=review&words=fix": true,
		"project=shop&agent=codex": false,
		"cards=full":               true, "words=++": true,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		f := filterOf(values)
		if got := f.takes(w, "review"); got != want {
			t.Errorf("%q: %t", query, got)
		}
		again, err := url.Parse(f.with("zone", f.zone))
		if err != nil || filterOf(again.Query()) != f {
			t.Errorf("%q leads to %v, which is %v: %v", query, again, filterOf(again.Query()), err)
		}
		if off, _ := url.Parse(f.with("zone", "")); off.Query().Has("zone") {
			t.Errorf("%q: a filter that was taken off stays in %s", query, off)
		}
	}
}

// Only the address of a page of a forge is a link: it comes from outside.
func TestForgeURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://github.com/o/shop/pull/31": "https://github.com/o/shop/pull/31", "http://github.com/o/shop/pull/31": "", "javascript:alert(1)": "",
		"data:text/html,x": "", "//evil.example": "", "": "",
		"https://user:word@github.com/o/shop": "", "https:///x": "", "https://git.example/o/\u202e": "",
	} {
		if got := forgeURL(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
