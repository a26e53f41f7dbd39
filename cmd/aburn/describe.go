package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/logfmt"
)

// words is one entry as people read it. The texts come from the log and are
// not cleaned yet.
type words struct {
	mark   string
	name   string // the tool, or what happened
	style  term.Style
	took   string
	path   string // in front of the detail; too long, it loses its beginning
	detail string
}

// describe puts an entry into words. What an entry does not say is left out,
// never guessed.
func describe(e *logfmt.Entry) words {
	d := gjson.ParseBytes(e.Data)
	_, _, ev := e.Meaning()
	var w words
	switch {
	case ev.Lifecycle():
		w = describeLifecycle(ev, d)
	case ev == logfmt.ToolStart, ev == logfmt.Tool, ev == logfmt.ToolFailed, ev == logfmt.ToolDenied:
		w = describeTool(ev, d)
	default:
		w = describeOther(ev, d)
	}
	if e.Edited {
		w.detail = join(w.detail, "(edited: its crc does not match)")
	}
	return w
}

func describeLifecycle(ev logfmt.Event, d gjson.Result) words {
	switch ev {
	case logfmt.Start, logfmt.PhaseStart:
		return words{mark: "▶", name: "START", style: term.BoldCyan, detail: first(d, "args", "details", "summary")}
	case logfmt.Complete, logfmt.PhaseComplete:
		return words{mark: "✔", name: "COMPLETE", style: term.BoldGreen, detail: join(first(d, "summary", "details"), outputNames(d), nextStepOf(d))}
	case logfmt.Failed:
		return words{mark: "✖", name: "FAILED", style: term.BoldRed, detail: join(first(d, "error", "summary", "details"), d.Get("suggestion").String())}
	case logfmt.Milestone:
		return words{mark: "◆", name: "MILESTONE", style: term.Cyan, detail: join(first(d, "description", "summary"), metricPairs(d))}
	case logfmt.AgentSpawn:
		return words{mark: "↳", name: "agent", style: term.Magenta, detail: d.Get("task").String()}
	default: // AGENT_COMPLETE
		return words{mark: "↲", name: "agent ends", style: term.Magenta, took: took(d), detail: join(d.Get("status").String(), first(d, "error", "summary"), background(d))}
	}
}

func describeTool(ev logfmt.Event, d gjson.Result) words {
	w := words{name: toolName(d), took: took(d), path: d.Get("path").String()}
	head := d.Get("head").String()
	switch ev {
	case logfmt.ToolStart:
		w.mark, w.style, w.took = "…", term.Yellow, ""
		w.detail = head
	case logfmt.ToolFailed:
		w.mark, w.style = "✗", term.Red
		w.detail = join(exit(d), head, d.Get("error").String(), inferred(d))
	case logfmt.ToolDenied:
		w.mark, w.style = "⊘", term.Yellow
		w.detail = join("denied", head, d.Get("reason").String(), inferred(d))
	default:
		w.mark, w.style = "✓", term.Green
		if d.Get("background").Bool() {
			w.mark = "»"
		}
		if strings.HasPrefix(head, "aburn log ") { // its entry says it all
			w.style = term.Dim
		}
		if d.Get("outcome").String() == "unknown" {
			w.mark, w.style = "~", term.Yellow
		}
		w.detail = join(exit(d), head, outcome(d), background(d), inferred(d))
	}
	return w
}

// toolName is the tool as its client calls it; of an MCP server's, server:tool.
func toolName(d gjson.Result) string {
	name := d.Get("tool").String()
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		return strings.Replace(rest, "__", ":", 1)
	}
	if name == "" {
		return "a tool"
	}
	return name
}

