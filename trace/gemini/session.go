package gemini

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/trace"
	"aburn/trace/draft"
	"aburn/trace/genai"
)

// session is one session being read.
type session struct {
	b     *draft.Builder
	store *storeReading
	id    string // the agent's own
	file  int    // index of the source being read
	hash  string // projectHash
	// A sub-agent's file lies in a folder named after its caller's session.
	child  bool
	parent string

	messages map[string]*message
	live     []string                // ids of the history at this point
	calls    map[string]trace.Status // status of each call, "" if unknown
	words    map[string]string       // the agent's own word for it
	resumed  bool                    // a header began, and nothing has followed yet
	since    time.Time
	tail     tail
	open     int  // calls at the tail that were not cancelled
	finished bool // a sub-agent has called complete_task
}

// message is what is kept of a message, to see what a later record adds.
type message struct {
	id       string
	events   []int // Seqs
	text     int   // Seq of its text, 0 if it has none
	thoughts int   // how many were added
	response int   // index in Responses, plus one
	kind     string
}

// tail is what a session ends with, so far.
type tail string

const (
	prompt   tail = "the file ends with a prompt that nothing answers"
	results  tail = "the file ends with results of tools that nothing answers"
	calls    tail = "the file ends with calls whose results were not handed on"
	answer   tail = "an answer"
	rewound  tail = "a prompt that was taken back"
	stopped  tail = "the user cancelled the request"
	failure  tail = "an error record ends the turn"
	refusals tail = "the last calls were cancelled"
)

func newSession(f *storeReading, id, path string, r record) *session {
	s := &session{store: f, id: id, hash: r.hash.Str(), messages: map[string]*message{},
		calls: map[string]trace.Status{}, words: map[string]string{}}
	folder := filepath.Base(filepath.Dir(path))
	if s.child = r.agentKind.Is("subagent"); s.child && folder != "chats" {
		s.parent = folder
	}
	s.b = draft.New(name, s.traceID(), name, path)
	s.b.Trace().Project.Path = locate(path, s.hash, directories(r.dirs))
	return s
}

// traceID returns the trace's id: the session's own, which is a UUID also for sub-agents. Versions that numbered their
// sub-agents give ids that are unique only within the caller's session.
func (s *session) traceID() string {
	if s.child && s.parent != "" && !isUUID(s.id) {
		return s.parent + "/" + s.id
	}
	return s.id
}

func isUUID(id string) bool {
	return len(id) == 36 && strings.Count(id, "-") == 4 && strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}

func directories(list value) []string {
	var dirs []string
	list.Each(func(dir value) { dirs = append(dirs, dir.Str()) })
	return dirs
}

// begin takes a header: the session starts, or the program was started again to continue it. A resume is added only
// when something follows, because a start that only looks leaves a header too.
func (s *session) begin(r record, ref trace.Ref, again bool) {
	t := draft.TimeMS(r.started)
	if again {
		if t.Equal(s.b.Trace().Events[0].Time) { // a converted file repeats the first header
			t = time.Time{}
		}
		s.resumed, s.since = true, t
		return
	}
	s.b.Add(trace.Event{Time: t, Ref: ref, Body: &trace.Session{Marker: trace.Started, Detail: draft.Token(r.agentKind.ID())}})
}

// addResumed adds the mark that the program was started again.
func (s *session) addResumed(ref trace.Ref) {
	s.b.Add(trace.Event{Time: s.since, Ref: ref, Body: &trace.Session{Marker: trace.Resumed}})
	s.resumed, s.since = false, time.Time{}
}

// record adds a record behind a header.
func (s *session) record(r record, ref trace.Ref) {
	switch {
	case r.rewind.IsString():
		s.rewind(r.rewind.Str())
	case r.id.IsString():
		if s.resumed && s.messages[r.id.Str()] == nil {
			s.addResumed(ref)
		}
		s.message(r, ref, false)
	case r.set.IsObject():
		set, _ := fields(r.set)
		if set.sessionID.Exists() {
			s.addResumed(ref)
		}
		if dirs := directories(set.dirs); len(dirs) > 0 && s.b.Trace().Project.Path == "" {
			s.b.Trace().Project.Path = verified(s.hash, dirs)
		}
		switch {
		case set.messages.IsArray() && s.resumed: // the new process writes its own history before it loads the old one
			s.addNew(set.messages, ref)
		case set.messages.IsArray():
			s.replace(set.messages, ref)
		}
	}
}

// rewind abandons the message with this id and all behind it. If there is none with that id it abandons everything, as
// the agent does.
func (s *session) rewind(id string) {
	s.drop(max(slices.Index(s.live, id), 0))
}

// drop abandons the history from its i-th message on.
func (s *session) drop(i int) {
	for _, id := range s.live[i:] {
		s.abandon(id, true)
	}
	if i < len(s.live) {
		s.tail = rewound
	}
	s.live = s.live[:i]
}

