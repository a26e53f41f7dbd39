package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/jsast"
	"aburn/instrument/scan"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

func scanCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "scan",
		Usage:     "list the functions, and say which deserve a span",
		ArgsUsage: "PATH...",
		Description: "Looks at each function of the files: a candidate for a span, covered by a library, or forbidden, with the\n" +
			"reason. It also lists the libraries that make spans by themselves. No model is called, nothing is written,\n" +
			"and no code of the files is run. Files that git ignores, node_modules and tests are left out.\n\n" +
			"Exit code: 0, or 2 if no file could be scanned.",
		Flags: []cli.Flag{
			projectConfigFlag(),
			&cli.BoolFlag{Name: "all", Usage: "list functions without a verdict too"},
			&cli.BoolFlag{Name: "discover", Usage: "ask npm whether it has libraries for packages that aburn does not know; sends their names"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples(
			"aburn instrument scan src",
			"aburn instrument scan src --json | jq '.files[].functions[] | select(.verdict == \"candidate\")'",
		),
		Action: a.Action(runScan),
	}
}

func projectConfigFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "the project's `FILE`; " + instrument.ConfigFile + " where it is there", TakesFile: true}
}

// contractOf reads the registry of a configuration; nil where it names none.
func contractOf(a *kit.App, dir string, c instrument.Config) (*instrument.Contract, error) {
	contract, err := instrument.ReadContract(dir, c)
	var outside *instrument.PathError
	var bad *instrument.RegistryError
	switch {
	case errors.As(err, &outside):
		return nil, fault.Usage(plain.Line(outside.Error()), outside.Hint)
	case errors.As(err, &bad):
		return nil, fault.Usage(plain.Line(bad.Error()), "aburn instrument registry check "+plain.Line(c.SchemaPath))
	case err != nil:
		return nil, err
	}
	if contract != nil && len(contract.Unsure) > 0 {
		f := contract.Unsure[0]
		a.Warn(plain.Line(fmt.Sprintf("the registry is not judged whole: %s:%d: %s", f.File, f.Line, f.Message)),
			"aburn instrument registry check "+plain.Line(c.SchemaPath))
	}
	return contract, nil
}

// selected are the files that the arguments name. None is an error.
func selected(ctx context.Context, a *kit.App, dir string, paths []string, c instrument.Config) (*instrument.Selection, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for i, p := range paths {
		if !filepath.IsAbs(p) {
			paths[i] = filepath.Join(dir, p)
		}
	}
	s, err := instrument.Select(ctx, dir, paths, c, os.Environ())
	var bad *instrument.PathError
	switch {
	case errors.As(err, &bad) && bad.Hint == "":
		return nil, fault.Usage(plain.Line(bad.Error()))
	case errors.As(err, &bad):
		return nil, fault.Usage(plain.Line(bad.Error()), bad.Hint)
	case err != nil:
		return nil, err
	}
	if len(s.Files) > 0 {
		return s, nil
	}
	for _, f := range s.Skipped {
		return nil, fault.Usage(plain.Line(f.Path+": "+f.Reason), instrument.Kinds)
	}
	hint := "include and exclude of " + instrument.ConfigFile + " say which files count"
	if s.TypeScript > 0 {
		return nil, fault.Usage(fmt.Sprintf("no JavaScript file matches; %s of TypeScript do", countOf(s.TypeScript, "file")),
			".tsx cannot be instrumented; include of "+instrument.ConfigFile+" says whether .ts counts")
	}
	if len(s.LeftOut) > 0 {
		l := s.LeftOut[0]
		return nil, fault.Usage(fmt.Sprintf("no file matches: %s left out %s", plain.Line(l.Pattern), countOf(l.Files, "file")), "name the file or its folder itself")
	}
	return nil, fault.Usage("no file matches", hint)
}

