package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

func checkCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "judge an instrumented file, or all files of a branch",
		ArgsUsage: "ORIG NEW | --base REF [PATH...]",
		Description: "Takes the instrumentation out of NEW and compares the rest with ORIG, comments included. Then it judges\n" +
			"what was added: names, error handling, spans that end, attributes. No model is called, and no code of\n" +
			"the files is run.\n\n" +
			"With --base it judges each JavaScript and TypeScript file that changed since the branch left REF. New\n" +
			"files have no original, so they are only named. Files of the working tree that git knows count, unless\n" +
			"--head names a commit. The folder's own " + instrument.ConfigFile + " counts.\n\n" +
			"Exit code: 0 if nothing blocks, 1 if a finding does, 2 if a file cannot be judged.",
		Flags: []cli.Flag{
			configFlag(),
			&cli.StringFlag{Name: "base", Usage: "judge what changed since the branch left `REF`"},
			&cli.StringFlag{Name: "head", Usage: "with --base: the changes of `REF`, not of the working tree"},
			&cli.StringFlag{Name: "sarif", Usage: "with --base: also write the findings to `FILE`, as SARIF 2.1.0", TakesFile: true},
			&cli.StringSliceFlag{Name: "rule", Usage: "only the rule `ID`; may be given again"},
			kit.JSONFlag(),
		},
		ArgValidator:  filesOrBranch,
		ShellComplete: a.Completer(kit.NoWords, kit.FlagCandidates{"rule": ruleIDs}),
		Metadata: kit.Examples(
			"git show HEAD:src/order.js > /tmp/order.js && aburn instrument check /tmp/order.js src/order.js",
			"aburn instrument check before.js after.js --rule NDS-003  # only: did anything else change?",
			"aburn instrument check --base main  # each file that this branch changed",
			"aburn instrument check --base origin/main --head HEAD --sarif check.sarif",
			"aburn instrument check before.js after.js --json | jq '.[] | select(.severity == \"blocking\")'",
		),
		Action: a.Action(runCheck),
	}
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "the project's `FILE`, " + instrument.ConfigFile, TakesFile: true}
}

func filesOrBranch(_ context.Context, cmd *cli.Command) error {
	if cmd.IsSet("base") {
		return nil
	}
	for _, flag := range []string{"head", "sarif"} {
		if cmd.IsSet(flag) {
			return fault.Usage("--"+flag+" needs --base", "aburn instrument check --base main")
		}
	}
	switch n := cmd.Args().Len(); {
	case n < 2:
		return fault.Usage("check takes two files: the original and the instrumented one", "aburn instrument check before.js after.js",
			"aburn instrument check --base main  # the files of a branch")
	case n > 2:
		return fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(2)), cmd.FullName()+" --help")
	}
	return nil
}

func ruleIDs() []string {
	var ids []string
	for _, r := range rules.Table() {
		ids = append(ids, r.ID)
	}
	return ids
}

func runCheck(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	only := cmd.StringSlice("rule")
	for _, id := range only {
		if !slices.Contains(ruleIDs(), id) {
			return fault.Usage("unknown rule "+fault.Quote(id), fault.DidYouMean(id, ruleIDs())...)
		}
	}
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	if cmd.IsSet("base") {
		return checkBranch(ctx, a, cmd, dir, only)
	}
	config, configDir, err := readConfig(dir, cmd.String("config"))
	if err != nil {
		return err
	}
	list, err := check(ctx, dir, cmd.Args().Get(0), cmd.Args().Get(1), config, configDir)
	if err != nil {
		return err
	}
	if len(only) > 0 {
		list = slices.DeleteFunc(list, func(f rules.Finding) bool { return !slices.Contains(only, f.Rule) })
	}
	if cmd.Bool("json") {
		if list == nil {
			list = []rules.Finding{}
		}
		err = a.PrintJSON(list)
	} else {
		printFindings(a.Screen(cmd), list, cmd.Args().Get(1), only)
	}
	if err == nil && rules.Blocks(list) {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

// readConfig gives the defaults where no file is named.
func readConfig(dir, name string) (c instrument.Config, of string, err error) {
	if name == "" {
		return instrument.Defaults(), "", nil
	}
	path := workspace.InFolder(dir, name)
	c, err = instrument.ReadConfig(path)
	var mistake *instrument.ConfigError
	switch {
	case errors.As(err, &mistake):
		return c, "", fault.Usage(mistake.Error(), fault.DidYouMean(mistake.Word, mistake.Words)...)
	case errors.Is(err, fs.ErrNotExist):
		return c, "", fault.Usage(path+": there is no such file", "leave --config out: "+instrument.ConfigFile+" is not needed here")
	case err != nil:
		return c, "", fault.Usage(err.Error())
	}
	return c, filepath.Dir(path), nil
}

// check judges two files. They stand in findings as they were named.
func check(ctx context.Context, dir, orig, later string, c instrument.Config, configDir string) ([]rules.Finding, error) {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	engine := jsast.Start(ctx)
	defer engine.Close()
	list, err := instrument.Check(ctx, engine, workspace.InFolder(dir, orig), workspace.InFolder(dir, later), c, configDir)
	var cannot *instrument.JudgeError
	if errors.As(err, &cannot) {
		var hints []string
		if cannot.Hint != "" {
			hints = append(hints, cannot.Hint)
		}
		return nil, fault.Usage(cannot.Error(), hints...)
	}
	for i := range list {
		list[i].File = later
	}
	return list, err
}

// printFindings prints each finding with its reason; lines are not cut. only are the
// rules that were asked for, nil for all.
func printFindings(out *term.Out, list []rules.Finding, file string, only []string) {
	blocking := 0
	for _, f := range list {
		if f.Severity == rules.Blocking {
			blocking++
		}
		printFinding(out, f)
	}
	switch {
	case len(list) == 0 && len(only) > 0:
		fmt.Fprintf(out, "%s: no findings of %s\n", plain.Line(file), strings.Join(only, ", "))
	case len(list) == 0:
		fmt.Fprintf(out, "%s: no findings: without instrumentation it is the original\n", plain.Line(file))
	default:
		fmt.Fprintf(out, "%s: %s, %d blocking\n", plain.Line(file), countOf(len(list), "finding"), blocking)
	}
}

func printFinding(out *term.Out, f rules.Finding) {
	style := term.Yellow
	if f.Severity == rules.Blocking {
		style = term.BoldRed
	}
	in := ""
	if f.Function != "" {
		in = " in " + plain.Line(f.Function)
	}
	fmt.Fprintf(out, "%s:%d:%d: %s %s%s\n", plain.Line(f.File), f.Line, f.Column, out.Paint(style, string(f.Severity)), f.Rule, in)
	fmt.Fprintf(out, "  %s\n", plain.Line(f.Message))
	fmt.Fprintf(out, "  %s %s\n", out.Paint(term.Dim, "why: "), f.Why)
	fmt.Fprintf(out, "  %s %s\n", out.Paint(term.Dim, "like:"), f.Example)
}

func countOf(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
