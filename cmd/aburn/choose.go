package main

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

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/internal/plain"
	"aburn/trace"
)

// viewArchive opens the archive for reading. Without one the error says how to get one.
func viewArchive(ctx context.Context, env func(string) string) (*archive.Archive, error) {
	arch, err := archive.View(ctx, archive.Dir(env))
	if err != nil {
		return nil, viewError(err)
	}
	return arch, nil
}

// viewError is an error of reading the archive: that there is none yet is a mistake in when aburn was called.
func viewError(err error) error {
	var none *archive.NotFound
	switch {
	case !errors.As(err, &none):
		return err
	case none.Dir == "":
		return noHome()
	}
	return usageError("no archive yet in "+none.Dir, none.Hint())
}

// noHome is the error where nothing says in which folder the archive is.
func noHome() error {
	return usageError("there is no place for the archive: neither ABURN_HOME nor HOME is set", "ABURN_HOME=/some/folder aburn ingest")
}

// chooseFlags are the flags that choose sessions of the archive.
func chooseFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "since", Usage: "only sessions that ended since `WHEN`: 24h, 7d, 2026-11-21, 2026-11-21T10:03"},
		&cli.StringFlag{Name: "until", Usage: "only sessions that ended before `WHEN`"},
		&cli.StringFlag{Name: "source", Usage: "only sessions of this `AGENT`: " + strings.Join(sources(), ", ")},
		&cli.StringFlag{Name: "project", Usage: "only sessions in `DIR`, or in the project of this name"},
	}
}

func outcomeFlag() cli.Flag {
	return &cli.StringFlag{Name: "outcome", Usage: "only sessions that ended so: `OUTCOME` is completed, interrupted, errored, killed or unknown"}
}

// outcomes and relations are the words that flags take.
func outcomes() []string {
	return asWords(trace.Completed, trace.Interrupted, trace.Errored, trace.Killed, trace.Unknown)
}

func relations() []string {
	return asWords(trace.Root, trace.Continuation, trace.Fork, trace.Subagent)
}

// sources are the sources that sessions can come from.
func sources() (names []string) {
	for _, r := range readers() {
		names = append(names, r.Name())
	}
	return names
}

// choice is which sessions of the archive are meant, in the words of flags or of an agent's arguments; all if it is empty.
type choice struct{ Since, Until, Source, Project, Outcome, Relation string }

// choiceOf reads the flags that choose sessions.
func choiceOf(cmd *cli.Command) choice {
	return choice{cmd.String("since"), cmd.String("until"), cmd.String("source"), cmd.String("project"), cmd.String("outcome"), cmd.String("relationship")}
}

// viewChosen opens the archive, which whoever calls it closes, and says which of its sessions are meant.
func viewChosen(ctx context.Context, c *caller, what choice) (*archive.Archive, archive.Filter, error) {
	arch, err := viewArchive(ctx, c.Env)
	if err != nil {
		return nil, archive.Filter{}, err
	}
	f, err := filterOf(ctx, c, what, arch)
	if err != nil {
		arch.Close()
	}
	return arch, f, err
}

// filterOf is a choice as the archive takes it.
func filterOf(ctx context.Context, c *caller, what choice, arch *archive.Archive) (f archive.Filter, err error) {
	for _, bound := range []struct {
		flag, text string
		to         *time.Time
	}{{"since", what.Since, &f.Since}, {"until", what.Until, &f.Until}} {
		if bound.text == "" {
			continue
		}
		if *bound.to, err = moment(bound.text, c.Now); err != nil {
			return f, usageError("--" + bound.flag + ": " + err.Error())
		}
	}
	if f.Source, err = oneWord("source", what.Source, sources()); err != nil {
		return f, err
	}
	if f.Outcome, err = oneWord("outcome", what.Outcome, outcomes()); err != nil {
		return f, err
	}
	relation, err := oneWord("relationship", what.Relation, relations())
	if err != nil {
		return f, err
	}
	f.Relation = trace.Relation(relation)
	if what.Project != "" {
		f.Project, err = projectNamed(ctx, c, arch, what.Project)
	}
	return f, err
}

