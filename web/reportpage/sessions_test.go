package reportpage

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/report"
	"aburn/internal/lab/browser"
)

// twoProjects is drawnUnits with every other session in another project.
func twoProjects(weeks int) (*report.Report, []*insight.Digest) {
	_, units := drawnUnits(weeks)
	for i, d := range units {
		if i%2 == 0 {
			d.Project.Key = "/home/ada/src/kitchen"
		}
	}
	return report.Make(units, report.Options{Now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}), units
}

// shown counts the rows or failures that are not hidden.
func shown(selector string) string {
	return `[...document.querySelectorAll('` + selector + `')].filter((e) => !e.hidden).length`
}

// From each failure links lead to its sessions, and back. Who filters sees the sessions of these days and this project only.
func TestSessionsOfFailures(t *testing.T) {
	b := browser.Start(t)
	r, units := twoProjects(12)
	b.Open(written(t, "sessions", r, units...))
	is(t, b, "sessions", shown(`#table-sessions tbody tr`), len(units))
	is(t, b, "links without a target",
		`[...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.getElementById(a.getAttribute('href').slice(1))).length`, 0)
	for i, e := range r.Errors[:min(len(r.Errors), mostFailures)] {
		is(t, b, "sessions of "+e.Key, fmt.Sprintf(`document.querySelectorAll('#failures .failure')[%d].querySelectorAll('li').length`, i), e.Units)
	}
	for i, s := range r.Failures[:min(len(r.Failures), mostFailures)] {
		is(t, b, "sessions of "+s.Key, fmt.Sprintf(`document.querySelectorAll('#shapes-of-failure .failure')[%d].querySelectorAll('li .bad').length`, i), s.Units)
	}
	b.Value(`document.querySelector('#errors .item').dispatchEvent(new MouseEvent('click', { bubbles: true }))`)
	is(t, b, "a bar opens its failure", `document.querySelector('#failures .failure').open`, true)
	is(t, b, "with what it said", `document.querySelector('#failures .failure pre').textContent`, r.Errors[0].Text)

	set := func(id, value string) {
		b.Value(`(() => { const f = document.getElementById('` + id + `'); f.value = '` + value + `'; f.dispatchEvent(new Event('input')); })()`)
	}
	kitchen, late, failing := 0, 0, 0
	for _, d := range units {
		if d.Project.Key != "/home/ada/src/kitchen" {
			continue
		}
		kitchen++
		if day(d.End) < "2026-04-06" || day(d.End) > "2026-04-30" {
			continue
		}
		late++
		if !d.Live && d.Verdict.Failing() {
			failing++
		}
	}
	set("project", "/home/ada/src/kitchen")
	is(t, b, "of a project", shown(`#table-sessions tbody tr`), kitchen)
	set("from", "2026-04-06")
	set("to", "2026-04-30")
	is(t, b, "of these days", shown(`#table-sessions tbody tr`), late)
	is(t, b, "it says so", `document.getElementById('shown').textContent`,
		fmt.Sprintf("%d of %d listed, %d failed. Plots and other numbers are about all.", late, len(units), failing))
	is(t, b, "items of hidden sessions",
		`[...document.querySelectorAll('.failure li')].filter((li) => !li.hidden && document.getElementById(li.dataset.s).hidden).length`, 0)
	is(t, b, "failures without a session",
		`[...document.querySelectorAll('.failure')].filter((f) => !f.hidden && ![...f.querySelectorAll('li')].some((li) => !li.hidden)).length`, 0)
	set("ended", "failing")
	is(t, b, "that failed", shown(`#table-sessions tbody tr`), failing)
	hidden := b.Value(`document.querySelector('#table-sessions tr[hidden]').id`)
	b.Value(`location.hash = '` + hidden + `'`)
	is(t, b, "a link to a hidden one shows all", shown(`#table-sessions tbody tr`), len(units))
	b.Quiet()
}

