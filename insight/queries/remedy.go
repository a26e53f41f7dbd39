package queries

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/archive/tried"
	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/trace"
	"aburn/trace/readers"
)

// RemedyQuery asks for a remedy.
type RemedyQuery struct {
	Target  string // a key, or a session
	Current bool   // the caller's own session instead
}

// RemedyOf answers a query.
func RemedyOf(ctx context.Context, c *lookup.Caller, q RemedyQuery) (*remedy.Answer, error) {
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.Digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	rules, err := remedyRules(c)
	if err != nil {
		return nil, err
	}
	if q.Current {
		d, err := currentSession(ctx, c, arch, all)
		if err != nil {
			return nil, err
		}
		return remedy.ForSession(d, lookup.DigestsOnly(all), rules), nil
	}
	t, err := lookup.FindTarget(ctx, arch, all, q.Target)
	if err != nil {
		return nil, err
	}
	if t.Session != nil {
		return remedy.ForSession(t.Session.Digest, lookup.DigestsOnly(all), rules), nil
	}
	return remedy.ForKey(t.Key, lookup.DigestsOnly(all), rules), nil
}

// AppliedReport is `aburn remedy --applied --json`.
type AppliedReport struct {
	remedy.Applied
	Failing int `json:"failing"` // sessions that fail and have the key, as of now
}

// RecordRemedy records that something was tried against the failure that a word means.
func RecordRemedy(ctx context.Context, c *lookup.Caller, word, note string) (*AppliedReport, error) {
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.Digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	t, err := lookup.FindTarget(ctx, arch, all, word)
	if err != nil {
		return nil, err
	}
	if t.Session != nil {
		return nil, fault.Usage("--applied takes a key, and "+fault.Quote(word)+" is a session", keyHints(&t.Session.Keys)...)
	}
	failing := 0
	for _, d := range t.Members(all) {
		if d.Verdict.Failing() && !d.Live {
			failing++
		}
	}
	if failing == 0 {
		return nil, fault.Failed("no session that failed has the key "+t.Key+": there is nothing to measure", "aburn replay "+t.Key)
	}
	written, err := tried.Append(archive.Dir(c.Env), t.Key, note, c.Now)
	if err != nil {
		return nil, err
	}
	return &AppliedReport{written, failing}, nil
}

// keyHints are the keys of a session as arguments.
func keyHints(k *insight.Keys) (hints []string) {
	for _, key := range [...]string{k.Fine, k.Sub, k.Coarse} {
		if key != "" {
			hints = append(hints, "aburn remedy --applied "+key+" --note …")
		}
	}
	return hints
}

// currentSession is the session that the agent's variables name, else the newest running one in this project.
func currentSession(ctx context.Context, c *lookup.Caller, arch *archive.Archive, all []digests.Session) (*insight.Digest, error) {
	switch callers := agentcli.CallingAgents(c.Env); len(callers) {
	case 0:
	case 1:
		return callingSession(ctx, c.Env, arch, all, callers[0].Of.Name, cmp.Or(callers[0].Agent, callers[0].Session))
	default:
		return nil, fault.Usage("--current: the variables of two agents are set, and nothing says which of them asks", "aburn remedy SESSION")
	}
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
	switch {
	case err == nil:
		dir = project.Original(p.Root, c.Env)
	case !errors.Is(err, project.ErrNone):
		return nil, err
	}
	below := strings.TrimSuffix(dir, "/") + "/"
	i := slices.IndexFunc(all, func(s digests.Session) bool {
		return s.Live && s.Relation != trace.Subagent && (s.Project.Key == dir || s.Project.Path == dir || strings.HasPrefix(s.Project.Path, below))
	})
	if i < 0 {
		return nil, fault.Failed("--current: no session in the archive is running in "+dir, "aburn ingest  # reads what was written since",
			"aburn sessions --project .")
	}
	return all[i].Digest, nil
}

