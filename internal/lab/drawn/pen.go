package drawn

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/logfmt"
)

// standard is the client where none was said.
var standard = agentcli.Claude.Name

// who is one line of work: a session, or a sub-agent of it.
type who struct {
	session logfmt.SessionID
	agent   string // its id; "" for the session itself
}

// state is the active command and phase of a line of work.
type state struct{ cmd, phase string }

// call is a tool call that has started.
type call struct {
	name       string // in the drawing; "" without a name
	id         string // the client's
	tool, what string
	input      string
	at         time.Time
	agent      *logfmt.Agent
	session    logfmt.SessionID
	background bool // in the background: the client reported an end, but it still runs
}

// pen is the current state of the drawing.
type pen struct {
	lines      []Line
	marks      map[string]int
	n          int // entries so far, including those before the drawing
	seq        logfmt.Seq
	calls      int // so far
	at         time.Time
	session    logfmt.SessionID
	wt, branch string
	client     map[logfmt.SessionID]string
	proc       map[logfmt.SessionID][]byte // of the next entry
	states     map[who]state
	open       []call
	tasks      map[string][2]string // type and signature by id
	err        error
}

// newPen continues after the entries, if any.
func newPen(after []*logfmt.Entry) *pen {
	p := &pen{
		at: Epoch, marks: map[string]int{}, client: map[logfmt.SessionID]string{}, proc: map[logfmt.SessionID][]byte{},
		states: map[who]state{}, tasks: map[string][2]string{},
	}
	for _, e := range after {
		p.n++
		p.seq = max(p.seq, e.Seq)
		p.at = e.Time.Add(time.Second)
		p.session = e.Session
		if agentcli.Of(e.Source).Hooked() {
			p.client[e.Session] = e.Source
		}
		p.follow(e)
		p.recall(e)
	}
	p.calls = p.n
	return p
}

// recall restores open calls and tasks from an earlier entry.
func (p *pen) recall(e *logfmt.Entry) {
	switch e.Event {
	case logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
	case logfmt.Intervention:
		d := gjson.ParseBytes(e.Data)
		p.tasks[d.Get("task_id").Str] = [2]string{d.Get("type").Str, d.Get("signature").Str}
		return
	default:
		return
	}
	d := gjson.ParseBytes(e.Data)
	id := d.Get("tool_use_id").Str
	for i, c := range p.open {
		if c.id == id {
			p.open = append(p.open[:i:i], p.open[i+1:]...)
			break
		}
	}
	if e.Event == logfmt.ToolStart {
		p.open = append(p.open, call{
			id: id, tool: d.Get("tool").Str, what: d.Get("head").Str + d.Get("path").Str + d.Get("task").Str, input: d.Get("input").Str,
			at: e.Time, agent: e.Agent, session: e.Session,
		})
	}
}

func (p *pen) word(word string) error {
	if p.changes(word) {
		return nil
	}
	for _, read := range []func(string) bool{p.shorthand, p.supervisor, p.spawn, p.toolEnd, p.hook, p.toolCall, p.lifecycle} {
		if read(word) {
			return nil
		}
	}
	return fmt.Errorf("what is %q?", word)
}

// changes reads the words that are no entries.
func (p *pen) changes(word string) bool {
	switch {
	case agentcli.Of(word).Hooked():
		p.client[p.session] = word
	case word == "twice":
		p.twice()
	case word[0] == '@':
		p.session = logfmt.SessionID(word[1:])
	case word[0] == '/':
		p.wt = word[1:]
	case word[0] == '%':
		p.branch = word[1:]
	case word[0] == '+', word[0] == '-' && len(word) > 1:
		d, err := time.ParseDuration(word)
		p.fail(err)
		p.at = p.at.Add(d)
	case word[0] == '[' && word[len(word)-1] == ']' && len(word) > 2:
		p.mark(word[1 : len(word)-1])
	case strings.HasPrefix(word, "proc="):
		p.setProc(word[len("proc="):])
	case word == "#":
		p.lines = append(p.lines, Line{Junk: `{"ts":"2026-11-21T10:00:00.000Z","cmd":"plan","eve`})
	default:
		return false
	}
	return true
}

func (p *pen) mark(name string) {
	if _, known := p.marks[name]; known || p.n == 0 {
		p.fail(fmt.Errorf("[%s] names a second entry, or none", name))
	}
	p.marks[name] = p.n
}

