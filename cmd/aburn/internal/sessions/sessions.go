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
		Description: "Prints one line a session, the newest first: when it ended, its agent, project and outcome (✔ completed, ‖ interrupted, ✖ errored,\n" +
			"… gave_up, † killed, ▶ running, ? unknown), tool calls and failed ones, tokens, active time, the id that other commands take, " +
			"and its first prompt. The\n" +
			"outcome is inferred by the rules of `aburn report`; `aburn show ID` says why. Active time leaves out pauses over 10 minutes. " +
			"↳ is a sub-agent, ↗ a fork,\n" +
			"→ a continuation, - is no longer on the agent's disk. A narrow terminal says bad for failed. New sessions are read first.",
		Flags: append(chosen.ChoiceFlags(), chosen.OutcomeFlag(),
			&cli.StringFlag{Name: "relationship", Usage: "only sessions of this `KIND`: root, fork, subagent, continuation"},
			&cli.StringFlag{Name: "worker", Usage: "only sessions of the worker `NAME`"},
			&cli.IntFlag{Name: "limit", Usage: "the newest `N`; 0 for all (default " + strconv.Itoa(sessionLimit) + ", with --json all)"},
			kit.JSONFlag()),
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn sessions --since 7d",
			"aburn sessions --project . --outcome errored",
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
	list, total, err := c.JudgeNewest(ctx, all, insight.Outcome(what.Outcome), limit)
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
	if err := showSessions(a.Screen(cmd), list, short, workers, c.Now); err != nil {
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

// showSessions prints one line a session. A narrow terminal gets shorter dates, folders and outcomes.
func showSessions(out *term.Out, list []lookup.Judged, names *names.Sessions, workers map[string]string, now time.Time) error {
	narrow := out.Width() > 0 && out.Width() < entries.WideFrom
	items := make([]*lookup.Judged, len(list))
	for i := range list {
		items[i] = &list[i]
	}
	return term.TableOf(sessionFields(narrow, names, workers, now), items).Print(out, 0)
}

type sessionField = term.Field[*lookup.Judged]

// sessionFields are the columns of `aburn sessions`.
func sessionFields(narrow bool, names *names.Sessions, workers map[string]string, now time.Time) []sessionField {
	return []sessionField{
		{Column: term.Column{Title: "ended"}, Cell: func(s *lookup.Judged) term.Cell {
			if s.End.IsZero() {
				return term.Cell{}
			}
			return term.Cell{Text: s.End.Local().Format(units.DateLayout(narrow, s.End, now)), Style: term.Dim}
		}},
		{Column: term.Column{Title: "agent", Flex: true, Min: 5}, Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: s.Source} }},
		{Column: term.Column{Title: "project", Flex: true, Path: true, Min: 5}, Cell: func(s *lookup.Judged) term.Cell {
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
		{Column: term.Column{Title: "outcome"}, Cell: func(s *lookup.Judged) term.Cell {
			_, style := lookup.OutcomeMark(s.Outcome)
			return term.Cell{Text: term.NarrowTitle(narrow, "", string(s.Outcome)), Style: style}
		}},
		{Column: term.Column{Title: "calls", Right: true, Spare: 1},
			Cell: func(s *lookup.Judged) term.Cell { return term.Count(s.Counts.Calls, term.Plain, term.Plain) }},
		{Column: term.Column{Title: term.NarrowTitle(narrow, "bad", "failed"), Right: true},
			Cell: func(s *lookup.Judged) term.Cell { return term.Count(s.Counts.Failed, term.Red, term.Dim) }},
		{Column: term.Column{Title: "tokens", Right: true, Spare: 2},
			Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: units.Tokens(s.Usage.Total())} }},
		{Column: term.Column{Title: "active", Right: true, Spare: 3},
			Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: units.Milliseconds(s.ActiveMS)} }},
		{Column: term.Column{Title: "id"}, Cell: func(s *lookup.Judged) term.Cell {
			return term.Cell{Text: names.Of(s.Source, s.ID), Style: entries.SessionStyle(logfmt.SessionID(s.ID))}
		}},
		{Column: term.Column{Title: "about", Flex: true, Min: 12}, Cell: func(s *lookup.Judged) term.Cell { return term.Cell{Text: about(s)} }},
	}
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
