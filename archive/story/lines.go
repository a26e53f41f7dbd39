package story

import (
	"cmp"
	"strconv"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/trace"
)

// Dividers says what stands between the lines of a story: where lines were copied from, or that they were rewound, and the days.
type Dividers struct{ where, day string }

// Before returns the texts of the dividers before a line. The first day has none: the head of a story says it.
func (d *Dividers) Before(l *Line) (texts []string) {
	if l.Where != d.where {
		d.where = l.Where
		texts = append(texts, cmp.Or(plain.Line(l.Where), "its own events from here"))
	}
	if l.Time.IsZero() {
		return texts
	}
	if day := l.Time.Local().Format("Mon 2 Jan 2006"); day != d.day {
		if d.day != "" {
			texts = append(texts, day)
		}
		d.day = day
	}
	return texts
}

// Lines are the events in words. A call and its result are one line.
func (v *Teller) Lines() (list []Line) {
	calls := v.Calls()
	byEvent := map[int]*trace.Call{}
	for i := range calls {
		byEvent[calls[i].Event.Seq] = &calls[i]
	}
	containers, numbers := map[string]bool{}, v.eventNumbers()
	for i := range v.Events {
		e := &v.Events[i]
		l := Line{Event: numbers[i], Time: e.Time, Where: v.where(e)}
		switch b := e.Body.(type) {
		case *trace.ToolCall:
			c := byEvent[e.Seq]
			l.Description, l.Call = callWords(c), c.Counts()
			l.Failed = l.Call && c.Last() != nil && c.Last().Status != trace.StatusRunning && c.Last().Failed()
			l.Indent = b.Parent != "" && containers[b.Parent]
			containers[b.Call] = b.Container
		case *trace.ToolResult:
			r := &v.Results[b.Result]
			first := r.CallIndex >= 1 && r.CallIndex <= len(calls) && calls[r.CallIndex-1].Results[0] == r
			if first { // its call shows it
				continue
			}
			l.Description = resultWords(r)
			if r.CallIndex >= 1 && r.CallIndex <= len(calls) {
				l.Name = agentcli.ToolWord(calls[r.CallIndex-1].Call.Tool)
			}
		default:
			l.Description = v.eventWords(e)
			l.Prompt, l.Session = IsPrompt(e), spawned(e)
		}
		if e.Inferred != "" {
			l.Detail = units.Join(l.Detail, "(inferred from "+e.Inferred+")")
		}
		list = append(list, l)
	}
	return list
}

// IsPrompt reports whether a person or caller prompted the session here.
func IsPrompt(e *trace.Event) bool {
	b, ok := e.Body.(*trace.UserMessage)
	return ok && b.Machine == "" && e.By == "" && e.Copied == ""
}

// spawned is the id of the sub-agent that the event started, "" for none.
func spawned(e *trace.Event) string {
	if b, ok := e.Body.(*trace.SubagentSpawn); ok {
		return b.Session
	}
	return ""
}

func (v *Teller) where(e *trace.Event) string {
	switch {
	case e.Copied != "":
		return "copied from " + v.Name(e.Copied) + ": not counted here"
	case e.Abandoned:
		return "the conversation was rewound past this"
	}
	return ""
}

func callWords(c *trace.Call) entries.Description {
	w := entries.Description{Name: agentcli.ToolWord(c.Call.Tool), Path: c.Call.Path, Detail: c.Call.Head}
	if c.Call.Container {
		w.Mark, w.Style = "▾", term.Dim
	}
	r := c.Last()
	if r == nil {
		if !c.Call.Container {
			w.Mark, w.Style, w.Detail = "…", term.Yellow, units.Join("no result", w.Detail)
		}
		return byUser(c, w)
	}
	w.Took = tookOf(c, r)
	after := []string{failedHead(r)}
	if r.Content.Length > 0 {
		after = append(after, plain.Size(r.Content.Length))
	}
	state := resultWords(r)
	if !c.Call.Container {
		w.Mark, w.Style = state.Mark, state.Style
	}
	w.Detail = units.Join(append([]string{stateWord(r), exitWord(r), w.Detail}, after...)...)
	if r.Status == trace.StatusRunning {
		w.Took = ""
	}
	return byUser(c, w)
}

