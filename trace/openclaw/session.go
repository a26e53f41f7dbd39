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

// session is one session while its records are read.
type session struct {
	b   *draft.Builder
	dir string // the session's working directory
	key string // the session's place among the agent's conversations
	// child says that it is a sub-agent's: its prompts are another agent's.
	child bool
	// from is the sessions that records can have been copied from.
	from []origin
	// sessionOf is the session that a sub-agent's key stands for, "" if it is not known.
	sessionOf func(key string) string
	spawns    []spawn

	entries map[string]*entry
	branch  []string // ids of the records from the first to the last, without those that were left
	model   string
	open    map[string]bool   // calls without a result
	told    map[string]string // of a call without a result: what its arguments tell of what comes of it
	running map[string]string // the client's name of a background command → the call that began it
	last    trace.Outcome     // of the last turn, as the records tell it
	why     string
	parent  string // parentSession of the header, as an id
	opening string // type of the first record behind the header that is one of the conversation
	started bool
}

// entry is what is kept of a record, to tell what was left behind when the conversation goes on from an earlier one.
type entry struct {
	parent string
	events []int // Seqs
}

// origin is a session, and the ids of its records.
type origin struct {
	session string
	ids     map[string]bool
}

// copied is the session that the record with this id was copied from, "" if it is no copy.
func (s *session) copied(id string) string {
	for _, o := range s.from {
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
		told: map[string]string{}, running: map[string]string{},
		sessionOf: func(string) string { return "" }, last: trace.Unknown}
	s.b.Trace().Sources[0].How = how
	return s
}

// record takes one record, or says why it cannot.
func (s *session) record(data []byte, ref trace.Ref) string {
	if !valid(data) {
		return "it is not JSON"
	}
	v := gjson.ParseBytes(data)
	if !v.IsObject() {
		return "it is not a JSON object"
	}
	s.take(v, ref)
	return ""
}

// take takes a record, each id once. Types that it does not know are left out.
func (s *session) take(v gjson.Result, ref trace.Ref) {
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
	s.grow(id, token(v.Get("parentId").Str))
	switch kind {
	case "message":
		s.message(v.Get("message"), at)
	case "model_change":
		s.modelChange(v, at)
	case "compaction":
		at.Body = &trace.Session{Marker: trace.Compacted}
		s.b.Add(at)
		s.machine(v.Get("summary").Str, "compact_summary", at)
	case "branch_summary":
		s.machine(v.Get("summary").Str, "context", at)
	case "custom_message":
		s.machine(text(v.Get("content")), "context", at)
	case "reset":
		at.Body = &trace.Session{Marker: trace.Started, Detail: "reset"}
		s.b.Add(at)
		s.end(trace.Unknown, "")
	}
	if at.Copied != "" { // its turns are not this session's
		s.last, s.why = last, why
	}
	if e := s.entries[id]; e != nil {
		for seq := before + 1; seq <= len(s.b.Trace().Events); seq++ {
			e.events = append(e.events, seq)
		}
	}
}

// header takes the first record.
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

// parentID is the session's id in what a header names its parent by: an id, or the path of a file.
func parentID(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name, _, _ = strings.Cut(name, ".jsonl")
	return name[strings.LastIndexByte(name, '_')+1:]
}

// grow puts a record behind its parent. If that is not the last one, the conversation went back: what came after the
// parent was left.
func (s *session) grow(id, parent string) {
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

// goTo makes id the end of the conversation.
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

// modelChange tells of another model. The first one only says with which it began.
func (s *session) modelChange(v gjson.Result, at trace.Event) {
	model := token(v.Get("modelId").Str)
	changed := s.model != "" && model != s.model
	s.model = model
	if changed {
		at.Body = &trace.Session{Marker: trace.ModelChanged, Model: model}
		s.b.Add(at)
	}
}

// machine adds a text that the program put into the conversation.
func (s *session) machine(text, machine string, at trace.Event) {
	if text == "" {
		return
	}
	at.By = "client"
	at.Body = &trace.UserMessage{Digest: draft.Digest([]byte(text)), Head: head(text, trace.UserHead), Machine: machine}
	s.b.Add(at)
}

// end notes how the last turn stands.
func (s *session) end(o trace.Outcome, why string) { s.last, s.why = o, why }

// finish makes the trace. status is the word that the client keeps for the session, "" if it has none.
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

// stamp is a time: in RFC 3339, or in milliseconds since 1970.
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
