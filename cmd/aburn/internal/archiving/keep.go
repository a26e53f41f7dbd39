package archiving

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/kept"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
	"aburn/trace/contents"
	"aburn/trace/readers"
)

// KeepCommand is `aburn keep`.
func KeepCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "keep",
		Usage:     "save a copy of sessions with their texts",
		ArgsUsage: "[SESSION…]",
		Description: "Agents delete their sessions after some weeks, and the archive has no texts. This copies the files of the named sessions and their " +
			"sub-agents, compressed, into the folder kept next to the archive. `aburn web` can then still\n" +
			"show the conversation. A second run replaces the copy.\n\n" +
			"The copies are as the agent wrote them, with every secret in them: aburn saves none by itself. Only you can read them. Without a session " +
			"it lists the saved copies.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "list", Usage: "list the saved copies"},
			&cli.BoolFlag{Name: "remove", Usage: "delete the copies of these sessions"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ShellComplete: a.Completion(chosen.CompleteSessions),
		Metadata:      kit.Examples("aburn keep 5b0c2f91", "aburn keep", "aburn keep --remove 5b0c2f91"),
		Action:        a.Action(runKeep),
	}
}

// KeptReport is `aburn keep --json`.
type KeptReport struct {
	Sessions []KeptSession `json:"sessions"`
	Stored   int64         `json:"stored"` // bytes on the disk
}

// KeptSession is a session with a copy.
type KeptSession struct {
	Source string    `json:"source"`
	ID     string    `json:"session"`
	Kept   time.Time `json:"kept"`
	Files  int       `json:"files"`
	Size   int64     `json:"size"`
	Stored int64     `json:"stored"`
	// Texts is how many texts the session's trace has, Proved how many of them the copy holds; only where it was just made.
	Texts  int `json:"texts,omitempty"`
	Proved int `json:"proved,omitempty"`
}

func (r *KeptReport) add(e *kept.Entry) *KeptSession {
	size, stored := e.Size()
	r.Sessions = append(r.Sessions, KeptSession{Source: e.Source, ID: e.ID, Kept: e.Kept, Files: len(e.Files), Size: size, Stored: stored})
	r.Stored += stored
	return &r.Sessions[len(r.Sessions)-1]
}

func runKeep(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	dir := archive.Dir(a.Getenv)
	names := cmd.Args().Slice()
	remove := cmd.Bool("remove")
	switch {
	case dir == "":
		return lookup.NoHome()
	case cmd.Bool("list") && (remove || len(names) > 0):
		return fault.Usage("--list takes neither a session nor --remove")
	case remove && len(names) == 0:
		return fault.Usage("--remove: name the sessions", "aburn keep --list")
	case len(names) == 0:
		return listKept(a, cmd, dir)
	}
	if agent := scope.AgentTitle(a.Getenv); agent != "" && !remove {
		return fault.Failed("only people can save copies with texts, and "+agent+" started this command", "run it in your own terminal")
	}
	if remove {
		return removeKept(ctx, a, cmd, dir, names)
	}
	if err := chosen.CatchUp(ctx, a, cmd, lookup.Choice{}); err != nil {
		return err
	}
	arch, err := lookup.ViewArchive(ctx, a.Getenv)
	if err != nil {
		return err
	}
	defer arch.Close()
	var report KeptReport
	for _, name := range names {
		s, err := lookup.NamedSession(ctx, scope.CallerOf(a, cmd), arch, name)
		if err != nil {
			return err
		}
		if err := keepFamily(ctx, a, arch, dir, s, &report); err != nil {
			return err
		}
	}
	return printKept(a, cmd, &report, true)
}

// keepFamily keeps a session and its sub-agents. A sub-agent whose file is gone is left out, and said.
func keepFamily(ctx context.Context, a *kit.App, arch *archive.Archive, dir string, s archive.Session, report *KeptReport) error {
	if agentcli.Of(s.Source).Traits.Recorded {
		return fault.Failed(plain.Line(s.Source+"/"+s.ID)+": only aburn's hooks recorded it, without texts: there is nothing to save", "aburn sessions")
	}
	family, err := familyOf(ctx, arch, s)
	if err != nil {
		return err
	}
	for i, member := range family {
		t, err := arch.Trace(ctx, member.Key)
		if err != nil {
			return err
		}
		e, err := kept.Keep(ctx, dir, t, member.Path, readers.RowsOf(member.Source), time.Now())
		name := plain.Line(member.Source + "/" + member.ID)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i > 0:
			a.Warn("its sub-agent " + name + " is left out: its file is gone")
			continue
		case errors.Is(err, fs.ErrNotExist):
			return fault.Failed(name+": its file is gone, so there is nothing to save", "aburn keep --list  # the copies that are saved")
		case err != nil:
			return fault.Failed("it could not be saved: " + plain.Line(err.Error()))
		}
		one := report.add(e)
		if one.Texts, one.Proved, err = provedBy(ctx, dir, e, t); err != nil {
			return err
		}
	}
	return nil
}

