package target

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/shell"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// Chosen are the named workers, or all whose tree may still be there.
func Chosen(ctx context.Context, o *projects.Project, words []string) ([]*manager.Member, error) {
	if len(words) == 0 {
		all, err := o.Load(ctx)
		if err != nil {
			return nil, fault.Failed(err.Error())
		}
		var readable []*manager.Member
		for _, m := range manager.Living(all) {
			if m.Err == nil {
				readable = append(readable, m)
			}
		}
		return readable, nil
	}
	var members []*manager.Member
	for _, word := range words {
		m, err := o.Member(ctx, word)
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// InAnyProject lets commands about workers be about another project than the one around the current folder.
func InAnyProject(commands []*cli.Command) {
	for _, c := range commands {
		if !slices.Contains([]string{"daemon", "project", "done", "ask", "dashboard", "far"}, c.Name) && len(c.Commands) == 0 {
			c.Flags = append(c.Flags, &cli.StringFlag{Name: "project", Usage: "in the project `NAME` (aburn project ls)"})
		}
	}
}

// ProjectNames are the names of all projects.
func ProjectNames(env func(string) string) (list []string) {
	for _, n := range ledger.Known(env) {
		list = append(list, n.Name)
	}
	return slices.Compact(list)
}

func UnknownProject(a *kit.App, name string) error {
	for _, n := range ledger.Known(a.Getenv) {
		if n.Name == name {
			return fault.Failed(fault.Quote(name)+" is the name of its folder, "+n.Root, "aburn project add --name NAME "+shell.Quote(n.Root))
		}
	}
	return fault.Usage("no project is called "+fault.Quote(name), append(fault.DidYouMean(name, ProjectNames(a.Getenv)), "aburn project ls")...)
}

// projectNamed is the root of the project that a word means.
func projectNamed(a *kit.App, word string) (string, error) {
	switch list := ledger.Meant(ledger.Known(a.Getenv), word); len(list) {
	case 0:
		return "", UnknownProject(a, word)
	case 1:
		return list[0].Root, nil
	default:
		var roots []string
		for _, n := range list {
			roots = append(roots, n.Root)
		}
		return "", fault.Usage("several projects are called "+fault.Quote(word)+": "+strings.Join(roots, ", "), "aburn project add --name NAME DIR")
	}
}

// folderOf is where a command is about: --project, else the project of a first argument PROJECT/WORKER, else -C.
func folderOf(a *kit.App, cmd *cli.Command) (string, error) {
	first, _, slashed := strings.Cut(cmd.Args().First(), "/")
	switch word := cmd.String("project"); {
	case word != "" && cmd.IsSet("C"):
		return "", fault.Usage("-C and --project both name the project", "leave one out")
	case word != "":
		return projectNamed(a, word)
	case slashed && takesProject(cmd) && cmd.Name != "spawn":
		if list := ledger.Meant(ledger.Known(a.Getenv), first); len(list) == 1 {
			return list[0].Root, nil
		}
	}
	return kit.Folder(cmd)
}

func takesProject(cmd *cli.Command) bool {
	return slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), "project") })
}
