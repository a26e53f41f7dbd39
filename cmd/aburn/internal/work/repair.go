package work

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/shell"
	"aburn/internal/workspace"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// warnStranded says where the workers of a project that moved went.
func warnStranded(o *projects.Project, a *kit.App) {
	for _, s := range projects.Stranded(o) {
		a.Warn(plain.Line(projects.StrandedText(s)), "aburn project repair", "or move it back to "+plain.Line(s.Root))
	}
}

func repairCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "repair", Usage: "find the workers of a project that you moved or renamed", ArgsUsage: "[DIR]",
		Description: "DIR is the project's folder now; without it, it is the project around the current folder. Running workers keep running.\n" +
			"Their ledgers, worktrees and snapshots stay where they are; aburn tells git where the repository is now.",
		Flags:    []cli.Flag{kit.JSONFlag()},
		Metadata: kit.Examples("aburn project repair", "aburn project repair ~/code/shop"), Action: a.Action(runRepair),
	}
}

// Repaired is what `aburn project repair --json` prints.
type Repaired struct {
	Path    string   `json:"path"`
	From    string   `json:"from,omitempty"` // "" if there was nothing to do
	Workers []string `json:"workers"`
}

func runRepair(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "say where a project is"); err != nil {
		return err
	}
	if cmd.NArg() > 1 {
		return fault.Usage("name one folder, or none", "aburn project repair --help")
	}
	dir, err := kit.Folder(cmd)
	if err == nil && cmd.NArg() == 1 {
		dir, err = workspace.ExistingFolder(workspace.InFolder(dir, cmd.Args().First()))
	}
	if err != nil {
		return err
	}
	p, err := project.Find(dir, a.Getenv)
	if err != nil {
		return fault.Usage(err.Error(), "aburn -C "+shell.Quote(dir)+" init")
	}
	_, main := project.Checkout(p.Root, a.Getenv)
	list := ledger.StrandedFrom(p.Root, tree.Linked(main), a.Getenv)
	switch {
	case !p.Marked && project.Moved(p.Root):
		err = project.Mark(p.Root)
	case !p.Marked:
		err = fault.Usage("nobody said that "+p.Root+" is yours", "aburn -C "+shell.Quote(p.Root)+" init")
	}
	if err != nil {
		return err
	}
	done := Repaired{Path: p.Root, Workers: []string{}}
	if len(list) > 0 {
		done.From, done.Workers = list[0].Root, list[0].Names
		if err := bringAlong(ctx, a, p.Root, list[0]); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(done)
	}
	if done.From == "" {
		_, err = fmt.Fprintln(a.Stdout, plain.Line("nothing to repair: no worker is recorded for a former path of "+p.Root))
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, plain.Line(fmt.Sprintf("%s of %s: %s", plain.Plural(int64(len(done.Workers)), "worker"), p.Root,
		strings.Join(done.Workers, ", "))))
	return err
}

// bringAlong makes the workers of a former path those of root.
func bringAlong(ctx context.Context, a *kit.App, root string, s ledger.Stranded) error {
	if strings.ContainsAny(root, "\t\n") {
		return fault.Failed("the path "+fault.Quote(root)+" has a tab or a line break", "move the project to another folder")
	}
	now, err := ledger.Open(root, a.Getenv)
	if err != nil {
		return fault.Usage(err.Error())
	}
	if names, _ := now.Names(); len(names) > 0 && now.Key != s.Key {
		return fault.Failed("workers were spawned here too, and a project has one list of them: "+strings.Join(names, ", "),
			"mv "+shell.Quote(root)+" "+shell.Quote(s.Root)+" brings back the others")
	}
	err = ledger.Rename(a.Getenv, func(given map[string]string) error {
		for name, at := range given {
			if at == s.Root {
				given[name] = root
			}
		}
		return project.SetRoot(s.Key, root, project.StateDir(a.Getenv))
	})
	if err != nil {
		return fault.Failed(err.Error())
	}
	o, err := projects.Open(a.Getenv, root)
	if err != nil {
		return err
	}
	defer o.Close()
	return repairTrees(ctx, o, s.Names)
}

// repairTrees has git and the workers' worktrees know of one another again.
func repairTrees(ctx context.Context, o *projects.Project, names []string) error {
	repos := map[string][]string{}
	for _, name := range names {
		e, err := o.Store.Book(name).Request()
		if _, gone := os.Lstat(e.Tree); err != nil || e.Tree == "" || e.Repo == "" || e.Tree == e.Repo || gone != nil {
			continue
		}
		repos[e.Repo] = append(repos[e.Repo], e.Tree)
	}
	for dir, paths := range repos {
		repo, err := manager.Repository(ctx, o.Manager, dir)
		if err != nil {
			return err
		}
		slices.Sort(paths)
		if err := tree.RepairWorktrees(ctx, repo, paths); err != nil {
			return fault.Failed("git cannot repair the worktrees: "+err.Error(), "git -C "+shell.Quote(dir)+" worktree repair "+shell.Quote(paths[0]))
		}
	}
	return nil
}
