// Package sessions is the commands that show archived sessions. They show what happened and judge nothing themselves: the
// verdict on a session comes from its digest.
package sessions

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/insight/cost/bill"
	"aburn/internal/agentcli"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/trace"
)

// sessionLimit is the default of --limit.
const sessionLimit = 50

func SessionsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "sessions",
		Usage: "list the sessions of all agents",
		Description: "Prints one line for each session, the newest first. The result is ✔ completed, ‖ interrupted, ✖ errored, … gave_up,\n" +
			"† killed (by a signal) or crashed, ▶ running or ? unknown. Fixed rules infer it from the records, and `aburn show ID` says why.\n" +
			"--outcome failed lists those that errored, gave up, crashed or were killed. Failed calls are out of the calls that ended.\n" +
			"The active time leaves out pauses over 10 minutes.\n\n" +
			"--subagents also lists the sub-agents of sessions (↳). ↗ is a fork, → a continuation, and - is no longer on the agent's disk.\n" +
			"aburn reads new sessions before it answers.",
		Flags: append(chosen.ChoiceFlags(), chosen.OutcomeFlag(),
			&cli.BoolFlag{Name: "subagents", Usage: "also list sub-agents"},
			&cli.StringFlag{Name: "relationship", Usage: "only sessions of this `KIND`: root, fork, subagent, continuation"},
			&cli.StringFlag{Name: "worker", Usage: "only sessions of the worker `NAME`"},
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "the newest `N`; 0 for all (default " + strconv.Itoa(sessionLimit) + ", with --json all)"},
			kit.JSONFlag()),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn sessions --since 7d",
			"aburn sessions --project . --outcome failed",
			"aburn sessions --worker fix-the-flaky-test",
			"aburn sessions --relationship fork --json | jq '.sessions[].session'",
		),
		Action: a.Action(runSessions),
	}
}

func runSessions(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	limit := cmd.Int("limit")
	if limit < 0 {
		return fault.Usage("--limit: must not be negative")
	}
	if !cmd.IsSet("limit") && !cmd.Bool("json") {
		limit = sessionLimit
	}
	c := chosen.CallerOf(a, cmd)
	what := chosen.ChoiceOf(cmd)
	if err := chosen.CatchUp(ctx, a, cmd, what); err != nil {
		return err
	}
	arch, f, err := lookup.ViewChosen(ctx, c.Caller, what)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := arch.Sessions(ctx, f)
	if err != nil {
		return err
	}
	short := names.New(all)
	if f != (archive.Filter{}) {
		if short, err = names.Read(ctx, arch); err != nil {
			return err
		}
	}
	workers, err := workersOf(ctx, arch)
	if err != nil {
		return err
	}
	if all, err = ofWorker(all, workers, cmd.String("worker")); err != nil {
		return err
	}
	if what.Relation == "" && !cmd.Bool("subagents") {
		all = slices.DeleteFunc(all, func(s archive.Session) bool { return s.Relation == trace.Subagent })
	}
	list, total, err := c.JudgeNewest(ctx, all, what.Outcome, limit)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		chosen := make([]archive.Session, len(list))
		for i := range list {
			chosen[i] = list[i].Session
		}
		costs, err := bill.SessionCosts(ctx, c.Caller, arch, chosen)
		if err != nil {
			return err
		}
		r := SessionsReport{Total: total, Sessions: []sessionRow{}}
		for i := range list {
			row := rowOf(&list[i], short)
			row.Worker = workers[list[i].Project.Path]
			row.Cost = bill.PricedOf(costs[list[i].Key])
			r.Sessions = append(r.Sessions, row)
		}
		return a.PrintJSON(r)
	}
	if total == 0 {
		return chosen.NoteNoneChosen(ctx, a, arch, "session")
	}
	if err := fillSubagentAsks(ctx, arch, list); err != nil {
		return err
	}
	v := sessionList{names: short, workers: workers, now: c.Now, why: what.Outcome != ""}
	if err := v.show(a.Screen(cmd), list); err != nil {
		return err
	}
	if total > len(list) {
		a.Note(fmt.Sprintf("the newest %d of %s: --limit 0 shows all", len(list), plain.Count(int64(total))))
	}
	return nil
}

