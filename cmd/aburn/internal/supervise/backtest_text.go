package supervise

import (
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/supervisor/backtest"
	"aburn/supervisor/limits"
)

func backtestText(out *term.Out, rep *backtest.Report, alerts bool) error {
	if rep.Entries == 0 {
		_, err := fmt.Fprintln(out, "no entry in "+plain.Plural(int64(len(rep.Results)), "log"))
		return err
	}
	fmt.Fprintf(out, "%s in %s of %s, watched for %s\n", plain.Plural(rep.Entries, "entry", "entries"),
		plain.Plural(int64(rep.Sessions), "session"), plain.Plural(int64(len(rep.Results)), "log"), plain.Duration(rep.Time))
	tallies := rep.Tallies()
	if len(tallies) == 0 {
		fmt.Fprintln(out, "the supervisor would have told nothing")
		return nil
	}
	fmt.Fprintln(out)
	table := term.Table{Columns: []term.Column{
		{Title: "type"}, {Title: "alerts", Right: true}, {Title: "an hour", Right: true}, {Title: "queued", Right: true}, {Title: "told after", Right: true}, {Title: "at most", Right: true},
	}}
	row := func(name string, t *backtest.Tally) {
		median, slowest := delayTexts(t)
		table.Add(name, plain.Count(int64(t.All.Alerts)), anHour(t.All.Alerts, rep.Time), plain.Count(int64(t.Above.Alerts)), median, slowest)
	}
	for _, t := range tallies {
		row(string(t.Type), t)
	}
	if len(tallies) > 1 {
		row("all", rep.Total())
	}
	if err := table.Print(out, 2); err != nil {
		return err
	}
	if err := backtestLabels(out, rep, tallies); err != nil || !alerts {
		return err
	}
	return backtestAlerts(out, rep)
}

func backtestLabels(out *term.Out, rep *backtest.Report, tallies []*backtest.Tally) error {
	if rep.Labelled == 0 {
		return nil
	}
	fmt.Fprintf(out, "\n%s\n", out.Paint(term.Bold, "against the labels"))
	table := term.Table{Columns: []term.Column{
		{Title: "type"}, countColumns[0], countColumns[1], countColumns[2], countColumns[3], countColumns[4],
	}}
	row := func(name string, c backtest.Counts) {
		table.Add(append([]string{name}, countCells(c)...)...)
	}
	for _, t := range tallies {
		row(string(t.Type), t.All)
	}
	total := rep.Total()
	row("all", total.All)
	row("queued", total.Above)
	if err := table.Print(out, 2); err != nil {
		return err
	}
	if rep.Healthy > 0 {
		fmt.Fprintf(out, "of %s %d had a false alarm: %s\n", plain.Plural(int64(rep.Healthy), "healthy log"), rep.Flagged, shareText(backtest.Share{Hits: rep.Flagged, Of: rep.Healthy}))
	}
	return nil
}

func backtestAlerts(out *term.Out, rep *backtest.Report) error {
	for _, res := range rep.Results {
		if len(res.Alerts) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s\n", out.Paint(term.Bold, plain.Line(res.Log)))
		table := term.Table{Columns: []term.Column{
			{Title: "when"}, {Title: "entry", Right: true}, {Title: "type"}, {Title: "session", Flex: true, Min: 8}, {Title: "sure", Right: true}, {Title: "label"}, {Title: "what", Flex: true, Min: 16},
		}}
		for _, a := range res.Alerts {
			entry := ""
			if a.Entry.Seq > 0 {
				entry = "#" + strconv.FormatUint(uint64(a.Entry.Seq), 10)
			}
			session := string(a.Session)
			switch {
			case session == "" && a.Type == limits.ChainBroken:
				session = "the chain"
			case session == "":
				session = "-"
			}
			table.Add(a.At.Local().Format("2006-01-02 15:04:05"), entry, string(a.Type), session, percent(a.Max), string(a.Verdict), a.Says)
		}
		if err := table.Print(out, 2); err != nil {
			return err
		}
	}
	return nil
}

// countColumns are the columns of countCells: each rate beside its counts.
var countColumns = [5]term.Column{{Title: "true", Right: true}, {Title: "false", Right: true}, {Title: "missed", Right: true}, {Title: "precision"}, {Title: "recall"}}

