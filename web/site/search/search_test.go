package search

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"aburn/web/pages"
)

// Stopping a search by its name ends this one, without a name all.
func TestSearchIsStopped(t *testing.T) {
	s := &searches{}
	begin := func() (string, context.Context) {
		ctx, cancel := context.WithCancel(t.Context())
		return s.begin(cancel), ctx
	}
	one, first := begin()
	_, second := begin()
	stop := func(at string) { s.Stop(httptest.NewRecorder(), httptest.NewRequest("POST", at, nil)) }
	stop("/search/stop?name=none")
	if first.Err() != nil || second.Err() != nil {
		t.Error("a name that nobody has stops something")
	}
	if stop("/search/stop?name=" + one); first.Err() == nil || second.Err() != nil {
		t.Error("not the one that was named")
	}
	if stop("/search/stop"); second.Err() == nil {
		t.Error("not all")
	}
	s.end(one)
	if len(s.running) != 1 {
		t.Errorf("%d searches are left", len(s.running))
	}
}

// All words of a query are marked, in any order and as often as they come; a phrase's quotes are none of them.
func TestSnippetMarksEachWord(t *testing.T) {
	for _, c := range []struct{ line, query, want string }{
		{"fix the rounding of totals", "totals rounding", "fix the [rounding] of [totals]"},
		{"Half to even, half to odd", `"half to"`, "[Half] [to] even, [half] [to] odd"},
		{"round rounding", "round rounding", "[round] [rounding]"},
		{"nothing of it", "zebra", "nothing of it"},
		{strings.Repeat("a ", 100) + "zebra", "zebra", "…" + strings.Repeat("a ", 50) + "[zebra]"},
	} {
		got := ""
		for _, p := range snippet(c.line, c.query, pages.Snippet{}).Parts {
			if p.Mark {
				p.Text = "[" + p.Text + "]"
			}
			got += p.Text
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.query, got, c.want)
		}
	}
}