func byUser(c *trace.Call, w entries.Description) entries.Description {
	if c.Event.By == "user" {
		w.Detail = units.Join("by the user", w.Detail)
	}
	return w
}

func resultWords(r *trace.ToolResultEvent) entries.Description {
	w := entries.Description{Mark: "✓", Name: "result", Style: term.Green, Took: units.Milliseconds(r.DurationMS)}
	switch {
	case r.Denied != "":
		w.Mark, w.Style = "⊘", term.Yellow
	case r.Failed():
		w.Mark, w.Style = "✗", term.Red
	case r.Status == trace.StatusRunning:
		w.Mark, w.Style = "»", term.Plain
	case r.Status == trace.StatusCancelled:
		w.Mark, w.Style = "✗", term.Yellow
	case r.Status == trace.StatusUnknown:
		w.Mark, w.Style = "~", term.Yellow
	}
	w.Detail = units.Join("then: "+string(r.Status), exitWord(r), failedHead(r))
	return w
}

// CallState says how a call ended, in words: its exit code, who denied it. It is "" for one that succeeded.
func CallState(r *trace.ToolResultEvent) string { return units.Join(stateWord(r), exitWord(r)) }

func stateWord(r *trace.ToolResultEvent) string {
	switch {
	case r.Denied == "other":
		return "denied"
	case r.Denied != "":
		return "denied by " + r.Denied
	case r.Status == trace.StatusRunning:
		return "continues in the background"
	case r.Status == trace.StatusCancelled:
		return "cancelled"
	case r.Status == trace.StatusUnknown:
		return "outcome unknown"
	}
	return ""
}

// exitWord is "" for 0, and for a missing exit code, which is unknown and not 0.
func exitWord(r *trace.ToolResultEvent) string {
	if r.ExitCode == nil || *r.ExitCode == 0 {
		return ""
	}
	return "exit " + strconv.Itoa(*r.ExitCode)
}

func failedHead(r *trace.ToolResultEvent) string {
	return plain.Cut(strings.Join(strings.Fields(r.Head), " "), 200)
}

// tookOf is how long a call took: as it was measured, else, with ≤, the time from its record to that of its result.
func tookOf(c *trace.Call, r *trace.ToolResultEvent) string {
	if r.DurationMS > 0 {
		return units.Milliseconds(r.DurationMS)
	}
	if c.Event.Time.IsZero() || r.Time.IsZero() || !r.Time.After(c.Event.Time) {
		return ""
	}
	return units.Took(r.Time.Sub(c.Event.Time).Milliseconds(), true)
}

// eventWords is an event in words; calls and results have functions of their own.
func (v *Teller) eventWords(e *trace.Event) entries.Description {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return promptWords(e, b)
	case *trace.AgentMessage:
		w := entries.Description{Mark: "·", Name: "says", Style: term.Dim, Detail: plain.Size(b.Length)}
		if b.Thought {
			w.Name = "thinks"
		}
		return w
	case *trace.FileChange:
		return changeWords(b)
	case *trace.Error:
		w := entries.Description{Mark: "✗", Name: "error", Style: term.Red, Detail: b.Code}
		if b.Status != 0 {
			w.Detail = units.Join(w.Detail, "HTTP "+strconv.Itoa(b.Status))
		}
		if b.Fatal {
			w.Detail = units.Join(w.Detail, "it ended the turn")
		}
		w.Detail = units.Join(w.Detail, b.Head)
		return w
	case *trace.Interrupt:
		return entries.Description{Mark: "✗", Name: "interrupted", Style: term.Yellow, Detail: b.Reason}
	case *trace.SubagentSpawn:
		return v.spawnWords(b)
	case *trace.Session:
		return markerWords(b)
	}
	return entries.Description{Mark: "·", Name: e.Body.Kind()}
}

