package supervise

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

func supervisorReportCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "count the advice that was delivered, seen, resolved, ignored",
		Description: "Counts by type of issue, over the whole log. notified: a watcher notified you. advised: a task for the agent\n" +
			"was queued. delivered: it was printed into the agent's prompt. seen: the agent's transcript shows it.\n" +
			"resolved: the issue cleared after that, for whatever reason. ignored: it continued for\n" +
			"supervisor.ignored_advice.turns turns of work. For advice within a turn (deliver.in_turn) it counts how\n" +
			"often the issue cleared in that turn.\n\n" +
			"This is about the supervisor's advice. `aburn report` says what keeps going wrong in agents' sessions.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "only advice since `WHEN`: 24h, 7d, 2026-11-21"},
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples("aburn supervisor report", "aburn supervisor report --since 7d",
			"aburn supervisor report --json | jq '.types[] | select(.ignored > 0)'"),
		Action: a.Action(runSupervisorReport),
	}
}

// adviceCounts counts the advice of one type.
type adviceCounts struct {
	Type      string `json:"type"`
	Told      int    `json:"notified"`  // alerts that a watcher notified a person of
	Advised   int    `json:"advised"`   // tasks that were queued
	Delivered int    `json:"delivered"` // of those advised
	Seen      int    `json:"seen"`      // of those delivered
	Resolved  int    `json:"resolved"`  // of those delivered: the issue cleared after that
	Ignored   int    `json:"ignored"`   // of those delivered: the same trouble went on
	Cleared   int    `json:"cleared"`   // of those not delivered: the issue cleared before
	Untold    int    `json:"untold"`    // of those not delivered: expired, or the session was over

	InTurn         int `json:"in_turn"`          // of those delivered: inside of a turn
	ResolvedInTurn int `json:"resolved_in_turn"` // of those in a turn: the issue cleared before that turn was over
}

// AdviceTotals is `aburn supervisor report --json`.
type AdviceTotals struct {
	Since *time.Time     `json:"since,omitempty"`
	Turns int            `json:"ignored_after_turns"`
	Types []adviceCounts `json:"types"`
	All   adviceCounts   `json:"all"`
}

func runSupervisorReport(_ context.Context, a *kit.App, cmd *cli.Command) error {
	var since time.Time
	if text := cmd.String("since"); text != "" {
		t, err := units.ParseTime(text, time.Now())
		if err != nil {
			return fault.Usage("--since: " + err.Error())
		}
		since = t
	}
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	m := term.NewByteMeter(term.New(a.Stderr, a.Getenv, true), w.Log.Left(journal.Position{}))
	h, err := adviceIn(w.Log, w.Settings.Model(), w.Settings.Limits(), m)
	m.Clear()
	w.WarnDamage(a.Warn)
	if err != nil {
		return err
	}
	totals := h.totals(since, w.Settings.Limits())
	if cmd.Bool("json") {
		return a.PrintJSON(totals)
	}
	return totals.print(a.Screen(cmd))
}

// adviceHistory is every task and every alert in a log.
type adviceHistory struct {
	advice []*state.Advice // shared with the fold, which updates those that it still knows
	alerts []alert
}

type alert struct {
	typ string
	at  time.Time
}

// adviceIn folds the whole log, so that turns are counted as the supervisor counts them.
func adviceIn(log *journal.Journal, model *workflow.Model, l *limits.Limits, m *term.ByteMeter) (*adviceHistory, error) {
	h, s := &adviceHistory{}, state.New(model, l)
	known := map[string]bool{}
	for r, err := range log.Entries(journal.Position{}) {
		if err != nil {
			return nil, err
		}
		m.Add(int64(len(r.JSON)))
		s.Apply(r.Value, r.Carried)
		if r.Value.Event != logfmt.Intervention || r.Carried {
			continue
		}
		if typ, told := alertOf(r.Value.Data); told {
			h.alerts = append(h.alerts, alert{typ, r.Value.Time})
		} else if n := len(s.Advice); n > 0 && !known[s.Advice[n-1].Task] {
			known[s.Advice[n-1].Task] = true
			h.advice = append(h.advice, s.Advice[n-1])
		}
	}
	return h, nil
}

