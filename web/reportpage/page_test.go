package reportpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/report"
	"aburn/internal/lab/browser"
	"aburn/internal/plain"
)

// html writes the page of a report of these sessions.
func html(r *report.Report, units ...*insight.Digest) func(io.Writer) error {
	return func(w io.Writer) error { return HTML(w, r, units, lastDigits) }
}

func lastDigits(_, id string) string { return id[max(len(id)-4, 0):] }

func written(t *testing.T, name string, r *report.Report, units ...*insight.Digest) string {
	t.Helper()
	return browser.Written(t, name, html(r, units...))
}

// told is what --json says: the numbers that the page has to show.
func told(t *testing.T, r *report.Report) (j report.Report) {
	t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &j); err != nil {
		t.Fatal(err)
	}
	return j
}

// is checks what an expression of the page gives.
func is(t *testing.T, b *browser.Browser, what, expression string, want any) {
	t.Helper()
	if got := b.Value(expression); got != fmt.Sprint(want) {
		t.Errorf("%s: %s is %s, want %v", what, expression, got, want)
	}
}

// numbers are the attribute of all elements that a selector chooses, joined by blanks.
func numbers(selector, attribute string) string {
	return `[...document.querySelectorAll('` + selector + `')].map((e) => e.getAttribute('` + attribute + `')).join(' ')`
}

// cells are the texts of a table's column, joined by semicolons.
func cells(table string, column int) string {
	return `[...document.querySelectorAll('#` + table + ` tbody tr')].map((tr) => tr.children[` + strconv.Itoa(column) + `].textContent).join(';')`
}

// The page in a real browser: no error, no refusal by its own policy, the plots there, and the numbers of --json in plots and tables.
func TestPageInABrowser(t *testing.T) {
	b := browser.Start(t)
	for _, weeks := range []int{1, 12, 38} {
		r := drawn(weeks)
		b.Open(written(t, fmt.Sprintf("report-%d", weeks), r))
		b.Quiet()
		is(t, b, "plots", `document.documentElement.dataset.drawn`, 6)
		j := told(t, r)
		plots(t, b, &j)
		tables(t, b, &j)
		b.Quiet()
	}
}

// A plot over time shows the last year, and says so.
func TestPageOfYears(t *testing.T) {
	b := browser.Start(t)
	r := drawn(70)
	b.Open(written(t, "years", r))
	is(t, b, "weeks", `document.querySelectorAll('#outcomes .item').length`, 53)
	early := 0
	for _, w := range r.Weeks {
		if w.Start.Before(r.Weeks[len(r.Weeks)-1].Start.AddDate(0, 0, -52*7)) {
			early++
		}
	}
	is(t, b, "it says so", `document.querySelector('#outcomes p').textContent`, fmt.Sprintf("The last year. %d earlier weeks are in the table.", early))
	is(t, b, "the table", `document.querySelectorAll('#table-weeks tbody tr').length`, len(r.Weeks))
	b.Quiet()
}

// One session of a clock that is ahead takes no year from the plots.
func TestPageOfClocksAhead(t *testing.T) {
	b := browser.Start(t)
	r := drawn(12)
	late := r.Weeks[0]
	late.Week, late.Start = "9999-W01", time.Date(9999, 1, 4, 0, 0, 0, 0, time.UTC)
	want := len(r.Weeks)
	r.Weeks = append(r.Weeks, late)
	b.Open(written(t, "ahead", r))
	for _, plot := range []string{"outcomes", "rate"} {
		is(t, b, plot, `document.querySelectorAll('#`+plot+` [data-week^="2"]').length`, want)
		is(t, b, plot+" says so", `document.querySelector('#`+plot+` p').textContent`, "1 week to come, by clocks that are ahead, is in the table.")
	}
	r.Weeks = r.Weeks[want:]
	b.Open(written(t, "only-ahead", r))
	is(t, b, "alone", `document.querySelectorAll('#outcomes [data-week^="9999"]').length`, 1)
	b.Quiet()
}

