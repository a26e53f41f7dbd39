package lookup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/names"
	"aburn/insight"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/trace"
	"aburn/trace/readers"
)

// ViewArchive opens the archive for reading. If there is none, the error says how to make one.
func ViewArchive(ctx context.Context, env func(string) string) (*archive.Archive, error) {
	arch, err := archive.View(ctx, archive.Dir(env))
	if err != nil {
		return nil, viewError(err)
	}
	return arch, nil
}

// View is ViewArchive for the sessions that the caller may see.
func View(ctx context.Context, c *workspace.Caller) (*archive.Archive, error) {
	arch, err := ViewArchive(ctx, c.Env)
	if err == nil {
		arch.Within(c.Within)
	}
	return arch, err
}

// viewError makes a missing archive a usage error (exit 2): the command was called too early.
func viewError(err error) error {
	var none *archive.NotFound
	switch {
	case !errors.As(err, &none):
		return err
	case none.Dir == "":
		return NoHome()
	}
	return fault.Usage("no archive yet in "+none.Dir, none.Hint())
}

// NoHome is the error if no variable says where the archive is.
func NoHome() error {
	return fault.Usage("there is no place for the archive: neither ABURN_HOME nor HOME is set", "ABURN_HOME=/some/folder aburn ingest")
}

// AnyFailed is the value of --outcome for each outcome that is a failure: errored, gave_up, killed and crashed.
const AnyFailed = "failed"

// Outcomes are the values of --outcome.
func Outcomes() []string {
	return append(fault.Strings(insight.Completed, insight.Interrupted, insight.Errored, insight.GaveUp, insight.Killed, insight.Crashed, insight.Running),
		AnyFailed, string(insight.Unknown))
}

// Relations are the values of --relationship.
func Relations() []string {
	return fault.Strings(trace.Root, trace.Continuation, trace.Fork, trace.Subagent)
}

// Choice is which sessions of the archive are meant, in the words of flags or of an agent's arguments. The empty one means all.
type Choice struct{ Since, Until, Source, Project, Outcome, Relation string }

// ViewChosen opens the archive and returns it with the filter for what. The caller closes it.
func ViewChosen(ctx context.Context, c *workspace.Caller, what Choice) (*archive.Archive, archive.Filter, error) {
	arch, err := View(ctx, c)
	if err != nil {
		return nil, archive.Filter{}, err
	}
	f, err := FilterOf(ctx, c, what, arch)
	if err != nil {
		arch.Close()
	}
	return arch, f, err
}

// FilterOf is the archive's filter for a choice, without its outcome: that is a verdict, which the archive does not know.
func FilterOf(ctx context.Context, c *workspace.Caller, what Choice, arch *archive.Archive) (f archive.Filter, err error) {
	for _, bound := range []struct {
		flag, text string
		to         *time.Time
	}{{"since", what.Since, &f.Since}, {"until", what.Until, &f.Until}} {
		if bound.text == "" {
			continue
		}
		if *bound.to, err = units.ParseTime(bound.text, c.Now); err != nil {
			return f, fault.Usage("--" + bound.flag + ": " + err.Error())
		}
	}
	if f.Source, err = CheckWord("source", what.Source, readers.Sources()); err != nil {
		return f, err
	}
	if _, err = CheckWord("outcome", what.Outcome, Outcomes()); err != nil {
		return f, err
	}
	relation, err := CheckWord("relationship", what.Relation, Relations())
	if err != nil {
		return f, err
	}
	f.Relation = trace.Relation(relation)
	if what.Project != "" {
		f.Project, err = projectNamed(ctx, c, arch, what.Project)
	}
	return f, err
}

// CheckWord returns a flag's value if it is empty or one of words.
func CheckWord(flag, word string, words []string) (string, error) {
	if word == "" || slices.Contains(words, word) {
		return word, nil
	}
	return "", fault.Usage("--"+flag+": unknown "+fault.Quote(word), fault.DidYouMean(word, words)...)
}

// projectNamed is the folder that --project means: an existing folder, else the archive's project whose folder has this name.
func projectNamed(ctx context.Context, c *workspace.Caller, arch *archive.Archive, name string) (string, error) {
	if path, ok, err := folderNamed(c, name); err != nil || ok {
		return path, err
	}
	projects, err := projectsIn(ctx, arch)
	if err != nil {
		return "", err
	}
	switch found := projects[name]; len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fault.Failed("--project: no folder or project in the archive is called "+fault.Quote(name),
			fault.DidYouMean(name, slices.Sorted(maps.Keys(projects)))...)
	default:
		var hints []string
		for _, path := range found {
			hints = append(hints, "--project "+path)
		}
		return "", fault.Usage(fmt.Sprintf("--project: %d projects are called %s", len(found), fault.Quote(name)), hints...)
	}
}

// ProjectNamed is the folder that --project means: an existing folder, else the project in the archive whose folder has this name.
func ProjectNamed(ctx context.Context, c *workspace.Caller, name string) (string, error) {
	if path, ok, err := folderNamed(c, name); err != nil || ok {
		return path, err
	}
	arch, err := View(ctx, c)
	if err != nil {
		return "", err
	}
	defer arch.Close()
	return projectNamed(ctx, c, arch, name)
}