// setProc reads 12 and 12@host.
func (p *pen) setProc(s string) {
	number, host, ok := strings.Cut(s, "@")
	if !ok {
		host = "here"
	}
	n, err := strconv.ParseInt(number, 10, 32)
	p.fail(err)
	var o logfmt.Object
	p.proc[p.session] = o.Int("pid", n).Int("start", 1000+n).Str("host", host).Bytes()
}

func (p *pen) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *pen) twice() {
	for i := len(p.lines) - 1; i >= 0; i-- {
		if e := p.lines[i].Entry; e != nil {
			copied := *e
			copied.Time = p.at
			p.number(&copied)
			p.lines = append(p.lines, Line{Entry: &copied, Other: p.lines[i].Other})
			p.at = p.at.Add(time.Second)
			return
		}
	}
	p.fail(fmt.Errorf("twice: there is no entry yet"))
}

// shorthand reads t and t*500.
func (p *pen) shorthand(word string) bool {
	times, many := strings.CutPrefix(word, "t*")
	n, err := strconv.Atoi(times)
	if word == "t" {
		n = 1
	} else if !many || err != nil {
		return false
	}
	for range n {
		p.entry(logfmt.Entry{Cmd: logfmt.SessionCmd, Event: logfmt.Tool, Source: standard, Data: []byte(`{"tool":"Bash","head":"go test ./..."}`)})
	}
	return true
}

// number gives e the next number.
func (p *pen) number(e *logfmt.Entry) {
	p.n++
	p.seq++
	e.Seq = p.seq
}

// entry completes e and advances by a second.
func (p *pen) entry(e logfmt.Entry) {
	e.Time, e.Session, e.Wt = p.at, p.session, p.wt
	p.number(&e)
	if e.ID == "" {
		e.ID = fmt.Sprintf("%016d", e.Seq)
	}
	if proc := p.proc[p.session]; proc != nil && e.Source != "prompt" && e.Source != "aburn" {
		e.Data = withMember(e.Data, "proc", proc)
		delete(p.proc, p.session)
	}
	p.follow(&e)
	p.lines = append(p.lines, Line{Entry: &e})
	p.at = p.at.Add(time.Second)
}

func withMember(data []byte, key string, value []byte) []byte {
	var o logfmt.Object
	one := o.Raw(key, value).Bytes()
	if data == nil {
		return one
	}
	return append(append(bytes.TrimSuffix(data, []byte("}")), ','), one[1:]...)
}

// follow takes the active state from e, as hooks do: the nearest entry of a line of work decides.
func (p *pen) follow(e *logfmt.Entry) {
	if e.Source == "aburn" {
		return
	}
	s := state{cmd: e.Cmd, phase: e.Phase}
	switch _, _, ev := e.Meaning(); {
	case e.EndsCommand():
		s = state{cmd: logfmt.SessionCmd}
	case ev == logfmt.PhaseComplete, ev == logfmt.Failed:
		s.phase = ""
	}
	w := who{session: e.Session}
	if e.Agent != nil {
		w.agent = e.Agent.ID
	}
	p.states[w] = s
}

// active is what an entry of this agent inherits; nil is the session itself.
func (p *pen) active(a *logfmt.Agent) state {
	s := p.states[who{session: p.session}]
	if a != nil {
		if own, ok := p.states[who{p.session, a.ID}]; ok {
			s = own
		}
	}
	if s.cmd == "" {
		s.cmd = logfmt.SessionCmd
	}
	return s
}

// hookEntry is an entry as a hook writes it.
func (p *pen) hookEntry(ev logfmt.Event, a *logfmt.Agent, data []byte) logfmt.Entry {
	s := p.active(a)
	return logfmt.Entry{Cmd: s.cmd, Phase: s.phase, Event: ev, Agent: a, Source: p.source(), Data: data}
}

func (p *pen) source() string {
	if c := p.client[p.session]; c != "" {
		return c
	}
	return standard
}

// agentOf reads tester or tester2; nil for "".
func (p *pen) agentOf(name string) *logfmt.Agent {
	if name == "" {
		return nil
	}
	kind := strings.TrimRight(name, "0123456789")
	number := name[len(kind):]
	if number == "" {
		number = "1"
	}
	return &logfmt.Agent{Type: kind, ID: kind + "-" + number}
}
