// Command sweep replays old logs with other values of one limit of the supervisor, and says what each would have raised:
//
//	go run ./internal/lab/sweep [-labels FILE] [-after TIME] NAME=FROM..TO[/N] LOG...
//
// A LOG is what `aburn supervisor backtest` takes. NAME is a limit in docs/reference/settings.md, such as loop.repeats. The
// first row has the value of your own settings.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"aburn/internal/settings"
	"aburn/supervisor/backtest"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sweep:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sweep", flag.ContinueOnError)
	labels := flags.String("labels", "", "compare the alerts with the labels in this `FILE`")
	after := flags.Duration("after", 0, "continue for this `TIME` after the last entry of each log")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 {
		return fmt.Errorf("NAME=FROM..TO[/N] and a log are needed")
	}
	s, err := ParseSweep(flags.Arg(0))
	if err != nil {
		return err
	}
	set := settings.Load(nil, os.Getenv)
	r := replay{model: set.Model(), after: *after}
	if err := r.open(flags.Args()[1:], *labels); err != nil {
		return err
	}
	return r.print(out, &s, set.Limits())
}

// replay is what all rows have in common.
type replay struct {
	model   *workflow.Model
	after   time.Duration
	sources []backtest.Source
	labels  backtest.Labels // nil: none
}

func (r *replay) open(logs []string, labels string) error {
	for _, log := range logs {
		src, err := backtest.Open(log)
		if err != nil {
			return err
		}
		src.Name = log
		r.sources = append(r.sources, src)
	}
	if labels == "" {
		return nil
	}
	f, err := os.Open(labels)
	if err != nil {
		return err
	}
	defer f.Close()
	if r.labels, err = backtest.ReadLabels(f); err != nil {
		return fmt.Errorf("%s: %w", labels, err)
	}
	return nil
}

func (r *replay) with(l *limits.Limits) (*backtest.Report, error) {
	rep := &backtest.Report{}
	for _, src := range r.sources {
		o := backtest.Options{Model: r.model, Limits: l, After: r.after}
		if r.labels != nil {
			o.Labels = r.labels.Of(src.Name)
		}
		res, err := src.Replay(o, func(int64) {})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", src.Name, err)
		}
		rep.Add(res)
	}
	return rep, nil
}

// print writes a row for the value of now and one for each other value.
func (r *replay) print(out io.Writer, s *Sweep, l *limits.Limits) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\talerts\tqueued\tmedian delay", s.Name)
	if r.labels != nil {
		fmt.Fprint(w, "\ttrue\tfalse\tmissed")
	}
	fmt.Fprintln(w)
	current := l.Get(s.Name)
	for i, value := range append([]string{current}, s.Values...) {
		if i > 0 && value == current {
			continue
		}
		other, err := s.With(l, value)
		if err != nil {
			return err
		}
		rep, err := r.with(other)
		if err != nil {
			return err
		}
		if i == 0 {
			value += " now"
		}
		t, delay := rep.Of(s.Type), "–"
		if d, ok := t.Median(); ok {
			delay = d.Round(time.Second).String()
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s", value, t.All.Alerts, t.Above.Alerts, delay)
		if r.labels != nil {
			fmt.Fprint(w, "\t"+strconv.Itoa(t.All.True)+"\t"+strconv.Itoa(t.All.False)+"\t"+strconv.Itoa(t.All.Labels-t.All.Found))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
