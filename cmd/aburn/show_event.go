package main

import (
	"strconv"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
)

// eventWords puts an event that is neither a call nor a result into words.
func (v *shown) eventWords(e *trace.Event) words {
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		return promptWords(e, b)
	case *trace.AgentMessage:
		w := words{mark: "·", name: "says", style: term.Dim, detail: plain.Size(b.Length)}
		if b.Thought {
			w.name = "thinks"
		}
		return w
	case *trace.FileChange:
		return changeWords(b)
	case *trace.Error:
		w := words{mark: "✗", name: "error", style: term.Red, detail: b.Code}
		if b.Status != 0 {
			w.detail = join(w.detail, "HTTP "+strconv.Itoa(b.Status))
		}
		if b.Fatal {
			w.detail = join(w.detail, "it ended the turn")
		}
		w.detail = join(w.detail, b.Head)
		return w
	case *trace.Interrupt:
		return words{mark: "✗", name: "interrupted", style: term.Yellow, detail: b.Reason}
	case *trace.SubagentSpawn:
		return v.spawnWords(b)
	case *trace.Session:
		return markerWords(b)
	}
	return words{mark: "·", name: e.Body.Kind()}
}

func promptWords(e *trace.Event, b *trace.UserMessage) words {
	w := words{mark: "›", name: "prompt", style: term.Blue, detail: b.Head}
	if command := "/" + strings.TrimPrefix(b.Command, "/"); b.Command != "" && b.Head != command && !strings.HasPrefix(b.Head, command+" ") {
		w.detail = join(command, b.Head)
	}
	if b.Machine == "" && e.By == "" {
		return w
	}
	w.style = term.Dim
	if b.Machine != "" {
		w.name = b.Machine
	}
	if e.By != "" {
		w.detail = join("by the "+e.By, w.detail)
	}
	return w
}

func changeWords(b *trace.FileChange) words {
	w := words{mark: "✎", name: b.Action, style: term.Cyan, path: b.Path}
	if b.Added != nil {
		w.detail = "+" + strconv.Itoa(*b.Added)
	}
	if b.Removed != nil {
		if w.detail != "" {
			w.detail += " "
		}
		w.detail += "−" + strconv.Itoa(*b.Removed)
	}
	if b.From != "" {
		w.detail = join("from "+b.From, w.detail)
	}
	return w
}

// spawnWords is the start of a sub-agent, with what became of it where the archive knows.
func (v *shown) spawnWords(b *trace.SubagentSpawn) words {
	w := words{mark: "↳", name: "sub-agent", style: term.Magenta, detail: join(b.AgentType, b.Description)}
	if b.Background {
		w.detail = join(w.detail, "in the background")
	}
	if b.NotStarted {
		w.mark, w.style, w.detail = "⊘", term.Yellow, join("it did not start", w.detail)
		return w
	}
	child := v.others[b.Session]
	if child == nil {
		if b.Session != "" || b.AgentID != "" {
			w.detail = join(w.detail, "not in the archive")
		}
		return w
	}
	w.took = milliseconds(child.ActiveMS)
	calls := plain.Plural(int64(child.Counts.Calls), "call")
	if n := child.Counts.Failed; n > 0 {
		calls += ", " + strconv.Itoa(n) + " failed"
	}
	w.detail = join(v.name(b.Session), string(child.Outcome), calls, w.detail)
	return w
}

func markerWords(b *trace.Session) words {
	detail := join(b.Command, b.Phase, b.Detail, b.Model)
	switch b.Marker {
	case trace.Started:
		return words{mark: "●", name: "started", style: term.Bold, detail: detail}
	case trace.Resumed:
		return words{mark: "●", name: "resumed", style: term.Bold, detail: detail}
	case trace.Compacted:
		return words{mark: "≈", name: "compacted", style: term.Cyan, detail: detail}
	case trace.Stopped:
		return words{mark: "■", name: "turn ends", style: term.Dim, detail: detail}
	case trace.Ended:
		return words{mark: "○", name: "ended", style: term.Bold, detail: detail}
	case trace.ModelChanged:
		return words{mark: "·", name: "model", style: term.Plain, detail: detail}
	case trace.CommandStarted, trace.PhaseStarted:
		return words{mark: "▶", name: "START", style: term.BoldCyan, detail: detail}
	case trace.CommandCompleted, trace.PhaseCompleted:
		return words{mark: "✔", name: "COMPLETE", style: term.BoldGreen, detail: detail}
	case trace.CommandFailed, trace.PhaseFailed:
		return words{mark: "✖", name: "FAILED", style: term.BoldRed, detail: detail}
	}
	return words{mark: "·", name: string(b.Marker), detail: detail}
}
