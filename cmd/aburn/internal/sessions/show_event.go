package sessions

import (
	"strconv"
	"strings"

	"aburn/cmd/aburn/internal/rows"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
)

// eventWords puts an event that is neither a call nor a result into words.
func (v *shown) eventWords(e *trace.Event) rows.Words {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return promptWords(e, b)
	case *trace.AgentMessage:
		w := rows.Words{Mark: "·", Name: "says", Style: term.Dim, Detail: plain.Size(b.Length)}
		if b.Thought {
			w.Name = "thinks"
		}
		return w
	case *trace.FileChange:
		return changeWords(b)
	case *trace.Error:
		w := rows.Words{Mark: "✗", Name: "error", Style: term.Red, Detail: b.Code}
		if b.Status != 0 {
			w.Detail = kit.Join(w.Detail, "HTTP "+strconv.Itoa(b.Status))
		}
		if b.Fatal {
			w.Detail = kit.Join(w.Detail, "it ended the turn")
		}
		w.Detail = kit.Join(w.Detail, b.Head)
		return w
	case *trace.Interrupt:
		return rows.Words{Mark: "✗", Name: "interrupted", Style: term.Yellow, Detail: b.Reason}
	case *trace.SubagentSpawn:
		return v.spawnWords(b)
	case *trace.Session:
		return markerWords(b)
	}
	return rows.Words{Mark: "·", Name: e.Body.Kind()}
}

func promptWords(e *trace.Event, b *trace.UserMessage) rows.Words {
	w := rows.Words{Mark: "›", Name: "prompt", Style: term.Blue, Detail: b.Head}
	if command := "/" + strings.TrimPrefix(b.Command, "/"); b.Command != "" && b.Head != command && !strings.HasPrefix(b.Head, command+" ") {
		w.Detail = kit.Join(command, b.Head)
	}
	if b.Machine == "" && e.By == "" {
		return w
	}
	w.Style = term.Dim
	if b.Machine != "" {
		w.Name = b.Machine
	}
	if e.By != "" {
		w.Detail = kit.Join("by the "+e.By, w.Detail)
	}
	return w
}

func changeWords(b *trace.FileChange) rows.Words {
	w := rows.Words{Mark: "✎", Name: b.Action, Style: term.Cyan, Path: b.Path}
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
		w.Detail = kit.Join("from "+b.From, w.Detail)
	}
	return w
}

// spawnWords is the start of a sub-agent, with what became of it where the archive knows.
func (v *shown) spawnWords(b *trace.SubagentSpawn) rows.Words {
	w := rows.Words{Mark: "↳", Name: "sub-agent", Style: term.Magenta, Detail: kit.Join(b.AgentType, b.Description)}
	if b.Background {
		w.Detail = kit.Join(w.Detail, "in the background")
	}
	if b.NotStarted {
		w.Mark, w.Style, w.Detail = "⊘", term.Yellow, kit.Join("it did not start", w.Detail)
		return w
	}
	child := v.others[b.Session]
	if child == nil {
		if b.Session != "" || b.AgentID != "" {
			w.Detail = kit.Join(w.Detail, "not in the archive")
		}
		return w
	}
	w.Took = kit.Milliseconds(child.ActiveMS)
	calls := plain.Plural(int64(child.Counts.Calls), "call")
	if n := child.Counts.Failed; n > 0 {
		calls += ", " + strconv.Itoa(n) + " failed"
	}
	w.Detail = kit.Join(v.name(b.Session), string(child.Outcome), calls, w.Detail)
	return w
}

func markerWords(b *trace.Session) rows.Words {
	detail := kit.Join(b.Command, b.Phase, b.Detail, b.Model)
	switch b.Marker {
	case trace.Started:
		return rows.Words{Mark: "●", Name: "started", Style: term.Bold, Detail: detail}
	case trace.Resumed:
		return rows.Words{Mark: "●", Name: "resumed", Style: term.Bold, Detail: detail}
	case trace.Compacted:
		return rows.Words{Mark: "≈", Name: "compacted", Style: term.Cyan, Detail: detail}
	case trace.Stopped:
		return rows.Words{Mark: "■", Name: "turn ends", Style: term.Dim, Detail: detail}
	case trace.Ended:
		return rows.Words{Mark: "○", Name: "ended", Style: term.Bold, Detail: detail}
	case trace.ModelChanged:
		return rows.Words{Mark: "·", Name: "model", Style: term.Plain, Detail: detail}
	case trace.CommandStarted, trace.PhaseStarted:
		return rows.Words{Mark: "▶", Name: "START", Style: term.BoldCyan, Detail: detail}
	case trace.CommandCompleted, trace.PhaseCompleted:
		return rows.Words{Mark: "✔", Name: "COMPLETE", Style: term.BoldGreen, Detail: detail}
	case trace.CommandFailed, trace.PhaseFailed:
		return rows.Words{Mark: "✖", Name: "FAILED", Style: term.BoldRed, Detail: detail}
	}
	return rows.Words{Mark: "·", Name: string(b.Marker), Detail: detail}
}
