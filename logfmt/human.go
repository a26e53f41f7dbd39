package logfmt

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

const (
	maxSummary = 240 // bytes of the human line after " - "
	maxPiece   = 120 // bytes of one head, error or description in it
)

// Human is the line for people, without newline, of at most 511 bytes. It says what one wants to
// see of the event in a scrolling terminal:
//
//	# BUILD:RED:TOOL_FAILED - Bash: go test ./... (exit 1, 1.2s): --- FAIL: TestLogin
//	# BUILD:COMPLETE - Login works -> login.go, login_test.go; next: ship
func (e *Entry) Human() string {
	n, _ := e.normal()
	return string(n.appendHuman(nil))
}

// appendHuman writes the human line of a normal entry, whose names are ASCII.
func (e *Entry) appendHuman(dst []byte) []byte {
	dst = append(append(dst, "# "...), strings.ToUpper(e.Cmd)...)
	ev := e.Event
	if e.Phase != "" {
		dst = append(append(dst, ':'), e.Phase...)
		switch ev {
		case PhaseStart:
			ev = Start
		case PhaseComplete:
			ev = Complete
		}
	}
	dst = append(append(dst, ':'), ev...)
	if s := oneLine(e.summary(), maxSummary); s != "" {
		dst = append(append(dst, " - "...), s...)
	}
	return dst
}

// summary puts data into words; "" if there is nothing to say.
func (e *Entry) summary() string {
	d := facts{gjson.ParseBytes(e.Data)}
	text := d.of(e.Event)
	if e.Agent == nil || e.Event == AgentSpawn || e.Event == AgentComplete {
		return text
	}
	who := e.Agent.Type
	if who == "" {
		who = e.Agent.ID
	}
	return strings.TrimSpace("[" + oneLine(who, 40) + "] " + text)
}

// facts is data, read by names of members.
type facts struct{ gjson.Result }

// str is the first named member that is a non-empty string, on one line.
func (d facts) str(keys ...string) string {
	for _, k := range keys {
		if v := d.Get(k); v.Type == gjson.String && v.Str != "" {
			return oneLine(v.Str, maxPiece)
		}
	}
	return ""
}

func (d facts) of(ev Event) string {
	switch ev {
	case ToolStart, Tool, ToolFailed, ToolDenied, Permission:
		return d.tool(ev)
	case Start, PhaseStart, PhaseComplete, Milestone, Complete, Failed:
		return d.lifecycle(ev)
	case AgentSpawn, AgentComplete:
		return d.agent()
	case SessionStart:
		return join(" ", d.str("client"), d.str("client_version"), paren(d.str("source")))
	case Prompt:
		return d.prompt()
	case Command:
		return join(" ", slash(d.str("command")), paren(d.count("args_chars", "characters of arguments")))
	case Notify, Intervention, Delivered, Resolved:
		return join(": ", d.str("type"), join(" ", d.str("head", "signature"), paren(d.str("task_id"))))
	case WorkerDone, WorkerAsk:
		return join(": ", d.str("worker"), d.str("text"))
	case Compact:
		return join(", ", d.str("trigger"), d.str("stage"))
	case Unreadable:
		return join(": ", join(", ", d.bytes(), d.hash()), d.str("reason", "error"))
	case Checkpoint:
		return checkpointText(d.Raw)
	case Unwritten:
		return d.count("entries", "entries could not be written") + prefix(" from ", d.str("from")) + prefix(" to ", d.str("to")) + prefix(": ", d.str("reason"))
	case Accepted:
		return acceptedText(d.Raw)
	case Snapshot:
		return join(": ", d.str("at"), d.str("reason", "ref"))
	case Undo:
		return join(" to ", d.str("what"), d.str("to"))
	}
	return d.anything()
}

// tool: Bash: go test ./... (exit 1, 1.2s, background): error
func (d facts) tool(ev Event) string {
	what := join(": ", d.str("tool"), d.str("head", "path"))
	var notes []string
	note := func(s string) {
		if s != "" {
			notes = append(notes, s)
		}
	}
	if code := d.Get("exit_code"); code.Type == gjson.Number && (ev != Tool || code.Num != 0) {
		note("exit " + code.Raw)
	}
	if s := d.str("outcome"); s != "ok" && s != "success" {
		note(s)
	}
	note(d.duration())
	note(d.bytes())
	if d.Get("background").Bool() {
		note("in the background")
	}
	if s := d.str("inferred"); s != "" {
		note("from the " + s)
	}
	return join(": ", join(" ", what, paren(strings.Join(notes, ", "))), d.str("error", "reason"))
}

