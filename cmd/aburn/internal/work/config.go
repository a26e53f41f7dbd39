package work

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/workspace"
	"aburn/worker/config"
	"aburn/worker/daemon"
	"aburn/worker/projects"
)

func ConfigCommand(a *kit.App) *cli.Command {
	check := configCheckCommand(a)
	return a.ByDefault(&cli.Command{
		Name:  "config",
		Usage: "show and check settings for workers",
		Description: "Your own file is workers.yaml in the folder of aburn's settings. A project's is aburn.yaml at its root or next to it, or\n" +
			"agent-orchestrator.yaml if there is none. Without a command, `aburn config` checks them.",
		Metadata: kit.Examples("aburn config", "aburn config --json"),
		Commands: []*cli.Command{check, configConfirmCommand(a), configSchemaCommand(a)},
	}, check)
}

func configSchemaCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "schema",
		Usage:        "print the JSON Schema of aburn.yaml and workers.yaml, for editors",
		Description:  "An editor with a YAML language server completes and checks a file whose first line is\n\n# yaml-language-server: $schema=FILE",
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn config schema > ~/.config/aburn/schema.json"),
		Action: a.Action(func(context.Context, *kit.App, *cli.Command) error {
			_, err := a.Stdout.Write(config.Schema())
			return err
		}),
	}
}

func configCheckCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "show the settings in force, their source, and what was left out",
		Description: "A repository's file may set names, bases, ports and copied files. What it would run counts only after you confirm\n" +
			"exactly that text. Addresses and permissions beyond the defaults count only from your own file.\n\n" +
			"Exit codes: 0 OK, 2 a file has a mistake.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "read only `FILE`, in aburn's form or as agent-orchestrator.yaml, as if it were the project's", TakesFile: true},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn config check", "aburn config check --from ../agent-orchestrator.yaml"),
		Action:   a.Action(runConfigCheck),
	}
}

func configConfirmCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:        "confirm",
		Usage:       "let the project's file run what `aburn config check` showed",
		ArgsUsage:   "HASH",
		Description: "HASH names exactly the text that was shown. If the text changes, aburn asks again.",
		ArgValidator: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 || len(cmd.Args().First()) < 8 {
				return fault.Usage("name the hash, or its first 8 digits", "aburn config check")
			}
			return nil
		},
		Metadata: kit.Examples("aburn config confirm 3f2c1aa0"),
		Action:   a.Action(runConfigConfirm),
	}
}

func runConfigCheck(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return fault.Usage("config check takes no names", "--from FILE")
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	only := cmd.String("from")
	if only != "" {
		only = workspace.InFolder(o.Dir, only)
	}
	c, err := o.Config(only)
	if err != nil {
		return err
	}
	var rules *projects.RulesFile
	if only == "" {
		if rules, err = o.CheckRules(ctx, c); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(ConfigReport{c, rules, daemon.WrongNotifiers(c, a.Getenv)})
	}
	if err := configText(a, cmd, o, c); err != nil || rules == nil {
		return err
	}
	return rulesText(a, cmd, rules)
}

// ConfigReport is what `aburn config check --json` prints.
type ConfigReport struct {
	*config.Config
	Rules *projects.RulesFile `json:"rules_file,omitempty"`
	Wrong []string            `json:"wrong,omitempty"` // what cannot be used as it is
}

func rulesText(a *kit.App, cmd *cli.Command, r *projects.RulesFile) error {
	out := a.Screen(cmd)
	if r.Counts {
		_, err := fmt.Fprintln(out, plain.Line(r.Path)+" is given to agents.")
		return err
	}
	fmt.Fprintln(out, plain.Line(r.Path)+" needs your permission. Agents would get:")
	for line := range strings.Lines(r.Text) {
		fmt.Fprintln(out, "  "+plain.Line(strings.TrimSuffix(line, "\n")))
	}
	a.Hint("aburn config confirm " + r.SHA256[:8])
	return nil
}

func configText(a *kit.App, cmd *cli.Command, o *projects.Project, c *config.Config) error {
	out := a.Screen(cmd)
	if len(c.Files) == 0 {
		_, err := fmt.Fprintln(out, "no file says anything: "+config.UserFile(project.ConfigDir(a.Getenv))+", "+filepath.Join(o.Root, "aburn.yaml"))
		return err
	}
	width := 0
	for _, s := range c.Settings {
		width = max(width, len(s.Key))
	}
	for _, s := range c.Settings {
		value, _ := json.Marshal(s.Shown())
		if text, ok := s.Shown().(string); ok {
			value = []byte(text)
		}
		line := fmt.Sprintf("%-*s  %s  (%s:%d", width, s.Key, plain.Cut(plain.Line(string(value)), 80), o.Relative(s.File), s.Line)
		if s.Said != "" {
			line += ", " + s.Said
		}
		fmt.Fprintln(out, plain.Line(line+")"))
	}
	if len(c.LeftOut) > 0 {
		fmt.Fprintln(out, "Left out:")
	}
	for _, l := range c.LeftOut {
		fmt.Fprintln(out, plain.Line(fmt.Sprintf("  %s (%s:%d): %s", l.Key, o.Relative(l.File), l.Line, l.Why)))
	}
	for _, text := range daemon.WrongNotifiers(c, a.Getenv) {
		a.Warn(plain.Line(text))
	}
	if c.Confirm == "" {
		return nil
	}
	fmt.Fprintln(out, "This needs your permission before it runs, or before an agent gets it:")
	for _, text := range c.Texts {
		fmt.Fprintln(out, "  "+plain.Line(text))
	}
	a.Hint("aburn config confirm " + c.Confirm[:8])
	return nil
}

func runConfigConfirm(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "confirm what a repository would run"); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	c, err := o.Config("")
	if err != nil {
		return err
	}
	want := strings.ToLower(cmd.Args().First())
	rules, err := o.CheckRules(ctx, c)
	if err != nil {
		return err
	}
	if rules != nil && !rules.Counts && strings.HasPrefix(rules.SHA256, want) {
		if err := o.KeepHash(o.AcceptedRules(), rules.SHA256); err != nil {
			return err
		}
		fmt.Fprintln(a.Stdout, plain.Line("counts now: the text of "+rules.Path+" says"))
		return nil
	}
	switch {
	case c.Confirm == "":
		return fault.Failed("nothing waits for your permission", "aburn config check")
	case !strings.HasPrefix(c.Confirm, want):
		return fault.Failed("the text has changed", "aburn config check")
	}
	if err := o.KeepHash(o.Accepted(), c.Confirm); err != nil {
		return err
	}
	for _, text := range c.Texts {
		fmt.Fprintln(a.Stdout, plain.Line("counts now: "+text))
	}
	return nil
}
