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
		Usage:     "judge a file that was instrumented, beside the file that it was",
		ArgsUsage: "ORIG NEW",
		Description: "Takes the instrumentation out of NEW and compares the rest with ORIG, comments included. Then it judges\n" +
			"what was added: names, error handling, spans that end, attributes. No model is called, nothing is\n" +
			"written, and no code of the files is run.\n\n" +
			"Exit code: 0 if nothing blocks, 1 if a finding does, 2 if the files cannot be judged.",
		Flags: []cli.Flag{
			configFlag(),
			&cli.StringSliceFlag{Name: "rule", Usage: "only the rule `ID`; may be given again"},
			kit.JSONFlag(),
		},
		ArgValidator:  twoFiles,
		ShellComplete: a.Completer(kit.NoWords, kit.FlagCandidates{"rule": ruleIDs}),
		Metadata: kit.Examples(
			"git show HEAD:src/order.js > /tmp/order.js && aburn instrument check /tmp/order.js src/order.js",
			"aburn instrument check before.js after.js --rule NDS-003  # only: did anything else change?",
			"aburn instrument check before.js after.js --json | jq '.[] | select(.severity == \"blocking\")'",
		),
		Action: a.Action(runCheck),
	}
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "the project's `FILE`, " + instrument.ConfigFile, TakesFile: true}
}

func twoFiles(_ context.Context, cmd *cli.Command) error {
	switch n := cmd.Args().Len(); {
	case n < 2:
		return fault.Usage("check takes two files: the original and the instrumented one", "aburn instrument check before.js after.js")
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
		style := term.Yellow
		if f.Severity == rules.Blocking {
			style, blocking = term.BoldRed, blocking+1
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
	switch {
	case len(list) == 0 && len(only) > 0:
		fmt.Fprintf(out, "%s: no findings of %s\n", plain.Line(file), strings.Join(only, ", "))
	case len(list) == 0:
		fmt.Fprintf(out, "%s: no findings: without instrumentation it is the original\n", plain.Line(file))
	default:
		fmt.Fprintf(out, "%s: %s, %d blocking\n", plain.Line(file), countOf(len(list), "finding"), blocking)
	}
}

func countOf(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}
