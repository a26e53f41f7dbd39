package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/record"
	"aburn/insight"
	"aburn/internal/fault"
	"aburn/internal/mcpserver"
	"aburn/trace"
)

func (m *answers) resources() []mcpserver.Resource {
	const jsonType = "application/json"
	list := []mcpserver.Resource{
		{URI: "aburn://digests", Name: "digests", Title: "The newest sessions", MIME: jsonType, Read: m.digestList,
			Description: "Of this project's newest " + strconv.Itoa(digestLimit) + " sessions: how each ended, its keys, and the name of its digest."},
		{URI: "aburn://digests/all", Name: "all-digests", Title: "The newest sessions of all projects", MIME: jsonType, Read: m.digestList,
			Description: "The same of all projects, where the user's own settings have mcp.all_projects."},
		{URI: "aburn://digest/{source}/{+id}", Name: "digest", Title: "What a session amounts to", MIME: jsonType, Read: m.digestOf,
			Description: "How a session ended and by which rule, its errors, tools, changes and keys, without its events."},
		{URI: "aburn://trace/{source}/{+id}{?from}", Name: "trace", Title: "A session's events", MIME: jsonType, Read: m.traceOf,
			Description: "The events of a session in order, each call's result with it, from the event with the number from (1); next is where to go on. No " +
				"contents: shapes and sizes."},
		{URI: "aburn://log/tail", Name: "log", Title: "The end of the workflow log", MIME: "application/x-ndjson", Read: m.logTail,
			Description: "The newest " + strconv.Itoa(logLines) + " entries of this project's log, oldest first, one JSON object a line."},
	}
	for i, r := range list {
		list[i].Read = func(ctx context.Context, uri *url.URL) (string, error) {
			text, err := r.Read(ctx, uri)
			return text, withHints(err)
		}
	}
	return list
}

func withHints(err error) error {
	if err == nil {
		return nil
	}
	f := fault.Of(err)
	return errors.New(strings.Join(append([]string{f.Msg}, f.Hints...), "\nhint: "))
}

type digestLine struct {
	URI     string          `json:"uri"`
	Source  string          `json:"source"`
	Session string          `json:"session"`
	Project string          `json:"project,omitempty"`
	Start   time.Time       `json:"start,omitzero"`
	End     time.Time       `json:"end,omitzero"`
	Outcome insight.Outcome `json:"outcome"`
	Reason  string          `json:"reason"`
	Keys    insight.Keys    `json:"keys"`
	Calls   int             `json:"calls"`
	Failed  int             `json:"failed"`
}

func (m *answers) digestList(ctx context.Context, uri *url.URL) (string, error) {
	var f archive.Filter
	var err error
	switch {
	case uri.Path == "":
		if f.Project, err = m.project(); err != nil {
			return "", err
		}
	case m.within() != "":
		return "", fault.Failed("aburn://digests/all: not allowed", openHint)
	}
	all, err := m.digestsOf(ctx, f)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", fault.Failed("the archive holds no such session", "aburn ingest reads what agents have left on disk", openHint)
	}
	lines := []digestLine{}
	for _, s := range all[:min(len(all), digestLimit)] {
		uri := url.URL{Scheme: "aburn", Host: "digest", Path: "/" + s.Source + "/" + s.ID}
		lines = append(lines, digestLine{uri.String(), s.Source, s.ID, s.Project.Path, s.Start, s.End, s.Outcome(), s.Judged().Reason, s.Keys, s.Counts.Calls,
			s.Counts.Failed})
	}
	return mcpserver.JSON(struct {
		Total    int          `json:"total"`
		Sessions []digestLine `json:"sessions"`
	}{len(all), lines})
}

// digestsOf are the digests that f chooses, without unreadable ones.
func (m *answers) digestsOf(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
	list, err := only(m.within(), m.cache.load)(ctx, f)
	if unread := (*digests.Unreadable)(nil); errors.As(err, &unread) {
		return list, nil
	}
	return list, err
}

func (m *answers) digestOf(ctx context.Context, uri *url.URL) (string, error) {
	source, id, err := sessionIn(uri)
	if err != nil {
		return "", err
	}
	all, err := m.digestsOf(ctx, archive.Filter{})
	if err != nil {
		return "", err
	}
	for _, s := range all {
		if s.Source == source && s.ID == id {
			return mcpserver.JSON(s.Digest)
		}
	}
	return "", noSession(source, id)
}

// noSession is the error for a session that the agent cannot see.
func noSession(source, id string) error {
	return fault.Failed("no session "+fault.Quote(id)+" of "+fault.Quote(source)+" in the archive: aburn://digests lists the newest", openHint)
}

