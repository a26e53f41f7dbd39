package replay

import (
	"strings"
	"unicode/utf8"

	"aburn/insight"
	"aburn/trace"
)

// openOne adds a session's first prompt and first failure, read from its trace.
func openOne(d *insight.Digest, open func(*insight.Digest) (*trace.SessionTrace, error)) Opened {
	o := Opened{
		Ref: refTo(d, 0), Agent: d.Agent, Project: d.Project.Path, Relation: d.Relation, Start: d.Start, End: d.End, Live: d.Live,
		Inferred: d.Verdict, Keys: d.Keys, Calls: d.Counts.Calls, Failed: d.Counts.Failed,
	}
	t, err := open(d)
	if err != nil {
		o.Unopened = err.Error()
		if d.Ask != "" {
			o.Ask = &Quoted{Text: bounded(d.Ask), Ref: refTo(d, d.AskEvent)}
		}
		return o
	}
	if len(t.Sources) > 0 {
		o.File = t.Sources[0].Path
	}
	o.Spawned, o.Ask, o.Failure = spawnedAs(t), firstAsk(d, t), firstFailure(d, t)
	return o
}

// firstAsk is the first prompt of a person or caller.
func firstAsk(d *insight.Digest, t *trace.SessionTrace) *Quoted {
	for i := range t.Events {
		e := &t.Events[i]
		if m, ok := e.Body.(*trace.UserMessage); ok && e.Copied == "" && e.By == "" && m.Machine == "" && m.Head != "" {
			return &Quoted{Text: bounded(m.Head), Ref: placeOf(d, t, e)}
		}
	}
	return nil
}

// spawnedAs describes a sub-agent in its parent's words. A sub-agent often has no prompt of its
// own.
func spawnedAs(t *trace.SessionTrace) string {
	for i := range t.Relationships {
		if r := &t.Relationships[i]; r.Kind == trace.Subagent {
			return bounded(strings.TrimSpace(r.AgentType + " " + r.Description))
		}
	}
	return ""
}

// firstFailure is the first failed result of a call, or else the first error event.
func firstFailure(d *insight.Digest, t *trace.SessionTrace) *Quoted {
	var first *trace.ToolResultEvent
	var tool string
	for _, c := range t.Calls() {
		r := c.Last()
		if !c.Counts() || r == nil || !r.Failed() || r.Status == trace.StatusCancelled && r.Denied == "" {
			continue
		}
		if first == nil || r.EventIndex < first.EventIndex {
			first, tool = r, c.Call.Tool
		}
	}
	if first != nil && first.EventIndex >= 1 && first.EventIndex <= len(t.Events) {
		return &Quoted{Text: bounded(first.Head), Tool: tool, Exit: first.ExitCode, Ref: placeOf(d, t, &t.Events[first.EventIndex-1])}
	}
	for i := range t.Events {
		e := &t.Events[i]
		if b, ok := e.Body.(*trace.Error); ok && e.Copied == "" {
			return &Quoted{Text: bounded(b.Head), Code: b.Code, Ref: placeOf(d, t, e)}
		}
	}
	return nil
}

// placeOf names an event and where it was read.
func placeOf(d *insight.Digest, t *trace.SessionTrace, e *trace.Event) Ref {
	r := refTo(d, e.Seq)
	if i := e.Ref.File; i >= 0 && i < len(t.Sources) {
		r.File = t.Sources[i].Path
	}
	r.Line = e.Ref.Line
	if e.Ref.Table != "" {
		r.Row = e.Ref.Table + " " + e.Ref.Key
	}
	return r
}

// bounded cuts a text to MaxText characters.
func bounded(s string) string {
	if utf8.RuneCountInString(s) <= MaxText {
		return s
	}
	return string([]rune(s)[:MaxText-1]) + "…"
}