func plots(t *testing.T, b *browser.Browser, j *report.Report) {
	t.Helper()
	for _, o := range j.Outcomes {
		sum := 0
		for _, w := range j.Weeks {
			sum += w.Outcomes[string(o.Outcome)]
		}
		is(t, b, "drawn "+string(o.Outcome), `[...document.querySelectorAll('#outcomes [data-outcome="`+string(o.Outcome)+
			`"]')].reduce((n, e) => n + Number(e.dataset.n), 0)`, sum)
		if sum != o.Units {
			t.Errorf("%d in weeks and %d in all ended %s", sum, o.Units, o.Outcome)
		}
	}
	var names, failed, calls, classes, shapes, errors, tools []string
	for _, w := range j.Weeks {
		names, failed, calls = append(names, w.Week), append(failed, strconv.Itoa(w.Failed)), append(calls, strconv.Itoa(w.Calls))
	}
	for _, c := range j.Classes[:min(len(j.Classes), mostBars)] {
		classes = append(classes, fmt.Sprint(c.Errors))
	}
	for _, s := range j.Failures[:min(len(j.Failures), mostBars)] {
		shapes = append(shapes, fmt.Sprint(s.Units))
	}
	for _, e := range j.Errors[:min(len(j.Errors), mostBars)] {
		errors = append(errors, fmt.Sprint(e.Units))
	}
	for _, s := range j.Tools {
		tools = append(tools, fmt.Sprint(s.Failed))
	}
	for _, c := range []struct {
		what, expression string
		want             []string
	}{
		{"weeks", numbers(`#outcomes [data-week^="2"]`, "data-week"), names}, {"failed calls by week", numbers("#rate [data-week]", "data-failed"), failed},
		{"calls by week", numbers("#rate [data-week]", "data-calls"), calls},
		{"classes", numbers("#classes .item", "data-n"), classes}, {"shapes", numbers("#shapes .item", "data-n"), shapes},
		{"errors", numbers("#errors .item", "data-n"), errors}, {"tools", numbers("#tools .item", "data-n"), tools},
	} {
		is(t, b, c.what, c.expression, strings.Join(c.want, " "))
	}
	is(t, b, "no label reaches its bar",
		`[...document.querySelectorAll('.item')].every((e) => { const text = e.querySelector('.label'), bar = e.querySelector('.c-part'); return !text || `+
			`text.getComputedTextLength() + 2 <= Number(bar.getAttribute('x')); })`, true)
	is(t, b, "all texts are inside",
		`[...document.querySelectorAll('.plot text')].filter((e) => { const box = e.getBoundingClientRect(), svg = e.closest('svg').getBoundingClientRect(); `+
			`return box.left < svg.left - 1 || box.right > svg.right + 1; }).map((e) => e.textContent).join(';')`, "")
	// What is drawn is as long as it says: of two bars the one with more is longer.
	is(t, b, "bars as long as their numbers",
		`['classes', 'shapes', 'errors'].every((id) => { const items = [...document.querySelectorAll('#' + id + ' .item')].map((e) => [Number(e.dataset.n), Number(e.querySelector('.c-part').getAttribute('width'))]);
		return items.every(([n, w]) => Math.abs(w - Math.max(items[0][1] * n / items[0][0], 1.5)) < 0.01); })`, true)
}

