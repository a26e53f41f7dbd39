package commands

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"aburn/cmd/aburn-push/internal/figures"
	"aburn/internal/plain"
)

// dryRun prints every row that would be sent.
func (o *options) dryRun(ctx context.Context) error {
	if err := o.someNames(ctx); err != nil {
		return err
	}
	machine, err := figures.ReadMachine(o.archive)
	if err != nil {
		return err
	}
	rows, err := o.rows(ctx, machine.Key())
	if err != nil {
		return err
	}
	rows.DaysFrom(o.since)
	if o.cmd.Bool("json") {
		return o.PrintJSON(struct {
			Machine string `json:"machine"`
			Person  string `json:"person,omitempty"`
			*figures.Rows
		}{machine.ID, o.person, rows})
	}
	for _, show := range []func(io.Writer){
		func(w io.Writer) { showDays(w, rows.Days) }, func(w io.Writer) { showSessions(w, rows.Sessions) }, func(w io.Writer) { showFailures(w, rows.Failures) },
	} {
		w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0) // each kind has widths of its own
		show(w)
		if err := w.Flush(); err != nil {
			return err
		}
	}
	o.Note(plain.Plural(int64(len(rows.Days)+len(rows.Sessions)+len(rows.Failures)), "row") + ", nothing was sent")
	o.noteLeftOut(rows)
	return nil
}

func line(w io.Writer, cells ...any) {
	for i, c := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		switch c := c.(type) {
		case string:
			if c == "" {
				c = "-"
			}
			fmt.Fprint(w, plain.Line(c))
		case *time.Time:
			if c == nil {
				fmt.Fprint(w, "-")
			} else {
				fmt.Fprint(w, c.Format(time.RFC3339))
			}
		default:
			fmt.Fprint(w, c)
		}
	}
	fmt.Fprintln(w)
}

func showDays(w io.Writer, list []figures.Day) {
	line(w, "DAYS", "price day", "project", "agent", "model", "tier", "geo", "long", "writes unknown", "answers", "input", "cache read", "write 5m", "write 1h",
		"write", "output", "searches")
	for i := range list {
		d := &list[i]
		line(w, d.Day, d.PriceDay, d.Project, d.Agent, d.Model, d.Tier, d.Geo, strconv.FormatBool(d.LongPrompt), strconv.FormatBool(d.WritesUnknown), d.Answers,
			d.Input,
			d.CacheRead, d.Write5m, d.Write1h, d.Write, d.Output, d.Searches)
	}
}

func showSessions(w io.Writer, list []figures.Session) {
	line(w, "SESSIONS", "id", "project", "agent", "sub-agent", "started", "ended", "active ms", "outcome", "prompts", "responses", "calls", "failed", "denied")
	for i := range list {
		s := &list[i]
		line(w, s.Day, s.ID, s.Project, s.Agent, strconv.FormatBool(s.Subagent), s.Started, s.Ended, s.ActiveMS, s.Outcome, s.Prompts, s.Responses, s.Calls, s.Failed,
			s.Denied)
	}
}

func showFailures(w io.Writer, list []figures.Failure) {
	line(w, "FAILURES", "project", "agent", "class", "group", "count")
	for i := range list {
		f := &list[i]
		line(w, f.Day, f.Project, f.Agent, f.Class, f.Group, f.Count)
	}
}
