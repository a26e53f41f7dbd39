package graphpage

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/browser"
	"aburn/internal/plain"
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
		calls, failed := 0, 0
		for _, list := range p.Calls {
			calls += len(list)
			for _, c := range list {
				if c.Failed {
					failed++
				}
			}
		}
		root := p.Nodes[0].Whole
		for expression, want := range map[string]int{
			`document.documentElement.dataset.nodes`: n, `document.documentElement.dataset.calls`: calls, `document.documentElement.dataset.failed`: failed,
			sum("sessions"): n, sum("calls"): calls, sum("failed"): failed, sum("tokens"): int(root.Tokens), sum("no_result"): root.NoResult,
			sum("prompts"): root.Prompts,
			column(6):      root.Calls, column(7): root.Failed, column(8): root.NoResult, column(9): int(root.Tokens), `document.querySelectorAll('tbody tr').length`: n,
		} {
			if got := b.Value(expression); got != strconv.Itoa(want) {
				t.Errorf("%d nodes: %s is %s, want %d", n, expression, got, want)
			}
		}
		shown, _ := strconv.Atoi(b.Value(`document.querySelectorAll('#tree [role=treeitem]').length`))
		if shown < min(n, 20) || shown > 100 {
			t.Errorf("%d nodes: the picture begins with %d", n, shown)
		}
		if b.Value(`document.querySelectorAll('#lanes .call').length`) == "0" || b.Value(`document.querySelectorAll('#lanes .lane').length`) == "0" {
			t.Errorf("%d nodes: no call is on the timeline", n)
		}
	}
}

// sum is one of the page's big numbers.
func sum(name string) string {
	return `document.querySelector('[data-sum="` + name + `"]').textContent.replaceAll(',', '')`
}

// column is the sum over a column of the page's table.
func column(n int) string {
	return `String([...document.querySelectorAll('tbody td:nth-child(` + strconv.Itoa(n) +
		`)')].reduce((sum, td) => sum + Number(td.textContent.replaceAll(',', '')), 0))`
}

// Everything can be reached with the keyboard, found, zoomed and folded, and says what it is.
func TestPageAtTheKeyboard(t *testing.T) {
	b := browser.Start(t)
	p := drawn(60)
	b.Open(written(t, p))
	is := func(what, expression, want string) {
		t.Helper()
		if got := b.Value(expression); got != want {
			t.Errorf("%s: %s is %s, want %s", what, expression, got, want)
		}
	}
	is("whose clocks these are", `document.getElementById('zone').textContent === 'times in ' + Intl.DateTimeFormat().resolvedOptions().timeZone`, "true")
	items := `document.querySelectorAll('#tree [role=treeitem]').length`
	all := b.Value(items)
	b.Value(`document.querySelector('#tree [tabindex="0"]').focus()`)
	is("Tab reaches the root", `document.activeElement.dataset.node`, "1")
	b.Press("ArrowLeft")
	is("← closes", items, "1")
	is("closed, it shows the sum of all", `document.activeElement.querySelector('.sub').textContent.split(' calls')[0]`, "Σ "+comma(p.Nodes[0].Whole.Calls))
	b.Press("ArrowRight")
	is("→ opens what was open", items, all)
	b.Press("ArrowRight")
	is("→ goes on", `document.activeElement.dataset.node`, "2")
	b.Press("Enter")
	is("Enter goes to the lane", `document.activeElement.id`, "lanes")
	is("which is that of the node", `document.querySelector('.lane.at').dataset.at`, "1")
	b.Press("n")
	is("n goes to its first call", `document.querySelector('.call.on') !== null && document.getElementById('detail').textContent.startsWith('call ')`, "true")
	before := b.Value(`axis.to - axis.from`)
	b.Press("+", "+")
	is("+ zooms", `axis.to - axis.from < `+before+` / 2`, "true")
	b.Press("0")
	is("0 shows all", `axis.to - axis.from`, before)
	lanes := `lanes.shown.length`
	is("a lane a session", lanes, "60")
	b.Press("ArrowUp", "Enter")
	is("Enter folds", lanes, "1")
	b.Press("Enter")
	is("and unfolds", lanes, "60")
	b.Value(`document.getElementById('search').focus()`)
	b.Value(`document.getElementById('search').value = 'failure '`)
	b.Press("7")
	is("a search finds", lanes, strconv.Itoa(matching(p, "failure 7")))
	b.Value(`document.getElementById('search').value = '', document.getElementById('search').dispatchEvent(new Event('input'))`)
	is("without it all are back", lanes, "60")
	b.Value(`document.querySelector('#time-legend button').click()`)
	is("the legend hides", `document.querySelectorAll('#lanes .c-completed.call').length`, "0")
	b.Value(`document.getElementById('colour').value = 'type', document.getElementById('colour').dispatchEvent(new Event('change'))`)
	is("kinds have colours", `document.querySelectorAll('#time-legend button').length`, "8")
	b.Value(`document.getElementById('tree-all').click()`)
	is("all are opened", items, "60")
	if all == "1" {
		t.Error("at first only the root is shown")
	}
	b.Quiet()
}

func comma(n int) string { return plain.Count(int64(n)) }

func matching(p *Page, text string) (n int) {
	for i := range p.Nodes {
		if strings.Contains(p.Nodes[i].Label(), text) {
			n++
		}
	}
	return n
}

// Texts stay texts, nothing is loaded, and only the page's own script may run.
func TestPageIsItsOwn(t *testing.T) {
	p := drawn(12)
	p.Title = `</title><script>alert(1)</script>` + "\u202e"
	p.Nodes[1].AgentType, p.Nodes[1].Description = `"><img src=x onerror=alert(1)>`, "javascript:alert(1)"
	browser.Own(t, p.HTML)
}

func TestAPageOfNothing(t *testing.T) {
	if err := (&Page{Title: "nothing"}).HTML(&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
}
