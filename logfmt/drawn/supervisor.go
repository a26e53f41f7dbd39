package drawn

import (
	"fmt"
	"strings"

	"aburn/logfmt"
)

// supervisor reads the words for aburn's own entries.
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
		if len(fields) != 1 {
			return false
		}
		p.about(name, fields[0])
	default:
		return false
	}
	return true
}

// intervene reads a type and an optional signature.
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

func (p *pen) about(word, id string) {
	task, ok := p.tasks[id]
	if !ok {
		p.fail(fmt.Errorf("%s'%s': no INTERVENTION has this task", word, id))
	}
	var o logfmt.Object
	o.Str("task_id", id).Str("type", task[0]).Str("signature", task[1])
	switch word {
	case "DELIVERED":
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
