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

// laneKinds are the kinds of tools by lane, with the words of the legend.
var laneKinds = []struct {
	kind trace.ToolType
	lane int
}{{trace.ReadTool, 0}, {trace.SearchTool, 0}, {trace.WebTool, 0}, {trace.EditTool, 1}, {trace.MCPTool, 1}, {trace.OtherTool, 1}, {trace.ShellTool, 2},
	{trace.AgentTool, 3}}

// lanesOf draws the calls of a session over its working time.
func lanesOf(of *story.Story, zone *time.Location) *pages.Lanes {
	t := of.Trace
	axis := axisOf(t)
	if axis == nil {
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
		span, bad := spanOf(axis, c)
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
			l.Lines = append(l.Lines, strconv.FormatFloat(axis.At(e.Time), 'f', 1, 64))
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
	l.Ends = []string{axis.First.In(zone).Format("15:04") + ", " + plain.Plural(int64(prompts), "prompt"), "pauses are cut short",
		axis.Last.In(zone).Format("15:04")}
	l.Label = fmt.Sprintf("%s, %d failed, in %s", plain.Plural(int64(len(l.Spans)), "call"), failed, plain.Plural(int64(prompts), "prompt"))
	return l
}

// mostSpans bounds what is drawn: a page has at most 150 KB.
const mostSpans = 700

// axisOf is the axis of a session's own events, nil if no time passes between them.
func axisOf(t *trace.SessionTrace) *pages.Axis {
	var times []time.Time
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" || e.Time.IsZero() || len(times) > 0 && e.Time.Before(times[len(times)-1]) {
			continue
		}
		times = append(times, e.Time)
	}
	return pages.NewAxis(times)
}

func spanOf(axis *pages.Axis, c *trace.Call) (span pages.Span, failed bool) {
	var until time.Time
	if last := c.Last(); last != nil && !last.Time.IsZero() {
		until = last.Time
		failed = last.Status != trace.StatusRunning && last.Failed()
	}
	span = axis.Span(c.Event.Time, until)
	span.Class, span.Lane = "c-"+string(c.Call.Type), 1
	for _, k := range laneKinds {
		if k.kind == c.Call.Type {
			span.Lane = k.lane
		}
	}
	return span, failed
}
