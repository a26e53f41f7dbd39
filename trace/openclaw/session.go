package openclaw

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/trace"
	"aburn/trace/draft"
)

// session is one session being read.
type session struct {
	b   *draft.Builder
	dir string // working directory
	key string // names the session's place among the agent's conversations
	// child says that the session is a sub-agent's: another agent wrote its prompts.
	child bool
	// origins are the sessions that records may have been copied from.
	origins []origin
	// sessionOf maps a sub-agent's key to its session, "" if unknown.
	sessionOf func(key string) string
	spawns    []spawn

	entries  map[string]*entry
	branch   []string // ids of the records from the first to the last, without abandoned ones
	model    string
	open     map[string]bool   // calls without a result
	expected map[string]string // call without a result → the file hash or label in its arguments
	running  map[string]string // client's name of a background command → its call
	last     trace.Outcome     // of the last turn
	why      string
	parent   string // parentSession of the header, as an id
	opening  string // type of the first record of the conversation
	started  bool
}

// entry is what is kept of a record, to mark it as abandoned when the conversation continues from an earlier one.
type entry struct {
	parent string
	events []int // Seqs
}

// origin is a session and the ids of its records.
type origin struct {
	session string
	ids     map[string]bool
}

// copied returns the session that a record was copied from, "" if it is no copy.
func (s *session) copied(id string) string {
	for _, o := range s.origins {
		if o.ids[id] {
			return o.session
		}
	}
	return ""
}

// spawn is a sub-agent that a call started.
type spawn struct{ key, call, agentType, description string }

func newSession(id, path, how string) *session {
	s := &session{b: draft.New(name, id, name, path), entries: map[string]*entry{}, open: map[string]bool{},
		expected: map[string]string{}, running: map[string]string{},
		sessionOf: func(string) string { return "" }, last: trace.Unknown}
	s.b.Trace().Sources[0].How = how
	return s
}

// record adds a record. It returns the reason if it cannot.
func (s *session) record(data []byte, ref trace.Ref) string {
	if !valid(data) {
		return "it is not JSON"
	}
	v := gjson.ParseBytes(data)
	if !v.IsObject() {
		return "it is not a JSON object"
	}
	s.dispatch(v, ref)
	return ""
}

// dispatch adds a record, each id once. Unknown types are skipped.
func (s *session) dispatch(v gjson.Result, ref trace.Ref) {
	kind, id := v.Get("type").Str, token(v.Get("id").Str)
	at := trace.Event{Time: stamp(v.Get("timestamp")), Ref: ref, Record: id, Copied: s.copied(id)}
	if kind == "session" {
		s.header(v, at)
		return
	}
	if s.entries[id] != nil {
		return
	}
	before, last, why := len(s.b.Trace().Events), s.last, s.why
	if s.opening == "" && kind != "custom" && kind != "model_change" && kind != "thinking_level_change" {
		s.opening = strings.Clone(kind)
	}
	s.appendToBranch(id, token(v.Get("parentId").Str))
	switch kind {
	case "message":
		s.message(v.Get("message"), at)
	case "model_change":
		s.modelChange(v, at)
	case "compaction":
		at.Body = &trace.Session{Marker: trace.Compacted}
		s.b.Add(at)
		s.addClientText(v.Get("summary").Str, "compact_summary", at)
	case "branch_summary":
		s.addClientText(v.Get("summary").Str, "context", at)
	case "custom_message":
		s.addClientText(text(v.Get("content")), "context", at)
	case "reset":
		at.Body = &trace.Session{Marker: trace.Started, Detail: "reset"}
		s.b.Add(at)
		s.setOutcome(trace.Unknown, "")
	}
	if at.Copied != "" { // copied turns belong to the other session
		s.last, s.why = last, why
	}
	if e := s.entries[id]; e != nil {
		for seq := before + 1; seq <= len(s.b.Trace().Events); seq++ {
			e.events = append(e.events, seq)
		}
	}
}

