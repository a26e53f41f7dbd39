package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/jsproject"
	"aburn/internal/consent"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
)

// supply installs what the plan's code needs and adds libraries to the set-up of telemetry, where somebody permitted the
// package manager's line. What is left is told.
func supply(ctx context.Context, a *kit.App, cmd *cli.Command, engine jsast.Engine, w instrument.Applying, r *instrument.RunResult) error {
	o, err := r.Outfit(ctx, engine, w.Dir, w.Config)
	if err != nil {
		return err
	}
	for _, p := range o.Problems {
		a.Warn(plain.Line(p))
	}
	if cmd.Bool("dry-run") || cmd.Bool("no-install") {
		for _, in := range o.Install {
			a.Note("would be installed in " + plain.Line(in.Dir) + ": " + plain.Line(strings.Join(in.Command(in.Packages), " ")))
		}
		if cmd.Bool("dry-run") {
			r.SDKInit, err = o.Edit(ctx, true)
		}
		return err
	}
	var dirty *instrument.DirtyError
	touched := &instrument.RunResult{}
	for _, f := range o.OutfitFiles() {
		touched.Files = append(touched.Files, &instrument.FileResult{Path: f, Status: instrument.Success})
	}
	if err := touched.Clean(ctx, w.Dir, os.Environ()); errors.As(err, &dirty) && !cmd.Bool("allow-dirty") {
		a.Warn("libraries are not installed: "+plain.Line(dirty.Error()), "commit first, or say --allow-dirty")
		return nil
	} else if err != nil && dirty == nil {
		return err
	}
	told := len(r.Warnings)
	if err := o.Supply(ctx, r, os.Environ(), func(in *jsproject.Installation) bool { return mayInstall(a, cmd, w, in) }); err != nil {
		return err
	}
	for _, text := range r.Warnings[told:] {
		a.Warn(plain.Line(text))
	}
	for _, f := range r.LibraryFailures {
		if !strings.HasSuffix(f, ": not permitted") {
			a.Warn("not installed: " + plain.Line(f))
		}
	}
	tellLoading(ctx, a, engine, w.Dir, r.SDKInit)
	return nil
}

// mayInstall says whether this user permitted the line, or does now, on a terminal. --yes does not answer.
func mayInstall(a *kit.App, cmd *cli.Command, w instrument.Applying, in *jsproject.Installation) bool {
	p, err := project.Find(w.Dir, a.Getenv)
	line := strings.Join(in.Command(in.Packages), " ")
	given := err == nil && consent.Given(p, in.Consent())
	if given && w.Config.AutoApproveLibraries {
		return true
	}
	if err == nil && !cmd.Bool("json") && a.CanAsk(cmd) {
		fmt.Fprintf(a.Stdout, "%s needs packages of aburn's table: %s\n", plain.Line(filepath.ToSlash(filepath.Join(in.Dir, "package.json"))), plain.Line(line))
		if a.Confirm("may aburn start " + fault.Quote(in.Consent()) + "? It does not know what that runs") {
			if err := consent.Give(p, in.Consent()); errors.Is(err, fs.ErrNotExist) {
				a.Warn("the project is not trusted", "aburn init")
				return false
			}
			return true
		}
	}
	why, hint := "nobody permitted "+fault.Quote(in.Consent()), "run on a terminal, or do it yourself in "+in.Dir+": "+line
	if given {
		why = "autoApproveLibraries is false"
	}
	a.Warn("packages are not installed: "+why, plain.Line(hint))
	return false
}

// tellLoading warns where the command that starts the project does not load the set-up in time.
func tellLoading(ctx context.Context, a *kit.App, engine jsast.Engine, dir string, e *jsproject.SetUpEdit) {
	switch text, hint := loading(ctx, engine, dir, e); {
	case hint != "":
		a.Warn(plain.Line(text), plain.Line(hint))
	case text != "":
		a.Note(plain.Line(text))
	}
}

// loading says where the command that starts the project does not load the set-up in time, and what does. Without a hint
// it is not known whether it does; "" is all well.
func loading(ctx context.Context, engine jsast.Engine, dir string, e *jsproject.SetUpEdit) (text, hint string) {
	if e == nil || len(e.Added) == 0 {
		return "", ""
	}
	at := jsproject.PackageOf(dir, e.File)
	file := strings.TrimPrefix(e.File, strings.TrimPrefix(at+"/", "./"))
	l := jsproject.LoadedBy(ctx, engine, filepath.Join(dir, filepath.FromSlash(at)), file)
	flag := "node --import ./" + file
	if filepath.Ext(file) == ".cjs" {
		flag = "node --require ./" + file
	}
	switch l.How {
	case jsproject.NotLoaded:
		return l.Command + " does not load " + e.File, flag + " …"
	case jsproject.Late:
		return l.Command + " loads " + e.File + " after other packages: those are not patched", flag + " …"
	case jsproject.LoadUnsure:
		return "aburn cannot tell whether the project's start command loads " + e.File, ""
	}
	return "", ""
}

// printSupply tells what was installed and added to the set-up.
func printSupply(out *term.Out, r *instrument.RunResult, withDiff bool) {
	if len(r.LibrariesInstalled) > 0 {
		fmt.Fprintf(out, "installed: %s\n", plain.Line(strings.Join(r.LibrariesInstalled, ", ")))
	}
	e := r.SDKInit
	if e == nil {
		return
	}
	switch {
	case e.Fallback != "":
		fmt.Fprintf(out, "%s: not changed: %s\n  %s has %s; load it as it says\n", plain.Line(e.File), plain.Line(e.Why), plain.Line(e.Fallback),
			plain.Line(strings.Join(append(e.Added, e.Present...), ", ")))
	case len(e.Added) > 0:
		fmt.Fprintf(out, "%s: starts %s\n", plain.Line(e.File), plain.Line(strings.Join(e.Added, ", ")))
	default:
		fmt.Fprintf(out, "%s: starts them already\n", plain.Line(e.File))
	}
	for _, n := range e.Notes {
		fmt.Fprintf(out, "  note: %s\n", plain.Line(n))
	}
	if withDiff && len(e.Added) > 0 && e.Fallback == "" {
		printDiff(out, diff.Diff("a/"+e.File, e.Before, "b/"+e.File, e.After))
	}
}