func countCells(c backtest.Counts) []string {
	return []string{strconv.Itoa(c.True), strconv.Itoa(c.False), strconv.Itoa(c.Labels - c.Found), rateText(c.Precision()), rateText(c.Recall())}
}

// anHour is a rate per hour, with as many figures as it is worth.
func anHour(n int, in time.Duration) string {
	rate := float64(n) / in.Hours()
	switch {
	case in <= 0:
		return ""
	case rate >= 10 || n == 0:
		return strconv.FormatFloat(rate, 'f', 0, 64)
	}
	return strconv.FormatFloat(rate, 'g', 2, 64)
}

func delayTexts(t *backtest.Tally) (median, slowest string) {
	if d, ok := t.Median(); ok {
		median = delayText(d)
	}
	if d, ok := t.Slowest(); ok {
		slowest = delayText(d)
	}
	return median, slowest
}

func delayText(d time.Duration) string {
	if d < time.Second {
		return "at once"
	}
	return plain.Duration(d.Round(time.Second))
}

// rateText is a rate with its interval. Its denominator has to stand beside it.
func rateText(s backtest.Share) string {
	if s.Of == 0 {
		return "of none"
	}
	low, high := s.Interval()
	return fmt.Sprintf("%.2f (%.2f-%.2f)", s.Rate(), low, high)
}

// shareText is a rate with its interval and its denominator.
func shareText(s backtest.Share) string {
	if s.Of == 0 {
		return "of none"
	}
	return fmt.Sprintf("%s of %d", rateText(s), s.Of)
}

// swept is the report under one value of a limit.
type swept struct {
	value string
	now   bool // the value of today's settings
	rep   *backtest.Report
}

// backtestSweep replays the logs with the current value of a limit and with each value to try.
func backtestSweep(a *kit.App, cmd *cli.Command, run *backtestRun) error {
	current := run.limits.Get(run.sweep.Name)
	var all []swept
	for i, value := range append([]string{current}, run.sweep.Values...) {
		if i > 0 && value == current {
			continue
		}
		l, err := run.sweep.With(run.limits, value)
		if err != nil {
			return kit.BadNews("backtest: " + err.Error())
		}
		rep, err := run.replay(l)
		if err != nil {
			run.meter.clear()
			return kit.BadNews("backtest: " + err.Error())
		}
		all = append(all, swept{value, i == 0, rep})
	}
	run.meter.clear()
	backtestWarnings(a, all[0].rep)
	if cmd.Bool("json") {
		return a.PrintJSON(sweepReport(run.sweep, all))
	}
	return sweepText(a.Screen(cmd), run.sweep, all)
}

func sweepText(out *term.Out, s *backtest.Sweep, all []swept) error {
	rep := all[0].rep
	fmt.Fprintf(out, "%s in %s of %s, watched for %s; what %s would have told\n\n", plain.Plural(rep.Entries, "entry", "entries"),
		plain.Plural(int64(rep.Sessions), "session"), plain.Plural(int64(len(rep.Results)), "log"), plain.Duration(rep.Time), s.Type)
	table := term.Table{Columns: []term.Column{{Title: s.Name}, {Title: "alerts", Right: true}, {Title: "an hour", Right: true}, {Title: "queued", Right: true}, {Title: "told after", Right: true}}}
	if rep.Labelled > 0 {
		table.Columns = append([]term.Column{{Title: s.Name}, {Title: "queued", Right: true}}, countColumns[:]...)
	}
	for _, v := range all {
		t, value := v.rep.Of(s.Type), v.value
		if value == "0s" && s.Name == "phase_stuck.timeout" {
			value = "timeouts.*" // each phase's own
		}
		if v.now {
			value += " now"
		}
		queued := plain.Count(int64(t.Above.Alerts))
		if rep.Labelled > 0 {
			table.Add(append([]string{value, queued}, countCells(t.All)...)...)
			continue
		}
		median, _ := delayTexts(t)
		table.Add(value, plain.Count(int64(t.All.Alerts)), anHour(t.All.Alerts, v.rep.Time), queued, median)
	}
	return table.Print(out, 2)
}
