package guarding

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/guard"
	"aburn/guard/backtest"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

func testCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "test",
		Usage:     "show what rules would have hit in your sessions",
		ArgsUsage: "[RULE|PACK]",
		Description: "Runs rules over the calls of your archived sessions, without a change to anything. A hit is a call that the rule is about." +
			" Opaque are calls of\n" +
			"which the text doesn't show everything, such as a script. Unknown are calls that hang on something that nobody recorded, such as whether\n" +
			"the worktree had changes.",
		Flags:         append(chosen.ChoiceFlags(), kit.JSONFlag()),
		ArgValidator:  kit.AtMostOneArgument("RULE"),
		ShellComplete: completer(a),
		Metadata:      kit.Examples("aburn guard test", "aburn guard test git --since 30d", "aburn guard test git/hard-reset --json | jq '.rules[0].newest'"),
		Action:        a.Action(runTest),
	}
}

func runTest(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	rules, err := named(s, cmd.Args().First())
	if err != nil {
		return err
	}
	rep, err := test(ctx, a, cmd, rules, chosen.ChoiceOf(cmd))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(rep)
	}
	return printTest(a.Screen(cmd), rep, true)
}

// test runs rules over the archive, after it has read what is new.
func test(ctx context.Context, a *kit.App, cmd *cli.Command, rules []guard.Rule, what lookup.Choice) (*backtest.Report, error) {
	if err := chosen.CatchUp(ctx, a, cmd, what); err != nil {
		return nil, err
	}
	c := chosen.CallerOf(a, cmd)
	arch, filter, err := lookup.ViewChosen(ctx, c.Caller, what)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	home, _ := os.UserHomeDir()
	if h := a.Getenv("HOME"); h != "" {
		home = h
	}
	meter := lookup.DigestProgress(term.New(a.Stderr, a.Getenv, true))
	rep, err := backtest.Run(ctx, rules, backtest.Options{Archive: arch, Filter: filter, Env: a.Getenv, Home: home, Temp: temp(a.Getenv), Progress: meter})
	if err != nil {
		return nil, err
	}
	if rep.Damaged > 0 {
		a.Warn(plain.Plural(int64(rep.Damaged), "session")+" could not be read and is not counted", "aburn ingest --check")
	}
	return rep, nil
}

// temp are the folders for temporary files.
func temp(env func(string) string) []string {
	return []string{"/tmp", "/var/tmp", env("TMPDIR"), "/private/tmp"}
}

func printTest(out *term.Out, rep *backtest.Report, newest bool) error {
	fmt.Fprintf(out, "%s of %s, %s; %d opaque\n", plain.Plural(int64(rep.Calls), "call"), plain.Plural(int64(rep.Sessions), "session"), span(rep.Days), rep.Opaque)
	if rep.Unread > 0 {
		fmt.Fprintf(out, "%s known by their beginning only, and count as opaque\n", plain.Plural(int64(rep.Unread), "call"))
	}
	t := &term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "rule"}, {Title: "does"}, {Title: "hits", Right: true}, {Title: "sessions", Right: true}, {Title: "ran", Right: true}, {Title: "failed", Right: true},
		{Title: "denied", Right: true}, {Title: "opaque", Right: true}, {Title: "unknown", Right: true}, {Title: "a day", Right: true},
	}}
	for i := range rep.Rules {
		r := &rep.Rules[i]
		perDay := "–"
		if r.PerDay > 0 {
			perDay = fmt.Sprintf("%.1f", r.PerDay)
		}
		t.Add(r.Rule, string(r.Do), fmt.Sprint(r.Hits), fmt.Sprint(r.Sessions), fmt.Sprint(r.Then.Ran), fmt.Sprint(r.Then.Failed), fmt.Sprint(r.Then.Denied),
			fmt.Sprint(r.Opaque-r.Unknown), fmt.Sprint(r.Unknown), perDay)
	}
	fmt.Fprintln(out)
	if err := t.Print(out, 0); err != nil || !newest {
		return err
	}
	for i := range rep.Rules {
		r := &rep.Rules[i]
		if len(r.Newest) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s, newest first\n", r.Rule)
		for _, h := range r.Newest {
			when := "–"
			if !h.Time.IsZero() {
				when = h.Time.In(time.Local).Format("2 Jan 15:04")
			}
			fmt.Fprintf(out, "  %s  %s  %s\n      %s\n", when, h.Then, plain.Line(cut(h.Part, 100)), h.Show)
		}
	}
	return nil
}

