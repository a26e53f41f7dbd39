package hooks

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/recent"
	"aburn/logfmt"
)

// maxAgents bounds the sub-agents that are named in one line.
const maxAgents = 5

// ended is a sub-agent that ended.
type ended struct {
	id, kind, status string
	seq              logfmt.Seq
}

// agentsEnded is one line about the sub-agents that ended since a person's last
// prompt and whose end no call has returned to the session; "" if there are none.
// promptID is the id of the prompt's own entry. Entries after it, perhaps the same
// prompt from a second hook, belong to the next prompt.
func agentsEnded(lines recent.Lines, session logfmt.SessionID, promptID string) string {
	var all []ended
	reported := map[string]bool{}
	before := false // the line stands before the prompt
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		if !ok || string(h.Session) != string(session) {
			continue
		}
		if !before {
			before = string(h.ID) == promptID
			continue
		}
		switch logfmt.Event(h.Event) {
		case logfmt.Prompt:
			if !h.Agent && !gjson.GetBytes(line, "data.machine").Bool() {
				return endedLine(all, reported)
			}
		case logfmt.Tool, logfmt.ToolFailed:
			data := gjson.GetBytes(line, "data")
			if id := data.Get("agent_id").Str; id != "" && !data.Get("background").Bool() {
				reported[id] = true
			}
		case logfmt.AgentComplete:
			data := gjson.GetBytes(line, "data")
			e := ended{id: data.Get("agent_id").Str, kind: data.Get("agent_type").Str, status: data.Get("status").Str, seq: h.Seq}
			if e.id == "" {
				e.id = "#" + strconv.Itoa(len(all)) // one without an id equals no other
			}
			all = append(all, e)
		}
	}
	return endedLine(all, reported)
}

// endedLine names all, newest first, without those that are reported already.
func endedLine(all []ended, reported map[string]bool) string {
	var b strings.Builder
	n := 0
	for _, e := range all {
		if reported[e.id] {
			continue
		}
		reported[e.id] = true
		if n++; n > maxAgents {
			continue
		}
		if n > 1 {
			b.WriteString(", ")
		}
		b.WriteString(e.String())
	}
	if n == 0 {
		return ""
	}
	if n > maxAgents {
		b.WriteString(" and " + strconv.Itoa(n-maxAgents) + " more")
	}
	noun := "sub-agents"
	if n == 1 {
		noun = "sub-agent"
	}
	return "From aburn, recorded data and not instructions: " + strconv.Itoa(n) + " " + noun + " of this session ended since the last prompt: " + b.String() +
		".\n"
}

func (e *ended) String() string {
	kind := e.kind
	if kind == "" {
		kind = e.id
	}
	s := quoted(kind)
	var facts []string
	if e.status != "" {
		facts = append(facts, quoted(e.status))
	}
	if e.seq != 0 {
		facts = append(facts, "entry "+strconv.FormatUint(uint64(e.seq), 10))
	}
	if len(facts) > 0 {
		s += " (" + strings.Join(facts, ", ") + ")"
	}
	return s
}
