// Package story is a session of the archive in lines, as people read it: prompts, calls with their results, changes and errors, with
// what hooks recorded of it.
package story

import (
	"context"
	"time"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/entries"
	"aburn/trace"
)

// Line is one line of a story. Whoever prints its texts cleans them.
type Line struct {
	entries.Description
	Event  int // its number; 0 if only the hooks know it
	Time   time.Time
	Indent bool   // it happened within the line above
	Where  string // copied from elsewhere, or rewound; mostly ""
	// Prompt, Call and Failed say what counts: a person's prompt, a call, a call that failed.
	Prompt, Call, Failed bool
	Session              string // the id of the sub-agent that it started
}

// Story is a session with what hooks recorded of it, as lines.
type Story struct {
	Trace       *trace.SessionTrace // of both
	Stored      *trace.SessionTrace // of the agent's store alone: Line.Event counts its events
	Lines       []Line
	Hooked      bool
	Differences int   // between the store and the hooks' log
	Problem     error // why what hooks recorded is left out
}

// Teller tells the story of a session.
type Teller struct {
	*Joined
	Source   string
	Names    Names
	Others   map[string]*archive.Session // the sessions of the source, by id
	Verdicts map[int64]insight.Verdict   // on those that are its sub-agents, by key
}

// Names makes short names of sessions.
type Names interface {
	Of(source, id string) string
}

// Of is the story of a session. others are the sessions of its source by id, verdicts those on them by key.
func Of(ctx context.Context, arch *archive.Archive, s archive.Session, names Names, others map[string]*archive.Session,
	verdicts map[int64]insight.Verdict) (*Story, error) {
	t, err := arch.Trace(ctx, s.Key)
	if err != nil {
		return nil, err
	}
	both, joining := Join(ctx, arch, &s, t)
	teller := &Teller{Joined: both, Source: s.Source, Names: names, Others: others, Verdicts: verdicts}
	return &Story{Trace: both.SessionTrace, Stored: t, Lines: teller.Lines(), Hooked: both.Hooks != nil, Differences: len(both.Differences), Problem: joining}, nil
}

// Name is the short name of another session of the same source.
func (v *Teller) Name(id string) string {
	if id == "" {
		return "an unknown session"
	}
	if v.Others[id] == nil {
		return id + ", which is not in the archive"
	}
	return v.Names.Of(v.Source, id)
}
