package work

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

func OverlapCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "overlap",
		Usage: "show workers that change the same files",
		Description: "It tries to merge the worktrees of each two workers, with their uncommitted changes, and changes neither. aburn also\n" +
			"does this when an agent ends, and `aburn ps` shows the last result.\n\n" +
			"Exits with 1 if two workers conflict.",
		Flags:    []cli.Flag{kit.JSONFlag()},
		Metadata: kit.Examples("aburn overlap", "aburn overlap --json | jq -r '.[].files[]'"),
		Action:   a.Action(runOverlap),
	}
}

func runOverlap(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return fault.Usage("overlap takes no names: it compares all workers", "aburn overlap --help")
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	all, err := o.Load(ctx)
	if err != nil {
		return fault.Failed(err.Error())
	}
	list, failed := manager.Overlaps(ctx, o.Manager, all)
	if failed != nil {
		a.Warn("not all worktrees could be compared: " + plain.Line(failed.Error()))
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(append([]manager.Overlap{}, list...))
	} else {
		err = overlapText(a, list)
	}
	if err != nil {
		return err
	}
	clash := false
	for _, x := range list {
		clash = clash || x.Kind == worker.OverlapConflict
	}
	toldAll(ctx, o, list)
	if clash {
		return fault.Exit(fault.ExitFailed)
	}
	return nil
}

// toldAll writes down that the person has just read of these.
func toldAll(ctx context.Context, o *projects.Project, list []manager.Overlap) {
	for _, x := range list {
		if now, err := o.Load(ctx, x.Workers[0]); err == nil && now[0].Err == nil && x.Kind == worker.OverlapConflict {
			for _, e := range manager.Clashes(now[0], map[string]bool{x.Workers[1]: true}) {
				manager.MarkOverlapNotified(o.Manager, now[0], e)
			}
		}
	}
}

func overlapText(a *kit.App, list []manager.Overlap) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.Stdout, "no two workers changed the same file")
		return err
	}
	for _, x := range list {
		text := fmt.Sprintf("%s, %s  both changed %s, and that merges: %s", x.Workers[0], x.Workers[1], plain.Plural(int64(len(x.Files)), "file"),
			strings.Join(x.Files, ", "))
		if x.Kind == worker.OverlapConflict {
			text = fmt.Sprintf("%s, %s  conflict in %s", x.Workers[0], x.Workers[1], plain.Plural(int64(len(x.Conflicts)), "file"))
		}
		if _, err := fmt.Fprintln(a.Stdout, plain.Line(text)); err != nil {
			return err
		}
		describe.ConflictLines(a.Stdout, x.Conflicts)
	}
	return nil
}

// tellClashes says of each conflict once that it is there.
func tellClashes(o *projects.Project, a *kit.App, members []*manager.Member, names map[string]bool) {
	if scope.PersonOnly(a, "") != nil {
		return // it is the person who has to hear of it
	}
	for _, m := range members {
		if m.Err != nil || m.Gone() {
			continue
		}
		for _, e := range manager.Clashes(m, names) {
			if e.Is != worker.OverlapConflict {
				continue
			}
			if first, err := manager.MarkOverlapNotified(o.Manager, m, e); err == nil && first {
				a.Warn(conflictText(m.Name, e), "aburn overlap")
			}
		}
	}
}

func conflictText(name string, e ledger.Entry) string {
	text := name + " and " + e.Peer + " change the same files in ways that do not merge: " + strings.Join(e.Files, ", ")
	if e.Count > len(e.Files) {
		text += ", …"
	}
	return plain.Line(text)
}