func promptWords(e *trace.Event, b *trace.UserMessage) entries.Description {
	w := entries.Description{Mark: "›", Name: "prompt", Style: term.Blue, Detail: b.Head}
	if command := "/" + strings.TrimPrefix(b.Command, "/"); b.Command != "" && b.Head != command && !strings.HasPrefix(b.Head, command+" ") {
		w.Detail = units.Join(command, b.Head)
	}
	if b.Machine == "" && e.By == "" {
		return w
	}
	w.Style = term.Dim
	if b.Machine != "" {
		w.Name = b.Machine
	}
	if e.By != "" {
		w.Detail = units.Join("by the "+e.By, w.Detail)
	}
	return w
}

func changeWords(b *trace.FileChange) entries.Description {
	w := entries.Description{Mark: "✎", Name: b.Action, Style: term.Cyan, Path: b.Path}
	if b.Added != nil {
		w.Detail = "+" + strconv.Itoa(*b.Added)
	}
	if b.Removed != nil {
		if w.Detail != "" {
			w.Detail += " "
		}
		w.Detail += "−" + strconv.Itoa(*b.Removed)
	}
	if b.From != "" {
		w.Detail = units.Join("from "+b.From, w.Detail)
	}
	return w
}

// spawnWords is the start of a sub-agent, with its outcome if the archive has its session.
func (v *Teller) spawnWords(b *trace.SubagentSpawn) entries.Description {
	w := entries.Description{Mark: "↳", Name: "sub-agent", Style: term.Magenta, Detail: units.Join(b.AgentType, b.Description)}
	if b.Background {
		w.Detail = units.Join(w.Detail, "in the background")
	}
	if b.NotStarted {
		w.Mark, w.Style, w.Detail = "⊘", term.Yellow, units.Join("it did not start", w.Detail)
		return w
	}
	child := v.Others[b.Session]
	if child == nil {
		if b.Session != "" || b.AgentID != "" {
			w.Detail = units.Join(w.Detail, "not in the archive")
		}
		return w
	}
	w.Took = units.Milliseconds(child.ActiveMS)
	calls := plain.Plural(int64(child.Counts.Calls), "call")
	if n := child.Counts.Failed; n > 0 {
		calls += ", " + strconv.Itoa(n) + " failed"
	}
	w.Detail = units.Join(v.Name(b.Session), string(v.Verdicts[child.Key].Outcome), calls, w.Detail)
	return w
}

func markerWords(b *trace.Session) entries.Description {
	detail := units.Join(b.Command, b.Phase, b.Detail, b.Model)
	switch b.Marker {
	case trace.Started:
		return entries.Description{Mark: "●", Name: "started", Style: term.Bold, Detail: detail}
	case trace.Resumed:
		return entries.Description{Mark: "●", Name: "resumed", Style: term.Bold, Detail: detail}
	case trace.Compacted:
		return entries.Description{Mark: "≈", Name: "compacted", Style: term.Cyan, Detail: detail}
	case trace.Stopped:
		return entries.Description{Mark: "■", Name: "turn ends", Style: term.Dim, Detail: detail}
	case trace.Ended:
		return entries.Description{Mark: "○", Name: "ended", Style: term.Bold, Detail: detail}
	case trace.ModelChanged:
		return entries.Description{Mark: "·", Name: "model", Style: term.Plain, Detail: detail}
	case trace.CommandStarted, trace.PhaseStarted:
		return entries.Description{Mark: "▶", Name: "START", Style: term.BoldCyan, Detail: detail}
	case trace.CommandCompleted, trace.PhaseCompleted:
		return entries.Description{Mark: "✔", Name: "COMPLETE", Style: term.BoldGreen, Detail: detail}
	case trace.CommandFailed, trace.PhaseFailed:
		return entries.Description{Mark: "✖", Name: "FAILED", Style: term.BoldRed, Detail: detail}
	}
	return entries.Description{Mark: "·", Name: string(b.Marker), Detail: detail}
}
