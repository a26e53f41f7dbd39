package trace

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// broken are the handmade trace with one thing changed, and what Validate says of it.
var broken = []struct {
	rule  string
	spoil func(t *SessionTrace)
}{
	{"v is 2, not 1", func(t *SessionTrace) { t.V = 2 }},
	{"the source is missing", func(t *SessionTrace) { t.Source = "" }},
	{"the id is missing", func(t *SessionTrace) { t.ID = "" }},
	{"the agent's name is missing", func(t *SessionTrace) { t.Agent.Name = "" }},
	{"the agent's version is no line of text", func(t *SessionTrace) { t.Agent.Version = "1\n2" }},
	{"a project with a path needs a key", func(t *SessionTrace) { t.Project.Key = "" }},
	{"the project's path has 4097 bytes", func(t *SessionTrace) { t.Project.Path = strings.Repeat("x", 4097) }},
	{`the outcome is "fine"`, func(t *SessionTrace) { t.Outcome = "fine" }},
	{`outcome "unknown" from "interrupted"`, func(t *SessionTrace) { t.Outcome = Unknown }},
	{`outcome "interrupted" from ""`, func(t *SessionTrace) { t.OutcomeFrom = "" }},
	{"it names no source", func(t *SessionTrace) { t.Sources = nil }},
	{"a source has no path", func(t *SessionTrace) { t.Sources[1].Path = "" }},
	{"it was not scrubbed", func(t *SessionTrace) { t.Scrub = Scrub{} }},
	{"scrub.redacted is negative", func(t *SessionTrace) { t.Scrub.Redacted = -1 }},
	{"lineage.may_copy", func(t *SessionTrace) { t.Lineage.MayCopy = 99 }},
	{"a damage names a source that is not there", func(t *SessionTrace) { t.Damaged[0].Ref.File = 7 }},
	{"a damage has no reason", func(t *SessionTrace) { t.Damaged[0].Reason = "" }},
	{"extra is no JSON object", func(t *SessionTrace) { t.Extra = []byte(`[1]`) }},
	{"extra is no JSON object", func(t *SessionTrace) { t.Extra = []byte(`{`) }},
	{"active_ms is negative", func(t *SessionTrace) { t.ActiveMS = -1 }},
	{"ms active, and its events", func(t *SessionTrace) { t.ActiveMS++ }},
	{"and its events", func(t *SessionTrace) { t.Start = t.Start.Add(time.Second) }},
	{"and its events", func(t *SessionTrace) { t.End = time.Time{} }},
	{"its usage is", func(t *SessionTrace) { t.Usage.Output++ }},

	{"it has the number 2", func(t *SessionTrace) { t.Events[1].Seq = 3 }},
	{"its ref names source 2 of 2", func(t *SessionTrace) { t.Events[1].Ref.File = 2 }},
	{"it does not say where it was read", func(t *SessionTrace) { t.Events[1].Ref = Ref{} }},
	{"it does not say where it was read", func(t *SessionTrace) { t.Events[1].Ref.Offset = -1 }},
	{"a row needs a key, and is no line", func(t *SessionTrace) { t.Events[7].Ref.Key = "" }},
	{"a row needs a key, and is no line", func(t *SessionTrace) { t.Events[7].Ref.Line = 1 }},
	{"is not in UTC and milliseconds", func(t *SessionTrace) { t.Events[1].Time = t.Events[1].Time.Add(1) }},
	{"is not in UTC and milliseconds", func(t *SessionTrace) {
		t.Events[1].Time = t.Events[1].Time.In(time.FixedZone("x", 3600))
	}},
	{"the record's id has 201 bytes", func(t *SessionTrace) { t.Events[1].Record = strings.Repeat("x", 201) }},
	{`by is "nobody"`, func(t *SessionTrace) { t.Events[1].By = "nobody" }},
	{"it is a copy of its own session's", func(t *SessionTrace) { t.Events[1].Copied = t.ID }},
	{"it has no body", func(t *SessionTrace) { t.Events[1].Body = nil }},
	{"a length is negative", func(t *SessionTrace) { t.Events[3].Body.(*AgentMessage).Length = -1 }},
	{"the hash of a content is", func(t *SessionTrace) { t.Events[3].Body.(*AgentMessage).Hash = "0123456789ABCDEF" }},
	{"the head of a prompt has 201 bytes", func(t *SessionTrace) { t.Events[0].Body.(*UserMessage).Head = strings.Repeat("x", 201) }},
	{"the head of a prompt is no line of text", func(t *SessionTrace) { t.Events[0].Body.(*UserMessage).Head = "a\u0085b" }},
	{"the head of a prompt is no line of text", func(t *SessionTrace) { t.Events[0].Body.(*UserMessage).Head = "a\xff" }},
	{`machine is "robot"`, func(t *SessionTrace) { t.Events[2].Body.(*UserMessage).Machine = "robot" }},
	{"what no person wrote must say by whom", func(t *SessionTrace) { t.Events[2].By = "" }},
	{"what the client wrote must say what it is", func(t *SessionTrace) { t.Events[2].Body.(*UserMessage).Machine = "" }},
	{"the call's index is 3, not 2", func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Index = 3 }},
	{"the call's id is missing", func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Call = "" }},
	{"the tool's name is missing", func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Tool = "" }},
	{`the tool's type is "Shell"`, func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Type = "Shell" }},
	{"the input's key is", func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Key = "0123456" }},
	{"the head of a command has 121 bytes", func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Head = strings.Repeat("x", 121) }},
	{`the parent "c7" of call "c2" is no container`, func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Parent = "c7" }},
	{`the parent "c1" of call "c2" is no container`, func(t *SessionTrace) { t.Events[4].Body.(*ToolCall).Container = false }},
	{"a call is its own parent", func(t *SessionTrace) { t.Events[5].Body.(*ToolCall).Parent = "c2" }},
	{"it names result 5 of 2", func(t *SessionTrace) { t.Events[6].Body.(*ToolResult).Result = 5 }},
	{`result 0 is of event 7 and call "c2"`, func(t *SessionTrace) { t.Events[6].Body.(*ToolResult).Call = "c1" }},
	{"the path is missing", func(t *SessionTrace) { t.Events[8].Body.(*FileChange).Path = "" }},
	{`the action is "moved"`, func(t *SessionTrace) { t.Events[8].Body.(*FileChange).Action = "moved" }},
	{"only what was renamed was elsewhere", func(t *SessionTrace) { t.Events[8].Body.(*FileChange).Action = "modified" }},
	{"added is negative", func(t *SessionTrace) { *t.Events[8].Body.(*FileChange).Added = -1 }},
	{"removed is negative", func(t *SessionTrace) { *t.Events[8].Body.(*FileChange).Removed = -1 }},
	{"the file's hash is", func(t *SessionTrace) { t.Events[8].Body.(*FileChange).Hash = "0123456789abcdef" }},
	{"the status is none of HTTP's", func(t *SessionTrace) { t.Events[9].Body.(*Error).Status = 7 }},
	{"the head of an error has 1001 bytes", func(t *SessionTrace) { t.Events[9].Body.(*Error).Head = strings.Repeat("x", 1001) }},
	{"a sub-agent has neither session nor call nor id", func(t *SessionTrace) { t.Events[11].Body = &SubagentSpawn{} }},
	{`the marker is "begun"`, func(t *SessionTrace) { t.Events[12].Body.(*Session).Marker = "begun" }},
	{"a phase's marker names the command and the phase", func(t *SessionTrace) { t.Events[12].Body.(*Session).Phase = "" }},
	{"a command's marker names the command and no phase", func(t *SessionTrace) { t.Events[12].Body.(*Session).Marker = CommandFailed }},
	{"only a command's or phase's marker has one", func(t *SessionTrace) { t.Events[12].Body.(*Session).Marker = Ended }},

	{"result 0 is of no event", func(t *SessionTrace) { // and no event names it
		t.Events[6].Body = &Interrupt{}
		t.Results[0].EventIndex = 99
	}},
	{"result 1 names it, and it does not name that", func(t *SessionTrace) { t.Events[7].Body = &Interrupt{} }},
	{`no call "c2" with index 1 comes before it`, func(t *SessionTrace) { t.Results[0].CallIndex = 1 }},
	{`no call "c2" with index 3 comes before it`, func(t *SessionTrace) { t.Results[0].CallIndex = 3 }},
	{`no call "c2" with index -1 comes before it`, func(t *SessionTrace) { t.Results[0].CallIndex = -1 }},
	{"the v of a result is not 1", func(t *SessionTrace) { t.Results[0].V = 0 }},
	{"a result is of another session", func(t *SessionTrace) { t.Results[0].Session = "s9" }},
	{"a result is of another session", func(t *SessionTrace) { t.Results[0].Source = "other" }},
	{"a result has another time than its event", func(t *SessionTrace) { t.Results[0].Time = time.Time{} }},
	{`the status is "done"`, func(t *SessionTrace) { t.Results[0].Status = "done" }},
	{`event_source is "rumour"`, func(t *SessionTrace) { t.Results[0].From = "rumour" }},
	{"the head of a result has 1001 bytes", func(t *SessionTrace) { t.Results[0].Head = strings.Repeat("x", 1001) }},
	{"the head of a result that did not fail is content", func(t *SessionTrace) { t.Results[1].Head = "ok" }},
	{`denied is "nobody"`, func(t *SessionTrace) { t.Results[0].Denied = "nobody" }},
	{"a call that was refused is errored or cancelled", func(t *SessionTrace) { t.Results[1].Denied = "user" }},
	{"an exit code is none of any system", func(t *SessionTrace) { *t.Results[0].ExitCode = 1 << 40 }},
	{"a duration is negative", func(t *SessionTrace) { t.Results[0].DurationMS = -1 }},

	{"a response's id is missing", func(t *SessionTrace) { t.Responses[0].ID = "" }},
	{"two responses have one id", func(t *SessionTrace) { t.Responses[1].ID = "r1" }},
	{"a response is of no event", func(t *SessionTrace) { t.Responses[0].Event = 99 }},
	{"a usage is negative", func(t *SessionTrace) { t.Responses[0].Usage.Reasoning = -1 }},
	{"it does not say where it was read", func(t *SessionTrace) { t.Responses[0].Ref = Ref{} }},
	{"it is a copy of its own session's", func(t *SessionTrace) { t.Responses[1].Copied = t.ID }},

	{"it has no relationship", func(t *SessionTrace) { t.Relationships = nil }},
	{"the v of a relationship is not 1", func(t *SessionTrace) { t.Relationships[0].V = 2 }},
	{`a relationship is "twin"`, func(t *SessionTrace) { t.Relationships[0].Kind = "twin" }},
	{"a relationship is of another session", func(t *SessionTrace) { t.Relationships[0].Session = "s1" }},
	{`root is related to "s1"`, func(t *SessionTrace) { t.Relationships[0].Kind = Root }},
	{`subagent is related to ""`, func(t *SessionTrace) { t.Relationships[0].Related = "" }},
	{"it is related to itself", func(t *SessionTrace) { t.Relationships[0].Related = t.ID }},
	{"a root has another relationship", func(t *SessionTrace) {
		root := SessionRelationship{V: 1, Kind: Root, Source: t.Source, Session: t.ID, Provenance: Explicit}
		t.Relationships = append(t.Relationships, root)
	}},
	{`the provenance is "rumour"`, func(t *SessionTrace) { t.Relationships[0].Provenance = "rumour" }},
	{"an inferred relationship has no evidence", func(t *SessionTrace) { t.Relationships[0].Evidence = "" }},
	{"the description of a relationship has 201 bytes", func(t *SessionTrace) { t.Relationships[0].Description = strings.Repeat("x", 201) }},
}

