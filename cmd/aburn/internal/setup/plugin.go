package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/shell"
	"aburn/templates"
)

func PluginCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:     "plugin",
		Usage:    "write aburn as a plugin of Claude Code or Codex",
		Metadata: kit.Examples("aburn plugin write ~/aburn-plugin"),
		Action:   a.HelpAction,
		Commands: []*cli.Command{pluginWrite(a)},
	}
}

func pluginWrite(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "write",
		Usage:     "write the plugin into a folder",
		ArgsUsage: "DIR",
		Description: "The Claude Code plugin brings the hooks and the commands, the Codex plugin the skills.\n" +
			"Both fit into one folder, which is also the marketplace to install them from. A file that\n" +
			"you changed stays as it is (exit 1 says so).",
		Flags: []cli.Flag{
			agentFlag("all", prompted()),
			&cli.BoolFlag{Name: "no-hooks", Usage: "leave out the hooks: the settings have them already"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"f"}, Usage: "replace changed files too"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would be written"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn plugin write ~/aburn-plugin", "claude --plugin-dir ~/aburn-plugin", "aburn plugin write ./codex --agent codex"),
		Action:   a.Action(runWritePlugin),
	}
}

func runWritePlugin(_ context.Context, a *kit.App, cmd *cli.Command) error {
	dir := cmd.Args().First()
	if dir == "" || cmd.Args().Len() > 1 {
		return fault.Usage("name one folder for the plugin", "aburn plugin write ~/aburn-plugin")
	}
	if !filepath.IsAbs(dir) {
		here, err := kit.Folder(cmd)
		if err != nil {
			return err
		}
		dir = filepath.Join(here, dir)
	}
	p := templates.Plugin{Agents: Records(agentsNamed(cmd.String("agent"), prompted())), Version: pluginVersion(kit.Version().Version),
		NoHooks: cmd.Bool("no-hooks")}
	o := templates.Options{Ledger: templates.PluginLedger, Force: cmd.Bool("force"), DryRun: cmd.Bool("dry-run")}
	done, err := templates.Write(dir, p.Files(), o)
	if err != nil {
		return writeError(err)
	}
	if err := printWritten(a, cmd, dir, done); err != nil || cmd.Bool("json") || cmd.Bool("dry-run") {
		return err
	}
	for _, agent := range p.Agents {
		if agent.Plugin.Form != agentcli.NoPlugin {
			fmt.Fprintln(a.Stdout, "next: "+strings.ReplaceAll(agent.Plugin.Use, "DIR", shell.Quote(dir)))
		}
	}
	return nil
}

// pluginVersion is a version that manifests accept: the release's, or 0.1.0 for other builds.
func pluginVersion(v string) string {
	if install.Released(v) {
		return strings.TrimPrefix(v, "v")
	}
	return "0.1.0"
}
