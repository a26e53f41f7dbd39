package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/trace/graph"
	"aburn/workflow"
)

// The scripts ask `aburn … --generate-shell-completion` for lines of
// word:description. They are our own because cli's bash script needs the
// bash-completion package and evaluates what stands on the command line.
var (
	//go:embed completion/aburn.bash
	bashCompletion string
	//go:embed completion/aburn.zsh
	zshCompletion string
	//go:embed completion/aburn.fish
	fishCompletion string
)

// completionCommand makes cli's hidden completion command a visible one of ours.
func (a *app) completionCommand(c *cli.Command) {
	c.Hidden, c.HideHelpCommand = false, true
	c.Usage = "print the completion script of a shell"
	c.Description = "The script completes commands, flags, workflow commands and events."
	bash, zsh, fish := "source <(aburn completion bash)  # in ~/.bashrc",
		"source <(aburn completion zsh)  # in ~/.zshrc, after compinit",
		"aburn completion fish > ~/.config/fish/completions/aburn.fish"
	c.Metadata = examples(bash, zsh, fish)
	c.Action = a.noCommand
	c.Commands = []*cli.Command{
		a.shellCommand("bash", bashCompletion, bash),
		a.shellCommand("zsh", zshCompletion, zsh),
		a.shellCommand("fish", fishCompletion, fish),
	}
	a.common(c)
}

func (a *app) shellCommand(shell, script, example string) *cli.Command {
	return &cli.Command{
		Name:         shell,
		Usage:        "print the script for " + shell,
		ArgValidator: noArguments,
		Metadata:     examples(example),
		Action: func(context.Context, *cli.Command) error {
			_, err := io.WriteString(a.out, script)
			return err
		},
	}
}

// completer completes flags, what flags take, and the positional arguments,
// of which words gives the candidates for the n-th. The shell's script keeps
// those that begin like the word under the cursor.
func (a *app) completer(words func(n int) []string, own ...flagCandidates) cli.ShellCompleteFunc {
	return a.modelCompleter(func(_ *workflow.Model, n int) []string { return words(n) }, own...)
}

// flagCandidates are the values of flags that only one command has, by the flag's name.
type flagCandidates map[string]func() []string

// modelCompleter is completer for words that depend on the project's workflow.
func (a *app) modelCompleter(words func(m *workflow.Model, n int) []string, own ...flagCandidates) cli.ShellCompleteFunc {
	return func(ctx context.Context, cmd *cli.Command) {
		args := cmd.Args().Slice()
		list := words
		if n := len(args); n > 0 && strings.HasPrefix(args[n-1], "-") {
			flag := strings.TrimLeft(args[n-1], "-")
			list = func(m *workflow.Model, _ int) []string { return flagValues(m, flag) }
			switch {
			case flag == "session":
				list = func(*workflow.Model, int) []string { return a.sessionsAt(cmd) }
			case flag == "project" && takesText(cmd, flag):
				list = func(*workflow.Model, int) []string { return projectNames(ctx, a.env) }
			}
			for _, values := range own {
				if words := values[flag]; words != nil {
					list = func(*workflow.Model, int) []string { return words() }
				}
			}
			completeFlags(cmd, args[n-1])
		}
		for _, w := range list(a.modelAt(cmd), len(args)) {
			fmt.Fprintln(cmd.Root().Writer, w)
		}
		if len(args) == 0 {
			cli.DefaultCompleteWithFlags(ctx, cmd) // subcommands
		}
	}
}

// takesText says that the flag of this command has a value: some commands have a flag of the same name that has none.
func takesText(cmd *cli.Command, flag string) bool {
	return slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool {
		text, ok := f.(*cli.StringFlag)
		return ok && text.Name == flag
	})
}

// modelAt is the workflow of the project that a command line is about, the default one outside of any.
func (a *app) modelAt(cmd *cli.Command) *workflow.Model {
	var p *project.Project
	if dir, err := folder(cmd); err == nil {
		p, _ = project.Find(dir, a.env)
	}
	set := settings.Load(p, a.env)
	return set.Model()
}

// sessionsAt are the sessions that the end of the project's log tells of, the newest first.
func (a *app) sessionsAt(cmd *cli.Command) (list []string) {
	oss := a.ossAt(cmd)
	if oss == nil {
		return nil
	}
	defer oss.Close()
	seen := map[string]bool{"": true}
	for line, err := range journal.New(oss, journal.Options{By: journal.Command}).Backward(journal.BackwardOptions{Limit: journal.TailSize}) {
		if err != nil {
			break
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if id := string(h.Session); ok && !seen[id] && !strings.ContainsAny(id, ":\n") {
			seen[id] = true
			list = append(list, plain.Line(id)+":last "+plain.Line(string(h.Event))+" at "+plain.Line(string(h.Time)))
		}
	}
	return list
}

// ossAt is the .oss folder that a command line is about, nil for none: whoever completes is told of no error.
func (a *app) ossAt(cmd *cli.Command) *os.Root {
	dir, err := folder(cmd)
	if err != nil {
		return nil
	}
	p, err := project.Find(dir, a.env)
	if err != nil {
		return nil
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil
	}
	return oss
}

// completeFlags prints the flags, of cmd and of the commands above it, that
// begin as typed; one that is complete is not on offer again.
func completeFlags(cmd *cli.Command, typed string) {
	for _, c := range cmd.Lineage() {
		for _, f := range c.Flags {
			if local, ok := f.(cli.LocalFlag); ok && local.IsLocal() && c != cmd {
				continue
			}
			usage := ""
			if doc, ok := f.(cli.DocGenerationFlag); ok {
				usage = strings.ReplaceAll(doc.GetUsage(), "`", "")
			}
			for _, name := range f.Names() {
				if name = dashed(name); strings.HasPrefix(name, typed) && name != typed {
					fmt.Fprintf(cmd.Root().Writer, "%s:%s\n", name, usage)
				}
			}
		}
	}
}

func nothing(int) []string { return nil }

// logWords are the arguments of `aburn log`.
func logWords(m *workflow.Model, n int) []string {
	switch n {
	case 0:
		return commandsOf(m)
	case 1:
		return eventNames(logfmt.Event.Lifecycle)
	}
	return nil
}

// flagValues are the words that a flag takes, where they are known.
func flagValues(m *workflow.Model, flag string) []string {
	switch flag {
	case "phase":
		return phasesOf(m)
	case "event":
		return eventNames(func(logfmt.Event) bool { return true })
	case "priority":
		return priorities()
	case "next", "cmd", "expect":
		return commandsOf(m)
	case "explain":
		return limits.Types()
	case "sweep":
		return limits.Names()
	case "source":
		return sources()
	case "outcome":
		return outcomes()
	case "relationship":
		return relations()
	case "top":
		return asWords(graph.Measures()...)
	case "type":
		return toolTypes()
	case "format":
		return exportFormats()
	}
	return nil
}

func commandsOf(m *workflow.Model) (names []string) {
	for _, c := range m.Commands {
		names = append(names, c.Name)
	}
	return names
}

func phasesOf(m *workflow.Model) (names []string) {
	for _, p := range m.Phases {
		names = append(names, p.Name)
	}
	return names
}

func eventNames(keep func(logfmt.Event) bool) (names []string) {
	for _, ev := range logfmt.Events() {
		if keep(ev) {
			names = append(names, string(ev))
		}
	}
	return names
}
