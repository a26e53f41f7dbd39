package entries

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
)

// Description is one entry in words for people. Its texts come from the log: whoever prints them cleans them.
type Description struct {
	Mark   string
	Name   string // the tool, or the event
	Style  term.Style
	Took   string
	Path   string // stands in front of Detail
	Detail string
}

// Describe puts an entry into words. It guesses nothing that the entry does not say.
func Describe(e *logfmt.Entry) Description {
	d := gjson.ParseBytes(e.Data)
	_, _, ev := e.Meaning()
	var w Description
	switch {
	case ev.Lifecycle():
		w = describeLifecycle(ev, d)
	case ev == logfmt.ToolStart, ev == logfmt.Tool, ev == logfmt.ToolFailed, ev == logfmt.ToolDenied:
		w = describeTool(ev, d)
	default:
		w = describeOther(ev, d)
	}
	if e.Edited {
		w.Detail = units.Join(w.Detail, "(edited: its crc does not match)")
	}
	return w
}

func describeLifecycle(ev logfmt.Event, d gjson.Result) Description {
	switch ev {
	case logfmt.Start, logfmt.PhaseStart:
		return Description{Mark: "▶", Name: "START", Style: term.BoldCyan, Detail: first(d, "args", "details", "summary")}
	case logfmt.Complete, logfmt.PhaseComplete:
		return Description{Mark: "✔", Name: "COMPLETE", Style: term.BoldGreen, Detail: units.Join(first(d, "summary", "details"), outputNames(d), nextStepOf(d))}
	case logfmt.Failed:
		return Description{Mark: "✖", Name: "FAILED", Style: term.BoldRed, Detail: units.Join(first(d, "error", "summary", "details"), d.Get("suggestion").String())}
	case logfmt.Milestone:
		return Description{Mark: "◆", Name: "MILESTONE", Style: term.Cyan, Detail: units.Join(first(d, "description", "summary"), metricPairs(d))}
	case logfmt.AgentSpawn:
		return Description{Mark: "↳", Name: "agent", Style: term.Magenta, Detail: d.Get("task").String()}
	default: // AGENT_COMPLETE
		return Description{Mark: "↲", Name: "agent ends", Style: term.Magenta, Took: took(d),
			Detail: units.Join(d.Get("status").String(), first(d, "error", "summary"), background(d))}
	}
}

func describeTool(ev logfmt.Event, d gjson.Result) Description {
	w := Description{Name: toolName(d), Took: took(d), Path: d.Get("path").String()}
	head := d.Get("head").String()
	switch ev {
	case logfmt.ToolStart:
		w.Mark, w.Style, w.Took = "…", term.Yellow, ""
		w.Detail = head
	case logfmt.ToolFailed:
		w.Mark, w.Style = "✗", term.Red
		w.Detail = units.Join(exit(d), head, d.Get("error").String(), inferred(d))
	case logfmt.ToolDenied:
		w.Mark, w.Style = "⊘", term.Yellow
		w.Detail = units.Join("denied", head, d.Get("reason").String(), inferred(d))
	default:
		w.Mark, w.Style = "✓", term.Green
		if d.Get("background").Bool() {
			w.Mark = "»"
		}
		if strings.HasPrefix(head, "aburn log ") { // the entry that it logs stands beside it
			w.Style = term.Dim
		}
		if d.Get("outcome").String() == "unknown" {
			w.Mark, w.Style = "~", term.Yellow
		}
		w.Detail = units.Join(exit(d), head, outcome(d), background(d), inferred(d))
	}
	return w
}

// toolName is the tool as its client calls it; a tool of an MCP server is server:tool.
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