func TestValidate(t *testing.T) {
	for _, c := range broken {
		tr := handmade()
		c.spoil(tr)
		err := tr.Validate()
		var invalid *Invalid
		if !errors.As(err, &invalid) || !strings.Contains(invalid.Rule, c.rule) {
			t.Errorf("%v, not %s", err, c.rule)
		}
	}
}

// What is broken is said with the place in the source that it was read from.
func TestInvalidNamesThePlace(t *testing.T) {
	for want, spoil := range map[string]func(t *SessionTrace){
		"invalid trace toy/s1/a1: event 2: by is \"nobody\", none of user, client (read from /home/me/.toy/s1/a1.jsonl:2 (byte 100))": func(t *SessionTrace) {
			t.Events[1].By = "nobody"
		},
		"invalid trace toy/s1/a1: event 8: a duration is negative (read from /home/me/.toy/toy.db: part m1/2)": func(t *SessionTrace) {
			t.Results[1].DurationMS = -1
		},
		"invalid trace toy/s1/a1: a usage is negative (read from /home/me/.toy/s1/a1.jsonl:4 (byte 300))": func(t *SessionTrace) {
			t.Responses[0].Usage.Input = -1
		},
		"invalid trace toy/s1/a1: v is 0, not 1 (read from /home/me/.toy/s1/a1.jsonl)": func(t *SessionTrace) {
			t.V = 0
		},
	} {
		tr := handmade()
		spoil(tr)
		if err := tr.Validate(); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	tr := long(10_000)
	tr.Project, tr.Outcome, tr.Scrub = Project{}, Unknown, Scrub{Version: 1}
	tr.Sources = []File{{Path: "/x"}}
	tr.Relationships = []SessionRelationship{{V: 1, Kind: Root, Source: tr.Source, Session: tr.ID, Provenance: Explicit}}
	tr.Settle()
	for b.Loop() {
		if err := tr.Validate(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}