func (h *adviceHistory) totals(since time.Time, l *limits.Limits) AdviceTotals {
	by := map[string]*adviceCounts{}
	of := func(typ string) *adviceCounts {
		if by[typ] == nil {
			by[typ] = &adviceCounts{Type: typ}
		}
		return by[typ]
	}
	for _, t := range h.alerts {
		if !t.at.Before(since) {
			of(t.typ).Told++
		}
	}
	for _, a := range h.advice {
		if !a.Queued.Time().Before(since) {
			of(a.Type).add(a, l.IgnoredAdviceTurns)
		}
	}
	t := AdviceTotals{Turns: l.IgnoredAdviceTurns, Types: []adviceCounts{}, All: adviceCounts{Type: "all"}}
	if !since.IsZero() {
		since = since.UTC()
		t.Since = &since
	}
	for _, typ := range slices.Sorted(maps.Keys(by)) {
		t.Types = append(t.Types, *by[typ])
		t.All.sum(by[typ])
	}
	return t
}

func (c *adviceCounts) add(a *state.Advice, turns int) {
	c.Advised++
	if !a.Delivered.Is() {
		switch {
		case a.Untold != "":
			c.Untold++
		case a.Resolved.Is():
			c.Cleared++
		}
		return
	}
	c.Delivered++
	if a.Seen.Is() {
		c.Seen++
	}
	if a.InTurn {
		c.InTurn++
		if a.Resolved.Is() && a.SameTurn {
			c.ResolvedInTurn++
		}
	}
	switch {
	case a.Resolved.Is():
		c.Resolved++
	case a.Turns >= turns:
		c.Ignored++
	}
}

func (c *adviceCounts) sum(o *adviceCounts) {
	c.Told += o.Told
	c.Advised += o.Advised
	c.Delivered += o.Delivered
	c.Seen += o.Seen
	c.Resolved += o.Resolved
	c.Ignored += o.Ignored
	c.Cleared += o.Cleared
	c.Untold += o.Untold
	c.InTurn += o.InTurn
	c.ResolvedInTurn += o.ResolvedInTurn
}

func (t *AdviceTotals) print(out *term.Out) error {
	if len(t.Types) == 0 {
		_, err := fmt.Fprintln(out, "no advice yet")
		return err
	}
	table := term.Table{Columns: []term.Column{
		{Title: "type"}, {Title: "notified", Right: true}, {Title: "advised", Right: true}, {Title: "delivered", Right: true}, {Title: "seen", Right: true},
		{Title: "resolved", Right: true}, {Title: "ignored", Right: true},
	}}
	rows := t.Types
	if len(rows) > 1 {
		rows = append(slices.Clip(rows), t.All)
	}
	for _, c := range rows {
		table.Add(c.Type, strconv.Itoa(c.Told), strconv.Itoa(c.Advised), units.Share(c.Delivered, c.Advised), units.Share(c.Seen, c.Delivered),
			units.Share(c.Resolved, c.Delivered), units.Share(c.Ignored, c.Delivered))
	}
	if err := table.Print(out, 0); err != nil {
		return err
	}
	text := "resolved and ignored are of what was delivered; ignored: unchanged after " + plain.Plural(int64(t.Turns), "turn") + " of work"
	if c := t.All.Cleared; c > 0 {
		text += "; " + strconv.Itoa(c) + " cleared before they were delivered"
	}
	if n := t.All.Untold; n > 0 {
		text += "; " + strconv.Itoa(n) + " were never delivered: they expired, or their session was over"
	}
	if n := t.All.InTurn; n > 0 {
		text += "; " + strconv.Itoa(n) + " of those delivered inside of a turn, and of these " + strconv.Itoa(t.All.ResolvedInTurn) +
			" resolved before that turn was over"
	}
	term.Paragraph(out, 0, "", text)
	return nil
}

// alertOf is the type of an INTERVENTION, and whether it told a person: then it has no task.
func alertOf(data []byte) (typ string, told bool) {
	return gjson.GetBytes(data, "type").String(), gjson.GetBytes(data, "task_id").String() == ""
}
