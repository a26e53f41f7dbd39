package guarding

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/guard"
	"aburn/guard/backtest"
	"aburn/guard/facts"
	"aburn/guard/ruleset"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

// mostOfAll is the share of calls above which a rule counts as one about everything.
const mostOfAll = 0.5

// fewCalls are too few to say that a rule hits most.
const fewCalls = 20

// EnableReport is `aburn guard enable --json`.
type EnableReport struct {
	Enabled []string         `json:"enabled"`
	Test    *backtest.Report `json:"test"`
}

func enableCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "enable",
		Usage:     "make rules count, after a look at what they would have hit",
		ArgsUsage: "RULE|PACK",
		Description: "Shows the back-test of the last 30 days and asks. The numbers are saved, and `aburn guard report` shows them next to" +
			" what came. A rule that is about\n" +
			"every call, or that would have hit more than half of them, needs --yes.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "yes", Usage: "don't ask"},
			&cli.StringFlag{Name: "since", Usage: "test on sessions that ended since `WHEN`", Value: "30d"},
			chosen.IngestFlag(), kit.JSONFlag(),
		},
		ArgValidator:  oneArgument("RULE", "aburn guard ls"),
		ShellComplete: completer(a),
		Metadata:      kit.Examples("aburn guard enable git/hard-reset", "aburn guard enable git --yes"),
		Action:        a.Action(runEnable),
	}
}

func runEnable(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "enable rules"); err != nil {
		return err
	}
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	rules, err := named(s, cmd.Args().First())
	if err != nil {
		return err
	}
	rep, err := test(ctx, a, cmd, rules, lookup.Choice{Since: cmd.String("since")})
	if err != nil {
		return err
	}
	out := a.Screen(cmd)
	if !cmd.Bool("json") {
		if err := printTest(out, rep, false); err != nil {
			return err
		}
	}
	for i := range rules {
		if why := tooMuch(&rules[i], rep); why != "" && !cmd.Bool("yes") {
			return fault.Failed(rules[i].FullName()+" "+why, "pass --yes to enable it all the same")
		}
	}
	if !cmd.Bool("yes") {
		if cmd.Bool("json") || !a.CanAsk(cmd) {
			return fault.Failed("nothing is enabled: there is nobody to ask", "pass --yes to skip the question")
		}
		if !a.Confirm("Enable " + plain.Plural(int64(len(rules)), "rule") + "?") {
			return fault.Failed("nothing is enabled")
		}
	}
	tests := map[string]*ruleset.Test{}
	for _, r := range rep.Rules {
		tests[r.Rule] = &ruleset.Test{
			Since: rep.Since, Calls: rep.Calls, Sessions: rep.Sessions, Hits: r.Hits, HitIn: r.Sessions, Opaque: r.Opaque, PerDay: r.PerDay,
		}
	}
	if err := s.Enable(rules, tests, time.Now()); err != nil {
		return fault.Failed("enable: " + err.Error())
	}
	done := EnableReport{Enabled: []string{}, Test: rep}
	for _, r := range rules {
		done.Enabled = append(done.Enabled, r.FullName())
	}
	if cmd.Bool("json") {
		return a.PrintJSON(done)
	}
	fmt.Fprintf(out, "\n%s enabled. They count from the next call on.\n", plain.Plural(int64(len(rules)), "rule"))
	return nil
}

// tooMuch says why a rule is about too much; "" if it is not.
func tooMuch(r *guard.Rule, rep *backtest.Report) string {
	if r.Everything() {
		return "is about every call"
	}
	for _, one := range rep.Rules {
		if one.Rule == r.FullName() && rep.Calls >= fewCalls && float64(one.Hits) > mostOfAll*float64(rep.Calls) {
			return fmt.Sprintf("would have hit %d of %d calls", one.Hits, rep.Calls)
		}
	}
	return ""
}

func disableCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:          "disable",
		Usage:         "make rules stop counting",
		ArgsUsage:     "RULE|PACK",
		Flags:         []cli.Flag{kit.JSONFlag()},
		ArgValidator:  oneArgument("RULE", "aburn guard ls"),
		ShellComplete: completer(a),
		Metadata:      kit.Examples("aburn guard disable git/no-verify"),
		Action:        a.Action(runDisable),
	}
}

// DisableReport is `aburn guard disable --json`.
type DisableReport struct {
	Disabled []string `json:"disabled"`
}

func runDisable(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "disable rules"); err != nil {
		return err
	}
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	names, err := s.Disable(cmd.Args().First())
	if err != nil {
		return fault.Failed("disable: " + err.Error())
	}
	if len(names) == 0 {
		if _, err := named(s, cmd.Args().First()); err != nil {
			return err
		}
	}
	rep := DisableReport{Disabled: append([]string{}, names...)}
	if cmd.Bool("json") {
		return a.PrintJSON(rep)
	}
	if len(rep.Disabled) == 0 {
		a.Note("it was not enabled")
		return nil
	}
	_, err = fmt.Fprintf(a.Screen(cmd), "%s disabled.\n", plain.Plural(int64(len(rep.Disabled)), "rule"))
	return err
}

// judge tries all rules on a call at this moment.
func judge(ctx context.Context, a *kit.App, s *ruleset.Set, call *guard.Call, dir string) *WhyNotReport {
	home := a.Getenv("HOME")
	place := backtest.PlaceOf(dir, a.Getenv, home, temp(a.Getenv))
	v := guard.Judge(s.Rules, call, place, &facts.Now{Ctx: ctx, Environ: os.Environ(), Env: a.Getenv, Home: home})
	return reportOf(s, v)
}

func reportOf(s *ruleset.Set, v *guard.Verdict) *WhyNotReport {
	rep := &WhyNotReport{Programs: []string{}, Opaque: []string{}, Hits: []ResultRow{}, Open: []ResultRow{}, Misses: []string{}, Action: "allow"}
	rep.Programs = append(rep.Programs, v.Programs()...)
	rep.Opaque = append(rep.Opaque, v.Opaque...)
	known := map[string]bool{}
	strictest := guard.Action("")
	for _, h := range v.Hits {
		known[h.Rule.FullName()] = true
		on := s.Counts(h.Rule)
		rep.Hits = append(rep.Hits, ResultRow{Rule: h.Rule.FullName(), Do: h.Rule.Do, On: on, Part: h.Part, Why: h.Rule.Why})
		if on && h.Rule.Do.Stricter(strictest) {
			strictest = h.Rule.Do
		}
	}
	for _, o := range v.Open {
		known[o.Rule.FullName()] = true
		rep.Open = append(rep.Open, ResultRow{Rule: o.Rule.FullName(), Do: o.Rule.Do, On: s.Counts(o.Rule), Why: o.Open})
	}
	for i := range s.Rules {
		if name := s.Rules[i].FullName(); !known[name] {
			rep.Misses = append(rep.Misses, name)
		}
	}
	if strictest != "" {
		rep.Action = string(strictest)
	}
	return rep
}
