package recent

import (
	"slices"

	"aburn/logfmt"

	"github.com/tidwall/gjson"
)

// Call is a tool call as its TOOL_START has it.
type Call struct {
	Session   logfmt.SessionID
	Agent     *logfmt.Agent // nil: the session itself
	Source    string
	Wt        string
	ToolUseID string
	Tool      string
	Head      string // of a shell command, scrubbed and cut
	Path      string
	Asked     bool // a PERMISSION for the same tool and command came after it
}

// Calls are the tool calls of one session and agent that the tail knows.
type Calls struct {
	Open  []Call // started and not ended, oldest first
	ended map[string]bool
}

// Ended reports whether the tail holds an end of the call.
func (c *Calls) Ended(toolUseID string) bool { return c.ended[toolUseID] }

// Find returns the open call with this id, or nil.
func (c *Calls) Find(toolUseID string) *Call {
	for i := range c.Open {
		if c.Open[i].ToolUseID == toolUseID {
			return &c.Open[i]
		}
	}
	return nil
}

// CallsOf collects the calls of one session and agent.
func CallsOf(lines Lines, who Who) *Calls {
	return collect(lines, func(h *logfmt.Header) bool { return string(h.Session) == string(who.Session) },
		func(agentID string) bool { return agentID == who.AgentID })
}

// OpenLogCalls returns the open shell calls, of all sessions, whose command runs
// `aburn log` with this command and event: where an `aburn log` that does not
// know its session was started from. More than one means that nobody can know.
func OpenLogCalls(lines Lines, cmd, event string) []Call {
	all := collect(lines, func(*logfmt.Header) bool { return true }, func(string) bool { return true })
	return slices.DeleteFunc(all.Open, func(c Call) bool { return !MentionsLog(c.Head, cmd, event) })
}

func collect(lines Lines, keep func(*logfmt.Header) bool, keepAgent func(agentID string) bool) *Calls {
	c := &Calls{ended: map[string]bool{}}
	ended := map[string]bool{} // by session, agent and id: OpenLogCalls sees many sessions
	asked := map[string]bool{}
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		if !ok || !keep(&h) || !ofCall(logfmt.Event(h.Event)) {
			continue
		}
		e, err := logfmt.Parse(line)
		if err != nil {
			continue
		}
		agentID := ""
		if e.Agent != nil {
			agentID = e.Agent.ID
		}
		if !keepAgent(agentID) {
			continue
		}
		data := gjson.ParseBytes(e.Data)
		id := data.Get("tool_use_id").Str
		work := string(e.Session) + "\x00" + agentID + "\x00"
		what := work + data.Get("tool").Str + "\x00" + data.Get("head").Str + data.Get("path").Str
		switch e.Event {
		case logfmt.Permission:
			asked[what] = true
		case logfmt.ToolStart:
			if !ended[work+id] {
				c.Open = append(c.Open, Call{
					Session: e.Session, Agent: e.Agent, Source: e.Source, Wt: e.Wt, ToolUseID: id,
					Tool: data.Get("tool").Str, Head: data.Get("head").Str, Path: data.Get("path").Str, Asked: asked[what],
				})
			}
		default:
			ended[work+id], c.ended[id] = true, true
		}
	}
	slices.Reverse(c.Open)
	return c
}

func ofCall(ev logfmt.Event) bool {
	switch ev {
	case logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied, logfmt.Permission:
		return true
	}
	return false
}