func (s *session) header(v gjson.Result, at trace.Event) {
	t := s.b.Trace()
	if dir := strings.Clone(v.Get("cwd").Str); s.dir == "" && dir != "" {
		s.dir, t.Project.Path = dir, draft.Path(dir, "")
	}
	if s.parent = token(parentID(v.Get("parentSession").Str)); s.parent == t.ID {
		s.parent = ""
	}
	if s.started {
		return
	}
	s.started = true
	at.Record, at.Copied = "", ""
	at.Body = &trace.Session{Marker: trace.Started}
	s.b.Add(at)
}

// parentID returns the session's id in a header's parentSession: an id, or the path of a file.
func parentID(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name, _, _ = strings.Cut(name, ".jsonl")
	return name[strings.LastIndexByte(name, '_')+1:]
}

// appendToBranch puts a record behind its parent. If the parent is not the last record, the user went back: what
// followed the parent is abandoned.
func (s *session) appendToBranch(id, parent string) {
	if id == "" {
		return
	}
	s.entries[id] = &entry{parent: parent}
	known := s.entries[parent] != nil && parent != id
	if n := len(s.branch); known && (n == 0 || s.branch[n-1] != parent) {
		s.goTo(parent)
	}
	s.branch = append(s.branch, id)
}

// goTo makes id the end of the conversation, and abandons what does not lead to it.
func (s *session) goTo(id string) {
	var path []string
	for at := id; s.entries[at] != nil && len(path) <= len(s.entries); at = s.entries[at].parent {
		path = append(path, at)
	}
	slices.Reverse(path)
	on := map[string]bool{}
	for _, at := range path {
		on[at] = true
		s.abandon(at, false)
	}
	for _, at := range s.branch {
		if !on[at] {
			s.abandon(at, true)
		}
	}
	s.branch = path
}

func (s *session) abandon(id string, is bool) {
	for _, seq := range s.entries[id].events {
		s.b.Trace().Events[seq-1].Abandoned = is
	}
}

// modelChange adds a change of the model. The first one only names the model of the beginning.
func (s *session) modelChange(v gjson.Result, at trace.Event) {
	model := token(v.Get("modelId").Str)
	changed := s.model != "" && model != s.model
	s.model = model
	if changed {
		at.Body = &trace.Session{Marker: trace.ModelChanged, Model: model}
		s.b.Add(at)
	}
}

// addClientText adds a text that the client put into the conversation. machine says which kind.
func (s *session) addClientText(text, machine string, at trace.Event) {
	if text == "" {
		return
	}
	at.By = "client"
	at.Body = &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: s.head(text, trace.UserHead), Machine: machine}
	s.b.Add(at)
}

func (s *session) setOutcome(o trace.Outcome, why string) { s.last, s.why = o, why }

// finish makes the trace. status is the client's word for the session's state, "" if it has none.
func (s *session) finish(status, agent, version string) (*trace.SessionTrace, error) {
	t := s.b.Trace()
	t.Agent.Version = token(version)
	t.Outcome, t.OutcomeFrom = s.last, s.why
	switch status {
	case "done":
		t.Outcome = trace.Completed
	case "failed", "timeout":
		t.Outcome = trace.Errored
	case "killed":
		t.Outcome = trace.Killed
	default:
		status = ""
	}
	if status != "" {
		t.OutcomeFrom = "the session's status is " + status
	}
	if agent != "" {
		extra, err := json.Marshal(map[string]string{"agent": token(agent)})
		if err != nil {
			return nil, err
		}
		t.Extra = extra
	}
	return s.b.Finish()
}

// stamp parses a time: RFC 3339, or milliseconds since 1970.
func stamp(v gjson.Result) time.Time {
	if v.Type == gjson.Number {
		return time.UnixMilli(v.Int()).UTC()
	}
	t, err := time.Parse(time.RFC3339Nano, v.Str)
	if err != nil {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}
