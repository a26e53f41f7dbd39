package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument/registry"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

func registryCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:   "registry",
		Usage:  "judge, resolve or compare telemetry registries",
		Action: a.HelpAction,
		Commands: []*cli.Command{
			{
				Name: "check", Usage: "judge a registry", ArgsUsage: "DIR",
				Description: "Reads the registry in DIR and reports everything that Weaver would, with file and line. Nothing is\n" +
					"fetched, and no program is started unless --weaver or the configuration says so.\n\n" +
					"Exit code: 0 if it is valid, 1 if it has an error, 2 if something cannot be judged without Weaver.",
				Flags: append(registryFlags(), &cli.BoolFlag{Name: "weaver", Usage: "ask the weaver on PATH too; it may fetch what the registry names"}, configFlag()),
				Metadata: kit.Examples("aburn instrument registry check telemetry/registry",
					"aburn instrument registry check telemetry/registry --dependency otel=v1.37.0.zip[model]"),
				ArgValidator: oneFolder, Action: a.Action(runRegistryCheck),
			},
			{
				Name: "resolve", Usage: "print a registry with all references replaced", ArgsUsage: "DIR",
				Description: "Prints JSON in the form of Weaver's resolved registry, with --json or without.\n\nExit code: as of registry check.",
				Flags:       registryFlags(), Metadata: kit.Examples("aburn instrument registry resolve telemetry/registry | jq '.groups[].id'"),
				ArgValidator: oneFolder, Action: a.Action(runRegistryResolve),
			},
			{
				Name: "diff", Usage: "list what changed between two registries", ArgsUsage: "DIR",
				Description: "Compares DIR with the registry in --baseline, field by field.\n\n" +
					"Exit code: 0 if there are only additions, 1 if there is another change, 2 if one cannot be read.",
				Flags:        append(registryFlags(), &cli.StringFlag{Name: "baseline", Usage: "the earlier registry's `DIR`", Required: true, TakesFile: true}),
				Metadata:     kit.Examples("aburn instrument registry diff telemetry/registry --baseline /tmp/before"),
				ArgValidator: oneFolder, Action: a.Action(runRegistryDiff),
			},
		},
	}
}

func registryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "dependency", Usage: "where a dependency lies on this disk, as `URL=PATH`; may be given again"},
		kit.JSONFlag(),
	}
}

func oneFolder(_ context.Context, cmd *cli.Command) error {
	switch n := cmd.Args().Len(); {
	case n < 1:
		return fault.Usage(cmd.Name+" takes the folder of a registry", cmd.FullName()+" --help")
	case n > 1:
		return fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(1)), cmd.FullName()+" --help")
	}
	return nil
}

// registryOptions gives the folder and what belongs to it. Dependencies and links
// have to stay in the folder that the command works in, if the registry does.
func registryOptions(cmd *cli.Command, name string) (dir string, o registry.Options, err error) {
	top, err := kit.Folder(cmd)
	if err != nil {
		return "", o, err
	}
	dir, o = workspace.InFolder(top, name), registry.Options{Dependencies: map[string]string{}}
	if inside(top, dir) {
		o.Root = top
	}
	for _, d := range cmd.StringSlice("dependency") {
		url, path, ok := strings.Cut(d, "=")
		if !ok || url == "" || path == "" {
			return "", o, fault.Usage("--dependency is " + fault.Quote(d) + ", and has to be URL=PATH")
		}
		o.Dependencies[url] = workspace.InFolder(top, path)
	}
	return dir, o, nil
}

// registryError gives errors about the whole registry their hint, and exit code 2.
func registryError(err error) error {
	var cannot *registry.LoadError
	if !errors.As(err, &cannot) {
		return err
	}
	if cannot.Hint == "" {
		return fault.Usage(cannot.Error())
	}
	return fault.Usage(cannot.Error(), cannot.Hint)
}

func exitOf(list []registry.Finding) error {
	switch registry.VerdictOf(list) {
	case registry.Invalid:
		return fault.Exit(fault.ExitFailed)
	case registry.Unknown:
		return fault.Exit(fault.ExitUsage)
	}
	return nil
}