// callingSession is the running session that the agent names: as it is on the agent's disk by now, else as in the archive.
func callingSession(ctx context.Context, env func(string) string, arch *archive.Archive, all []digests.Session, source, id string) (*insight.Digest, error) {
	places := trace.Places{Home: env("HOME"), Getenv: env}
	i := slices.IndexFunc(all, func(s digests.Session) bool { return s.Source == source && hasID(s.ID, id) })
	if i >= 0 {
		list, err := arch.Lookup(ctx, source+"/"+all[i].ID)
		if err != nil {
			return nil, err
		}
		if len(list) == 1 { // no need to look for it
			places.Paths = []string{list[0].Path}
		}
	}
	d, err := readWritten(ctx, places, source, id)
	switch {
	case d == nil && i >= 0:
		copied := *all[i].Digest // others may hold it
		d = &copied
	case d == nil && err != nil:
		return nil, err
	case d == nil:
		return nil, fault.Failed("--current: the session "+source+"/"+id+" is not in the archive, and not where its agent keeps its sessions", "aburn ingest "+source)
	}
	d.SetLive(true)
	return d, nil
}

// hasID says whether name is the session's id, or the own part of a sub-agent's.
func hasID(id, name string) bool { return id == name || strings.HasSuffix(id, "/"+name) }

// readWritten is the digest of a session on the agent's disk, nil if it is not there. It stores nothing.
func readWritten(ctx context.Context, places trace.Places, source, id string) (*insight.Digest, error) {
	all := readers.Readers()
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
	return insight.Make(one.found, false), nil // unreadable folders do not matter once the session is found
}

// sessionSink keeps one of the sessions that are read.
type sessionSink struct {
	id    string
	found *trace.SessionTrace
}

func (s *sessionSink) Previous(string) (*trace.SessionTrace, error) { return nil, nil }

func (s *sessionSink) Trace(t *trace.SessionTrace) error {
	if hasID(t.ID, s.id) && t.Validate() == nil {
		s.found = t
	}
	return nil
}

func (s *sessionSink) Damaged(trace.Damage) {}

func (s *sessionSink) Progress(int64) {}

func (s *sessionSink) Done(trace.Cursor, bool) {}

// remedyRules are the user's own rules, then the built-in ones. It warns of faults in the settings.
func remedyRules(c *lookup.Caller) ([]remedy.Rule, error) {
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
	if err != nil { // none, or one that cannot be read: the user's own file counts all the same
		p = nil
	}
	s := settings.Load(p, c.Env)
	own := s.Rules()
	for _, warning := range s.Warnings {
		c.Warn(warning)
	}
	var rules []remedy.Rule
	for i := range own {
		r, wrong := ruleOf(&own[i])
		if wrong != "" {
			c.Warn(own[i].Place + "remedy.rules: " + wrong + ": ignored")
			continue
		}
		rules = append(rules, r)
	}
	return append(rules, remedy.Registry()...), nil
}

// ruleOf is a rule of the user's settings, or what is wrong with it.
func ruleOf(s *settings.Rule) (r remedy.Rule, wrong string) {
	r = remedy.Rule{
		Name: s.Name, Class: failure.Class(s.Class), Text: s.Text, Pointer: s.Pointer, User: true,
		Gate: remedy.Gate{Words: s.Words, Type: trace.ToolType(s.ToolType), Tool: s.Tool, Agent: s.Agent, Code: s.Code, Exit: s.Exit, Status: s.Status},
	}
	if r.Name == "" {
		r.Name = "unnamed"
	}
	if classes := fault.Strings(failure.Classes()...); s.Class != "" && !slices.Contains(classes, s.Class) {
		return r, "unknown class " + fault.Quote(s.Class) + ", " + fault.DidYouMean(s.Class, classes)[0]
	}
	if s.ToolType != "" && !slices.Contains(lookup.ToolTypes(), s.ToolType) {
		return r, "unknown tool_type " + fault.Quote(s.ToolType) + ", " + fault.DidYouMean(s.ToolType, lookup.ToolTypes())[0]
	}
	if err := r.Check(); err != nil {
		return r, err.Error()
	}
	return r, ""
}
