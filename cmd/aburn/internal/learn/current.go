package learn

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/internal/project"
	"aburn/trace"
)

// currentSession is the session that the caller is, as its agent's variables say, else the newest one that goes
// on in this project.
func currentSession(ctx context.Context, c *scope.Caller, arch *archive.Archive, all []digests.Session) (*insight.Digest, error) {
	switch callers := scope.CallingAgents(c.Env); len(callers) {
	case 0:
	case 1:
		return callingSession(ctx, c.Env, arch, all, callers[0].Of.Name, cmp.Or(callers[0].Agent, callers[0].Session))
	default:
		return nil, kit.UsageError("--current: the variables of two agents are set, and nothing says which of them asks", "aburn remedy SESSION")
	}
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
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
		return nil, kit.BadNews("--current: no session in the archive goes on in "+dir, "aburn ingest  # reads what was written since", "aburn sessions --project .")
	}
	return all[i].Digest, nil
}

// callingSession is the session that the caller's agent names, which goes on: as the agent has written it to disk by now, else as
// the archive has it.
func callingSession(ctx context.Context, env func(string) string, arch *archive.Archive, all []digests.Session, source, id string) (*insight.Digest, error) {
	places := trace.Places{Home: env("HOME"), Getenv: env}
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
		return nil, kit.BadNews("--current: the session "+source+"/"+id+" is not in the archive, and not where its agent keeps its sessions", "aburn ingest "+source)
	}
	d.SetLive(true)
	return d, nil
}

// isCalled says whether a session's id is this one, of a sub-agent also the part behind its session's.
func isCalled(id, name string) bool { return id == name || strings.HasSuffix(id, "/"+name) }

// writtenOf is the digest of what an agent has written of a session; nil if there is nothing of it. Nothing is stored.
func writtenOf(ctx context.Context, places trace.Places, source, id string) (*insight.Digest, error) {
	all := scope.Readers()
	i := slices.IndexFunc(all, func(r trace.Reader) bool { return r.Name() == source })
	if i < 0 {
		return nil, nil
	}
	one := &sessionSink{id: id}
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

// sessionSink is the sink that keeps one session of what is read.
type sessionSink struct {
	id    string
	found *trace.SessionTrace
}

func (s *sessionSink) Previous(string) (*trace.SessionTrace, error) { return nil, nil }

func (s *sessionSink) Trace(t *trace.SessionTrace) error {
	if isCalled(t.ID, s.id) && t.Validate() == nil {
		s.found = t
	}
	return nil
}

func (s *sessionSink) Damaged(trace.Damage)    {}
func (s *sessionSink) Progress(int64)          {}
func (s *sessionSink) Done(trace.Cursor, bool) {}
