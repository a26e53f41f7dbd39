package pi

import (
	"cmp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/trace"
	"aburn/trace/draft"
)

// session is the trace of a file being read.
type session struct {
	b       *draft.Builder
	known   bool   // a record was one
	begun   bool   // the trace has its first event
	layout  string // the file's version
	born    time.Time
	origin  string            // the session that records older than this one are copied from
	parents map[string]string // record → the one it follows
	leaf    string            // the last record
	model   string
	calls   map[string]*call
	tail    tail
	turn    string // the prompt's record
}

// call is what the result of a call does not repeat.
type call struct {
	path, hash string
	ended      bool
}

// tail is what a file ends with, so far.
type tail string

const (
	prompt   tail = "the file ends with a prompt that nothing answers"
	results  tail = "the file ends with results of tools that nothing answers"
	calls    tail = "the file ends with calls that have no results"
	answered tail = "stopReason stop"
	short    tail = "stopReason length"
	failure  tail = "stopReason error"
	aborted  tail = "stopReason aborted"
)

func newSession(path string) *session {
	return &session{b: draft.New(name, idOf(path), name, path), parents: map[string]string{}, calls: map[string]*call{}}
}

// head is draft.Head as a copy, which does not keep the record in memory.
func (s *session) head(text string, max int) string { return strings.Clone(s.b.Head(text, max)) }

// started reads the first record.
func (s *session) started(x gjson.Result, at trace.Event) {
	t := s.b.Trace()
	s.layout, s.born = x.Get("version").Raw, at.Time
	if !s.begun {
		t.ID = strings.Clone(draft.SessionID(x.Get("id").Str))
	}
	t.Project.Path = strings.Clone(x.Get("cwd").Str)
	s.begin(at)
	if from := x.Get("parentSession").Str; from != "" {
		s.origin = strings.Clone(draft.SessionID(idOf(from)))
		s.b.Relate(trace.SessionRelationship{Kind: trace.Fork, Related: s.origin, Provenance: trace.Explicit, Time: at.Time})
	}
}

// begin adds the start of the session, if it has none.
func (s *session) begin(at trace.Event) {
	if !s.begun {
		s.begun = true
		at.Body = &trace.Session{Marker: trace.Started}
		s.b.Add(at)
	}
}

func (s *session) record(kind string, x gjson.Result, at trace.Event) {
	at.Turn = s.turn
	switch kind {
	case "message":
		s.message(x.Get("message"), at)
	case "model_change":
		now := token(x.Get("modelId").Str)
		if s.model != "" && now != s.model {
			at.Body = &trace.Session{Marker: trace.ModelChanged, Model: now}
			s.b.Add(at)
		}
		s.model = cmp.Or(now, s.model)
	case "compaction":
		s.compacted(x, at)
	case "usage", "branch_summary":
		s.bill(x.Get("usage"), at, s.model, "", len(s.b.Trace().Events))
	case "custom_message":
		text, _ := texts(x.Get("content"))
		at.By, at.Body = "client", &trace.UserMessage{Digest: digest(x.Get("content")), Head: s.head(text, trace.UserHead), Machine: "context"}
		s.b.Add(at)
	}
}

func (s *session) message(m gjson.Result, at trace.Event) {
	switch m.Get("role").Str {
	case "user":
		text, _ := texts(m.Get("content"))
		s.turn = at.Record
		at.Turn = s.turn
		at.Body = &trace.UserMessage{Digest: digest(m.Get("content")), Head: s.head(text, trace.UserHead)}
		s.b.Add(at)
		s.tail = prompt
	case "assistant":
		s.answer(m, at)
	case "toolResult":
		s.result(m, at)
	case "bashExecution":
		s.ran(m, at)
	}
}

// texts joins the texts of a content, and counts them.
func texts(content gjson.Result) (text string, n int) {
	if content.Type == gjson.String {
		return content.Str, 1
	}
	content.ForEach(func(_, p gjson.Result) bool {
		if p.Get("type").Str == "text" {
			if n++; n > 1 {
				text += "\n"
			}
			text += p.Get("text").Str
		}
		return true
	})
	return text, n
}

// digest is that of a content with one text. Several have a length and no hash: no record holds them in one.
func digest(content gjson.Result) trace.Digest {
	text, n := texts(content)
	d := draft.Digest([]byte(text))
	if n > 1 {
		d.Hash = ""
	}
	return d
}