// folderNamed is the folder at name, which need not exist if its path is absolute; ok is false if name is no path.
func folderNamed(c *workspace.Caller, name string) (path string, ok bool, err error) {
	dir, err := c.Folder()
	if err != nil {
		return "", false, err
	}
	path = name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() || filepath.IsAbs(name) {
		return filepath.Clean(path), true, nil
	}
	return "", false, nil
}

// projectsIn are the projects in the archive by the names of their folders.
func projectsIn(ctx context.Context, arch *archive.Archive) (map[string][]string, error) {
	all, err := arch.Sessions(ctx, archive.Filter{})
	projects := map[string][]string{}
	for i := range all {
		if key := all[i].Project.Key; key != "" && !slices.Contains(projects[filepath.Base(key)], key) {
			projects[filepath.Base(key)] = append(projects[filepath.Base(key)], key)
		}
	}
	return projects, err
}

// ProjectNames completes --project: names, and paths where several projects share a name. Completion shows no error.
func ProjectNames(ctx context.Context, env func(string) string) (list []string) {
	arch, err := archive.View(ctx, archive.Dir(env))
	if err != nil {
		return nil
	}
	defer arch.Close()
	projects, _ := projectsIn(ctx, arch)
	for name, paths := range projects {
		if len(paths) == 1 {
			paths = []string{name}
		}
		for _, word := range paths {
			if !strings.ContainsAny(word, ":\n") && plain.Line(word) == word {
				list = append(list, word)
			}
		}
	}
	slices.Sort(list)
	return list
}

// WorkerNames completes --worker: the workers whose sessions the archive has. Completion shows no error.
func WorkerNames(ctx context.Context, env func(string) string) (list []string) {
	arch, err := archive.View(ctx, archive.Dir(env))
	if err != nil {
		return nil
	}
	defer arch.Close()
	workers, _ := arch.Workers(ctx)
	for _, id := range workers {
		if name, _, _ := strings.Cut(id, "@"); plain.Line(name) == name && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// NamedSession is FindSession for a person: "last" is the session of the project around the folder, or of all outside of one, that was
// last heard of, and no sub-agent.
func NamedSession(ctx context.Context, c *workspace.Caller, arch *archive.Archive, name string) (archive.Session, error) {
	if name != LastName {
		return FindSession(ctx, arch, name)
	}
	dir, err := c.Folder()
	if err != nil {
		return archive.Session{}, err
	}
	f := archive.Filter{Project: c.Within}
	if p, err := project.Find(dir, c.Env); err == nil && c.Within == "" {
		f.Project = project.Original(p.Root, c.Env)
	}
	all, err := arch.Sessions(ctx, f)
	if err != nil {
		return archive.Session{}, err
	}
	if i := slices.IndexFunc(all, func(s archive.Session) bool { return s.Relation != trace.Subagent }); i >= 0 {
		return all[i], nil
	}
	return archive.Session{}, fault.Failed("no session of this project is in the archive", "aburn ingest", "aburn sessions")
}

// FindSession is the session that a command's argument names. A name of several sessions is an error that lists them.
func FindSession(ctx context.Context, arch *archive.Archive, name string) (archive.Session, error) {
	list, err := arch.Lookup(ctx, name)
	switch {
	case err != nil:
		return archive.Session{}, err
	case len(list) == 1:
		return list[0], nil
	case len(list) == 0 && len(names.OwnPart(name)) < shortestName:
		return archive.Session{}, fault.Usage(fmt.Sprintf("%s is too short: give the first or last %d characters of an id", fault.Quote(name), shortestName),
			"aburn sessions")
	case len(list) == 0:
		return archive.Session{}, fault.Failed("no session in the archive is called "+fault.Quote(name), "aburn sessions", "aburn ingest  # if it is a new one")
	}
	names, err := names.Read(ctx, arch)
	if err != nil {
		return archive.Session{}, err
	}
	var hints []string
	for i := range list[:min(len(list), fault.MaxListed)] {
		s := &list[i]
		ended := ""
		if !s.End.IsZero() {
			ended = s.End.Local().Format("2006-01-02 15:04")
		}
		hints = append(hints, units.Join(names.Of(s.Source, s.ID), s.Source, ended, plain.Cut(s.Ask, 40)))
	}
	if more := len(list) - fault.MaxListed; more > 0 {
		hints = append(hints, fmt.Sprintf("and %s more: aburn sessions --limit 0", plain.Count(int64(more))))
	}
	return archive.Session{}, fault.Usage(plain.Plural(int64(len(list)), "session")+" are called "+fault.Quote(name), hints...)
}

// shortestName is how many characters of an id archive.Lookup needs.
const shortestName = 4

// EmptyArchive is the note about an archive without sessions, and FillArchive its hint.
const (
	EmptyArchive = "the archive is empty"
	FillArchive  = "aburn ingest  # reads what agents have written to disk"
)

// NoneText is the note where nothing was chosen.
func NoneText(what string) string { return "no " + what + " matches" }

// CountArchived is how many sessions the archive has.
func CountArchived(ctx context.Context, arch *archive.Archive) (int, error) {
	all, err := arch.Sessions(ctx, archive.Filter{})
	return len(all), err
}

// ToolTypes are the values of --type.
func ToolTypes() []string {
	return fault.Strings(trace.ShellTool, trace.ReadTool, trace.EditTool, trace.SearchTool, trace.WebTool, trace.MCPTool, trace.AgentTool, trace.OtherTool)
}

// LastName is the name of the session that was last heard of.
const LastName = "last"