// familyOf is a session and its sub-agents, and theirs.
func familyOf(ctx context.Context, arch *archive.Archive, s archive.Session) ([]archive.Session, error) {
	relations, err := arch.Relations(ctx)
	if err != nil {
		return nil, err
	}
	keys, seen := []int64{s.Key}, map[int64]bool{s.Key: true}
	for i := 0; i < len(keys); i++ {
		for _, r := range relations {
			if r.Kind == trace.Subagent && r.RelatedKey == keys[i] && !seen[r.Key] {
				seen[r.Key] = true
				keys = append(keys, r.Key)
			}
		}
	}
	list, err := arch.SessionsOf(ctx, keys)
	return list, err
}

// provedBy counts the texts of a trace, and those that the copy holds.
func provedBy(ctx context.Context, dir string, e *kept.Entry, t *trace.SessionTrace) (texts, proved int, err error) {
	var wants []contents.Want
	for i := range t.Events {
		if w, ok := contents.Of(t, &t.Events[i]); ok {
			wants = append(wants, w)
		}
	}
	gone := make([]trace.File, len(t.Sources)) // so that only the copy is asked
	got, err := contents.Read(ctx, contents.From{Sources: gone, Kept: func(ctx context.Context, file int, refs []trace.Ref, each func(int, []byte, error)) error {
		return e.Records(ctx, dir, t.Sources[file].Path, refs, each)
	}}, wants)
	for _, c := range got {
		if c.State == contents.Proved {
			proved++
		}
	}
	return len(wants), proved, err
}

func removeKept(ctx context.Context, a *kit.App, cmd *cli.Command, dir string, names []string) error {
	all, err := kept.List(dir)
	if err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	var report KeptReport
	for _, name := range names {
		chosen, err := keptAs(all, name)
		if err != nil {
			return err
		}
		for _, e := range chosen {
			if err := kept.Remove(dir, e.Source, e.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fault.Failed(plain.Line(err.Error()))
			}
			report.add(e)
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(report)
	}
	_, err = fmt.Fprintf(a.Screen(cmd), "%s deleted, %s.\n", plain.Plural(int64(len(report.Sessions)), "copy", "copies"), plain.Size(report.Stored))
	return err
}

// keptAs are the kept sessions that a name means: a session with its sub-agents, or one sub-agent.
func keptAs(all []kept.Entry, name string) (chosen []*kept.Entry, err error) {
	var hints []string
	for i := range all {
		e := &all[i]
		if !meansKept(e, name) {
			continue
		}
		if session, _, _ := strings.Cut(e.ID, "/"); !slices.Contains(hints, e.Source+"/"+session) {
			hints = append(hints, e.Source+"/"+session)
		}
		chosen = append(chosen, e)
	}
	switch len(hints) {
	case 0:
		return nil, fault.Failed("no saved session is called "+fault.Quote(name), "aburn keep --list")
	case 1:
		return chosen, nil
	}
	return nil, fault.Usage(fault.Quote(name)+" means several saved sessions", hints...)
}

// meansKept reports whether a name means a kept session: by its id, or that of the session that it is a sub-agent of, or the first
// or last four characters or more of one of them; before it the source may stand.
func meansKept(e *kept.Entry, name string) bool {
	name = strings.TrimPrefix(name, e.Source+"/")
	session, agent, _ := strings.Cut(e.ID, "/")
	for _, id := range []string{e.ID, session, agent} {
		if name == id || id != "" && len(name) >= 4 && (strings.HasPrefix(id, name) || strings.HasSuffix(id, name)) {
			return true
		}
	}
	return false
}

func listKept(a *kit.App, cmd *cli.Command, dir string) error {
	all, err := kept.List(dir)
	if err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	report := KeptReport{Sessions: []KeptSession{}}
	for i := range all {
		report.add(&all[i])
	}
	return printKept(a, cmd, &report, false)
}

func printKept(a *kit.App, cmd *cli.Command, r *KeptReport, made bool) error {
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	out := a.Screen(cmd)
	if len(r.Sessions) == 0 {
		a.Note("no session is saved")
		a.Hint("aburn keep SESSION")
		return nil
	}
	table := &term.Table{Columns: []term.Column{{Flex: true, Min: 20}, {}, {Right: true}, {Right: true}, {}, {Spare: 1}}}
	for _, s := range r.Sessions {
		proved := ""
		if made && s.Texts > 0 {
			proved = fmt.Sprintf("%d of %d texts", s.Proved, s.Texts)
		}
		table.Add(plain.Line(s.Source+"/"+s.ID), s.Kept.Local().Format("2006-01-02 15:04"), plain.Plural(int64(s.Files), "file"), plain.Size(s.Size),
			"on disk "+plain.Size(s.Stored), proved)
	}
	if err := table.Print(out, 0); err != nil {
		return err
	}
	if made {
		a.Note("the copies are as the agent wrote them, with any secrets: only you may read them, and aburn keep --remove deletes them")
		return nil
	}
	_, err := fmt.Fprintf(out, "%s, %s on disk\n", plain.Plural(int64(len(r.Sessions)), "session"), plain.Size(r.Stored))
	return err
}
