package recent

import (
	"bytes"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"aburn/logfmt"
)

// Call is a tool call as its TOOL_START describes it.
type Call struct {
	Time      time.Time
	Session   logfmt.SessionID
	Agent     *logfmt.Agent // nil for the session itself
	Source    string
	Wt        string
	ToolUseID string
	Tool      string
	Head      string // of a shell command, scrubbed and cut
	Path      string
	Input     string // the hash of its whole input
	Asked     bool   // a later PERMISSION is for the same tool and command
}

// fewIDs is how many ids are searched one by one.
const fewIDs = 16

type Calls struct {
	Open  []Call // started, not ended, oldest first
	ended map[string]bool
	at    map[string]int // index in Open by id, where there are many
}

// Ended reports whether the call has ended.
func (c *Calls) Ended(toolUseID string) bool { return c.ended[toolUseID] }

// Find returns the open call with this id, or nil.
func (c *Calls) Find(toolUseID string) *Call {
	if len(c.Open) <= fewIDs {
		for i := range c.Open {
			if c.Open[i].ToolUseID == toolUseID {
				return &c.Open[i]
			}
		}
		return nil
	}
	if c.at == nil {
		c.at = make(map[string]int, len(c.Open))
		for i := len(c.Open) - 1; i >= 0; i-- {
			c.at[c.Open[i].ToolUseID] = i
		}
	}
	if i, ok := c.at[toolUseID]; ok {
		return &c.Open[i]
	}
	return nil
}

// Newest returns the newest open call of a tool with this input, or nil.
func (c *Calls) Newest(tool, input string) *Call {
	for i := len(c.Open) - 1; i >= 0; i-- {
		if c.Open[i].Tool == tool && c.Open[i].Input == input {
			return &c.Open[i]
		}
	}
	return nil
}

// Add adds calls that were collected from older lines, or a moment before.
func (c *Calls) Add(older *Calls) {
	for id := range older.ended {
		c.ended[id] = true
	}
	all := slices.Clone(older.Open)
	for _, call := range c.Open {
		if older.Find(call.ToolUseID) == nil {
			all = append(all, call)
		}
	}
	c.Open = slices.DeleteFunc(all, func(call Call) bool { return c.ended[call.ToolUseID] })
	c.at = nil
}

// CallsOf collects the calls of one session and agent.
func CallsOf(lines Lines, who Who) *Calls {
	return collect(lines, func(line []byte, h *logfmt.Header) bool { return who.wrote(line, h) })
}

// CallsNamed collects the calls of one session and agent that ids name, and their permissions. It
// reads no more lines than necessary.
func CallsNamed(lines Lines, who Who, ids []string) *Calls {
	left := make(map[string]bool, len(ids))
	for _, id := range ids {
		left[id] = true
	}
	mentions := func(line []byte) bool {
		return len(ids) > fewIDs || slices.ContainsFunc(ids, func(id string) bool { return bytes.Contains(line, []byte(id)) })
	}
	named := func(yield func([]byte) bool) {
		for line := range lines {
			if !mentions(line) && !bytes.Contains(line, []byte(`"event":"`+logfmt.Permission+`"`)) {
				continue
			}
			h, ok := logfmt.ParseHeader(line)
			if !ok || !ofCall(h.Event) || !who.wrote(line, &h) {
				continue
			}
			if string(h.Event) == string(logfmt.Permission) { // without the id of its call
				if !yield(line) {
					return
				}
				continue
			}
			id := callID(line)
			if !left[id] {
				continue
			}
			delete(left, id)
			if !yield(line) || len(left) == 0 {
				return
			}
		}
	}
	return collect(named, func([]byte, *logfmt.Header) bool { return true })
}

// OldestOpen is the id of the oldest open call of a session and agent with this tool and input; ""
// if there is none. It looks back to the newest prompt: no call of an earlier
// turn still runs in an agent that gives its calls no ids.
func OldestOpen(lines Lines, who Who, tool, input string) string {
	word := []byte(`"input":"` + input + `"`)
	prompted := []byte(`"event":"` + logfmt.Prompt + `"`)
	mentions := func(yield func([]byte) bool) {
		for line := range lines {
			if bytes.Contains(line, prompted) {
				if h, ok := logfmt.ParseHeader(line); ok && string(h.Event) == string(logfmt.Prompt) && who.wrote(line, &h) {
					return
				}
			}
			if bytes.Contains(line, word) && !yield(line) {
				return
			}
		}
	}
	for _, c := range CallsOf(mentions, who).Open {
		if c.Tool == tool {
			return c.ToolUseID
		}
	}
	return ""
}

// OpenLogCalls returns the open shell calls, of all sessions, whose command runs `aburn log` with
// this command and event. An `aburn log` that does not know its session was started by one of
// them. If there are several, nobody can know which.
func OpenLogCalls(lines Lines, cmd, event string) []Call {
	all := collect(lines, func([]byte, *logfmt.Header) bool { return true })
	return slices.DeleteFunc(all.Open, func(c Call) bool { return !MentionsLog(c.Head, cmd, event) })
}

// wrote reports whether the line is an entry of this session and agent.
func (who Who) wrote(line []byte, h *logfmt.Header) bool {
	return string(h.Session) == string(who.Session) && h.Agent == (who.AgentID != "") &&
		(!h.Agent || gjson.GetBytes(line, "agent.id").Str == who.AgentID)
}

func callID(line []byte) string { return gjson.GetBytes(line, "data.tool_use_id").Str }

func collect(lines Lines, keep func(line []byte, h *logfmt.Header) bool) *Calls {
	c := &Calls{ended: map[string]bool{}}
	ended := map[string]bool{} // by session, agent and id, because there may be many sessions
	asked := map[string]bool{}
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		if !ok || !ofCall(h.Event) || !keep(line, &h) {
			continue
		}
		work := string(h.Session) + "\x00"
		if h.Agent {
			work += gjson.GetBytes(line, "agent.id").Str
		}
		id := callID(line)
		switch logfmt.Event(h.Event) {
		case logfmt.Permission:
			asked[work+about(line)] = true
		case logfmt.ToolStart:
			if ended[work+"\x00"+id] {
				continue
			}
			if call, ok := parseCall(line); ok {
				call.Asked = asked[work+about(line)]
				c.Open = append(c.Open, call)
			}
		default:
			ended[work+"\x00"+id], c.ended[id] = true, true
		}
	}
	slices.Reverse(c.Open)
	return c
}

func ofCall(event []byte) bool {
	switch logfmt.Event(event) {
	case logfmt.ToolStart, logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied, logfmt.Permission:
		return true
	}
	return false
}

// about is what a PERMISSION shares with its call.
func about(line []byte) string {
	data := gjson.GetBytes(line, "data")
	return "\x00" + data.Get("tool").Str + "\x00" + data.Get("head").Str + "\x00" + data.Get("path").Str
}

func parseCall(line []byte) (Call, bool) {
	e, err := logfmt.Parse(line)
	if err != nil {
		return Call{}, false
	}
	data := gjson.ParseBytes(e.Data)
	return Call{
		Time: e.Time, Session: e.Session, Agent: e.Agent, Source: e.Source, Wt: e.Wt, ToolUseID: data.Get("tool_use_id").Str,
		Tool: data.Get("tool").Str, Head: data.Get("head").Str, Path: data.Get("path").Str, Input: data.Get("input").Str,
	}, true
}
