package record

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/plain"
	"aburn/internal/project"
)

func InitCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "make a project: .oss/ with its settings, and your mark of trust",
		Description: "Makes .oss/ at the root of the git work tree, or in the current folder outside of one. It also\n" +
			"records on this machine that you trust the project. Inside an existing project it does only that.\n" +
			"Without your trust hooks record, but nothing from .oss reaches an agent. You can run it again.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "here", Usage: "make it in the current folder, even inside a project or below a work tree's root"},
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn init", "aburn -C ~/src/app init"),
		Action:       a.Action(runInit),
	}
}

func runInit(_ context.Context, a *kit.App, cmd *cli.Command) error {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	if !cmd.Bool("here") {
		dir = initRoot(a, dir)
	}
	done, err := install.InitProject(dir, a.Getenv)
	if err != nil {
		return kit.BadNews(err.Error())
	}
	if cmd.Bool("json") {
		if done.Created == nil {
			done.Created = []string{}
		}
		return a.PrintJSON(struct {
			Root    string   `json:"root"`
			Created []string `json:"created"`
			Marked  bool     `json:"marked"`
		}{done.Root, done.Created, done.Marked})
	}
	printInit(a, done)
	return nil
}

// initRoot is where `aburn init` in dir makes the project: the root of the project around dir, else of its git work tree
// (the main checkout's, so that all worktrees share one log), else dir itself.
func initRoot(a *kit.App, dir string) string {
	p, err := project.Find(dir, a.Getenv)
	if err == nil {
		return p.Root
	}
	var refused *project.Refused
	if errors.As(err, &refused) { // InitProject returns the reason
		return filepath.Dir(refused.Path)
	}
	if _, main := project.Checkout(dir, a.Getenv); main != "" {
		return main
	}
	return dir
}

func printInit(a *kit.App, done install.Init) {
	root := plain.Line(done.Root)
	switch {
	case len(done.Created) > 0:
		fmt.Fprintf(a.Stdout, "new project: %s\n", root)
		fmt.Fprintf(a.Stdout, "made %s\n", strings.Join(done.Created, ", "))
	case done.Marked:
		fmt.Fprintf(a.Stdout, "project: %s\n", root)
	default:
		fmt.Fprintf(a.Stdout, "nothing to do, it is a project already: %s\n", root)
		return
	}
	if done.Marked {
		fmt.Fprintln(a.Stdout, "vouched for it on this machine")
	}
	fmt.Fprintln(a.Stdout, "next: aburn install-hooks")
}