// oneWord is a flag's value, which has to be one of the words.
func oneWord(flag, word string, words []string) (string, error) {
	if word == "" || slices.Contains(words, word) {
		return word, nil
	}
	return "", usageError("--"+flag+": unknown "+quote(word), meant(word, words)...)
}

// projectNamed is the folder that --project means: one that exists, else the project in the archive whose folder has this name.
func projectNamed(ctx context.Context, c *caller, arch *archive.Archive, name string) (string, error) {
	dir, err := c.folder()
	if err != nil {
		return "", err
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() || filepath.IsAbs(name) {
		return filepath.Clean(path), nil
	}
	projects, err := projectsIn(ctx, arch)
	if err != nil {
		return "", err
	}
	switch found := projects[name]; len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", badNews("--project: no folder and no project in the archive is called "+quote(name), meant(name, slices.Sorted(maps.Keys(projects)))...)
	default:
		var hints []string
		for _, path := range found {
			hints = append(hints, "--project "+path)
		}
		return "", usageError(fmt.Sprintf("--project: %d projects are called %s", len(found), quote(name)), hints...)
	}
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

// projectNames completes --project: names, and paths where several have the same. Completion shows no error.
func projectNames(ctx context.Context, env func(string) string) (list []string) {
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

// oneSession is the session that a command's argument names.
func oneSession(ctx context.Context, arch *archive.Archive, name string) (archive.Session, error) {
	list, err := arch.Lookup(ctx, name)
	switch {
	case err != nil:
		return archive.Session{}, err
	case len(list) == 1:
		return list[0], nil
	case len(list) == 0 && len(ownPart(name)) < shortestName:
		return archive.Session{}, usageError(fmt.Sprintf("%s is too short: %d characters of an id, its first or last", quote(name), shortestName), "aburn sessions")
	case len(list) == 0:
		return archive.Session{}, badNews("no session in the archive is called "+quote(name), "aburn sessions", "aburn ingest  # if it is a new one")
	}
	names, err := namesOf(ctx, arch)
	if err != nil {
		return archive.Session{}, err
	}
	var hints []string
	for i := range list[:min(len(list), maxNamed)] {
		s := &list[i]
		ended := ""
		if !s.End.IsZero() {
			ended = s.End.Local().Format("2006-01-02 15:04")
		}
		hints = append(hints, join(names.of(s.Source, s.ID), s.Source, ended, plain.Cut(s.Ask, 40)))
	}
	if more := len(list) - maxNamed; more > 0 {
		hints = append(hints, fmt.Sprintf("and %s more: aburn sessions --limit 0", plain.Count(int64(more))))
	}
	return archive.Session{}, usageError(plain.Plural(int64(len(list)), "session")+" are called "+quote(name), hints...)
}

// shortestName is how much of an id archive.Lookup wants.
const shortestName = 4

// emptyArchive and fillArchive are what is said of an archive without a session, and the hint to it.
const (
	emptyArchive = "the archive is empty"
	fillArchive  = "aburn ingest  # reads what agents have written to disk"
)

// noneChosen says that nothing is shown, and why: an empty archive has nothing to choose from.
func (a *app) noneChosen(ctx context.Context, arch *archive.Archive, what string) error {
	archived, err := countArchived(ctx, arch)
	if err == nil {
		a.noneOf(archived, what)
	}
	return err
}

// noneOf is noneChosen of an archive with so many sessions.
func (a *app) noneOf(archived int, what string) {
	if archived == 0 {
		a.note(emptyArchive)
		a.hint(fillArchive)
		return
	}
	a.note(noneSuch(what))
	if what == "session" {
		a.hint("aburn sessions  # all " + plain.Count(int64(archived)) + " that are archived")
	}
}

func noneSuch(what string) string { return "no " + what + " is like that" }

// countArchived is how many sessions the archive has.
func countArchived(ctx context.Context, arch *archive.Archive) (int, error) {
	all, err := arch.Sessions(ctx, archive.Filter{})
	return len(all), err
}

// sessionArgument refuses anything but one session.
func sessionArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return usageError("one session has to be named", "aburn sessions")
	}
	return nil
}

func toolTypes() []string {
	return asWords(trace.ShellTool, trace.ReadTool, trace.EditTool, trace.SearchTool, trace.WebTool, trace.MCPTool, trace.AgentTool, trace.OtherTool)
}