func tables(t *testing.T, b *browser.Browser, j *report.Report) {
	t.Helper()
	count := func(n int) string { return plain.Count(int64(n)) }
	u := j.Units
	for name, want := range map[string]string{
		"sessions": count(u.Sessions), "subagents": count(u.Subagents), "running": count(u.Running), "failing": count(u.Failing) + " of " + count(u.Ended),
		"erring": count(u.Erring) + " of " + count(u.Ended),
		"calls":  count(j.AllTools.Failed) + " of " + count(j.AllTools.Ended), "spent": plain.Count(j.Tokens.Failed) + " of " + plain.Count(j.Tokens.Calls),
		"retried": plain.Count(j.Tokens.Retries) + " of " + plain.Count(j.Tokens.Calls),
	} {
		is(t, b, "tile", `document.querySelector('[data-n="`+name+`"]').textContent`, want)
	}
	column := func(n int, row func(i int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = row(i)
		}
		return strings.Join(list, ";")
	}
	is(t, b, "outcomes", cells("table-outcomes", 1), column(len(j.Outcomes),
		func(i int) string { return count(j.Outcomes[i].Units) + " of " + count(j.Outcomes[i].Of) }))
	is(t, b, "weeks", cells("table-weeks", 1), column(len(j.Weeks), func(i int) string { return count(j.Weeks[i].Failing) + " of " + count(j.Weeks[i].Ended) }))
	is(t, b, "shapes", cells("table-shapes", 0), column(len(j.Failures),
		func(i int) string { return count(j.Failures[i].Units) + " of " + count(j.Failures[i].OfFailing) }))
	is(t, b, "keys of shapes", cells("table-shapes", 2), column(len(j.Failures), func(i int) string { return j.Failures[i].Key }))
	is(t, b, "errors", cells("table-errors", 0), column(len(j.Errors),
		func(i int) string { return count(j.Errors[i].Units) + " of " + count(j.Errors[i].OfErring) }))
	is(t, b, "classes", cells("table-classes", 1), column(len(j.Classes),
		func(i int) string { return count(j.Classes[i].Errors) + " of " + count(j.Classes[i].OfErrors) }))
	is(t, b, "loops", cells("table-loops", 1), column(len(j.Loops), func(i int) string { return count(j.Loops[i].Most) }))
	is(t, b, "tools", cells("table-tools", 2), column(len(j.Tools), func(i int) string { return count(j.Tools[i].Failed) + " of " + count(j.Tools[i].Ended) }))
	is(t, b, "tokens", cells("table-tokens", 1), strings.Join([]string{plain.Count(j.Tokens.All), plain.Count(j.Tokens.Calls) + " of " + plain.Count(j.Tokens.All),
		plain.Count(j.Tokens.Failed) + " of " + plain.Count(j.Tokens.Calls),
		plain.Count(j.Tokens.Retries) + " of " + plain.Count(j.Tokens.Calls)}, ";"))
	is(t, b, "slow", `document.querySelectorAll('#table-slow tbody tr').length`, len(j.Slow))
	is(t, b, "phases", cells("table-phases", 6), column(len(j.Phases),
		func(i int) string { return count(j.Phases[i].BadCalls) + " of " + count(j.Phases[i].Calls) }))
	is(t, b, "agents", cells("table-agents", 1), column(len(j.Agents), func(i int) string { return count(j.Agents[i].Units) }))
	is(t, b, "remedies", cells("remedies", 1), column(len(j.Remedies), func(i int) string { return j.Remedies[i].Key }))
}

// Everything in the plots can be reached with the keyboard and says what it is; the legend hides.
func TestPageAtTheKeyboard(t *testing.T) {
	b := browser.Start(t)
	r := drawn(12)
	b.Open(written(t, "keyboard", r))
	detail := `document.getElementById('detail').textContent`
	b.Value(`document.querySelector('#classes [tabindex="0"]').focus()`)
	first := r.Classes[0]
	is(t, b, "the first class", detail+`.startsWith('`+string(first.Class)+`: `+plain.Count(int64(first.Errors))+` of ')`, true)
	b.Press("ArrowDown")
	is(t, b, "the next class", detail+`.startsWith('`+string(r.Classes[1].Class)+`: ')`, true)
	is(t, b, "where it is", `document.getElementById('tip').hidden || document.getElementById('tip').textContent !== `+detail, false)
	is(t, b, "only one of a plot is a stop of Tab", `document.querySelectorAll('#classes [tabindex="0"]').length`, 1)
	b.Press("End")
	is(t, b, "the last class", `document.activeElement === [...document.querySelectorAll('#classes .item')].at(-1)`, true)
	b.Press("ArrowDown")
	is(t, b, "it is the last", `document.activeElement === [...document.querySelectorAll('#classes .item')].at(-1)`, true)
	b.Press("Home")
	is(t, b, "and the first again", `document.activeElement === document.querySelector('#classes .item')`, true)
	b.Value(`document.querySelector('#outcomes [tabindex="0"]').focus()`)
	is(t, b, "a week", detail+`.startsWith('week from 2026-05-18: ')`, true)
	is(t, b, "weeks without an end are there", `document.querySelectorAll('#outcomes .item').length`, 12)
	is(t, b, "with nothing in them", `document.querySelectorAll('#outcomes [data-ended="0"] [data-outcome]').length`, 0)
	b.Value(`document.querySelector('#legend button').click()`)
	is(t, b, "the legend hides", `document.querySelectorAll('#outcomes [data-outcome="completed"]').length`, 0)
	b.Value(`document.querySelector('#legend button').click()`)
	is(t, b, "and shows", `document.querySelectorAll('#outcomes [data-outcome="completed"]').length > 0`, true)
	b.Quiet()
}

