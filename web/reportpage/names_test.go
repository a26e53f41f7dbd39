package reportpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/report"
	"aburn/trace"
	"aburn/trace/draft"
)

// worked is the digest of a session with calls: ok, bad, and open for one without an end. All calls of a response take its
// tokens. A zero time makes a session of which nobody knows when it was.
func worked(t *testing.T, id string, at time.Time, calls string) *insight.Digest {
	t.Helper()
	b := draft.New("claude", id, "claude", "/stores/"+id)
	line := int64(0)
	event := func(body trace.Body) trace.Event {
		line++
		e := trace.Event{Ref: trace.Ref{Line: line}, Body: body}
		if !at.IsZero() {
			e.Time = at.Add(time.Duration(line) * time.Second)
		}
		return e
	}
	b.Add(event(&trace.UserMessage{Head: "go on"}))
	for i, word := range strings.Fields(calls) {
		call, response := fmt.Sprint("c", i), fmt.Sprint("r", i)
		tool := []trace.ToolType{trace.ShellTool, trace.ReadTool}[i%2]
		b.Call(event(nil), &trace.ToolCall{Call: call, Response: response, Tool: string(tool), Type: tool, Head: "make",
			Input: trace.Digest{Length: 1, Hash: "0123456789abcdef"}})
		b.Trace().Responses = append(b.Trace().Responses, trace.Response{ID: response, Event: int(line), Ref: trace.Ref{Line: line},
			Usage: trace.Usage{Output: int64(100 * (i + 1))}})
		if failed := word == "bad"; word != "open" {
			r := trace.ToolResultEvent{Call: call, Status: trace.StatusCompleted, IsError: &failed, From: trace.FromToolResult}
			if failed {
				r.Status, r.Head = trace.StatusErrored, "no such file"
			}
			b.Result(event(nil), r)
		}
	}
	b.Trace().Usage = trace.Usage{Output: 5000}
	tr, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return insight.Make(tr, false)
}

// figure is a number that the page shows under a name, "n of all" or "n".
type figure struct {
	where  string
	n, all int
	hasAll bool
}

var amount = regexp.MustCompile(`^([0-9,]+)(?: of ([0-9,]+))?$`)

// add adds what a cell says to the figure; it reports whether the cell is a number.
func (f *figure) add(cell string) bool {
	if cell == "-" {
		return true
	}
	m := amount.FindStringSubmatch(cell)
	if m == nil {
		return false
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
		return n
	}
	f.n, f.all, f.hasAll = f.n+number(m[1]), f.all+number(m[2]), f.hasAll || m[2] != ""
	return true
}

// nameOf is what a heading names: the part before what it is split by or a part of.
func nameOf(heading string) string {
	name, _, _ := strings.Cut(heading, ",")
	return strings.ToLower(strings.TrimSpace(name))
}

// figures are the numbers of the page by their names: of the cards, the plots and the columns of the tables, each added up.
func figures(t *testing.T, r *report.Report) map[string][]figure {
	t.Helper()
	var page bytes.Buffer
	if err := HTML(&page, r, nil, nil); err != nil {
		t.Fatal(err)
	}
	html, all := page.String(), map[string][]figure{}
	matches := func(pattern, text string) [][]string {
		return regexp.MustCompile(`(?s)`+pattern).FindAllStringSubmatch(text, -1)
	}
	for _, m := range matches(`<dt[^>]*>([^<]*)</dt><dd[^>]*>([^<]*)</dd>`, html) {
		f := figure{where: "card"}
		f.add(m[2])
		all[nameOf(m[1])] = append(all[nameOf(m[1])], f)
	}
	for _, m := range matches(`<table id="([^"]*)"><thead><tr>(.*?)</tr></thead>\s*<tbody>(.*?)</table>`, html) {
		for i, head := range matches(`<th>([^<]*)</th>`, m[2]) {
			f, numeric := figure{where: m[1]}, true
			for _, row := range matches(`<tr>(.*?)</tr>`, m[3]) {
				numeric = f.add(matches(`<td[^>]*>(.*?)</td>`, row[1])[i][1]) && numeric
			}
			if numeric {
				all[nameOf(head[1])] = append(all[nameOf(head[1])], f)
			}
		}
	}
	var data struct {
		plotData
		NoWeek *plotWeek `json:"no_week"`
	}
	if err := json.Unmarshal([]byte(matches(`<script type="application/json" id="data">(.*?)</script>`, html)[0][1]), &data); err != nil {
		t.Fatal(err)
	}
	rate := []plotBar{}
	for _, w := range data.Weeks {
		rate = append(rate, plotBar{N: w.Failed, Of: w.Calls})
	}
	if w := data.NoWeek; w != nil { // the plot says so below
		rate = append(rate, plotBar{N: w.Failed, Of: w.Calls})
	}
	plots := map[string][]plotBar{"shapes": data.Shapes, "errors": data.Errors, "classes": data.Classes, "tools": data.Tools, "rate": rate}
	for _, m := range matches(`<h2 id="[^"]*">([^<]*)</h2><div class="frame plot" id="([^"]*)">`, html) {
		if bars, ok := plots[m[2]]; ok {
			f := figure{where: "plot " + m[2]}
			for _, b := range bars {
				f.n, f.all, f.hasAll = f.n+b.N, f.all+b.Of, m[2] == "tools" || m[2] == "rate" // the bars of the others are parts of one total
			}
			all[nameOf(m[1])] = append(all[nameOf(m[1])], f)
		}
	}
	return all
}

// One name, one number: what a card says, the plots and tables of the same name add up to. Sessions that run, and those of an
// unknown time, are where numbers came apart.
func TestOneNameOneNumber(t *testing.T) {
	day := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	running := worked(t, "running", day.AddDate(0, 0, 8), "bad bad bad bad bad ok")
	running.SetLive(true)
	r := report.Make([]*insight.Digest{
		worked(t, "a", day, "ok bad bad ok open"), worked(t, "b", day.AddDate(0, 0, 1), "bad bad bad"), worked(t, "c", day.AddDate(0, 0, 7), "ok ok bad ok"),
		worked(t, "undated", time.Time{}, "bad ok bad ok ok"), running,
	}, report.Options{Now: day.AddDate(0, 0, 9)})
	all := figures(t, r)
	for name, list := range all {
		for _, f := range list[1:] {
			if f.n != list[0].n || f.hasAll && list[0].hasAll && f.all != list[0].all && sumsUp(list[0]) && sumsUp(f) {
				t.Errorf("%q is %+v and %+v", name, list[0], f)
			}
		}
	}
	for name, places := range map[string]string{
		"failed sessions and sub-agents":      "card table-agents table-shapes table-weeks plot shapes",
		"failed calls":                        "card table-tools table-weeks plot tools plot rate",
		"sessions and sub-agents with errors": "card table-errors plot errors", "errors": "table-classes table-weeks plot classes",
		"tokens spent in failed calls": "card table-tools",
	} {
		var got []string
		for _, f := range all[name] {
			got = append(got, f.where)
		}
		if strings.Join(got, " ") != places {
			t.Errorf("%q stands in %v, want %s", name, got, places)
		}
	}
	if f := all["failed calls"][0]; f.n != 13 || f.all != 22 {
		t.Errorf("failed calls: %+v", f)
	}
}

// sumsUp reports whether the denominators of a figure's parts add up, too: in a table of parts of one total each has that total.
func sumsUp(f figure) bool {
	return f.where != "table-shapes" && f.where != "table-errors" && f.where != "table-classes"
}