// fillSubagentAsks gives sub-agents without a prompt the description that they were spawned with.
func fillSubagentAsks(ctx context.Context, arch *archive.Archive, list []lookup.Judged) error {
	bare := func(s lookup.Judged) bool { return s.Ask == "" && s.Relation == trace.Subagent }
	if !slices.ContainsFunc(list, bare) {
		return nil
	}
	relations, err := arch.Relations(ctx)
	if err != nil {
		return err
	}
	what := map[int64]string{}
	for _, r := range relations {
		if r.Kind == trace.Subagent {
			what[r.Key] = units.Join(r.AgentType, r.Description)
		}
	}
	for i := range list {
		if bare(list[i]) {
			list[i].Ask = what[list[i].Key]
		}
	}
	return nil
}

// sessionList is what a list of sessions shows. A narrow terminal gets shorter dates, folders and results.
type sessionList struct {
	names   *names.Sessions
	workers map[string]string // by the folder in which each worked
	now     time.Time
	narrow  bool
	why     bool // also why each result is what it is
}

// show prints one line for each session.
func (v sessionList) show(out *term.Out, list []lookup.Judged) error {
	v.narrow = out.Width() > 0 && out.Width() < entries.WideFrom
	items := make([]*lookup.Judged, len(list))
	for i := range list {
		items[i] = &list[i]
	}
	fields := v.fields()
	if v.why {
		why := term.Column{Title: "why", Flex: true, Min: 20}
		fields = append(fields, sessionField{Column: why, Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: s.Reason} }})
	}
	return term.TableOf(fields, items).Print(out, 0)
}

type sessionField = term.Field[*lookup.Judged]

// fields are the columns of `aburn sessions`.
func (v sessionList) fields() []sessionField {
	narrow, workers := v.narrow, v.workers
	return []sessionField{
		{Column: term.Column{Title: "last active"}, Cell: func(s *lookup.Judged) term.Cell {
			return term.Cell{Text: lastActive(narrow, s.End, v.now), Style: term.Dim}
		}},
		{Column: term.Column{Title: "agent", Flex: true, Min: 8, Spare: 1}, Cell: func(s *lookup.Judged) term.Cell {
			return term.Cell{Text: plain.Line(agentcli.CalledShort(s.Source, s.Agent.Name))}
		}},
		{Column: term.Column{Title: "project", Flex: true, Path: true, Min: 8}, Cell: func(s *lookup.Judged) term.Cell {
			project := s.Project.Path
			if workers[project] != "" {
				project = s.Project.Key
			}
			if s.Project.Path == "" {
				project = ""
			} else if narrow {
				project = filepath.Base(project)
			}
			return term.Cell{Text: project}
		}},
		{Column: term.Column{Title: "worker", Flex: true, Min: 6},
			Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: workers[s.Project.Path]} }},
		{Cell: func(s *lookup.Judged) term.Cell { return outcomeCell(s.Outcome, "") }},
		{Column: term.Column{Title: "result"}, Cell: func(s *lookup.Judged) term.Cell {
			_, style := lookup.OutcomeMark(s.Outcome)
			return term.Cell{Text: term.NarrowTitle(narrow, "", string(s.Outcome)), Style: style}
		}},
		{Column: term.Column{Title: term.NarrowTitle(narrow, "failed", "failed calls"), Right: true, Spare: 2}, Cell: failedCalls},
		{Column: term.Column{Title: "tokens", Right: true, Spare: 3},
			Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: units.Tokens(s.Usage.Total())} }},
		{Column: term.Column{Title: "active", Right: true, Spare: 4},
			Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: units.Milliseconds(s.ActiveMS)} }},
		{Column: term.Column{Title: "id"}, Cell: func(s *lookup.Judged) term.Cell {
			return term.Cell{Text: v.names.Of(s.Source, s.ID), Style: entries.SessionStyle(logfmt.SessionID(s.ID))}
		}},
		{Column: term.Column{Title: "about", Flex: true, Min: 20}, Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: about(s)} }},
	}
}

