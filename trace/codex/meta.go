package codex

import (
	"encoding/json"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/draft"
)

// firstRecord begins the session with the first record of a rollout, which identifies it.
func (s *session) firstRecord(data []byte) error {
	if !s.split(data, 0) {
		return s.damaged("it is no JSON object")
	}
	if s.kind != "session_meta" {
		return s.damaged("it is no session_meta")
	}
	p := s.payload
	if s.id(p, "id") == "" {
		return s.damaged("it names no thread")
	}
	version := p.text("cli_version")
	switch mode := p.text("history_mode"); mode {
	case "paginated":
		s.Paginated = true
	case "", "legacy":
	default:
		return &trace.UnknownLayout{Agent: Name, Version: version, Path: s.path, Why: "its history_mode is " + mode}
	}
	s.Thread = s.id(p, "id")
	s.ID = draft.SessionID(s.Thread)
	if segment := segmentOf(s.path); segment != "" {
		s.ID = draft.SessionID(segment)
	}
	s.Builder = draft.New(Name, s.ID, Name, s.path)
	s.Expect(s.size)
	t := s.Trace()
	t.Agent.Version = version
	t.Project.Path = draft.Path(start(p.raw("cwd"), 4<<10), "")
	s.OwnFrom = p.int("subagent_history_start_ordinal")
	s.mark(trace.Session{Marker: trace.Started, Detail: s.origin(p)})
	return s.setExtra(p)
}

// origin relates the session to others, and returns the source's word for where it came from.
func (s *session) origin(p object) string {
	r := trace.SessionRelationship{Provenance: trace.Explicit, SourceVersion: s.Trace().Agent.Version,
		Time: draft.Time(p.raw("timestamp"))}
	if root := p.text("session_id"); root != s.ID {
		r.SourceSession = root
	}
	source := p.text("source")
	spawned := p.object("source")
	base := p.object("history_base")
	s.Child = p.raw("parent_thread_id") != nil || spawned.raw("subagent") != nil
	switch {
	case s.ID != s.Thread:
		r.Kind, r.Related, r.SourceSession = trace.Continuation, base.text("thread_id"), s.Thread
		r.Description = "rewound to record " + string(base.raw("end_ordinal_exclusive"))
		if r.Related == "" {
			r.Related = s.Thread
		}
	case s.Child:
		source = s.child(p, spawned, &r)
	case p.text("forked_from_id") != "":
		r.Kind, r.Related = trace.Fork, base.text("thread_id")
		if r.Related == "" {
			r.Related = p.text("forked_from_id")
		}
	default:
		r.Kind = trace.Root
	}
	s.Relate(r)
	s.Exec = source == "exec"
	return source
}

// child relates a sub-agent to its parent. Its source is {"subagent": "review"} or {"subagent": {"thread_spawn":
// {…}}}.
func (s *session) child(p, source object, r *trace.SessionRelationship) string {
	r.Kind, r.Related, r.AgentID = trace.Subagent, p.text("parent_thread_id"), s.Thread
	what := source.raw("subagent")
	if kind := token(what); kind != "" {
		r.AgentType = kind
	}
	var kinds object
	if kinds.parse(what) && len(kinds) > 0 {
		how := kinds.object(string(kinds[0].key))
		if r.Related == "" {
			r.Related = how.text("parent_thread_id")
		}
		r.AgentType = word(how.raw("agent_role"))
		r.Description = word(how.raw("agent_path"))
	}
	if r.Related == "" {
		r.Related = r.SourceSession
	}
	return "subagent"
}

// setExtra keeps what only Codex knows.
func (s *session) setExtra(p object) error {
	extra := map[string]any{}
	set := func(key string, raw []byte) {
		if text := word(raw); text != "" {
			extra[key] = text
		}
	}
	for _, key := range []string{"originator", "model_provider", "multi_agent_version", "agent_nickname"} {
		set(key, p.raw(key))
	}
	git := p.object("git")
	set("git_commit", git.raw("commit_hash"))
	set("git_branch", git.raw("branch"))
	s.Branch = word(git.raw("branch"))
	if n, ok := jsonl.Int(p.object("history_base").raw("end_ordinal_exclusive")); ok {
		extra["history_base_end_ordinal"] = n
	}
	if s.OwnFrom > 0 {
		extra["repeats_parent_until_ordinal"] = s.OwnFrom
	}
	data, err := json.Marshal(extra)
	s.Trace().Extra = data
	return err
}

// laterMeta handles a further session_meta. One of another thread begins records of that thread that are repeated
// here. Newer clients say where these end; in older ones the repeated turns are older than the session.
func (s *session) laterMeta(p object) {
	if s.OwnFrom == 0 && s.id(p, "id") != s.Thread {
		s.Copying = true
	}
}

// ownTurn reports whether the record begins a turn of the session's own, which ends the repeated ones.
func (s *session) ownTurn(kind string, p object) bool {
	if kind != "event_msg" || !p.is("type", "task_started") {
		return false
	}
	s.Copying = olderThan(s.id(p, "turn_id"), s.Thread)
	return !s.Copying
}

// millis is how many characters of a UUID of version 7 hold its time: 48 bits of milliseconds.
const millis = len("01a1fd27-1016")

// olderThan reports whether the first of two such ids was made before the second.
func olderThan(turn, thread string) bool {
	return len(turn) > millis && len(thread) > millis && strings.Count(turn[:millis], "-") == 1 &&
		turn[:millis] < thread[:millis]
}
