package supervise

import (
	"fmt"
	"strconv"
	"time"

	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/supervisor/backtest"
	"aburn/supervisor/limits"
	"aburn/supervisor/status"
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
		fmt.Fprintln(out, "no alert would have been raised")
		return nil
	}
	fmt.Fprintln(out)
	table := term.Table{Columns: []term.Column{
		{Title: "type"}, {Title: "alerts", Right: true}, {Title: "an hour", Right: true}, {Title: "queued", Right: true}, {Title: "raised after", Right: true},
		{Title: "at most", Right: true},
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
		fmt.Fprintf(out, "false alarms in %[2]d of %[1]s: %[3]s\n", plain.Plural(int64(rep.Healthy), "healthy log"), rep.Flagged,
			shareText(backtest.Share{Hits: rep.Flagged, Of: rep.Healthy}))
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
			{Title: "when"}, {Title: "entry", Right: true}, {Title: "type"}, {Title: "session", Flex: true, Min: 8}, {Title: "sure", Right: true}, {Title: "label"},
			{Title: "what", Flex: true, Min: 16},
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
			table.Add(a.At.Local().Format("2006-01-02 15:04:05"), entry, string(a.Type), session, status.Percent(a.Max), string(a.Verdict), a.Says)
		}
		if err := table.Print(out, 2); err != nil {
			return err
		}
	}
	return nil
}

// countColumns are the columns of countCells: each rate beside its counts.
var countColumns = [5]term.Column{{Title: "true", Right: true}, {Title: "false", Right: true}, {Title: "missed", Right: true}, {Title: "precision"},
	{Title: "recall"}}

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
