package drawn

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// lifecycle reads plan> and everything that may surround it.
func (p *pen) lifecycle(word string) bool {
	rest, other := strings.CutPrefix(word, "$")
	sign := strings.IndexAny(rest, ">.!*'")
	if sign < 1 || rest[sign] == '\'' {
		return false
	}
	e := logfmt.Entry{Source: "prompt", Branch: p.branch}
	name := rest[:sign]
	if agent, own, ok := strings.Cut(name, "~"); ok {
		e.Agent = p.agentOf(agent)
		name = own
	}
	e.Cmd, e.Phase, _ = strings.Cut(name, ":")
	e.Event = event(rest[sign], e.Phase != "")
	data, ok := details(e.Event, rest[sign+1:])
	if !ok || e.Cmd == "" {
		return false
	}
	e.Data = data
	if other {
		p.otherEntry(e)
	} else {
		p.entry(e)
	}
	return true
}

func event(sign byte, phased bool) logfmt.Event {
	switch sign {
	case '*':
		return logfmt.Milestone
	case '!':
		return logfmt.Failed
	case '>':
		if phased {
			return logfmt.PhaseStart
		}
		return logfmt.Start
	}
	if phased {
		return logfmt.PhaseComplete
	}
	return logfmt.Complete
}

// details reads what follows the sign: 'text', {metrics}, [outputs], ->next.
func details(ev logfmt.Event, s string) (data []byte, ok bool) {
	var o logfmt.Object
	if text, rest, ok := quote(s); ok {
		o.Str(textName(ev), text)
		s = rest
	}
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(s, "{"), "}"); ok && s[0] == '{' {
		var metrics logfmt.Object
		for pair := range strings.SplitSeq(inner, ",") {
			key, value, _ := strings.Cut(pair, "=")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				metrics.Str(key, value)
				continue
			}
			metrics.Int(key, n)
		}
		o.Raw("metrics", metrics.Bytes())
		s = rest
	}
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(s, "["), "]"); ok && s[0] == '[' {
		var outputs []string
		for path := range strings.SplitSeq(inner, ",") {
			outputs = append(outputs, strconv.Quote(path))
		}
		o.Raw("outputs", []byte("["+strings.Join(outputs, ",")+"]"))
		s = rest
	}
	if next, ok := strings.CutPrefix(s, "->"); ok && next != "" {
		o.Str("next_suggested", next)
		s = ""
	}
	return o.Bytes(), s == ""
}

// textName is the member in which a lifecycle event keeps its text.
func textName(ev logfmt.Event) string {
	switch ev {
	case logfmt.Failed:
		return "error"
	case logfmt.Milestone:
		return "description"
	case logfmt.Start:
		return "args"
	case logfmt.PhaseStart, logfmt.PhaseComplete:
		return "details"
	}
	return "summary"
}

// otherEntry writes an entry of a tool that knows no sessions, ids and numbers.
func (p *pen) otherEntry(e logfmt.Entry) {
	e = logfmt.Entry{Time: p.at, Cmd: e.Cmd, Phase: e.Phase, Event: e.Event, Agent: e.Agent, Data: e.Data}
	p.n++
	p.follow(&e)
	p.lines = append(p.lines, Line{Entry: &e, Other: true})
	p.at = p.at.Add(time.Second)
}

// appendOther appends an entry as other tools write it.
func appendOther(dst []byte, e *logfmt.Entry) []byte {
	var o logfmt.Object
	o.Str("ts", e.Time.Format("2006-01-02T15:04:05Z")).Str("cmd", e.Cmd).StrIf("phase", e.Phase).Str("event", string(e.Event))
	if e.Data != nil {
		o.Raw("data", e.Data)
	}
	if e.Agent != nil {
		var a logfmt.Object
		o.Raw("agent", a.Str("type", e.Agent.Type).Str("id", e.Agent.ID).Bytes())
	}
	dst = append(append(dst, o.Bytes()...), '\n')
	return append(append(dst, e.Human()...), '\n')
}

// supervisor reads what aburn itself writes.
func (p *pen) supervisor(word string) bool {
	name, rest, ok := strings.Cut(word, "'")
	text, after, closed := strings.Cut(rest, "'")
	if !ok || !closed || after != "" {
		return false
	}
	fields := strings.Fields(text)
	switch name {
	case "INTERVENTION":
		if len(fields) < 2 || len(fields) > 3 {
			return false
		}
		p.intervene(fields[0], fields[1:])
	case "notify":
		if len(fields) < 1 || len(fields) > 2 {
			return false
		}
		p.intervene("", fields)
	case "DELIVERED", "SEEN", "RESOLVED":
		inTurn := name == "DELIVERED" && len(fields) == 2 && fields[1] == "in_turn"
		if len(fields) != 1 && !inTurn {
			return false
		}
		p.about(name, fields[0], inTurn)
	default:
		return false
	}
	return true
}

// intervene reads a type and perhaps a signature.
func (p *pen) intervene(id string, issue []string) {
	kind, signature := issue[0], issue[0]+":"+string(p.session)
	if len(issue) == 2 {
		signature = issue[1]
	}
	var o logfmt.Object
	o.StrIf("task_id", id).Str("type", kind).Str("signature", signature)
	if id == "" {
		o.Float("confidence", 0.8).Str("level", "notify")
	} else {
		o.Float("confidence", 0.95).Str("level", "queue")
		p.tasks[id] = [2]string{kind, signature}
	}
	p.own(logfmt.Intervention, "", o.Bytes())
}

func (p *pen) about(word, id string, inTurn bool) {
	task, ok := p.tasks[id]
	if !ok {
		p.fail(fmt.Errorf("%s'%s': no INTERVENTION has this task", word, id))
	}
	var o logfmt.Object
	o.Str("task_id", id).Str("type", task[0]).Str("signature", task[1])
	switch word {
	case "DELIVERED":
		if inTurn {
			o.Bool("in_turn", true)
		}
		p.own(logfmt.Delivered, "", o.Bytes())
	case "SEEN":
		p.own(logfmt.Delivered, "seen-"+id, o.Bool("seen", true).Bytes())
	case "RESOLVED":
		p.own(logfmt.Resolved, "", o.Bytes())
	}
}

func (p *pen) own(ev logfmt.Event, id string, data []byte) {
	p.entry(logfmt.Entry{Cmd: logfmt.SupervisorCmd, Event: ev, Source: "aburn", ID: id, Data: data})
}