func runScan(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	c, _, err := projectConfig(dir, cmd.String("config"))
	if err != nil {
		return err
	}
	contract, err := contractOf(a, dir, c)
	if err != nil {
		return err
	}
	files, err := selected(ctx, a, dir, cmd.Args().Slice(), c)
	if err != nil {
		return err
	}
	engine := jsast.Start(ctx)
	defer engine.Close()
	var spans *scan.Contract
	if contract != nil {
		spans = contract.Spans
	}
	found, err := instrument.Scan(ctx, engine, dir, files, spans)
	if err != nil {
		return err
	}
	if contract != nil {
		found.Registry = c.SchemaPath
	}
	var more []discovered
	if cmd.Bool("discover") {
		more = discover(ctx, a, dir, found)
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(struct {
			*instrument.Inventory
			Discovered []discovered `json:"discovered,omitempty"`
		}{found, more})
	} else {
		printInventory(a.Screen(cmd), found, cmd.Bool("all"))
		printDiscovered(a.Screen(cmd), more)
	}
	if err == nil && len(found.Files) == 0 {
		return fault.Exit(fault.ExitUsage)
	}
	return err
}

func printInventory(out *term.Out, found *instrument.Inventory, all bool) {
	styles := map[scan.Verdict]term.Style{scan.Candidate: term.Green, scan.Covered: term.Cyan, scan.Forbidden: term.Yellow, scan.Skip: term.Dim}
	libraries := map[string]scan.Library{}
	for _, f := range found.Files {
		shown := slices.DeleteFunc(slices.Clone(f.Functions), func(fn scan.Function) bool { return fn.Verdict == scan.Skip && !all })
		if len(shown) > 0 {
			fmt.Fprintf(out, "%s: %s\n", plain.Line(f.Path), countOf(len(f.Functions), "function"))
		}
		for _, fn := range shown {
			tier := ""
			if fn.Tier > 0 {
				tier = fmt.Sprintf(", tier %d", fn.Tier)
			}
			fmt.Fprintf(out, "  %4d %-4s %s %s%s: %s\n", fn.Line, fn.ID, plain.Line(fn.Name), out.Paint(styles[fn.Verdict], string(fn.Verdict)), tier,
				plain.Line(fn.Reason))
		}
		if f.Note != "" && len(shown) > 0 {
			fmt.Fprintf(out, "  note: %s\n", f.Note)
		}
		for _, l := range f.Libraries {
			libraries[l.Package] = l
		}
	}
	for _, s := range found.Skipped {
		fmt.Fprintf(out, "%s: skipped: %s\n", plain.Line(s.Path), plain.Line(s.Reason))
	}
	printLibraries(out, libraries)
	printTotals(out, found)
}

func printLibraries(out *term.Out, libraries map[string]scan.Library) {
	if len(libraries) > 0 {
		fmt.Fprintln(out, "libraries that make spans by themselves:")
	}
	for _, name := range slices.Sorted(maps.Keys(libraries)) {
		l := libraries[name]
		fmt.Fprintf(out, "  %s for %s: SDK 2: %s, SDK 3: %s\n", name, strings.Join(l.Covers, ", "), cmp.Or(l.Ranges["2"], "none"), cmp.Or(l.Ranges["3"], "none"))
	}
}

func printTotals(out *term.Out, found *instrument.Inventory) {
	fmt.Fprintf(out, "%s, %s: %d candidates, %d covered by libraries, %d forbidden", countOf(len(found.Files), "file"), countOf(found.Functions, "function"),
		found.Candidates, found.Covered, found.Forbidden)
	if len(found.Skipped) > 0 {
		fmt.Fprintf(out, "; %s skipped", countOf(len(found.Skipped), "file"))
	}
	if found.TypeScript > 0 {
		fmt.Fprintf(out, "; %s of TypeScript left out", countOf(found.TypeScript, "file"))
		if found.Node != "" {
			fmt.Fprintf(out, " (%s)", plain.Line(found.Node))
		}
	}
	fmt.Fprintln(out)
	for _, l := range found.LeftOut {
		fmt.Fprintf(out, "left out: %s of %s\n", countOf(l.Files, "file"), plain.Line(l.Pattern))
	}
	if found.Registry == "" {
		fmt.Fprintln(out, "no registry: none of the spans that a project wants is known; schemaPath in "+instrument.ConfigFile+" names one")
	}
}
