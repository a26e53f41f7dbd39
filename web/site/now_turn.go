package site

import (
	"fmt"
	"time"

	"aburn/attention"
	"aburn/internal/plain"
	"aburn/web/pages"
)

// A notch is a call: it says when, not how long.
const notch = 10.0

// turn draws the newest calls of whom an issue is about, those that prove it in red. Pauses are cut short, so that it always fits.
func turn(calls []attention.Call, zone *time.Location) *pages.Lanes {
	if len(calls) == 0 {
		return nil
	}
	l := &pages.Lanes{}
	places, total := make([]time.Duration, len(calls)), time.Duration(0)
	for i := range calls {
		if i > 0 {
			total += min(max(calls[i].At.Sub(calls[i-1].At), time.Second), pages.LongestPause)
		}
		places[i] = total
	}
	proofs := 0
	for i, c := range calls {
		span := pages.Span{W: notch, Class: "c-quiet"}
		if c.Proves {
			proofs++
			span.Class = "c-bad"
		}
		if total > 0 {
			span.X = float64(places[i]) / float64(total) * (pages.PlotWidth - notch)
		}
		l.Spans = append(l.Spans, span)
	}
	first, last := calls[0].At.In(zone).Format("15:04"), calls[len(calls)-1].At.In(zone).Format("15:04")
	l.Label = fmt.Sprintf("its last %s, %d of them in red: these prove it", plain.Plural(int64(len(calls)), "call"), proofs)
	l.Ends = []string{first, l.Label, last}
	return l
}