func describeOther(ev logfmt.Event, d gjson.Result) Description {
	switch ev {
	case logfmt.SessionStart:
		client := strings.TrimSpace(d.Get("client").String() + " " + d.Get("client_version").String())
		return Description{Mark: "●", Name: "session", Style: term.Bold, Detail: units.Join(d.Get("source").String(), client)}
	case logfmt.SessionEnd:
		return Description{Mark: "○", Name: "session ends", Style: term.Bold, Detail: d.Get("reason").String()}
	case logfmt.Prompt:
		if d.Get("machine").Bool() {
			return Description{Mark: "›", Name: "prompt", Style: term.Dim, Detail: units.Join("machine-made", d.Get("head").String())}
		}
		return Description{Mark: "›", Name: "prompt", Style: term.Blue, Detail: d.Get("head").String()}
	case logfmt.Command:
		return Description{Mark: "/", Name: "command", Style: term.Blue, Detail: "/" + d.Get("command").String()}
	case logfmt.Permission:
		return Description{Mark: "?", Name: "permission", Style: term.Yellow, Detail: units.Join(d.Get("tool").String(), first(d, "head", "path"))}
	case logfmt.Notify:
		return Description{Mark: "!", Name: "notice", Style: term.Yellow, Detail: units.Join(d.Get("type").String(), d.Get("head").String())}
	case logfmt.Stop:
		return Description{Mark: "■", Name: "stop", Style: term.Dim}
	case logfmt.TurnFailed:
		return Description{Mark: "✗", Name: "turn failed", Style: term.Red, Detail: d.Get("error").String()}
	case logfmt.Interrupt:
		return Description{Mark: "✗", Name: "interrupted", Style: term.Yellow}
	case logfmt.WorkerDone:
		return Description{Mark: "✔", Name: "worker done", Style: term.Green, Detail: units.Join(d.Get("worker").String(), d.Get("text").String())}
	case logfmt.WorkerAsk:
		return Description{Mark: "?", Name: "worker asks", Style: term.Yellow, Detail: units.Join(d.Get("worker").String(), d.Get("text").String())}
	case logfmt.Compact:
		return Description{Mark: "≈", Name: "compaction", Style: term.Dim, Detail: units.Join(d.Get("stage").String(), d.Get("trigger").String())}
	case logfmt.Intervention:
		return Description{Mark: "⚑", Name: "advice", Style: term.Yellow, Detail: units.Join(d.Get("type").String(), d.Get("level").String())}
	case logfmt.Delivered:
		return Description{Mark: "⚑", Name: deliveredName(d), Style: term.Yellow, Detail: d.Get("type").String()}
	case logfmt.Resolved:
		return Description{Mark: "⚑", Name: "resolved", Style: term.Green, Detail: units.Join(resolvedType(d), resolvedWhy(d))}
	case logfmt.Unreadable:
		return Description{Mark: "!", Name: "unreadable", Style: term.Red, Detail: size(d, "bytes")}
	case logfmt.Unwritten:
		return Description{Mark: "!", Name: "unwritten", Style: term.Red,
			Detail: units.Join(plain.Plural(d.Get("entries").Int(), "entry", "entries")+" could not be written", d.Get("reason").String(),
				"from "+d.Get("from").String()+" to "+d.Get("to").String())}
	case logfmt.Accepted:
		return Description{Mark: "-", Name: "accepted", Style: term.Yellow, Detail: "known damage: aburn verify"}
	case logfmt.Snapshot:
		return Description{Mark: "-", Name: "snapshot", Style: term.Dim, Detail: units.Join(d.Get("at").String(), d.Get("reason").String())}
	case logfmt.Undo:
		return Description{Mark: "↶", Name: "undo", Style: term.Yellow, Detail: d.Get("what").String()}
	case logfmt.Checkpoint:
		return Description{Mark: "-", Name: "checkpoint", Style: term.Dim, Detail: d.Get("segment").String()}
	}
	return Description{Mark: "·", Name: string(ev), Style: term.Plain, Detail: first(d, "summary", "description", "message", "head", "signature", "type")}
}

// deliveredName is delivered for advice that a hook printed, seen for advice that the agent's transcript shows.
func deliveredName(d gjson.Result) string {
	if d.Get("seen").Bool() {
		return "seen"
	}
	return "delivered"
}

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
	if v.Num < 1 {
		return "<1ms" // the log holds whole milliseconds
	}
	return plain.Duration(time.Duration(v.Num * float64(time.Millisecond)))
}

// exit is "" for 0, and for a missing exit code, which is unknown and not 0.
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
		return "continues in the background"
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

// outputNames is the first output and a count of the others. aburn writes outputs as objects, other tools as paths.
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

// resolvedType is the type of the issue that an entry calls resolved. The entry about the user's notification has only the signature.
func resolvedType(d gjson.Result) string {
	signature := d.Get("signature").String()
	return cmp.Or(d.Get("type").String(), signature[:max(strings.LastIndexByte(signature, '-'), 0)])
}

// resolvedWhy is why an issue is not open any more, where that is not that it cleared.
func resolvedWhy(d gjson.Result) string {
	if why := d.Get("reason").String(); why != "cleared" {
		return why
	}
	return ""
}
