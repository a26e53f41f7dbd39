package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/shell"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/worker/config"
	"aburn/worker/ledger"
)

func ProjectCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "project",
		Usage: "list and name your projects",
		Description: "A project is known after you run `aburn init` in it, and has the name of its folder. In any folder, commands\n" +
			"about workers take --project NAME, or PROJECT/WORKER instead of a worker's name.",
		Metadata: kit.Examples("aburn project ls", "aburn project add --name shop ~/code/cart", "aburn ps --project shop", "aburn attach shop/fix"),
		Commands: []*cli.Command{
			{
				Name: "ls", Usage: "list them", Flags: []cli.Flag{kit.JSONFlag()}, ArgValidator: kit.NoArguments,
				Metadata: kit.Examples("aburn project ls"), Action: a.Action(runProjects),
			},
			{
				Name: "add", Usage: "give a project a name", ArgsUsage: "[DIR]",
				Description: "DIR is a folder of the project; without it, it is the project around the current folder.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "name", Usage: "call it `NAME` instead of the folder's name"},
					&cli.StringFlag{Name: "from", Usage: "add all projects that `FILE` names, such as ~/.agent-orchestrator/config.yaml", TakesFile: true},
				},
				Metadata: kit.Examples("aburn project add", "aburn project add --name shop ~/code/cart", "aburn project add --from ~/.agent-orchestrator/config.yaml"),
				Action:   a.Action(runProjectAdd),
			},
			repairCommand(a),
			{
				Name: "rm", Usage: "remove a name", ArgsUsage: "NAME", Description: "Nothing of the project itself changes.",
				ShellComplete: a.CommandCompleter(func(*cli.Command, int) []string { return target.ProjectNames(a.Getenv) }),
				Metadata:      kit.Examples("aburn project rm shop"), Action: a.Action(runProjectRemove),
			},
		},
	}
}

// ProjectReport is one project in `aburn project ls --json`.
type ProjectReport struct {
	ledger.Named
	Workers int `json:"workers"` // whose trees are there
}

func runProjects(_ context.Context, a *kit.App, cmd *cli.Command) error {
	reports := []ProjectReport{}
	for _, n := range ledger.Known(a.Getenv) {
		r := ProjectReport{Named: n}
		if store, err := ledger.Open(n.Root, a.Getenv); err == nil {
			names, _ := store.Names()
			for _, name := range names {
				if _, err := os.Stat(store.Tree(name)); err == nil {
					r.Workers++
				}
			}
		}
		reports = append(reports, r)
	}
	if cmd.Bool("json") {
		return a.PrintJSON(reports)
	}
	for _, root := range ledger.Projects(a.Getenv) {
		if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
			a.Warn(plain.Line("a project with workers is not at "+root+" any more"), "if you moved it: aburn project repair DIR, with its new folder")
		}
	}
	out := a.Screen(cmd)
	if len(reports) == 0 {
		_, err := fmt.Fprintln(out, "no project: aburn init makes one of a folder")
		return err
	}
	table := term.Table{Columns: []term.Column{{Title: "NAME"}, {Title: "WORKERS", Right: true}, {Title: "PATH", Flex: true, Min: 20}}}
	for _, r := range reports {
		table.Add(r.Name, plain.Count(int64(r.Workers)), r.Root)
	}
	return table.Print(out, 0)
}

func runProjectAdd(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "name projects"); err != nil {
		return err
	}
	if cmd.NArg() > 1 {
		return fault.Usage("name one folder, or none", "aburn project add --help")
	}
	dir, err := kit.Folder(cmd)
	if file := cmd.String("from"); file != "" && err == nil {
		if cmd.NArg() > 0 || cmd.IsSet("name") {
			return fault.Usage("--from takes folders and names from the file", "leave out the others")
		}
		return addFrom(a, workspace.InFolder(dir, file))
	}
	if err == nil && cmd.NArg() == 1 {
		dir, err = workspace.ExistingFolder(workspace.InFolder(dir, cmd.Args().First()))
	}
	if err != nil {
		return err
	}
	return addProject(a, dir, cmd.String("name"))
}

// addFrom adds the projects of a file. Those that nobody has initialised stay out, and it is said how they come in.
func addFrom(a *kit.App, file string) error {
	list, err := config.Projects(file, a.Getenv("HOME"))
	if err != nil {
		return fault.Usage(plain.Line(err.Error()))
	}
	if len(list) == 0 {
		return fault.Failed(plain.Line(file)+" names no project", "projects: {NAME: {path: FOLDER}}")
	}
	failed := 0
	for _, one := range list {
		err := error(fault.Usage("it has no path"))
		if one.Path != "" {
			err = addListed(a, one)
		}
		if err != nil {
			f := fault.Of(err)
			a.Warn(plain.Line(one.ID+": "+f.Msg), f.Hints...)
			failed++
		}
	}
	if failed > 0 {
		return fault.Failed(fmt.Sprintf("%d of %d projects were not added", failed, len(list)))
	}
	return nil
}

// addListed adds a project whose root is the folder that a list names, not one around it.
func addListed(a *kit.App, one config.Listed) error {
	real, err := filepath.EvalSymlinks(one.Path)
	if err != nil {
		return fault.Usage(err.Error())
	}
	if p, err := project.Find(real, a.Getenv); err == nil && p.Root != real {
		return fault.Usage(real+" is no project of its own, but lies in "+p.Root, "aburn -C "+shell.Quote(real)+" init")
	}
	return addProject(a, real, one.ID)
}

// addProject gives the project around a folder a name: "" is that of its folder.
func addProject(a *kit.App, dir, name string) error {
	p, err := project.Find(dir, a.Getenv)
	if err != nil {
		return fault.Usage(err.Error(), "aburn -C "+shell.Quote(dir)+" init")
	}
	if !slices.Contains(project.Marked(a.Getenv), p.Root) {
		return fault.Usage("nobody said that "+p.Root+" is yours", "aburn -C "+shell.Quote(p.Root)+" init")
	}
	if name == "" {
		name = filepath.Base(p.Root)
	}
	if err := ledger.ValidProject(name); err != nil {
		return fault.Usage(fault.Quote(name)+": "+err.Error(), "aburn project add --name NAME")
	}
	err = ledger.Rename(a.Getenv, func(given map[string]string) error {
		if had, ok := given[name]; ok && had != p.Root {
			return fault.Failed(fault.Quote(name)+" is "+had+" already", "aburn project rm "+name, "choose another --name")
		}
		for other, root := range given {
			if root == p.Root { // it has one name
				delete(given, other)
			}
		}
		given[name] = p.Root
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout, plain.Line(name+"  "+p.Root))
	return nil
}

func runProjectRemove(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "name projects"); err != nil {
		return err
	}
	if cmd.NArg() != 1 {
		return fault.Usage("name one project", "aburn project ls")
	}
	name, root := cmd.Args().First(), ""
	err := ledger.Rename(a.Getenv, func(given map[string]string) error {
		root = given[name]
		delete(given, name)
		if root == "" {
			return target.UnknownProject(a, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout, plain.Line(root+" is called "+filepath.Base(root)+" again"))
	return nil
}
