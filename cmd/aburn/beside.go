package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
)

// The commands of other executables, which have their flags and their help.

func instrumentCommand(a *kit.App) *cli.Command {
	return besideCommand(a, "aburn-instrument", &cli.Command{
		Name:      "instrument",
		Usage:     "add OpenTelemetry to JavaScript; prove the rest unchanged",
		ArgsUsage: "command",
		Description: "Starts aburn-instrument, which is a separate executable. Once it is installed,\n" +
			"aburn instrument --help lists its commands.",
		Metadata: kit.Examples("aburn instrument check before.js after.js  # only instrumentation was added?"),
	}, func(context.Context, *cli.Command) {})
}

func pushCommand(a *kit.App) *cli.Command {
	return besideCommand(a, "aburn-push", &cli.Command{
		Name:      "push",
		Usage:     "send this machine's numbers to a team's PostgreSQL",
		ArgsUsage: "[postgres://ROLE@HOST/DATABASE]",
		Description: "Reads what is new in the agents' files, then starts aburn-push, which is a separate\n" +
			"executable. Once it is installed, aburn push --help lists its flags.",
		Metadata: kit.Examples("aburn push postgres://anna@db.example/team --dry-run  # which rows would leave this machine?"),
	}, func(ctx context.Context, cmd *cli.Command) {
		if sendsRows(cmd.Args().Slice()) {
			chosen.CatchUpOrWarn(ctx, a, cmd, lookup.Choice{})
		}
	})
}

// sendsRows reports whether a push with these flags needs the newest sessions.
func sendsRows(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"--no-ingest", "--init", "--forget", "--dashboard", "--help", "-h", "--version", "-v"}, arg)
	})
}

// besideCommand makes c start another executable of aburn, after it prepared.
func besideCommand(a *kit.App, name string, c *cli.Command, prepare func(context.Context, *cli.Command)) *cli.Command {
	c.SkipFlagParsing = true
	c.ShellComplete = func(_ context.Context, cmd *cli.Command) {
		if exe := beside(a, name); exe != "" {
			_ = kit.Replace(exe, append(passedOn(exe, cmd), "--generate-shell-completion"))
		}
	}
	c.Action = func(ctx context.Context, cmd *cli.Command) error {
		if exe := beside(a, name); exe != "" {
			prepare(ctx, cmd)
			return kit.Replace(exe, passedOn(exe, cmd))
		}
		if first := cmd.Args().First(); first == "--help" || first == "-h" {
			cli.HelpPrinter(a.Stdout, "", cmd)
			return nil
		}
		if npm := npmPackage(name); npm != "" {
			return fault.Usage("aburn "+c.Name+" needs the package "+npm+", which is not installed", "npm install -g "+npm+npmVersion())
		}
		return fault.Usage(name+" is neither next to aburn nor on PATH", "reinstall aburn: all of its executables must be in one folder")
	}
	return c
}

// passedOn is the command line of another executable: what stands behind the
// command, and what was said to aburn itself.
func passedOn(exe string, cmd *cli.Command) []string {
	args := []string{exe}
	if dir := cmd.String("C"); dir != "." {
		args = append(args, "-C", dir)
	}
	if cmd.Bool("no-color") {
		args = append(args, "--no-color")
	}
	return append(args, cmd.Args().Slice()...)
}

// beside finds another executable of aburn: in the folder of this one, as it was
// called and with links resolved, then on PATH; "" if there is none. Relative
// folders of PATH do not count: they would be a repository's.
func beside(a *kit.App, name string) string {
	var dirs []string
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
		if resolved, err := filepath.EvalSymlinks(self); err == nil {
			dirs = append(dirs, filepath.Dir(resolved))
		}
	}
	if npm := npmPackage(name); npm != "" {
		dirs = append(dirs, filepath.Join(dirs[len(dirs)-1], "..", "..", filepath.Base(npm), "bin"))
	}
	dirs = append(dirs, filepath.SplitList(a.Getenv("PATH"))...)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	i := slices.IndexFunc(dirs, func(dir string) bool {
		st, err := os.Stat(filepath.Join(dir, name))
		return err == nil && filepath.IsAbs(dir) && st.Mode().IsRegular() && (st.Mode()&0o111 != 0 || runtime.GOOS == "windows")
	})
	if i < 0 {
		return ""
	}
	return filepath.Join(dirs[i], name)
}

// npmPackage is the package of npm with another executable of aburn, "" where this one did not come from npm: @aburn/PLATFORM has the
// executables that everybody needs, @aburn/instrument-PLATFORM another one.
func npmPackage(name string) string {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	of := filepath.Dir(filepath.Dir(self)) // node_modules/@aburn/PLATFORM
	if err != nil || filepath.Base(filepath.Dir(of)) != "@aburn" || filepath.Base(filepath.Dir(filepath.Dir(of))) != "node_modules" {
		return ""
	}
	return "@aburn/" + strings.TrimPrefix(name, "aburn-") + "-" + filepath.Base(of)
}

// npmVersion chooses the release of this executable, "" for a build that is none.
func npmVersion() string {
	if version, ok := strings.CutPrefix(kit.Version().Version, "v"); ok {
		return "@" + version
	}
	return ""
}
