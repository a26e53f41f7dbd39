package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

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
		return words{"▶", "START", term.BoldCyan, "", first(d, "args", "details", "summary")}
	case logfmt.Complete, logfmt.PhaseComplete:
		return words{"✔", "COMPLETE", term.BoldGreen, "", join(first(d, "summary", "details"), outputs(d), next(d))}
	case logfmt.Failed:
		return words{"✖", "FAILED", term.BoldRed, "", join(first(d, "error", "summary", "details"), d.Get("suggestion").String())}
	case logfmt.Milestone:
		return words{"◆", "MILESTONE", term.Cyan, "", join(first(d, "description", "summary"), metrics(d))}
	case logfmt.AgentSpawn:
		return words{"↳", "agent starts", term.Magenta, "", d.Get("task").String()}
	default: // AGENT_COMPLETE
		return words{"↲", "agent ends", term.Magenta, took(d), join(d.Get("status").String(), first(d, "error", "summary"), background(d))}
	}
}

func describeTool(ev logfmt.Event, d gjson.Result) words {
	name := d.Get("tool").String()
	if name == "" {
		name = string(ev)
	}
	what := first(d, "head", "path")
	switch ev {
	case logfmt.ToolStart:
		return words{"…", name, term.Yellow, "", join(what, "no end yet")}
	case logfmt.ToolFailed:
		return words{"✗", name, term.Red, took(d), join(what, exit(d), d.Get("error").String(), inferred(d))}
	case logfmt.ToolDenied:
		return words{"⊘", name, term.Yellow, took(d), join(what, "denied", d.Get("reason").String(), inferred(d))}
	}
	mark, style := "✓", term.Green
	switch {
	case d.Get("background").Bool():
		mark = "»"
	case d.Get("outcome").String() == "unknown":
		mark, style = "?", term.Yellow
	}
	return words{mark, name, style, took(d), join(what, exit(d), outcome(d), background(d), inferred(d))}
}

func describeOther(ev logfmt.Event, d gjson.Result) words {
	switch ev {
	case logfmt.SessionStart:
		client := strings.TrimSpace(d.Get("client").String() + " " + d.Get("client_version").String())
		return words{"●", "session", term.Bold, "", join(d.Get("source").String(), client)}
	case logfmt.SessionEnd:
		return words{"○", "session ends", term.Bold, "", d.Get("reason").String()}
	case logfmt.Prompt:
		if d.Get("machine").Bool() {
			return words{"›", "prompt", term.Dim, "", join("machine-made", d.Get("head").String())}
		}
		return words{"›", "prompt", term.Blue, "", d.Get("head").String()}
	case logfmt.Command:
		return words{"/", "command", term.Blue, "", "/" + d.Get("command").String()}
	case logfmt.Permission:
		return words{"?", "permission", term.Yellow, "", join(d.Get("tool").String(), first(d, "head", "path"))}
	case logfmt.Notify:
		return words{"!", "notice", term.Yellow, "", join(d.Get("type").String(), d.Get("head").String())}
	case logfmt.Stop:
		return words{"■", "stop", term.Dim, "", ""}
	case logfmt.TurnFailed:
		return words{"✗", "turn failed", term.Red, "", d.Get("error").String()}
	case logfmt.Interrupt:
		return words{"✗", "interrupted", term.Yellow, "", ""}
	case logfmt.Compact:
		return words{"≈", "compaction", term.Dim, "", join(d.Get("stage").String(), d.Get("trigger").String())}
	case logfmt.Unreadable:
		return words{"!", "unreadable", term.Red, "", size(d, "bytes")}
	case logfmt.Checkpoint:
		return words{"-", "checkpoint", term.Dim, "", d.Get("segment").String()}
	}
	return words{"·", string(ev), term.Plain, "", first(d, "summary", "description", "message", "head", "signature", "type")}
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

// join puts the texts that are there behind one another.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" · ")
		}
		b.WriteString(p)
	}
	return b.String()
}

func took(d gjson.Result) string {
	v := d.Get("duration_ms")
	if v.Type != gjson.Number || v.Num < 0 {
		return ""
	}
	return term.Duration(time.Duration(v.Num * float64(time.Millisecond)))
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

func next(d gjson.Result) string {
	if n := d.Get("next_suggested").String(); n != "" {
		return "next: " + n
	}
	return ""
}

// outputs names the first output and counts the others. Other tools write
// plain paths, aburn objects.
func outputs(d gjson.Result) string {
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

func metrics(d gjson.Result) string {
	var parts []string
	d.Get("metrics").ForEach(func(k, v gjson.Result) bool {
		parts = append(parts, k.String()+"="+v.String())
		return true
	})
	return strings.Join(parts, " ")
}

func size(d gjson.Result, key string) string {
	if v := d.Get(key); v.Type == gjson.Number {
		return term.Size(v.Int())
	}
	return ""
}