// answer adds what the model said and called.
func (s *session) answer(m gjson.Result, at trace.Event) {
	response := at.Record
	first := 0
	note := func(seq int) {
		if first == 0 {
			first = seq
		}
	}
	asked := false
	m.Get("content").ForEach(func(_, p gjson.Result) bool {
		switch p.Get("type").Str {
		case "text", "thinking":
			thought := p.Get("type").Str == "thinking"
			text := cmp.Or(p.Get("text").Str, p.Get("thinking").Str)
			if text == "" {
				return true
			}
			at.Body = &trace.AgentMessage{Digest: draft.Digest([]byte(text)), Thought: thought, Response: response}
			note(s.b.Add(at))
		case "toolCall":
			asked = true
			note(s.call(p, at, response))
		}
		return true
	})
	if first == 0 {
		first = len(s.b.Trace().Events)
	}
	stop := token(m.Get("stopReason").Str)
	s.bill(m.Get("usage"), at, token(m.Get("model").Str), stop, first)
	switch stop {
	case "error":
		text := m.Get("errorMessage").Str
		at.Body = &trace.Error{Code: "error", Status: status(text), Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.ErrorHead)}
		s.b.Add(at)
		s.tail = failure
	case "aborted":
		at.Body = &trace.Interrupt{Reason: "aborted"}
		s.b.Add(at)
		s.tail = aborted
	case "length":
		s.tail = short
	default:
		s.tail = answered
		if asked {
			s.tail = calls
			return
		}
		at.Body = &trace.Session{Marker: trace.Stopped, Detail: stop}
		s.b.Add(at)
	}
}

// status is the HTTP status with which an error's text begins, 0 without one.
func status(text string) int {
	n := 0
	for i := 0; i < len(text) && i < 3; i++ {
		if text[i] < '0' || text[i] > '9' {
			return 0
		}
		n = n*10 + int(text[i]-'0')
	}
	if n < 100 || len(text) > 3 && text[3] != ':' && text[3] != ' ' {
		return 0
	}
	return n
}

// bill adds a response, if it was billed. pi counts reasoning in the output.
func (s *session) bill(u gjson.Result, at trace.Event, model, stop string, event int) {
	usage := trace.Usage{Input: count(u, "input"), Output: count(u, "output"), CacheRead: count(u, "cacheRead"), CacheWrite: count(u, "cacheWrite"),
		Reasoning: count(u, "reasoning"), CostUSD: max(u.Get("cost.total").Num, 0)}
	if usage.Total() == 0 && usage.CostUSD == 0 {
		return
	}
	s.b.Response(trace.Response{ID: at.Record, Model: model, Event: event, Time: at.Time, Usage: usage, Stop: stop, Ref: at.Ref, Copied: at.Copied})
}

func count(u gjson.Result, key string) int64 { return max(u.Get(key).Int(), 0) }

// compacted adds the summary that replaces what came before, and what it cost.
func (s *session) compacted(x gjson.Result, at trace.Event) {
	s.bill(x.Get("usage"), at, s.model, "", len(s.b.Trace().Events))
	summary := x.Get("summary").Str
	at.By, at.Body = "client", &trace.UserMessage{Digest: draft.Digest([]byte(summary)), Machine: "compact_summary"}
	s.b.Add(at)
	at.By, at.Body = "", &trace.Session{Marker: trace.Compacted}
	s.b.Add(at)
}

// tools are pi's own.
func typeOf(tool string) trace.ToolType {
	switch tool {
	case "bash":
		return trace.ShellTool
	case "read":
		return trace.ReadTool
	case "write", "edit":
		return trace.EditTool
	case "grep", "find", "ls":
		return trace.SearchTool
	}
	return trace.OtherTool
}

func (s *session) path(path string) string {
	return strings.Clone(draft.Path(path, s.b.Trace().Project.Path))
}

func (s *session) call(p gjson.Result, at trace.Event, response string) int {
	args := p.Get("arguments")
	input := draft.Digest([]byte(args.Raw))
	c := &trace.ToolCall{Call: token(p.Get("id").Str), Tool: token(p.Get("name").Str), Response: response, Input: input,
		Key: draft.InputKey([]byte(args.Raw), input)}
	c.Type = typeOf(c.Tool)
	if path := args.Get("path").Str; path != "" {
		c.Path = s.path(path)
	}
	if c.Type == trace.ShellTool {
		c.Head = s.head(args.Get("command").Str, trace.CommandHead)
	}
	at.Body = nil
	seq := s.b.Call(at, c)
	made := &call{path: c.Path}
	if c.Tool == "write" {
		made.hash = draft.FileHash([]byte(args.Get("content").Str))
	}
	s.calls[c.Call] = made
	return seq
}

