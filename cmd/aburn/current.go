package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/insight"
	"aburn/internal/digests"
	"aburn/internal/project"
	"aburn/trace"
)

// currentSession is the session that this command was called from, as its agent's variables say, else the newest one that goes
// on in this project.
func (a *app) currentSession(cmd *cli.Command, all []digests.Session) (*insight.Digest, error) {
	claude, codex := a.env("CLAUDE_CODE_SESSION_ID"), a.codexVariables()
	switch {
	case claude != "" && codex.session != "":
		return nil, usageError("--current: the variables of two agents are set, and nothing says which of them asks", "aburn remedy SESSION")
	case claude != "":
		return asking(all, "claude", claude)
	case codex.agent != "":
		return asking(all, "codex", codex.agent)
	case codex.session != "":
		return asking(all, "codex", codex.session)
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

// asking is the session that is asking: it goes on, whenever its source was last read.
func asking(all []digests.Session, source, id string) (*insight.Digest, error) {
	i := slices.IndexFunc(all, func(s digests.Session) bool {
		return s.Source == source && (s.ID == id || strings.HasSuffix(s.ID, "/"+id))
	})
	if i < 0 {
		return nil, badNews("--current: the session "+source+"/"+id+" is not in the archive", "aburn ingest  # reads what was written since")
	}
	d := *all[i].Digest // others may hold it
	d.SetLive(true)
	return &d, nil
}