// lastActive is when something last happened in a session, "" if that is unknown.
func lastActive(narrow bool, end, now time.Time) string {
	end, now = end.Local(), now.Local()
	switch {
	case end.IsZero():
		return ""
	case !narrow:
		return end.Format("2006-01-02 15:04")
	case units.DayStart(end).Equal(units.DayStart(now)):
		return end.Format("15:04")
	}
	return units.Date(end, now)
}

// failedCalls is how many of the calls that ended failed, "" if none ended.
func failedCalls(s *lookup.Judged) term.Cell {
	ended := s.Counts.Calls - s.Counts.NoResult
	c := term.Count(s.Counts.Failed, term.Red, term.Dim)
	if c.Text += " of " + plain.Count(int64(ended)); ended == 0 {
		return term.Cell{}
	}
	return c
}

// outcomeCell is the sign of an outcome with a text behind it.
func outcomeCell(o insight.Outcome, text string) term.Cell {
	mark, style := lookup.OutcomeMark(o)
	return term.Cell{Text: mark + text, Style: style}
}

// about is the signs of a session and its first prompt.
func about(s *lookup.Judged) string {
	text := s.Ask
	if sign := lookup.RelationSign(s.Relation); sign != "" {
		text = sign + " " + text
	}
	if s.Gone {
		text = "- " + text
	}
	return text
}

// SessionsReport is `aburn sessions --json`.
type SessionsReport struct {
	Total    int          `json:"total"` // without --limit
	Sessions []sessionRow `json:"sessions"`
}

type sessionRow struct {
	Source     string          `json:"source"`
	Session    string          `json:"session"`
	Name       string          `json:"name"`
	Agent      trace.Agent     `json:"agent"`
	Project    trace.Project   `json:"project"`
	Start      *time.Time      `json:"start,omitempty"`
	End        *time.Time      `json:"end,omitempty"`
	ActiveMS   int64           `json:"active_ms"`
	Outcome    insight.Outcome `json:"outcome"`
	Rule       string          `json:"rule"`
	Reason     string          `json:"reason"`
	Stated     trace.Outcome   `json:"stated"` // what the agent's own records say of the end
	StatedFrom string          `json:"stated_from,omitempty"`
	Relation   string          `json:"relation"`
	Counts     trace.Counts    `json:"counts"`
	Usage      trace.Usage     `json:"usage"`
	Tokens     int64           `json:"tokens"`
	Cost       *bill.Priced    `json:"cost,omitempty"` // of its own answers at list prices
	Path       string          `json:"path"`
	Gone       bool            `json:"gone"`
	Live       bool            `json:"live"`
	Recorded   bool            `json:"recorded"`
	Ask        string          `json:"ask,omitempty"`
	Worker     string          `json:"worker,omitempty"`
}

func rowOf(s *lookup.Judged, names *names.Sessions) sessionRow {
	return sessionRow{
		Source: s.Source, Session: s.ID, Name: names.Of(s.Source, s.ID), Agent: s.Agent, Project: s.Project, Start: units.OptionalTime(s.Start),
		End:      units.OptionalTime(s.End),
		ActiveMS: s.ActiveMS, Outcome: s.Outcome, Rule: s.Rule, Reason: s.Reason, Stated: s.Stated, StatedFrom: s.StatedFrom, Relation: string(s.Relation),
		Counts: s.Counts, Usage: s.Usage, Tokens: s.Usage.Total(),
		Path: s.Path, Gone: s.Gone, Live: s.Live, Recorded: s.Recorded, Ask: s.Ask,
	}
}
