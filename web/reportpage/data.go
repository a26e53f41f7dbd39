package reportpage

import (
	"fmt"
	"strings"

	"aburn/insight/report"
	"aburn/internal/plain"
)

type plotData struct {
	Made     int64      `json:"made"`     // milliseconds since 1970
	Outcomes []string   `json:"outcomes"` // in stacking order
	Words    []string   `json:"words"`    // for the Outcomes
	Weeks    []plotWeek `json:"weeks"`
	NoWeek   *plotWeek  `json:"no_week,omitempty"` // what no week has: it runs, or ended at an unknown time
	Classes  []plotBar  `json:"classes"`
	Shapes   []plotBar  `json:"shapes"`
	Errors   []plotBar  `json:"errors"`
	Tools    []plotBar  `json:"tools"`
}

type plotWeek struct {
	Week     string         `json:"week"`
	Start    int64          `json:"start"` // its Monday, in milliseconds since 1970
	Ended    int            `json:"ended"`
	Failing  int            `json:"failing"`
	Outcomes map[string]int `json:"outcomes"`
	Calls    int            `json:"calls"`
	Failed   int            `json:"failed"`
}

// plotBar is a bar: N of Of.
type plotBar struct {
	Label string `json:"label"`
	Under string `json:"under,omitempty"` // second line of the label
	Key   string `json:"key,omitempty"`   // of the failure below that it leads to
	N     int    `json:"n"`
	Of    int    `json:"of"`
	Bad   int    `json:"bad,omitempty"` // of N: what failed
	Text  string `json:"text"`          // full description
}

// mostBars is the most bars of a plot. The tables have the rest.
const mostBars = 12

// parted parts the words of a failure group: agent and outcome, which many have in common, and the rest.
func parted(words string) (who, what string) {
	parts := strings.SplitN(words, " · ", 3)
	if len(parts) < 3 {
		return words, words
	}
	return parts[0] + " · " + parts[1], parts[2]
}

func plotted(r *report.Report) plotData {
	d := plotData{Made: r.Made.UnixMilli(), Weeks: []plotWeek{}, Classes: []plotBar{}, Shapes: []plotBar{}, Errors: []plotBar{}, Tools: []plotBar{}}
	for _, o := range r.Outcomes {
		d.Outcomes = append(d.Outcomes, string(o.Outcome))
		d.Words = append(d.Words, o.Outcome.Word())
	}
	for _, w := range r.Weeks {
		d.Weeks = append(d.Weeks, plotWeek{w.Week, w.Start.UnixMilli(), w.Ended, w.Failing, w.Outcomes, w.Calls, w.Failed})
	}
	if w := r.NoWeek; w != nil {
		d.NoWeek = &plotWeek{Ended: w.Ended, Failing: w.Failing, Outcomes: w.Outcomes, Calls: w.Calls, Failed: w.Failed}
	}
	for _, c := range r.Classes[:min(len(r.Classes), mostBars)] {
		name := plain.Line(string(c.Class))
		d.Classes = append(d.Classes, plotBar{Label: name, N: c.Errors, Of: c.OfErrors,
			Text: fmt.Sprintf("%s: %s errors, in %s sessions and sub-agents, in %s failed ones", name, of(c.Errors, c.OfErrors), of(c.Units, c.OfUnits),
				of(c.Failing, c.OfFailing))})
	}
	for _, s := range r.Failures[:min(len(r.Failures), mostBars)] {
		who, what := parted(shapeWords(s.Shape))
		d.Shapes = append(d.Shapes, plotBar{Label: what, Under: who + " · " + plain.Line(s.Key), Key: plain.Line(s.Key), N: s.Units, Of: s.OfFailing, Bad: s.Units,
			Text: fmt.Sprintf("%s: %s that failed, last %s\naburn replay %s", shapeWords(s.Shape), of(s.Units, s.OfFailing), day(s.Last), plain.Line(s.Key))})
	}
	for i := range r.Errors[:min(len(r.Errors), mostBars)] {
		e := &r.Errors[i]
		d.Errors = append(d.Errors, plotBar{Label: plain.Line(string(e.Class) + " · " + e.Head), Under: plain.Line(e.Key), Key: plain.Line(e.Key), N: e.Units,
			Of: e.OfErring, Bad: e.Failing,
			Text: fmt.Sprintf("%s: %s with errors, %d of them failed, in %d the call succeeded later\n%s\naburn replay %s", plain.Line(string(e.Class)),
				of(e.Units, e.OfErring), e.Failing, e.Solved, plain.Line(e.Text), plain.Line(e.Key))})
	}
	for _, t := range r.Tools {
		d.Tools = append(d.Tools, plotBar{Label: plain.Line(string(t.Type)), N: t.Failed, Of: t.Ended,
			Text: fmt.Sprintf("%s: %s calls that ended failed, %s calls in all, %s repeat a failed one", plain.Line(string(t.Type)), of(t.Failed, t.Ended),
				count(t.Calls), count(t.Retries))})
	}
	return d
}
