package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
)

func InitCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "set up and trust this folder as a project",
		Description: "Makes .oss/ at the root of the git work tree, or in the current folder outside of one. It also\n" +
			"records on this machine that you trust the project. Inside an existing project it does only that.\n" +
			"Without your trust hooks record, but nothing from .oss reaches an agent. You can run it again.\n\n" +
			"If .oss has a log already, a repository may have brought it along. aburn moves it into a folder of\n" +
			".oss and begins a new one. Only you, not an agent, can keep it with --trust-log.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "do not ask, even for a folder that holds your home directory or aburn's state"},
			&cli.BoolFlag{Name: "trust-log", Usage: "trust the log that is in .oss already: you moved or restored the project"},
			&cli.BoolFlag{Name: "here", Usage: "make it in the current folder, even inside a project or below a work tree's root"},
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn init", "aburn -C ~/src/app init", "aburn init --trust-log"),
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
	if cmd.Bool("trust-log") {
		if err := scope.PersonOnly(a, "trust a log"); err != nil {
			return err
		}
	}
	done, err := makeProject(a, cmd, dir)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		if done.Created == nil {
			done.Created = []string{}
		}
		return a.PrintJSON(struct {
			Root     string     `json:"root"`
			Created  []string   `json:"created"`
			Marked   bool       `json:"marked"`
			Replaced bool       `json:"replaced"`  // another .oss than the one that was trusted here before
			Aside    *asideJSON `json:"set_aside"` // the log that was there; null without one
			Settings []string   `json:"settings"`
		}{done.Root, done.Created, done.Marked, done.Replaced, asideOf(done.Aside), settingsOf(done.Settings)})
	}
	printInit(a, done)
	warnFolders(a, dir)
	return nil
}

// warnFolders warns if hooks look for trusted projects in another folder than the one that this environment has.
func warnFolders(a *kit.App, dir string) {
	for _, agent := range install.Agents() {
		for _, s := range install.Inspect(agent, dir, a.Getenv) {
			if s.Scope == install.Project || len(s.Own()) == 0 {
				continue
			}
			hooks, _ := s.FolderEnv(a.Getenv)
			if there, here := project.StateDir(hooks), project.StateDir(a.Getenv); there != here {
				a.Warn(plain.Line("hooks of "+s.Path+" look for trusted projects in "+there+", and this one is in "+here),
					"if this environment is right: aburn install-hooks --agent "+agent.Name+" --"+string(s.Scope))
			}
		}
	}
}

// makeProject makes the project. In a folder that is too wide for one it asks, or needs --force.
func makeProject(a *kit.App, cmd *cli.Command, dir string) (install.Init, error) {
	done, err := install.InitProject(dir, a.Getenv, install.InitOptions{TrustLog: cmd.Bool("trust-log")})
	wide := (*install.TooWide)(nil)
	if errors.As(err, &wide) && !wide.Moved {
		if !cmd.Bool("force") {
			if cmd.Bool("json") || !a.CanAsk(cmd) {
				return done, fault.Usage(plain.Line(err.Error()), "go to the project's own folder, or pass --force")
			}
			a.Warn(plain.Line(err.Error()))
			if !a.Confirm("make it a project?") {
				fmt.Fprintln(a.Stdout, "nothing was changed")
				return done, fault.Exit(fault.ExitFailed)
			}
		}
		done, err = install.InitProject(dir, a.Getenv, install.InitOptions{Wide: true, TrustLog: cmd.Bool("trust-log")})
	}
	switch {
	case err == nil:
		return done, nil
	case errors.As(err, &wide):
		return done, fault.Failed(plain.Line(err.Error()), "set XDG_STATE_HOME to a folder outside of the project")
	case errors.Is(err, fs.ErrPermission):
		return done, fault.Failed(err.Error(), "you must be able to write to the project's folder, and to your own ~/.local/state/aburn")
	}
	return done, fault.Failed(err.Error())
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

// asideJSON is a log that was there before the project was trusted.
type asideJSON struct {
	Folder  string `json:"folder"` // in the project
	Entries int64  `json:"entries"`
	First   string `json:"first,omitempty"`
	Last    string `json:"last,omitempty"`
}

func asideOf(a journal.Aside) *asideJSON {
	if a.Folder == "" {
		return nil
	}
	j := &asideJSON{Folder: project.OssDir + "/" + a.Folder, Entries: a.Entries}
	if a.Entries > 0 {
		j.First, j.Last = a.First.UTC().Format(time.RFC3339), a.Last.UTC().Format(time.RFC3339)
	}
	return j
}

// settingsOf are settings of a file that somebody else may have written, fit for a terminal.
func settingsOf(all []string) []string {
	lines := []string{}
	for _, s := range all {
		lines = append(lines, plain.Cut(plain.Line(s), shownLine))
	}
	return lines
}

// shownLine bounds a line about what a repository brought along, in characters.
const shownLine = 120

func printInit(a *kit.App, done install.Init) {
	root := plain.Line(done.Root)
	switch {
	case slices.Contains(done.Created, project.OssDir+"/"):
		fmt.Fprintf(a.Stdout, "new project: %s\n", root)
	case done.Marked || len(done.Created) > 0:
		fmt.Fprintf(a.Stdout, "project: %s\n", root)
	case done.Anchored:
		fmt.Fprintf(a.Stdout, "project: %s\nanchored its log as it is now\n", root)
		return
	default:
		fmt.Fprintf(a.Stdout, "nothing to do, it is a project already: %s\n", root)
		return
	}
	if len(done.Created) > 0 {
		fmt.Fprintf(a.Stdout, "made %s\n", strings.Join(done.Created, ", "))
	}
	for _, line := range done.Found() {
		fmt.Fprintln(a.Stdout, plain.Cut(plain.Line(line), shownLine))
	}
	if done.Marked {
		fmt.Fprintln(a.Stdout, "you trust it on this machine now")
	}
	fmt.Fprintln(a.Stdout, "next: aburn install-hooks")
}