func (s *session) abandon(id string, is bool) {
	for _, seq := range s.messages[id].events {
		s.b.Trace().Events[seq-1].Abandoned = is
	}
}

// replace takes a rewritten history. What it drops from the end was taken back; what it drops before that was
// summarised to make room.
func (s *session) replace(list value, ref trace.Ref) {
	kept, compacted := map[string]bool{}, false
	list.Each(func(v value) {
		id := v.Get("id").Str()
		kept[id] = true
		compacted = compacted || s.messages[id] == nil && isSummary(genai.Split(v.Get("content")).Text)
	})
	end := len(s.live)
	for !compacted && end > 0 && !kept[s.live[end-1]] {
		end--
	}
	s.drop(end)
	missing := slices.ContainsFunc(s.live, func(id string) bool { return !kept[id] })
	if compacted || missing {
		e := trace.Event{Ref: ref, Body: &trace.Session{Marker: trace.Compacted}}
		if !compacted {
			e.Inferred = "the history was replaced by one without its beginning"
		}
		s.b.Add(e)
	}
	s.live = s.live[:0]
	s.addNew(list, ref)
	s.live = s.live[:0]
	list.Each(func(v value) {
		if m := s.messages[v.Get("id").Str()]; m != nil {
			s.abandon(m.id, false)
			s.live = append(s.live, m.id)
		}
	})
}

// addNew adds the messages of a history that are new.
func (s *session) addNew(list value, ref trace.Ref) {
	list.Each(func(v value) {
		if r, _ := fields(v); r.id.IsString() && s.messages[r.id.Str()] == nil {
			s.message(r, ref, true)
		}
	})
}

// relate relates a sub-agent to its caller; by is what the caller's file says. A file outside of a session's folder
// has no known caller.
func (s *session) relate(by start) {
	if s.parent != "" {
		s.b.Relate(trace.SessionRelationship{Kind: trace.Subagent, Related: s.caller(), AgentID: s.id,
			Provenance: trace.Explicit,
			ParentCall: by.call, AgentType: by.agentType, Description: by.description})
	}
	s.setEnd(by.end)
}

// caller returns the id of the caller's trace.
func (s *session) caller() string {
	if c := s.store.sessions[s.parent]; c != nil {
		return c.traceID()
	}
	return s.parent
}

func (s *session) path(path string) string {
	return strings.Clone(draft.Path(path, s.b.Trace().Project.Path))
}

// setEnd takes the word in the caller's file for a sub-agent's end.
func (s *session) setEnd(word string) {
	t := s.b.Trace()
	switch word {
	case "":
		return
	case "GOAL":
		t.Outcome = trace.Completed
	case "ABORTED":
		t.Outcome = trace.Interrupted
	default: // ERROR, TIMEOUT, MAX_TURNS, ERROR_NO_COMPLETE_TASK_CALL
		t.Outcome = trace.Errored
	}
	t.OutcomeFrom = "terminateReason " + head(word, 100) + " in the caller's session"
}

// inFolder is the evidence for a sub-agent that no call names.
const inFolder = "a file in the session's folder"

// addInferredSpawn adds a sub-agent that no call names, because calls are written only when they have ended.
func (s *session) addInferredSpawn(c *session) {
	first := &c.b.Trace().Sources[0]
	s.b.Add(trace.Event{Time: c.b.Trace().Events[0].Time,
		Ref:      trace.Ref{File: s.b.File(first.Path, first.How), Line: 1},
		Inferred: inFolder,
		Body:     &trace.SubagentSpawn{Session: c.traceID(), AgentID: c.id}})
}

func (s *session) damaged(ref trace.Ref, why string) {
	t := s.b.Trace()
	d := trace.Damage{Ref: ref, Reason: why}
	t.Damaged = append(t.Damaged, d)
	s.store.sink.Damaged(d)
}

func (s *session) finish() (*trace.SessionTrace, error) {
	t := s.b.Trace()
	if t.Outcome == trace.Unknown {
		t.Outcome, t.OutcomeFrom = s.outcome()
	}
	if t.Project.Path == "" && s.hash != "" {
		extra, err := json.Marshal(map[string]string{"project_hash": head(s.hash, 100)})
		if err != nil {
			return nil, err
		}
		t.Extra = extra
	}
	return s.b.Finish()
}

// outcome says how the last turn ended according to the file. A turn that ends with an answer may have been killed in
// a call, which is written only after its end: so that is unknown.
func (s *session) outcome() (trace.Outcome, string) {
	switch {
	case s.finished:
		return trace.Completed, "complete_task succeeded"
	case s.tail == calls && s.open == 0:
		return trace.Interrupted, string(refusals)
	case s.tail == prompt || s.tail == results || s.tail == calls:
		return trace.Killed, string(s.tail)
	case s.tail == stopped:
		return trace.Interrupted, string(s.tail)
	case s.tail == failure:
		return trace.Errored, string(s.tail)
	}
	return trace.Unknown, ""
}