// sessionIn is the session in a resource's URI. The id may hold slashes.
func sessionIn(uri *url.URL) (source, id string, err error) {
	source, id, ok := strings.Cut(strings.TrimPrefix(uri.Path, "/"), "/")
	if !ok || source == "" || id == "" {
		return "", "", fmt.Errorf("%s names no session: aburn://%s/SOURCE/ID", fault.Quote(uri.String()), uri.Host)
	}
	return source, id, nil
}

// tracePage is a part of a trace. docs/formats/trace.md says what its members mean.
type tracePage struct {
	Source  string        `json:"source"`
	ID      string        `json:"id"`
	Agent   trace.Agent   `json:"agent"`
	Project trace.Project `json:"project"`
	Start   time.Time     `json:"start,omitzero"`
	End     time.Time     `json:"end,omitzero"`
	Outcome trace.Outcome `json:"outcome"`
	From    string        `json:"outcome_from,omitempty"`
	Counts  trace.Counts  `json:"counts"`
	Usage   trace.Usage   `json:"usage"`
	Sources []trace.File  `json:"sources"`
	Total   int           `json:"total"` // events that it has
	// Next is the number of the first event that is not here; 0 if the last one is.
	Next   int          `json:"next,omitempty"`
	Events []traceEvent `json:"events"`
}

// traceEvent is an event with its result.
type traceEvent struct {
	trace.Event
	Result *trace.ToolResultEvent
}

// MarshalJSON puts the result beside the event's own members.
func (e traceEvent) MarshalJSON() ([]byte, error) {
	event, err := json.Marshal(e.Event)
	if err != nil || e.Result == nil {
		return event, err
	}
	result, err := json.Marshal(e.Result)
	return append(append(append(event[:len(event)-1], `,"result":`...), result...), '}'), err
}

func (m *answers) traceOf(ctx context.Context, uri *url.URL) (string, error) {
	source, id, err := sessionIn(uri)
	if err != nil {
		return "", err
	}
	from := 1
	if word := uri.Query().Get("from"); word != "" {
		if from, err = strconv.Atoi(word); err != nil || from < 1 {
			return "", fmt.Errorf("from=%s: events are numbered from 1", fault.Quote(word))
		}
	}
	t, err := m.trace(ctx, source, id)
	if err != nil {
		return "", err
	}
	return pageOf(t, from)
}

func (m *answers) trace(ctx context.Context, source, id string) (*trace.SessionTrace, error) {
	arch, err := archive.View(ctx, archive.Dir(m.env))
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	arch.Within(m.within())
	list, err := arch.Lookup(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.Source == source && s.ID == id {
			t, err := arch.Trace(ctx, s.Key)
			if err != nil {
				return nil, err
			}
			verdicts, err := m.question(ctx, mcpserver.Asker{}).Verdicts(ctx, []int64{s.Key})
			lookup.PutVerdict(t, verdicts[s.Key])
			return t, err
		}
	}
	return nil, noSession(source, id)
}

// pageOf is a page of the trace that begins with event from and fits into mcpserver.MaxResource.
func pageOf(t *trace.SessionTrace, from int) (string, error) {
	if from > max(len(t.Events), 1) {
		return "", fmt.Errorf("from=%d: the last event is %d", from, len(t.Events))
	}
	p := tracePage{Source: t.Source, ID: t.ID, Agent: t.Agent, Project: t.Project, Start: t.Start, End: t.End, Outcome: t.Outcome, From: t.OutcomeFrom,
		Counts: t.Count(), Usage: t.Usage,
		Sources: t.Sources[:min(len(t.Sources), 20)], Total: len(t.Events), Events: []traceEvent{}}
	head, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	room := mcpserver.MaxResource - len(head) - 100
	for _, e := range t.Events[from-1:] {
		one := traceEvent{Event: e}
		if r, ok := e.Body.(*trace.ToolResult); ok && r.Result < len(t.Results) {
			one.Result = &t.Results[r.Result]
		}
		text, err := json.Marshal(one)
		if err != nil {
			return "", err
		}
		if room -= len(text) + 1; room < 0 && len(p.Events) > 0 {
			p.Next = e.Seq
			break
		}
		p.Events = append(p.Events, one)
	}
	text, err := json.Marshal(p)
	return string(text), err
}

// logTail is the end of the log as `aburn tail --json` prints it.
func (m *answers) logTail(ctx context.Context, _ *url.URL) (string, error) {
	if _, err := m.trusted(); err != nil {
		return "", err
	}
	q := m.question(ctx, mcpserver.Asker{})
	lines, err := record.LastLines(q.Caller.Caller, logLines, logBytes)
	switch {
	case err != nil:
		return "", q.fail(err)
	case len(lines) == 0:
		return "", q.noAnswer()
	}
	var b strings.Builder
	for _, line := range lines {
		b.Write(record.WithoutSecrets(line))
		b.WriteByte('\n')
	}
	text := b.String()
	for len(text) > mcpserver.MaxResource { // drop the oldest
		_, text, _ = strings.Cut(text, "\n")
	}
	return text, nil
}