// contrast is the least contrast (WCAG) of any text that the page shows with what is behind it.
const contrast = `(() => {
	const parts = (c) => c.match(/[\d.]+/g).map(Number);
	const light = (c) => { const [r, g, b] = parts(c).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (parts(c)[3] !== 0) return c; } return 'rgb(255, 255, 255)'; };
	let least = 21;
	for (const e of document.querySelectorAll('h1, h2, p, dt, dd, td, th, summary, button, svg text')) {
		const style = getComputedStyle(e), a = light(e instanceof SVGElement ? style.fill : style.color), b = light(ground(e));
		least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
	}
	return least;
})()`

// Both schemes can be read: each text has the contrast that WCAG asks of small text.
func TestPageInLightAndDark(t *testing.T) {
	b := browser.Start(t)
	b.Open(written(t, "schemes", drawn(30)))
	grounds := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.Prefer(scheme)
		grounds[b.Value(`getComputedStyle(document.body).backgroundColor`)] = true
		if least, err := strconv.ParseFloat(b.Value(contrast), 64); err != nil || least < 4.5 {
			t.Errorf("%s: a text has the contrast %.2f (%v), want 4.5", scheme, least, err)
		}
		path := filepath.Join(browser.Folder(t), scheme+".png")
		b.Screenshot(path)
		if st, err := os.Stat(path); err != nil || st.Size() < 10000 {
			t.Errorf("%s: no picture: %v", scheme, err)
		}
	}
	if len(grounds) != 2 {
		t.Errorf("light and dark are the same: %v", grounds)
	}
	b.Quiet()
}

// Texts stay texts, nothing is loaded, and only the page's own script may run.
func TestPageIsItsOwn(t *testing.T) {
	bad := `</script><script>alert(1)</script><img src=x onerror=alert(1)>` + "\u202e"
	d := &insight.Digest{
		Source: bad, ID: bad, Verdict: insight.Verdict{Outcome: insight.Errored, Rule: bad}, Keys: insight.Keys{Coarse: bad, Fine: bad}, End: time.Now(),
		Classes: []insight.ClassCount{{Class: failure.Class(bad), Count: 1}},
		Errors:  []insight.ErrorGroup{{Class: failure.Class(bad), Tool: bad, Head: bad, Text: bad, Count: 1}},
		Loops:   []insight.EditLoop{{Path: bad, Edits: 9}}, Slow: []insight.SlowCall{{Tool: bad, What: bad, MS: 1}},
		Phases: []insight.PhaseUse{{Command: bad, Phase: bad, Tools: []insight.ToolFailed{{Tool: bad, Failed: 1}}}},
	}
	d.Agent.Name, d.Project.Key = bad, bad
	browser.Own(t, html(report.Make([]*insight.Digest{d}, report.Options{Chosen: report.Chosen{Source: bad, Project: bad}}), d), 2)
}

// Where no record tells of tokens, it is not said that there were none.
func TestTokensThatNobodyKnows(t *testing.T) {
	var b bytes.Buffer
	if err := html(&report.Report{Agents: []report.Agent{{Source: "own", Units: 2, Ended: 2, Calls: 7}},
		Phases: []report.Phase{{Command: "build", Runs: 1, Open: 1, ActiveMS: 4000, Calls: 2}}})(&b); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		`<td>own</td><td class="n">2</td><td class="n">0 of 2</td><td class="n">7</td><td class="n">-</td></tr>`,
		`<td>build</td><td class="n">0 of 1</td><td class="n">0 of 1</td><td class="n">1 of 1</td><td class="n">4.0s</td><td class="n">-</td>`,
	} {
		if !strings.Contains(b.String(), row) {
			t.Errorf("no row %s", row)
		}
	}
}

func TestAPageOfNothing(t *testing.T) {
	b := browser.Start(t)
	b.Open(written(t, "nothing", report.Make(nil, report.Options{Now: time.Now()})))
	is(t, b, "plots", `document.documentElement.dataset.drawn`, 0)
	is(t, b, "it says so", `document.getElementById('shapes').textContent`, "Nothing failed.")
	b.Quiet()
}