func (d facts) lifecycle(ev Event) string {
	if ev == Failed {
		return join("; ", d.str("error", "summary", "details"), prefix("try: ", d.str("suggestion")), d.next())
	}
	text := d.str("summary", "description", "details", "args")
	if text == "" {
		text = d.pairs("details", 4)
	}
	text = join(" ", text, paren(d.pairs("metrics", 4)))
	return join("; ", join(" ", text, prefix("-> ", d.outputs())), d.next())
}

func (d facts) next() string { return prefix("next: ", d.str("next_suggested")) }

// outputs names the first three, in either form.
func (d facts) outputs() string {
	var names []string
	total := 0
	d.Get("outputs").ForEach(func(_, v gjson.Result) bool {
		if v.IsObject() {
			v = v.Get("path")
		}
		if total++; total <= 3 && v.Type == gjson.String {
			names = append(names, oneLine(v.Str, 60))
		}
		return true
	})
	if more := total - len(names); more > 0 && len(names) > 0 {
		names = append(names, "+"+strconv.Itoa(more))
	}
	return strings.Join(names, ", ")
}

func (d facts) agent() string {
	who := join(" ", d.str("agent_type", "agent_id"), paren(d.str("status")))
	if d.Get("background").Bool() {
		who += " in the background"
	}
	return join(": ", who, d.str("error", "task", "summary"))
}

func (d facts) prompt() string {
	head := d.str("head")
	length := ""
	if n := d.Get("chars").Int(); n > int64(utf8.RuneCountInString(head)) {
		length = d.count("chars", "characters")
	}
	if d.Get("machine").Bool() {
		head = strings.TrimSpace("[machine] " + head)
	}
	return join(" ", head, paren(length))
}

// pairs lists the scalars of an object, without the hook's own times: tests=3, coverage=81
func (d facts) pairs(key string, max int) string {
	obj := d.Result
	if key != "" {
		obj = d.Get(key)
	}
	if !obj.IsObject() {
		return ""
	}
	var list []string
	obj.ForEach(func(k, v gjson.Result) bool {
		if !v.IsObject() && !v.IsArray() && !strings.HasSuffix(k.Str, "_us") {
			list = append(list, oneLine(k.Str, 30)+"="+oneLine(v.String(), 40))
		}
		return len(list) < max
	})
	return strings.Join(list, ", ")
}

// anything summarises events with few fields, and unknown events.
func (d facts) anything() string {
	for _, text := range [...]string{
		d.str("summary", "description", "message", "head", "details"),
		join(": ", d.str("error"), d.str("reason")),
		d.str("type", "path"),
		d.pairs("fields", 3),
	} {
		if text != "" {
			return text
		}
	}
	return d.pairs("", 3)
}

func (d facts) duration() string {
	ms := d.Get("duration_ms")
	if ms.Type != gjson.Number || ms.Num < 0 {
		return ""
	}
	switch n := ms.Int(); {
	case n < 1000:
		return strconv.FormatInt(n, 10) + "ms"
	case n < 60_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + "s"
	case n < 3_600_000:
		return strconv.FormatInt(n/60_000, 10) + "m" + twoDigits(n/1000%60) + "s"
	default:
		return strconv.FormatInt(n/3_600_000, 10) + "h" + twoDigits(n/60_000%60) + "m"
	}
}

func twoDigits(n int64) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

func (d facts) bytes() string {
	v := d.Get("bytes")
	if v.Type != gjson.Number || v.Num < 0 {
		return ""
	}
	if v.Num < 1024 {
		return strconv.FormatInt(v.Int(), 10) + " B"
	}
	size, unit := v.Num, 0
	for size >= 1024 && unit < 4 {
		size /= 1024
		unit++
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + string("BKMGT"[unit]) + "B"
}

func (d facts) hash() string {
	if s := d.str("sha256"); len(s) >= 12 {
		return "sha256 " + s[:12]
	}
	return ""
}

func (d facts) count(key, what string) string {
	if n := d.Get(key).Int(); n > 0 {
		return strconv.FormatInt(n, 10) + " " + what
	}
	return ""
}

// join puts sep between the parts that are not empty.
func join(sep string, parts ...string) string {
	out := ""
	for _, p := range parts {
		if p == "" {
			continue
		}
		if out != "" {
			out += sep
		}
		out += p
	}
	return out
}

func prefix(p, s string) string {
	if s == "" {
		return ""
	}
	return p + s
}

func paren(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func slash(s string) string {
	if s == "" || s[0] == '/' || s[0] == '$' {
		return s
	}
	return "/" + s
}
