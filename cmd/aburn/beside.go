package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
)

// instrumentCommand starts aburn-instrument, which has the commands and their help.
func instrumentCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "instrument",
		Usage:     "OpenTelemetry for JavaScript, and proof that nothing else changed",
		ArgsUsage: "command",
		Description: "Starts aburn-instrument, an executable of its own that make install puts beside aburn. It has the\n" +
			"commands: aburn instrument --help lists them where it is installed.",
		SkipFlagParsing: true,
		Metadata:        kit.Examples("aburn instrument check before.js after.js  # only instrumentation was added?"),
		ShellComplete: func(_ context.Context, cmd *cli.Command) {
			if exe := beside(a, "aburn-instrument"); exe != "" {
				_ = replaceProcess(exe, append(passedOn(exe, cmd), "--generate-shell-completion"))
			}
		},
		Action: a.Action(runInstrument),
	}
}

func runInstrument(_ context.Context, a *kit.App, cmd *cli.Command) error {
	exe := beside(a, "aburn-instrument")
	if exe != "" {
		return replaceProcess(exe, passedOn(exe, cmd))
	}
	if first := cmd.Args().First(); first == "--help" || first == "-h" {
		cli.HelpPrinter(a.Stdout, "", cmd)
		return nil
	}
	return kit.UsageError("aburn-instrument is neither beside aburn nor on PATH", "make install builds all executables of aburn into one folder")
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
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	var dirs []string
	if self, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Dir(self))
		if resolved, err := filepath.EvalSymlinks(self); err == nil {
			dirs = append(dirs, filepath.Dir(resolved))
		}
	}
	dirs = append(dirs, filepath.SplitList(a.Getenv("PATH"))...)
	i := slices.IndexFunc(dirs, func(dir string) bool {
		st, err := os.Stat(filepath.Join(dir, name))
		return err == nil && filepath.IsAbs(dir) && st.Mode().IsRegular() && (st.Mode()&0o111 != 0 || runtime.GOOS == "windows")
	})
	if i < 0 {
		return ""
	}
	return filepath.Join(dirs[i], name)
}

// notStarted says why an executable that is there did not start.
func notStarted(exe string, err error) error {
	return kit.BadNews(exe+" does not start: "+err.Error(), "make install builds it anew")
}
