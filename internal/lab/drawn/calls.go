package drawn

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// toolCall reads Bash'go test ./...' with its marks, perhaps of a sub-agent.
func (p *pen) toolCall(word string) bool {
	name, after, ok := strings.Cut(word, "'")
	if !ok {
		return false
	}
	var a *logfmt.Agent
	if agent, own, ok := strings.Cut(name, "~"); ok && isWord(agent) {
		a, name = p.agentOf(agent), own
	}
	what, marks, ok := strings.Cut(after, "'")
	if !ok || !isWord(name) || capitals(name) == len(name) {
		return false
	}
	m, ok := readMarks(marks)
	if !ok {
		return false
	}
	p.calls++
	c := call{name: m.name, id: "call_" + strconv.Itoa(p.calls), tool: name, what: what, at: p.at, agent: a, session: p.session}
	c.input = hex.EncodeToString(crc(name + "\x00" + what + "\x00" + m.salt + "\x00" + m.content))
	p.callEntry(logfmt.ToolStart, &c, nil)
	if m.end == '<' {
		p.open = append(p.open, c)
		return true
	}
	p.finish(&c, m)
	if m.end == '&' && m.name != "" {
		c.background = true
		p.open = append(p.open, c)
	}
	return true
}

// remove removes the running call of this name.
func (p *pen) remove(name string, background bool) (call, bool) {
	for i, c := range p.open {
		if c.name == name && c.session == p.session && c.background == background {
			p.open = append(p.open[:i:i], p.open[i+1:]...)
			return c, true
		}
	}
	return call{}, false
}

// toolEnd reads ^a with its marks.
func (p *pen) toolEnd(word string) bool {
	rest, ok := strings.CutPrefix(word, "^")
	if !ok {
		return false
	}
	n := 0
	for n < len(rest) && (isWord(rest[n:n+1]) && rest[n] != '-') {
		n++
	}
	m, ok := readMarks(rest[n:])
	if !ok || n == 0 || m.end == '<' {
		return false
	}
	c, ok := p.remove(rest[:n], false)
	if !ok {
		return false
	}
	p.finish(&c, m)
	if m.end == '&' {
		c.background = true
		p.open = append(p.open, c)
	}
	return true
}

func crc(s string) []byte {
	v := crc32.ChecksumIEEE([]byte(s))
	return []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
}

// Result is the hash of what a call with this input answered; "" where nothing is said: the same as each time.
func Result(input, answer string) string { return hex.EncodeToString(crc(input + "\x00" + answer)) }

// about adds what the call is about, as hooks do.
func (c *call) about(o *logfmt.Object) {
	switch c.tool {
	case "Bash", "PowerShell", "Skill":
		o.StrIf("head", c.what)
	case "Agent", "Task", "collaborationspawn_agent":
		o.StrIf("task", c.what)
	default:
		o.StrIf("path", c.what)
	}
}

func (p *pen) callEntry(ev logfmt.Event, c *call, end func(*logfmt.Object)) {
	var o logfmt.Object
	o.Str("tool", c.tool).Str("tool_use_id", c.id)
	c.about(&o)
	o.Str("input", c.input)
	if end != nil {
		end(&o)
	}
	e := p.hookEntry(ev, c.agent, o.Bytes())
	agentID := ""
	if c.agent != nil {
		agentID = c.agent.ID
	}
	e.ID = logfmt.ToolID(e.Source, p.session, agentID, ev, c.id)
	p.entry(e)
}

// finish writes the end that the marks describe.
func (p *pen) finish(c *call, m marks) {
	if m.took > 0 {
		p.at = c.at.Add(m.took)
	}
	took := p.at.Sub(c.at)
	ev := logfmt.Tool
	denied := m.end == '!' && m.arg == "no"
	switch {
	case denied:
		ev = logfmt.ToolDenied
	case m.end == '!':
		ev = logfmt.ToolFailed
	}
	p.callEntry(ev, c, func(o *logfmt.Object) {
		switch {
		case m.end == '&':
			o.Bool("background", true)
		case m.end == '?':
			o.Str("outcome", "unknown")
		case denied:
			o.Str("reason", "not allowed")
		case m.end == '!' && m.arg == "int":
			o.Str("outcome", "interrupted")
		case m.end == '!' && m.arg != "":
			n, err := strconv.ParseInt(m.arg, 10, 32)
			p.fail(err)
			o.Int("exit_code", n)
		case m.end == 0 && (c.tool == "Bash" || c.tool == "PowerShell"):
			o.Int("exit_code", 0)
		}
		if m.answer != "-" && m.end != '&' && m.end != '?' && ev != logfmt.ToolDenied {
			o.Str("result", Result(c.input, m.answer))
		}
		if m.content != "" {
			sum := sha256.Sum256([]byte(m.content))
			o.Int("bytes", int64(len(m.content))).Str("sha256", hex.EncodeToString(sum[:]))
		}
		if !denied && took >= time.Millisecond && took < 24*time.Hour {
			o.Int("duration_ms", took.Milliseconds())
		}
	})
}
