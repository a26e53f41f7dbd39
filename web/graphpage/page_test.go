package graphpage

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"aburn/internal/lab/browser"
)

func written(t *testing.T, p *Page) string {
	t.Helper()
	return browser.Written(t, fmt.Sprintf("page-%d", len(p.Nodes)), p.HTML)
}

// The page in a real browser: no error, no refusal by the page's own policy, and the numbers that went in.
func TestPageInABrowser(t *testing.T) {
	b := browser.Start(t)
	for _, n := range []int{1, 3, 60, 1000} {
		p := drawn(n)
		b.Open(written(t, p))
		b.Quiet()
		calls, failed, cancelled := 0, 0, 0
		for _, list := range p.Calls {
			calls += len(list)
			for _, c := range list {
				if c.Failed {
					failed++
				}
				if c.Status == "cancelled" {
					cancelled++
				}
			}
		}
		root := p.Nodes[0].Whole
		for expression, want := range map[string]int{
			sum("sessions"): n, sum("calls"): calls, sum("failed"): failed, sum("tokens"): int(root.Tokens), sum("no_result"): root.NoResult,
			sum("prompts"): root.Prompts,
			column(6):      root.Calls, column(7): root.Failed, column(8): root.NoResult, column(9): int(root.Tokens), number(`#table tbody tr`): n,
			number(`.tree > li`): n, number(`.calls tr`): calls, number(`.calls .bad`): failed, number(`svg.lane rect`): calls,
			number(`svg.lane .c-bad`): failed, number(`svg.lane .c-held`): root.NoResult, number(`svg.lane .c-cancelled`): cancelled,
		} {
			if got := b.Value(expression); got != strconv.Itoa(want) {
				t.Errorf("%d nodes: %s is %s, want %d", n, expression, got, want)
			}
		}
	}
}

// number is how many elements there are.
func number(selector string) string { return "document.querySelectorAll('" + selector + "').length" }

// sum is one of the page's big numbers.
func sum(name string) string {
	return `document.querySelector('[data-sum="` + name + `"]').textContent.replaceAll(',', '')`
}

// column is the sum over a column of the page's table.
func column(n int) string {
	return `String([...document.querySelectorAll('#table tbody td:nth-child(` + strconv.Itoa(n) +
		`)')].reduce((sum, td) => sum + Number(td.textContent.replaceAll(',', '')), 0))`
}

// Everything can be reached with the keyboard: a session's calls unfold, a name of the table leads to its session.
func TestPageAtTheKeyboard(t *testing.T) {
	b := browser.Start(t)
	b.Open(written(t, drawn(60)))
	is := func(what, expression, want string) {
		t.Helper()
		if got := b.Value(expression); got != want {
			t.Errorf("%s: %s is %s, want %s", what, expression, got, want)
		}
	}
	b.Value(`document.querySelector('#n7 summary').focus()`)
	is("closed at first", `document.querySelectorAll('details[open]').length`, "0")
	b.Type("\r")
	is("Enter shows the calls", `document.querySelector('#n7 details').open`, "true")
	is("which are seen", `document.querySelector('#n7 .calls tr').getBoundingClientRect().height > 5`, "true")
	b.Type("\r")
	is("and hides them", `document.querySelectorAll('details[open]').length`, "0")
	b.Value(`document.querySelector('#table [data-node="7"] a').focus()`)
	b.Type("\r")
	is("a name leads to its session", `location.hash`, "#n7")
	for _, width := range []int{1280, 360} {
		b.Resize(width, 800)
		is("no sideways scrolling", `document.documentElement.scrollWidth <= innerWidth`, "true")
	}
	b.Quiet()
}

// Texts stay texts, nothing is loaded, and no script may run.
func TestPageIsItsOwn(t *testing.T) {
	p := drawn(12)
	p.Title = `</title><script>alert(1)</script>` + "\u202e"
	p.Nodes[1].AgentType, p.Nodes[1].Description = `"><img src=x onerror=alert(1)>`, "javascript:alert(1)"
	browser.Own(t, p.HTML, 0)
}

func TestAPageOfNothing(t *testing.T) {
	if err := (&Page{Title: "nothing"}).HTML(&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
}
