package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/install"
	"aburn/internal/plain"
	"aburn/internal/project"
)

func (a *app) initCommand() *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "make a project: .oss/ with its settings, and this user's mark of trust",
		Description: "Makes .oss/ at the root of the git work tree (outside of one: in the current folder), and\n" +
			"vouches for it on this machine. Inside a project that is there already it only vouches.\n" +
			"Until you do, hooks record, but nothing from .oss reaches an agent. Twice is once.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "here", Usage: "make it in the current folder, even inside a project or below a work tree's root"},
			jsonFlag(),
		},
		ArgValidator: noArguments,
		Metadata:     examples("aburn init", "aburn -C ~/src/app init"),
		Action:       a.init,
	}
}

func (a *app) init(_ context.Context, cmd *cli.Command) error {
	dir, err := folder(cmd)
	if err != nil {
		return err
	}
	if !cmd.Bool("here") {
		dir = a.initRoot(dir)
	}
	done, err := install.InitProject(dir, a.env)
	if err != nil {
		return badNews(err.Error())
	}
	if cmd.Bool("json") {
		if done.Created == nil {
			done.Created = []string{}
		}
		return a.printJSON(struct {
			Root    string   `json:"root"`
			Created []string `json:"created"`
			Marked  bool     `json:"marked"`
		}{done.Root, done.Created, done.Marked})
	}
	a.tellInit(done)
	return nil
}

// initRoot is where `aburn init` in dir makes the project: the one dir already
// belongs to, else the root of its git work tree (the main checkout's, so that
// all worktrees share one log), else dir itself.
func (a *app) initRoot(dir string) string {
	p, err := project.Find(dir, a.env)
	if err == nil {
		return p.Root
	}
	var refused *project.Refused
	if errors.As(err, &refused) { // InitProject tells why
		return filepath.Dir(refused.Path)
	}
	if _, main := project.Checkout(dir, a.env); main != "" {
		return main
	}
	return dir
}

func (a *app) tellInit(done install.Init) {
	root := plain.Line(done.Root)
	switch {
	case len(done.Created) > 0:
		fmt.Fprintf(a.out, "new project: %s\n", root)
		fmt.Fprintf(a.out, "made %s\n", strings.Join(done.Created, ", "))
	case done.Marked:
		fmt.Fprintf(a.out, "project: %s\n", root)
	default:
		fmt.Fprintf(a.out, "nothing to do, it is a project already: %s\n", root)
		return
	}
	if done.Marked {
		fmt.Fprintln(a.out, "vouched for it on this machine")
	}
	fmt.Fprintln(a.out, "next: aburn install-hooks")
}
