package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/insight"
	"aburn/internal/project"
	"aburn/trace"
)

// currentSession is the session that this command was called from, as its agent's variables say, else the newest one that goes
// on in this project.
func (a *app) currentSession(ctx context.Context, cmd *cli.Command, arch *archive.Archive, all []digests.Session) (*insight.Digest, error) {
	claude, codex := a.env("CLAUDE_CODE_SESSION_ID"), a.codexVariables()
	switch {
	case claude != "" && codex.session != "":
		return nil, usageError("--current: the variables of two agents are set, and nothing says which of them asks", "aburn remedy SESSION")
	case claude != "":
		return a.asking(ctx, arch, all, "claude", claude)
	case codex.agent != "":
		return a.asking(ctx, arch, all, "codex", codex.agent)
	case codex.session != "":
		return a.asking(ctx, arch, all, "codex", codex.session)
	}
	dir, err := folder(cmd)
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, a.env)
	switch {
	case err == nil:
		dir = p.Root
	case !errors.Is(err, project.ErrNone):
		return nil, err
	}
	below := strings.TrimSuffix(dir, "/") + "/"
	i := slices.IndexFunc(all, func(s digests.Session) bool {
		return s.Live && s.Relation != trace.Subagent && (s.Project.Key == dir || s.Project.Path == dir || strings.HasPrefix(s.Project.Path, below))
	})
	if i < 0 {
		return nil, badNews("--current: no session in the archive goes on in "+dir, "aburn ingest  # reads what was written since", "aburn sessions --project .")
	}
	return all[i].Digest, nil
}

// asking is the session that is asking, which goes on: as its agent has written it to disk by now, else as the archive has it.
func (a *app) asking(ctx context.Context, arch *archive.Archive, all []digests.Session, source, id string) (*insight.Digest, error) {
	places := trace.Places{Home: a.env("HOME"), Getenv: a.env}
	i := slices.IndexFunc(all, func(s digests.Session) bool { return s.Source == source && isCalled(s.ID, id) })
	if i >= 0 {
		list, err := arch.Lookup(ctx, source+"/"+all[i].ID)
		if err != nil {
			return nil, err
		}
		if len(list) == 1 { // no need to look for it
			places.Paths = []string{list[0].Path}
		}
	}
	d, err := writtenOf(ctx, places, source, id)
	switch {
	case d == nil && i >= 0:
		copied := *all[i].Digest // others may hold it
		d = &copied
	case d == nil && err != nil:
		return nil, err
	case d == nil:
		return nil, badNews("--current: the session "+source+"/"+id+" is not in the archive, and not where its agent keeps its sessions", "aburn ingest "+source)
	}
	d.SetLive(true)
	return d, nil
}

// isCalled says whether a session's id is this one, of a sub-agent also the part behind its session's.
func isCalled(id, name string) bool { return id == name || strings.HasSuffix(id, "/"+name) }

// writtenOf is the digest of what an agent has written of a session; nil if there is nothing of it. Nothing is stored.
func writtenOf(ctx context.Context, places trace.Places, source, id string) (*insight.Digest, error) {
	all := readers()
	i := slices.IndexFunc(all, func(r trace.Reader) bool { return r.Name() == source })
	if i < 0 {
		return nil, nil
	}
	one := &oneSession{id: id}
	err := all[i].Find(ctx, places, func(s trace.Store) error {
		name := filepath.Base(s.Path)
		if !strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), id) { // these two agents name their files so
			return nil
		}
		return all[i].Read(ctx, s, one)
	})
	if one.found == nil {
		return nil, err
	}
	return insight.Make(one.found, false), nil // that other folders may not be read is no matter
}

// oneSession is the sink that keeps one session of what is read.
type oneSession struct {
	id    string
	found *trace.SessionTrace
}

func (s *oneSession) Previous(string) (*trace.SessionTrace, error) { return nil, nil }

func (s *oneSession) Trace(t *trace.SessionTrace) error {
	if isCalled(t.ID, s.id) && t.Validate() == nil {
		s.found = t
	}
	return nil
}

func (s *oneSession) Damaged(trace.Damage)    {}
func (s *oneSession) Progress(int64)          {}
func (s *oneSession) Done(trace.Cursor, bool) {}