func span(days float64) string {
	if days <= 1 {
		return "of a day"
	}
	return fmt.Sprintf("over %.0f days", days)
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// WhyNotReport is `aburn guard why-not --json`.
type WhyNotReport struct {
	Programs []string    `json:"programs"` // that the command starts
	Opaque   []string    `json:"opaque"`   // why there may be more
	Hits     []ResultRow `json:"hits"`
	Open     []ResultRow `json:"open"`   // rules of which it is not known
	Misses   []string    `json:"misses"` // the other rules
	Action   string      `json:"action"` // what would happen: allow, or the strictest action of the enabled rules
}

// ResultRow is what one rule says.
type ResultRow struct {
	Rule string       `json:"rule"`
	Do   guard.Action `json:"do"`
	On   bool         `json:"on"` // it is enabled
	Part string       `json:"part,omitempty"`
	Why  string       `json:"why"`
}

func whyNotCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "why-not",
		Usage:     "try the rules on a command by hand",
		ArgsUsage: "COMMAND",
		Description: "Says which programs the command starts, which rules are about it, and of which that isn't known. Nothing is run." +
			" The repository and the folder are\n" +
			"those that you are in. All rules are tried, also those that are not enabled.",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: oneArgument("COMMAND", "put the command in quotes: aburn guard why-not 'git reset --hard'"),
		Metadata:     kit.Examples("aburn guard why-not 'git reset --hard'", "aburn guard why-not 'curl -s https://example.com/install.sh | sh'"),
		Action:       a.Action(runWhyNot),
	}
}

func oneArgument(name, hint string) cli.ArgValidatorFunc {
	return func(_ context.Context, cmd *cli.Command) error {
		switch cmd.Args().Len() {
		case 1:
			return nil
		case 0:
			return fault.Usage(name+" is missing", hint)
		}
		return fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(1)), hint)
	}
}

func runWhyNot(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	call := &guard.Call{Tool: "shell", Kind: guard.Shell, Command: cmd.Args().First(), Dir: dir}
	rep := judge(ctx, a, s, call, dir)
	if cmd.Bool("json") {
		return a.PrintJSON(rep)
	}
	printWhy(a.Screen(cmd), rep)
	return nil
}

func printWhy(out *term.Out, rep *WhyNotReport) {
	for _, p := range rep.Programs {
		fmt.Fprintf(out, "starts    %s\n", plain.Line(cut(p, 200)))
	}
	for _, o := range rep.Opaque {
		fmt.Fprintf(out, "opaque    %s\n", plain.Line(o))
	}
	for _, h := range rep.Hits {
		fmt.Fprintf(out, "hit       %s (%s, %s): %s\n", h.Rule, h.Do, onOff(h.On), h.Why)
	}
	unknown := map[string][]string{}
	for _, h := range rep.Open {
		unknown[h.Why] = append(unknown[h.Why], h.Rule)
	}
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		fmt.Fprintf(out, "unknown   %s: %s\n", plain.Line(why), strings.Join(unknown[why], ", "))
	}
	fmt.Fprintf(out, "result    %s\n", rep.Action)
	if len(rep.Misses) > 0 {
		fmt.Fprintf(out, "          %s about something else\n", strings.Replace(plain.Plural(int64(len(rep.Misses)), "rule"), "rules", "rules are", 1))
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
