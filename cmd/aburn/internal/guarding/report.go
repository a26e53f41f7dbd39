package guarding

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/guard"
	"aburn/guard/backtest"
	"aburn/guard/facts"
	"aburn/guard/live"
	"aburn/guard/ruleset"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

// Report is `aburn guard report --json`.
type Report struct {
	Rules  []ReportRow    `json:"rules"`
	Failed map[string]int `json:"failed"` // calls that went on because guard failed, by the reason
}

// ReportRow is what a rule did in this project.
type ReportRow struct {
	Rule    string           `json:"rule"`
	Do      guard.Action     `json:"do"`
	Hits    int              `json:"hits"`
	Ran     int              `json:"ran"` // after all: a person allowed the call, or the rule only notes it
	Refused int              `json:"refused"`
	Last    time.Time        `json:"last,omitzero"`
	Parts   []string         `json:"calls"` // what ran, the most frequent first
	Enabled *ruleset.Enabled `json:"enabled,omitempty"`
	parts   map[string]int
}

func reportCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "report",
		Usage:        "show what enabled rules did in this project",
		Description:  "Counts the calls in the log that a rule was about, what became of them, and the numbers of the back-test with which you enabled the rule.",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn guard report", "aburn guard report --json | jq .failed"),
		Action:       a.Action(runReport),
	}
}

// annoying is how many questions, all answered with yes, make a rule one that only annoys.
const annoying = 10

func runReport(_ context.Context, a *kit.App, cmd *cli.Command) error {
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	w, err := workspace.Open(scope.CallerOf(a, cmd))
	if err != nil {
		return err
	}
	defer w.Close()
	rep, err := tally(w.Log)
	if err != nil {
		return err
	}
	for i := range rep.Rules {
		for k := range s.Rules {
			if s.Rules[k].FullName() == rep.Rules[i].Rule {
				rep.Rules[i].Enabled = s.Of(&s.Rules[k])
			}
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(rep)
	}
	return printReport(a, cmd, rep)
}

// tally reads the log: what rules were about, and how these calls ended.
func tally(log *journal.Journal) (*Report, error) {
	rep := &Report{Rules: []ReportRow{}, Failed: map[string]int{}}
	ends := map[string]logfmt.Event{}
	row := func(rule string, do guard.Action) *ReportRow {
		i := slices.IndexFunc(rep.Rules, func(r ReportRow) bool { return r.Rule == rule && r.Do == do })
		if i < 0 {
			rep.Rules = append(rep.Rules, ReportRow{Rule: rule, Do: do, Parts: []string{}, parts: map[string]int{}})
			i = len(rep.Rules) - 1
		}
		return &rep.Rules[i]
	}
	for line, err := range log.Backward(journal.BackwardOptions{}) { // ends come before their starts
		if err != nil {
			return nil, err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok {
			continue
		}
		id := string(h.Session) + " " + gjson.GetBytes(line.JSON, "data.tool_use_id").Str
		switch event := logfmt.Event(h.Event); event {
		case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
			ends[id] = event
		case logfmt.ToolStart:
			g := gjson.GetBytes(line.JSON, "data.guard")
			if reason := g.Get("failed").Str; reason != "" {
				rep.Failed[reason]++
			}
			if g.Get("rule").Str == "" {
				continue
			}
			r := row(g.Get("rule").Str, guard.Action(g.Get("do").Str))
			r.Hits++
			at, _ := time.Parse(time.RFC3339, string(h.Time))
			if at.After(r.Last) {
				r.Last = at
			}
			switch ends[id] {
			case logfmt.Tool, logfmt.ToolFailed:
				r.Ran++
				r.parts[gjson.GetBytes(line.JSON, "data.head").Str]++
			case logfmt.ToolDenied:
				r.Refused++
			}
		}
	}
	for i := range rep.Rules {
		r := &rep.Rules[i]
		for p := range r.parts {
			r.Parts = append(r.Parts, p)
		}
		slices.SortFunc(r.Parts, func(x, y string) int { return r.parts[y] - r.parts[x] })
		r.Parts = r.Parts[:min(len(r.Parts), 3)]
	}
	slices.SortStableFunc(rep.Rules, func(x, y ReportRow) int { return y.Hits - x.Hits })
	return rep, nil
}

func printReport(a *kit.App, cmd *cli.Command, rep *Report) error {
	out := a.Screen(cmd)
	t := &term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "rule"}, {Title: "does"}, {Title: "hits", Right: true}, {Title: "ran", Right: true}, {Title: "refused", Right: true},
		{Title: "tested", Flex: true, Min: 10},
	}}
	for _, r := range rep.Rules {
		tested := "–"
		if r.Enabled != nil && r.Enabled.Test != nil {
			tested = fmt.Sprintf("%d of %d calls, %.1f a day", r.Enabled.Test.Hits, r.Enabled.Test.Calls, r.Enabled.Test.PerDay)
		}
		t.Add(r.Rule, string(r.Do), fmt.Sprint(r.Hits), fmt.Sprint(r.Ran), fmt.Sprint(r.Refused), tested)
	}
	if len(rep.Rules) > 0 {
		if err := t.Print(out, 0); err != nil {
			return err
		}
	} else {
		a.Note("no enabled rule was about a call of this project")
	}
	for _, r := range rep.Rules {
		if r.Do == guard.Ask && r.Hits >= annoying && r.Ran == r.Hits {
			text := fmt.Sprintf("%s asked %d times, and the call always ran: think of an exception", r.Rule, r.Hits)
			if len(r.Parts) > 0 {
				text += " for " + fault.Quote(cut(plain.Line(r.Parts[0]), 60))
			}
			a.Note(text)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(rep.Failed)) {
		a.Warn(fmt.Sprintf("%s went on because guard failed: %s", plain.Plural(int64(rep.Failed[reason]), "call"), plain.Line(reason)), "aburn guard ls")
	}
	return nil
}

func explainCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "explain",
		Usage:        "say why rules are or aren't about a call in the log",
		ArgsUsage:    "ENTRY",
		Description:  "ENTRY is the number of a TOOL_START entry, as `aburn tail --json` shows it. The log has only the beginning of a call.",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: oneArgument("ENTRY", "aburn tail --json"),
		Metadata:     kit.Examples("aburn guard explain 214"),
		Action:       a.Action(runExplain),
	}
}

func runExplain(_ context.Context, a *kit.App, cmd *cli.Command) error {
	seq, ok := live.Seq(cmd.Args().First())
	if !ok {
		return fault.Usage(fault.Quote(cmd.Args().First())+" is not the number of an entry", "aburn tail --json")
	}
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	w, err := workspace.Open(scope.CallerOf(a, cmd))
	if err != nil {
		return err
	}
	defer w.Close()
	for line, err := range w.Log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || h.Seq != seq {
			continue
		}
		call, ok := live.Explain(line.JSON, w.Root)
		if !ok {
			return fault.Failed(fmt.Sprintf("entry %d is no call", seq))
		}
		place := backtest.PlaceOf(w.Root, a.Getenv, a.Getenv("HOME"), temp(a.Getenv))
		rep := reportOf(s, guard.Judge(s.Rules, call, place, &facts.Then{}))
		if cmd.Bool("json") {
			return a.PrintJSON(rep)
		}
		out := a.Screen(cmd)
		if g := gjson.GetBytes(line.JSON, "data.guard"); g.Exists() {
			fmt.Fprintf(out, "recorded  %s\n", plain.Line(g.Raw))
		}
		printWhy(out, rep)
		return nil
	}
	return fault.Failed(fmt.Sprintf("the log has no entry %d", seq), "aburn tail --json")
}
