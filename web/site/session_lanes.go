package site

import (
	"fmt"
	"strconv"
	"time"

	"aburn/archive/story"
	"aburn/internal/plain"
	"aburn/trace"
	"aburn/web/pages"
)

// longestPause is what the lanes show of a pause.
const longestPause = 45 * time.Second

// laneKinds are the kinds of tools by lane, with the words of the legend.
var laneKinds = []struct {
	kind trace.ToolType
	lane int
}{{trace.ReadTool, 0}, {trace.SearchTool, 0}, {trace.WebTool, 0}, {trace.EditTool, 1}, {trace.MCPTool, 1}, {trace.OtherTool, 1}, {trace.ShellTool, 2},
	{trace.AgentTool, 3}}

// lanesOf draws the calls of a session over its working time.
func lanesOf(of *story.Story, zone *time.Location) *pages.Lanes {
	t := of.Trace
	scale := newScale(t)
	if scale == nil {
		return nil
	}
	l := &pages.Lanes{}
	seen := map[trace.ToolType]bool{}
	failed := 0
	calls := t.Calls()
	for i := range calls {
		c := &calls[i]
		if !c.Counts() || c.Event.Time.IsZero() {
			continue
		}
		span, bad := scale.span(c)
		if bad {
			failed++
			span.Class = "c-bad"
		}
		seen[c.Call.Type] = true
		l.Spans = append(l.Spans, span)
	}
	if len(l.Spans) == 0 || len(l.Spans) > mostSpans {
		return nil
	}
	prompts := 0
	for i := range t.Events {
		if e := &t.Events[i]; story.IsPrompt(e) && !e.Time.IsZero() {
			prompts++
			l.Lines = append(l.Lines, strconv.FormatFloat(scale.at(e.Time), 'f', 1, 64))
		}
	}
	for _, k := range laneKinds {
		if seen[k.kind] {
			l.Kinds = append(l.Kinds, pages.Part{Class: "c-" + string(k.kind), Name: string(k.kind)})
		}
	}
	if failed > 0 {
		l.Kinds = append(l.Kinds, pages.Part{Class: "c-bad", Name: "failed"})
	}
	l.Ends = []string{scale.first.In(zone).Format("15:04") + ", " + plain.Plural(int64(prompts), "prompt"), "pauses are cut short",
		scale.last.In(zone).Format("15:04")}
	l.Label = fmt.Sprintf("%s, %d failed, in %s", plain.Plural(int64(len(l.Spans)), "call"), failed, plain.Plural(int64(prompts), "prompt"))
	return l
}

// mostSpans bounds what is drawn: a page has at most 150 KB.
const mostSpans = 700

// scale maps times to places between 0 and 1000, with pauses cut short.
type scale struct {
	times       []time.Time
	places      []float64
	first, last time.Time
}

func newScale(t *trace.SessionTrace) *scale {
	s := &scale{}
	total := time.Duration(0)
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" || e.Time.IsZero() || !s.last.IsZero() && e.Time.Before(s.last) {
			continue
		}
		if !s.last.IsZero() {
			total += min(e.Time.Sub(s.last), longestPause)
		} else {
			s.first = e.Time
		}
		s.last = e.Time
		s.times, s.places = append(s.times, e.Time), append(s.places, float64(total))
	}
	if total <= 0 {
		return nil
	}
	for i := range s.places {
		s.places[i] *= pages.PlotWidth / float64(total)
	}
	return s
}

// at is the place of a time: that of the last event before it.
func (s *scale) at(t time.Time) float64 {
	low, high := 0, len(s.times)
	for low < high {
		if mid := (low + high) / 2; s.times[mid].After(t) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return s.places[max(low-1, 0)]
}

func (s *scale) span(c *trace.Call) (span pages.Span, failed bool) {
	span.Class, span.Lane = "c-"+string(c.Call.Type), 1
	for _, k := range laneKinds {
		if k.kind == c.Call.Type {
			span.Lane = k.lane
		}
	}
	span.X = s.at(c.Event.Time)
	if last := c.Last(); last != nil && !last.Time.IsZero() {
		span.W = s.at(last.Time) - span.X
		failed = last.Status != trace.StatusRunning && last.Failed()
	}
	span.W = max(min(span.W, pages.PlotWidth-span.X), 2)
	span.X = min(span.X, pages.PlotWidth-span.W)
	return span, failed
}
