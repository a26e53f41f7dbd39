package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/report"
	"aburn/instrument/rules"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

// checkBranch judges the files that a branch changed. only are the rules that were asked
// for, nil for all.
func checkBranch(ctx context.Context, a *kit.App, cmd *cli.Command, dir string, only []string) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	c, _, err := projectConfig(dir, cmd.String("config"))
	if err != nil {
		return err
	}
	var paths []string
	for _, p := range cmd.Args().Slice() {
		paths = append(paths, filepath.ToSlash(p))
	}
	engine := jsast.Start(ctx)
	defer engine.Close()
	b, err := instrument.CheckBranch(ctx, engine, dir, cmd.String("base"), cmd.String("head"), paths, c, os.Environ())
	if err != nil {
		return branchFault(err)
	}
	if len(only) > 0 {
		for i := range b.Files {
			b.Files[i].Findings = slices.DeleteFunc(b.Files[i].Findings, func(f rules.Finding) bool { return !slices.Contains(only, f.Rule) })
		}
	}
	if file := cmd.String("sarif"); file != "" {
		if err := writeSARIF(workspace.InFolder(dir, file), b); err != nil {
			return fault.Failed("the findings could not be written: " + plain.Line(err.Error()))
		}
	}
	if cmd.Bool("json") {
		if err := a.PrintJSON(b); err != nil {
			return err
		}
	} else {
		printBranch(a.Screen(cmd), b, cmd.String("base"))
	}
	switch {
	case rules.Blocks(b.Findings()):
		return fault.Exit(fault.ExitFailed)
	case len(b.Unjudged) > 0:
		return fault.Exit(fault.ExitUsage)
	}
	return nil
}

func branchFault(err error) error {
	var ref *instrument.RefError
	var judge *instrument.JudgeError
	var msg, hint string
	switch {
	case errors.As(err, &ref):
		msg, hint = ref.Msg, ref.Hint
	case errors.As(err, &judge):
		msg, hint = judge.Error(), judge.Hint
	default:
		return err
	}
	if hint == "" {
		return fault.Usage(plain.Line(msg))
	}
	return fault.Usage(plain.Line(msg), plain.Line(hint))
}

// writeSARIF names files from the repository's top folder, as forges do.
func writeSARIF(file string, b *instrument.Branch) error {
	var files []report.Checked
	for _, f := range b.Files {
		files = append(files, report.Checked{Path: path.Join(b.Prefix, f.Path), Text: f.Text, Findings: f.Findings})
	}
	var left []report.Unchecked
	for _, u := range b.Unjudged {
		left = append(left, report.Unchecked{Path: path.Join(b.Prefix, u.Path), Reason: u.Reason})
	}
	text, err := report.SARIF(files, left, kit.Version().String())
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

func printBranch(out *term.Out, b *instrument.Branch, base string) {
	list := b.Findings()
	blocking, clean := 0, 0
	for _, f := range b.Files {
		if len(f.Findings) == 0 {
			clean++
		}
	}
	for _, f := range list {
		if f.Severity == rules.Blocking {
			blocking++
		}
		printFinding(out, f)
	}
	for _, name := range b.New {
		fmt.Fprintf(out, "%s: not judged: it is new, so there is no original\n", plain.Line(name))
	}
	if b.SetUp != "" {
		fmt.Fprintf(out, "%s: not judged: it sets up telemetry\n", plain.Line(b.SetUp))
	}
	for _, u := range b.Unjudged {
		fmt.Fprintf(out, "%s: %s: %s\n", plain.Line(u.Path), out.Paint(term.BoldRed, "could not be judged"), plain.Line(u.Reason))
	}
	said := []string{countOf(len(b.Files), "file") + " judged", fmt.Sprintf("%d without findings", clean)}
	if len(list) > 0 {
		said = append(said, fmt.Sprintf("%s, %d blocking", countOf(len(list), "finding"), blocking))
	}
	if len(b.Unjudged) > 0 {
		said = append(said, countOf(len(b.Unjudged), "file")+" could not be judged")
	}
	fmt.Fprintf(out, "since %s (%.8s): %s\n", plain.Line(base), b.Base, strings.Join(said, "; "))
}
