// Package target finds the project and the workers that a command line names, and prints the results of acts on workers.
package target

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/worker/ledger"
	"aburn/worker/projects"
)

// OpenProject finds the project around the current folder, and its workers.
func OpenProject(a *kit.App, cmd *cli.Command) (*projects.Project, error) {
	dir, err := folderOf(a, cmd)
	if err != nil {
		return nil, err
	}
	return projects.OpenAt(a.Getenv, scope.CallerOf(a, cmd), dir)
}

// OneWorker requires exactly one argument, a worker.
func OneWorker(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return fault.Usage("name one worker", "aburn ps", cmd.FullName()+" --help")
	}
	return nil
}

// SomeWorkers requires at least one argument, a worker.
func SomeWorkers(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() == 0 {
		return fault.Usage("name a worker", "aburn ps")
	}
	return nil
}

// CompleteWorkers completes the names of workers.
func CompleteWorkers(a *kit.App) cli.ShellCompleteFunc {
	return a.CommandCompleter(func(cmd *cli.Command, _ int) []string {
		return WorkerNames(a, cmd)
	})
}

// WorkerNames are the names by which a command can find workers.
func WorkerNames(a *kit.App, cmd *cli.Command) []string {
	here := ""
	if dir, err := folderOf(a, cmd); err == nil {
		if p, err := project.Find(dir, a.Getenv); err == nil {
			here = p.Root
		}
	}
	return workersFrom(a, here, cmd.String("project") != "")
}

// workersFrom are the names of the workers of the project here, then those of all others with their project's name before them.
func workersFrom(a *kit.App, here string, only bool) (list []string) {
	known := ledger.Known(a.Getenv)
	for _, others := range []bool{false, true} {
		for _, n := range known {
			store, err := ledger.Open(n.Root, a.Getenv)
			if err != nil || (n.Root != here) != others || others && only {
				continue
			}
			names, _ := store.Names()
			for _, name := range names {
				if others {
					name = n.Name + "/" + name
				}
				list = append(list, name)
			}
		}
	}
	return list
}
