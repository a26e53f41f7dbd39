package install

import (
	"bytes"
	"fmt"
	"slices"
)

// What Codex 0.169.0 accepts in hooks.json, tested with its own `hooks/list`. One value of a wrong kind, one known
// key twice or a byte-order mark makes it drop the whole file, with a warning that only its terminal shows. It skips
// unknown events, and unknown keys in groups and handlers.

// codexEvents are the events that Codex knows. It checks only these.
func codexEvents() []string {
	return []string{"SessionStart", "UserPromptSubmit", "PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest",
		"PostToolUse", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Interrupt", "SessionEnd"}
}

// codexReader reports everything that makes Codex drop the file.
type codexReader struct {
	*document
	say func(v value, format string, args ...any)
}

// codexNotes finds everything that makes Codex drop the whole file, with all hooks in it.
func (d *document) codexNotes(at func(value, string, ...any)) {
	r := codexReader{d, func(v value, format string, args ...any) {
		at(v, "Codex ignores this whole file: "+format, args...)
	}}
	if bytes.HasPrefix(d.data, utf8BOM) {
		r.say(value{start: len(utf8BOM)}, "it begins with a byte-order mark")
	}
	for _, m := range d.root.members {
		if m.key != "hooks" && m.key != "description" {
			r.say(m.value, "it doesn't know the key %s there", quote(m.key))
		}
	}
	r.once(d.root, "hooks", "description")
	r.kinds(d.root, "description", text, null)
	r.kinds(d.root, "hooks", object)
	hooks := d.root.last("hooks")
	if hooks == nil {
		return
	}
	r.once(hooks.value, codexEvents()...)
	for _, event := range hooks.value.members {
		if !slices.Contains(codexEvents(), event.key) {
			continue
		}
		r.kinds(hooks.value, event.key, array)
		for _, g := range event.value.elems {
			r.group(g)
		}
	}
}

func (r codexReader) group(g value) {
	if g.kind != object {
		r.say(g, "a group is %s", g.kind)
		return
	}
	r.once(g, "matcher", "hooks")
	r.kinds(g, "matcher", text, null)
	r.kinds(g, "hooks", array)
	list := g.last("hooks")
	if list == nil {
		return
	}
	for _, h := range list.value.elems {
		if h.kind != object {
			r.say(h, "a handler is %s", h.kind)
			continue
		}
		r.handler(h)
	}
}

func (r codexReader) handler(h value) {
	kind := h.last("type")
	switch r.str(kind) {
	case "command":
		r.once(h, "type", "command", "timeout", "async", "statusMessage")
		r.required(h, "command")
		r.kinds(h, "command", text)
		r.kinds(h, "timeout", number, null)
		r.kinds(h, "async", yes, no)
		r.kinds(h, "statusMessage", text, null)
		if m := h.last("timeout"); m != nil && bytes.ContainsAny(r.data[m.value.start:m.value.end], ".eE-") {
			r.say(m.value, "a timeout has to be whole seconds")
		}
	case "mcp_tool":
		r.required(h, "server")
		r.required(h, "tool")
	case "prompt", "agent":
	case "":
		r.required(h, "type")
		r.kinds(h, "type", text)
	default:
		r.say(kind.value, "it doesn't know handlers of type %s", r.text(kind.value.start, kind.value.end))
	}
}

func (r codexReader) required(v value, key string) {
	if v.last(key) == nil {
		r.say(v, "a handler without %s", quote(key))
	}
}

// once demands that none of the keys occurs twice in v.
func (r codexReader) once(v value, keys ...string) {
	for i, m := range v.members {
		if slices.Contains(keys, m.key) && v.last(m.key) != &v.members[i] {
			r.say(v.last(m.key).value, "%s appears twice", quote(m.key))
		}
	}
}

// kinds demands one of these kinds for the value of key, if there is one.
func (r codexReader) kinds(v value, key string, kinds ...kind) {
	m := v.last(key)
	if m != nil && !slices.Contains(kinds, m.value.kind) {
		r.say(m.value, "%s is %s", quote(key), m.value.kind)
	}
}

// label spells an event as Codex's trust keys do: PreToolUse is pre_tool_use.
func label(event string) string {
	var b []byte
	for i, c := range []byte(event) {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b = append(b, '_')
			}
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}

// trustKey names a handler in Codex's [hooks.state]. It contains the position, so a handler inserted before it inherits
// its trust record.
func trustKey(path, event string, group, handler int) string {
	return fmt.Sprintf("%s:%s:%d:%d", path, label(event), group, handler)
}

// trustHash is Codex's record of a trusted command handler: the sha256 of event, matcher, command, timeout, async and
// status message as compact JSON with sorted keys. It does not cover the program's content.
func (d *document) trustHash(event string, group, v value) string {
	var b bytes.Buffer
	async := v.last("async") != nil && v.last("async").value.kind == yes
	fmt.Fprintf(&b, `{"event_name":%s,"hooks":[{"async":%t,"command":%s`, quote(label(event)), async, quote(d.str(v.last("command"))))
	if m := v.last("statusMessage"); m != nil && m.value.kind == text {
		fmt.Fprintf(&b, `,"statusMessage":%s`, quote(d.str(m)))
	}
	fmt.Fprintf(&b, `,"timeout":%d,"type":"command"}]`, d.trustTimeout(event, v))
	ignored := []string{"UserPromptSubmit", "Stop", "PreModelRequest", "PostModelRequest", "Interrupt"}
	if m := group.last("matcher"); m != nil && m.value.kind == text && !slices.Contains(ignored, event) {
		fmt.Fprintf(&b, `,"matcher":%s`, quote(d.str(m)))
	}
	b.WriteByte('}')
	return "sha256:" + hash(b.Bytes())
}

// trustTimeout is the timeout in seconds within Codex's bounds, or its default.
func (d *document) trustTimeout(event string, v value) int {
	timeout, most := 600, 1<<31-1
	if event == "SessionEnd" || event == "Interrupt" {
		timeout, most = 1, 3
	}
	if m := v.last("timeout"); m != nil && m.value.kind == number {
		timeout = 0
		for _, c := range d.data[m.value.start:m.value.end] {
			timeout = min(timeout*10+int(c-'0'), 1<<31-1)
		}
	}
	return min(max(timeout, 1), most)
}