// Bars stand in the order of time, the first week beside the axis. Red is only what failed.
func TestBarsOfFewWeeks(t *testing.T) {
	b := browser.Start(t)
	for _, weeks := range []int{1, 3, 30} {
		r, units := drawnUnits(weeks)
		b.Open(written(t, fmt.Sprintf("few-%d", weeks), r, units...))
		is(t, b, "in order",
			`[...document.querySelectorAll('#outcomes .item .ground')].map((e) => Number(e.getAttribute('x'))).every((x, i, all) => !i || x > all[i - 1])`, true)
		is(t, b, "from the axis on", `Number(document.querySelector('#outcomes .item .ground').getAttribute('x'))`, 44)
		is(t, b, "none lost in the middle", `Number(document.querySelector('#outcomes .item .ground').getAttribute('width')) <= 96`, true)
		failed := `getComputedStyle(document.querySelector('.c-bad')).fill`
		for _, neutral := range []string{"#classes .c-part", "#tools .c-part", "#errors .c-part", "#rate .point"} {
			is(t, b, "not red: "+neutral, `getComputedStyle(document.querySelector('`+neutral+`')).fill === `+failed, false)
		}
		bad := 0
		for _, e := range r.Errors[:min(len(r.Errors), mostBars)] {
			bad += e.Failing
		}
		is(t, b, "red in errors", `[...document.querySelectorAll('#errors .c-bad')].reduce((n, e) => n + Number(e.dataset.bad), 0)`, bad)
		is(t, b, "no red where nothing failed", `document.querySelectorAll('#classes .c-bad, #tools .c-bad').length`, 0)
		is(t, b, "failed calls are part of the work", `getComputedStyle(document.querySelector('[data-n="calls"]')).color === getComputedStyle(document.body).color`,
			true)
	}
	b.Quiet()
}

// A narrow page has no line that is wider than it, but tables, which scroll by themselves.
func TestPageOnATelephone(t *testing.T) {
	b := browser.Start(t)
	r, units := twoProjects(12)
	b.Open(written(t, "narrow", r, units...))
	b.Resize(400, 900)
	is(t, b, "too wide", `document.documentElement.scrollWidth > innerWidth`, false)
	b.Quiet()
}

// Without a script everything that was said is in the page, folded; times and days are the maker's own.
func TestSessionsWithoutAScript(t *testing.T) {
	local := time.Local
	defer func() { time.Local = local }()
	time.Local = time.FixedZone("AEST", 10*60*60)
	d := &insight.Digest{
		Source: "claude", ID: "5b0c2f91", End: time.Date(2026, 11, 20, 20, 30, 0, 0, time.UTC), Decisive: 0,
		Verdict: insight.Verdict{Outcome: insight.Errored}, Keys: insight.Keys{Coarse: "f1-00000000aaaa", Fine: "e1-00000000bbbb"},
		Errors:  []insight.ErrorGroup{{Class: "test", Head: "it went wrong", Text: "shop_test.go:12: it went wrong", Count: 1}},
		Classes: []insight.ClassCount{{Class: "test", Count: 1}},
	}
	d.Project.Key = "/home/ada/src/garden"
	var page bytes.Buffer
	if err := html(report.Make([]*insight.Digest{d}, report.Options{Now: d.End}), d)(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`made 2026-11-21 06:30 AEST`, `Days and times are local (AEST when the page was made)`, `data-day="2026-11-21"`, `<td>2026-11-21 06:30</td>`,
		`<details class="failure" id="k-e1-00000000bbbb">`, `<pre>shop_test.go:12: it went wrong</pre>`, `<a href="#s-1">2f91</a>`, `<a href="#k-e1-00000000bbbb">`,
		`<a href="#k-f1-00000000aaaa">`,
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

// A page of very many sessions lists those that failed, and says how many it leaves out.
func TestPageOfManySessions(t *testing.T) {
	r, units := drawnUnits(300)
	l := list(r, units, lastDigits)
	failing := 0
	for _, s := range l.Sessions {
		if s.Failing {
			failing++
		}
	}
	if len(l.Sessions) != mostSessions || failing != min(r.Units.Failing, mostSessions) || len(l.ByShape) > mostFailures {
		t.Errorf("%d sessions of %d, %d failing of %d", len(l.Sessions), l.All, failing, r.Units.Failing)
	}
	var page bytes.Buffer
	if err := html(r, units...)(&page); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Below are 1,000 of %s sessions and sub-agents", count(len(units))); !strings.Contains(page.String(), want) {
		t.Errorf("the page does not say %q", want)
	}
}
