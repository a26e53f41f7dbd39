package drawn

import (
	"strings"

	"aburn/logfmt"
)

// hook reads the words in capitals.
func (p *pen) hook(word string) bool {
	var a *logfmt.Agent
	if agent, own, ok := strings.Cut(word, "~"); ok && isWord(agent) && strings.HasPrefix(own, string(logfmt.TurnFailed)) {
		a, word = p.agentOf(agent), own
	}
	n := capitals(word)
	if n < 3 {
		return false
	}
	ev, rest := logfmt.Event(word[:n]), word[n:]
	switch ev {
	case logfmt.Prompt:
		return p.prompt(rest)
	case logfmt.Compact:
		return p.compact(rest)
	case logfmt.Permission:
		return p.permission(rest)
	case logfmt.Intervention, logfmt.Delivered, "SEEN", logfmt.Resolved, logfmt.Checkpoint, logfmt.Unwritten, logfmt.Accepted,
		logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
		return false
	}
	text, after, quoted := quote(rest)
	if after != "" || rest != "" && !quoted || ev.Lifecycle() {
		return false
	}
	var o logfmt.Object
	switch ev {
	case logfmt.SessionStart:
		o.Str("source", text).Str("client", p.source())
	case logfmt.SessionEnd:
		o.StrIf("reason", text)
	case logfmt.Notify:
		o.StrIf("type", text)
	case logfmt.TurnFailed:
		code, reason, _ := strings.Cut(text, ": ")
		o.StrIf("error", code).StrIf("reason", reason)
	case logfmt.Unreadable:
		o.Int("bytes", 17)
	case logfmt.Stop:
		o.StrIf("claim", text)
	case logfmt.WorkerDone:
		o.Str("worker", "w").StrIf("text", text)
		e := p.hookEntry(ev, nil, o.Bytes())
		e.Cmd, e.Phase, e.Source = logfmt.SessionCmd, "", "aburn"
		p.entry(e)
		return true
	}
	p.entry(p.hookEntry(ev, a, o.Bytes()))
	return true
}

// capitals is the length of the event name that s begins with.
func capitals(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || 'A' <= s[n] && s[n] <= 'Z') {
		n++
	}
	return n
}

// prompt reads what follows PROMPT: /command, & and 'text', each optional.
func (p *pen) prompt(s string) bool {
	command := ""
	if rest, ok := strings.CutPrefix(s, "/"); ok {
		command, s = rest, ""
		if i := strings.IndexByte(rest, '\''); i >= 0 {
			command, s = rest[:i], rest[i:]
		}
	}
	s, machine := strings.CutPrefix(s, "&")
	if n := strings.IndexByte(s+"'", '\''); machine && n > 0 {
		return p.report(s[:n], s[n:])
	}
	text, rest, quoted := quote(s)
	if rest != "" || !quoted && s != "" {
		return false
	}
	head := text
	if command != "" {
		head = strings.TrimSpace("/" + command + " " + text)
	}
	if head == "" {
		head = "go on"
	}
	var o logfmt.Object
	o.Str("head", head).Int("chars", int64(len(head)))
	if machine {
		o.Bool("machine", true)
	}
	p.entry(p.hookEntry(logfmt.Prompt, nil, o.Bytes()))
	if command != "" {
		var c logfmt.Object
		p.entry(p.hookEntry(logfmt.Command, nil, c.Str("command", command).Int("args_chars", int64(len(text))).Bytes()))
	}
	return true
}

// report is a machine-made prompt about the end of a background call.
func (p *pen) report(name, s string) bool {
	status, rest, quoted := quote(s)
	c, ok := p.remove(name, true)
	if !ok || rest != "" || !quoted && s != "" {
		return false
	}
	if status == "" {
		status = "completed"
	}
	var o logfmt.Object
	o.Str("head", "<task-notification>").Int("chars", 200).Bool("machine", true).Str("tool_use_id", c.id).Str("status", status)
	p.entry(p.hookEntry(logfmt.Prompt, nil, o.Bytes()))
	return true
}

func (p *pen) compact(s string) bool {
	trigger, rest, _ := quote(s)
	if rest != "" && rest != "<" {
		return false
	}
	if trigger == "" {
		trigger = "auto"
	}
	for _, stage := range []string{"before", "after"} {
		var o logfmt.Object
		p.entry(p.hookEntry(logfmt.Compact, nil, o.Str("trigger", trigger).Str("stage", stage).Bytes()))
		if rest == "<" {
			break
		}
	}
	return true
}

// permission is about the session's last open call, or about the named one.
func (p *pen) permission(s string) bool {
	text, rest, quoted := quote(s)
	if rest != "" || !quoted && s != "" {
		return false
	}
	c := call{tool: "Bash"}
	if quoted {
		c.tool, c.what, _ = strings.Cut(text, ":")
	} else {
		for _, open := range p.open {
			if open.session == p.session && !open.background {
				c = open
			}
		}
	}
	var o logfmt.Object
	o.Str("tool", c.tool)
	c.about(&o)
	p.entry(p.hookEntry(logfmt.Permission, c.agent, o.Bytes()))
	return true
}

// spawn reads (tester and tester).
func (p *pen) spawn(word string) bool {
	if name, ok := strings.CutPrefix(word, "("); ok {
		name, background := strings.CutSuffix(name, "&")
		a := p.agentOf(name)
		if a == nil {
			return false
		}
		s := p.active(nil)
		if s.cmd != logfmt.SessionCmd {
			a.ParentCmd = s.cmd
		}
		p.states[who{p.session, a.ID}] = s
		e := p.hookEntry(logfmt.AgentSpawn, a, nil)
		var o logfmt.Object
		o.Str("agent_id", a.ID).Str("agent_type", a.Type)
		if background {
			o.Bool("background", true)
		}
		e.Data = o.Bytes()
		p.entry(e)
		return true
	}
	name, rest, ok := strings.Cut(word, ")")
	status, after, quoted := quote(rest)
	if !ok || !isWord(name) || after != "" || rest != "" && !quoted {
		return false
	}
	a := p.agentOf(name)
	var o logfmt.Object
	o.Str("agent_id", a.ID).Str("agent_type", a.Type).StrIf("status", status)
	p.entry(p.hookEntry(logfmt.AgentComplete, a, o.Bytes()))
	return true
}

func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return s != ""
}