func runRegistryCheck(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	dir, o, err := registryOptions(cmd, cmd.Args().First())
	if err != nil {
		return err
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	w, err := weaverOf(ctx, a, cmd, o.Root)
	if err != nil {
		return err
	}
	report, err := registry.Judge(ctx, dir, o, w)
	if report == nil {
		return registryError(err)
	}
	if err != nil { // aburn's verdict stands; Weaver gave none
		a.Warn(plain.Line(err.Error()))
	}
	if cmd.Bool("json") {
		if err := a.PrintJSON(append([]registry.Finding{}, report.Findings...)); err != nil {
			return err
		}
	} else {
		printRegistry(a.Screen(cmd), report, cmd.Args().First())
	}
	return exitOf(report.Findings)
}

// weaverOf is the Weaver that --weaver or the configuration asks for; nil for none.
func weaverOf(ctx context.Context, a *kit.App, cmd *cli.Command, root string) (registry.Weaver, error) {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil, err
	}
	c, _, err := readConfig(dir, cmd.String("config"))
	mode, hint := c.Weaver, "set weaver: auto, which goes on without one"
	switch {
	case err != nil:
		return nil, err
	case cmd.Bool("weaver"):
		mode, hint = "required", "leave --weaver out: aburn judges alone"
	case cmd.String("config") == "":
		mode = "never"
	}
	w, why, err := registry.Wanted(ctx, mode, c.WeaverMinVersion, root)
	if err != nil {
		return nil, fault.Usage(plain.Line(err.Error()), hint)
	}
	if why != "" {
		a.Warn(plain.Line(why), "aburn judges alone")
	}
	return w, nil
}

func printRegistry(out *term.Out, r *registry.Report, name string) {
	styles := map[registry.Severity]term.Style{registry.Error: term.BoldRed, registry.Warning: term.Yellow, registry.NotJudged: term.Cyan}
	counts := map[registry.Severity]int{}
	for _, f := range r.Findings {
		counts[f.Severity]++
		fmt.Fprintf(out, "%s:%d:%d: %s %s\n", plain.Line(f.File), f.Line, f.Column, out.Paint(styles[f.Severity], string(f.Severity)), plain.Line(f.Rule))
		fmt.Fprintf(out, "  %s\n", plain.Line(f.Message))
		fmt.Fprintf(out, "  %s %s\n", out.Paint(term.Dim, "why: "), plain.Line(f.Why))
		fmt.Fprintf(out, "  %s %s\n", out.Paint(term.Dim, "like:"), plain.Line(f.Example))
	}
	fmt.Fprintf(out, "%s: %s: %s, %s, %d not judged; judged by %s\n", plain.Line(name), registry.VerdictOf(r.Findings), countOf(counts[registry.Error], "error"),
		countOf(counts[registry.Warning], "warning"), counts[registry.NotJudged], plain.Line(strings.Join(r.Judges, " and ")))
}

// resolved reads and resolves a registry. bad are the findings that make it less than
// whole.
func resolved(dir string, o registry.Options) (done *registry.Resolved, findings []registry.Finding, err error) {
	r, err := registry.Load(dir, o)
	if err != nil {
		return nil, nil, registryError(err)
	}
	if findings, err = r.Check(); err != nil {
		return nil, nil, registryError(err)
	}
	done, _, err = r.Resolve()
	return done, findings, registryError(err)
}

func runRegistryResolve(_ context.Context, a *kit.App, cmd *cli.Command) error {
	dir, o, err := registryOptions(cmd, cmd.Args().First())
	if err != nil {
		return err
	}
	done, findings, err := resolved(dir, o)
	if err != nil {
		return err
	}
	if err := a.PrintJSON(done); err != nil {
		return err
	}
	warnUnsure(a, findings, cmd.Args().First())
	return exitOf(findings)
}

func warnUnsure(a *kit.App, findings []registry.Finding, name string) {
	if v := registry.VerdictOf(findings); v != registry.Valid {
		a.Warn("the registry in "+plain.Line(name)+" is "+string(v), "aburn instrument registry check "+plain.Line(name))
	}
}

func runRegistryDiff(_ context.Context, a *kit.App, cmd *cli.Command) error {
	var sides [2]*registry.Resolved
	for i, name := range []string{cmd.String("baseline"), cmd.Args().First()} {
		dir, o, err := registryOptions(cmd, name)
		if err != nil {
			return err
		}
		done, findings, err := resolved(dir, o)
		if err != nil {
			return err
		}
		warnUnsure(a, findings, name)
		sides[i] = done
	}
	changes := registry.Diff(sides[0], sides[1])
	if cmd.Bool("json") {
		if err := a.PrintJSON(changes); err != nil {
			return err
		}
	} else {
		printChanges(a.Screen(cmd), changes)
	}
	if len(registry.NotAdded(changes)) > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return nil
}

func printChanges(out io.Writer, changes []registry.Change) {
	for _, c := range changes {
		line := fmt.Sprintf("%s:%d: %s %s %s", c.File, c.Line, c.Kind, c.Item, c.Name)
		if c.Field != "" {
			line += " " + c.Field
		}
		if c.Old != "" || c.New != "" {
			line += fmt.Sprintf(": %s -> %s", fault.Quote(c.Old), fault.Quote(c.New))
		}
		fmt.Fprintln(out, plain.Line(line))
	}
	fmt.Fprintf(out, "%s, %d of them no addition\n", countOf(len(changes), "change"), len(registry.NotAdded(changes)))
}

func inside(top, dir string) bool {
	a, errA := filepath.Abs(top)
	b, errB := filepath.Abs(dir)
	rel, err := filepath.Rel(a, b)
	return errA == nil && errB == nil && err == nil && filepath.IsLocal(rel)
}