// result adds the end of a call. pi tells an exit code only in the text.
func (s *session) result(m gjson.Result, at trace.Event) {
	id := token(m.Get("toolCallId").Str)
	text, _ := texts(m.Get("content"))
	failed := m.Get("isError").Bool()
	r := trace.ToolResultEvent{Call: id, Message: at.Record, Status: trace.StatusCompleted, From: trace.FromToolResult, Content: digest(m.Get("content")),
		DurationMS: count(m, "durationMs")}
	tool := m.Get("toolName").Str
	if failed {
		r.IsError, r.Status, r.Head = &failed, trace.StatusErrored, s.head(text, trace.ErrorHead)
		if strings.HasSuffix(text, "Command aborted") {
			r.Status = trace.StatusCancelled
		}
	}
	if code, ok := exitCode(text); tool == "bash" && failed && ok {
		r.ExitCode = &code
	} else if tool == "bash" && !failed {
		r.ExitCode = new(int)
	}
	s.b.Result(at, r)
	s.tail = results
	made := s.calls[id]
	if made == nil {
		return
	}
	if made.ended = true; !failed && typeOf(tool) == trace.EditTool && made.path != "" {
		s.changed(made, m.Get("details.patch"), id, at)
	}
}

func (s *session) changed(made *call, patch gjson.Result, id string, at trace.Event) {
	c := &trace.FileChange{Path: made.path, Action: "unknown", Call: id, Hash: made.hash}
	if patch.Type == gjson.String {
		added, removed := draft.CountDiff(patch.Str)
		c.Action, c.Added, c.Removed = "modified", &added, &removed
	}
	at.Body = c
	s.b.Add(at)
}

// exitCode reads the line that pi puts behind a command's output.
func exitCode(text string) (code int, ok bool) {
	const line = "Command exited with code "
	i := strings.LastIndex(text, line)
	if i < 0 {
		return 0, false
	}
	rest := text[i+len(line):]
	for _, c := range rest {
		if c < '0' || c > '9' || code > 1<<20 {
			return 0, false
		}
		code = code*10 + int(c-'0')
	}
	return code, rest != ""
}

// ran adds a command that the user ran with "!".
func (s *session) ran(m gjson.Result, at trace.Event) {
	at.By = "user"
	command := m.Get("command").Str
	s.b.Call(at, &trace.ToolCall{Call: at.Record, Tool: "bash", Type: trace.ShellTool, Input: draft.Digest([]byte(command)),
		Head: s.head(command, trace.CommandHead)})
	r := trace.ToolResultEvent{Call: at.Record, Message: at.Record, Status: trace.StatusCompleted, From: trace.FromToolResult,
		Content: draft.Digest([]byte(m.Get("output").Str))}
	switch exit := m.Get("exitCode"); {
	case m.Get("cancelled").Bool():
		r.Status = trace.StatusCancelled
	case exit.Type == gjson.Number:
		code := int(exit.Int())
		if r.ExitCode = &code; code != 0 {
			r.Status, r.Head = trace.StatusErrored, s.head(agentcli.ShellOutput(m.Get("output").Str), trace.ErrorHead)
		}
	}
	s.b.Result(at, r)
}

// finish abandons the branches that the last record does not follow, and says how the session ended.
func (s *session) finish() (*trace.SessionTrace, error) {
	follows := map[string]bool{}
	for id := s.leaf; id != "" && !follows[id]; id = s.parents[id] {
		follows[id] = true
	}
	t := s.b.Trace()
	for i := range t.Events {
		if id := t.Events[i].Record; !follows[id] && s.parents[id] != "" {
			t.Events[i].Abandoned = true
		}
	}
	t.Outcome, t.OutcomeFrom = s.outcome()
	return s.b.Finish()
}

func (s *session) outcome() (trace.Outcome, string) {
	switch s.tail {
	case prompt, results, calls:
		return trace.Killed, string(s.tail)
	case answered:
		return trace.Completed, string(s.tail)
	case failure, short:
		return trace.Errored, string(s.tail)
	case aborted:
		return trace.Interrupted, string(s.tail)
	}
	return trace.Unknown, ""
}