func describeOther(ev logfmt.Event, d gjson.Result) words {
	switch ev {
	case logfmt.SessionStart:
		client := strings.TrimSpace(d.Get("client").String() + " " + d.Get("client_version").String())
		return words{mark: "●", name: "session", style: term.Bold, detail: join(d.Get("source").String(), client)}
	case logfmt.SessionEnd:
		return words{mark: "○", name: "session ends", style: term.Bold, detail: d.Get("reason").String()}
	case logfmt.Prompt:
		if d.Get("machine").Bool() {
			return words{mark: "›", name: "prompt", style: term.Dim, detail: join("machine-made", d.Get("head").String())}
		}
		return words{mark: "›", name: "prompt", style: term.Blue, detail: d.Get("head").String()}
	case logfmt.Command:
		return words{mark: "/", name: "command", style: term.Blue, detail: "/" + d.Get("command").String()}
	case logfmt.Permission:
		return words{mark: "?", name: "permission", style: term.Yellow, detail: join(d.Get("tool").String(), first(d, "head", "path"))}
	case logfmt.Notify:
		return words{mark: "!", name: "notice", style: term.Yellow, detail: join(d.Get("type").String(), d.Get("head").String())}
	case logfmt.Stop:
		return words{mark: "■", name: "stop", style: term.Dim}
	case logfmt.TurnFailed:
		return words{mark: "✗", name: "turn failed", style: term.Red, detail: d.Get("error").String()}
	case logfmt.Interrupt:
		return words{mark: "✗", name: "interrupted", style: term.Yellow}
	case logfmt.Compact:
		return words{mark: "≈", name: "compaction", style: term.Dim, detail: join(d.Get("stage").String(), d.Get("trigger").String())}
	case logfmt.Intervention:
		return words{mark: "⚑", name: "advice", style: term.Yellow, detail: join(d.Get("type").String(), d.Get("level").String())}
	case logfmt.Delivered:
		return words{mark: "⚑", name: deliveredName(d), style: term.Yellow, detail: d.Get("type").String()}
	case logfmt.Resolved:
		return words{mark: "⚑", name: "resolved", style: term.Green, detail: join(d.Get("type").String(), d.Get("reason").String())}
	case logfmt.Unreadable:
		return words{mark: "!", name: "unreadable", style: term.Red, detail: size(d, "bytes")}
	case logfmt.Checkpoint:
		return words{mark: "-", name: "checkpoint", style: term.Dim, detail: d.Get("segment").String()}
	}
	return words{mark: "·", name: string(ev), style: term.Plain, detail: first(d, "summary", "description", "message", "head", "signature", "type")}
}

// deliveredName tells what was printed from what the agent's transcript shows.
func deliveredName(d gjson.Result) string {
	if d.Get("seen").Bool() {
		return "seen"
	}
	return "delivered"
}

// first is the first of the members that has a text.
func first(d gjson.Result, keys ...string) string {
	for _, k := range keys {
		if s := d.Get(k).String(); s != "" {
			return s
		}
	}
	return ""
}

func took(d gjson.Result) string {
	v := d.Get("duration_ms")
	if v.Type != gjson.Number || v.Num < 0 {
		return ""
	}
	return plain.Duration(time.Duration(v.Num * float64(time.Millisecond)))
}

// exit is told unless it is 0; a missing exit code is unknown, not 0.
func exit(d gjson.Result) string {
	v := d.Get("exit_code")
	if v.Type != gjson.Number || v.Num == 0 {
		return ""
	}
	return "exit " + strconv.FormatInt(v.Int(), 10)
}

func outcome(d gjson.Result) string {
	if o := d.Get("outcome").String(); o == "unknown" {
		return "outcome unknown"
	}
	return ""
}

func background(d gjson.Result) string {
	if d.Get("background").Bool() {
		return "runs on in the background"
	}
	return ""
}

func inferred(d gjson.Result) string {
	if from := d.Get("inferred").String(); from != "" {
		return "(inferred from the " + from + ")"
	}
	return ""
}

func nextStepOf(d gjson.Result) string {
	if n := d.Get("next_suggested").String(); n != "" {
		return "next: " + n
	}
	return ""
}

// outputNames is the first output and a count of the others. Other tools write
// plain paths, aburn objects.
func outputNames(d gjson.Result) string {
	all := d.Get("outputs").Array()
	if len(all) == 0 {
		return ""
	}
	s := all[0].Get("path").String()
	if all[0].Type == gjson.String {
		s = all[0].Str
	}
	if len(all) > 1 {
		s += " +" + strconv.Itoa(len(all)-1)
	}
	return s
}

func metricPairs(d gjson.Result) string {
	var parts []string
	d.Get("metrics").ForEach(func(k, v gjson.Result) bool {
		parts = append(parts, k.String()+"="+v.String())
		return true
	})
	return strings.Join(parts, " ")
}

func size(d gjson.Result, key string) string {
	if v := d.Get(key); v.Type == gjson.Number {
		return plain.Size(v.Int())
	}
	return ""
}
