package learn

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/agentcli"
	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
)

type reportView struct {
	r     *report.Report
	out   *term.Out
	names *names.Sessions
	now   time.Time
}

func (v *reportView) show() error {
	for _, part := range []func() error{
		v.outcomes, v.agents, v.failures, v.errors, v.classes, v.loops, v.tools, v.slow, v.tokens, v.phases, v.weeks, v.remedies,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	term.PrintNextSteps(v.out, v.nextSteps()...)
	return nil
}

// nextSteps opens what failed most, by shape and by error.
func (v *reportView) nextSteps() (commands []string) {
	if len(v.r.Failures) > 0 {
		commands = append(commands, "aburn replay "+v.r.Failures[0].Key)
	}
	if i := slices.IndexFunc(v.r.Errors, func(e report.Error) bool { return e.Failing > 0 }); i >= 0 {
		commands = append(commands, "aburn remedy "+v.r.Errors[i].Key)
	}
	return commands
}

func (v *reportView) narrow() bool { return v.out.Width() > 0 && v.out.Width() < entries.WideFrom }

// heading prints a heading, and how many lines of a list are shown if not all.
func (v *reportView) heading(text string, shown, left int) {
	if left > 0 {
		text += fmt.Sprintf(" (%d of %s)", shown, plain.Count(int64(shown+left)))
	}
	term.Title(v.out, false, text)
}

// failingCell is a number, red unless it is zero.
func failingCell(n int, text string) term.Cell {
	if n == 0 {
		return term.Cell{Text: text, Style: term.Dim}
	}
	return term.Cell{Text: text, Style: term.Red}
}

// barWidth is how many cells a bar has at most.
const barWidth = 16

// bar draws n of all, in eighths of a cell.
func bar(n, all int) string {
	if n <= 0 || all <= 0 {
		return ""
	}
	eighths := max((n*barWidth*8+all/2)/all, 1)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += "▏▎▍▌▋▊▉"[3*(rest-1) : 3*rest]
	}
	return text
}

// where is a session and the number of an event, as `aburn show` takes them.
func (v *reportView) where(p report.Place) term.Cell {
	text := v.names.Of(p.Source, p.Session)
	if p.Event > 0 {
		text += " " + strconv.Itoa(p.Event)
	}
	return term.Cell{Text: text, Style: term.Dim}
}

func (v *reportView) day(t time.Time) term.Cell {
	if t.IsZero() {
		return term.Cell{}
	}
	return term.Cell{Text: t.Local().Format(units.DateLayout(true, t, v.now)), Style: term.Dim}
}

// title says which sessions the report is about.
func (v *reportView) title() string {
	text := unitsText(v.r) + v.chosen()
	if n := v.r.Units.Running; n > 0 { // last: "still running since" would give them a beginning
		text += fmt.Sprintf(", %s of them still running", plain.Count(int64(n)))
	}
	return text
}

func (v *reportView) outcomes() error {
	r := v.r
	term.Title(v.out, true, v.title())
	if r.Units.Ended == 0 {
		return nil
	}
	term.Title(v.out, false, fmt.Sprintf("inferred outcome: %s failed (errored, gave_up, killed, crashed)", units.Share(r.Units.Failing, r.Units.Ended)))
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{}, {}, {Right: true}, {Right: true}, {Spare: 1}}}
	for _, o := range r.Outcomes {
		if o.Units == 0 {
			continue
		}
		mark, style := lookup.OutcomeMark(o.Outcome)
		table.AddCells(term.Cell{Text: mark, Style: style}, term.Cell{Text: string(o.Outcome), Style: style}, term.Cell{Text: units.Share(o.Units, o.Of)},
			term.Cell{Text: units.PercentOf(o.Units, o.Of)}, term.Cell{Text: bar(o.Units, o.Of), Style: style})
	}
	return table.Print(v.out, 2)
}

// agents prints a table of the agents, if there are several.
func (v *reportView) agents() error {
	r := v.r
	if len(r.Agents)+r.More.Agents < 2 {
		return nil
	}
	v.heading("agents", len(r.Agents), r.More.Agents)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "agent"}, {Title: "failing", Right: true}, {Title: "rate", Right: true},
		{Title: "calls", Right: true}, {Title: "tokens", Right: true}}}
	for i := range r.Agents {
		g := &r.Agents[i]
		table.AddCells(term.Cell{Text: g.Source}, failingCell(g.Failing, units.Share(g.Failing, g.Ended)), term.Cell{Text: units.PercentOf(g.Failing, g.Ended)},
			term.Cell{Text: plain.Count(int64(g.Calls))}, term.Cell{Text: units.Tokens(g.Tokens)})
	}
	return table.Print(v.out, 2)
}

func (v *reportView) chosen() (text string) {
	c := v.r.Chosen
	if c.Source != "" {
		text += " of " + c.Source
	}
	if c.Project != "" {
		text += " in " + c.Project
	}
	for _, bound := range []struct {
		word string
		t    time.Time
	}{{" since ", c.Since}, {" until ", c.Until}} {
		if !bound.t.IsZero() {
			text += bound.word + bound.t.Local().Format("2006-01-02 15:04")
		}
	}
	return text
}

func (v *reportView) failures() error {
	r := v.r
	if len(r.Failures) == 0 {
		return nil
	}
	v.heading("failing, by shape: aburn replay KEY opens them", len(r.Failures), r.More.Failures)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "failing", Right: true}, {Title: "last", Spare: 1},
		{Title: "shape", Flex: true, Min: 20}, {Title: "key"}, {Title: "latest"}}}
	for i := range r.Failures {
		s := &r.Failures[i]
		latest := v.where(s.Seen[0])
		if v.narrow() {
			latest.Text = ""
		}
		table.AddCells(term.Cell{Text: units.Share(s.Units, s.OfFailing), Style: term.Red}, v.day(s.Last), term.Cell{Text: s.Shape},
			term.Cell{Text: s.Key, Style: term.Cyan}, latest)
	}
	return table.Print(v.out, 2)
}

func (v *reportView) errors() error {
	r := v.r
	if len(r.Errors) == 0 {
		return nil
	}
	v.heading(fmt.Sprintf("by main error: %s had any", units.Share(r.Units.Erring, r.Units.Ended)), len(r.Errors), r.More.Errors)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "with it", Right: true}, {Title: "failing", Right: true, Spare: 2}, {Title: "solved", Right: true, Spare: 3}, {Title: "error", Spare: 1},
		{Title: "where"}, {Title: "what", Flex: true, Min: 12}, {Title: "key"}, {Title: "latest"},
	}}
	for i := range r.Errors {
		e := &r.Errors[i]
		latest, place := v.where(e.Seen[0]), string(e.Type)
		if e.Exit != nil {
			place += " " + strconv.Itoa(*e.Exit)
		}
		if v.narrow() {
			latest.Text, place = "", ""
		}
		table.AddCells(term.Cell{Text: units.Share(e.Units, e.OfErring)}, failingCell(e.Failing, plain.Count(int64(e.Failing))),
			term.Cell{Text: plain.Count(int64(e.Solved))}, term.Cell{Text: string(e.Class)},
			term.Cell{Text: place}, term.Cell{Text: e.Head}, term.Cell{Text: e.Key, Style: term.Cyan}, latest)
	}
	return table.Print(v.out, 2)
}

func (v *reportView) classes() error {
	r := v.r
	if len(r.Classes) == 0 {
		return nil
	}
	v.heading("errors by class", len(r.Classes), r.More.Classes)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "class"}, {Title: "errors", Right: true}, {Title: "in", Right: true},
		{Title: "of failing", Right: true, Spare: 1}, {Spare: 2}}}
	for _, c := range r.Classes {
		table.AddCells(term.Cell{Text: string(c.Class)}, term.Cell{Text: units.Share(c.Errors, c.OfErrors)}, term.Cell{Text: units.Share(c.Units, c.OfUnits)},
			failingCell(c.Failing, units.Share(c.Failing, c.OfFailing)), term.Cell{Text: bar(c.Errors, c.OfErrors), Style: term.Red})
	}
	return table.Print(v.out, 2)
}

func (v *reportView) remedies() error {
	r := v.r
	if len(r.Remedies) == 0 {
		return nil
	}
	v.heading("remedies that were tried", len(r.Remedies), r.More.Remedies)
	for i := range r.Remedies {
		m := &r.Remedies[i]
		fmt.Fprintf(v.out, "  %s  %s  %s\n", m.Time.Local().Format("2006-01-02 15:04"), v.out.Paint(term.Cyan, plain.Line(m.Key)),
			plain.Cut(plain.Line(m.Note), max(term.TextWidth(v.out)-37, 10)))
		term.Paragraph(v.out, 4, "", m.String())
	}
	term.Paragraph(v.out, 2, "", remedy.Observation)
	return nil
}

func (v *reportView) loops() error {
	r := v.r
	if len(r.Loops) == 0 {
		return nil
	}
	v.heading("files changed again and again: in "+units.Share(r.LoopsIn, r.Units.All), len(r.Loops), r.More.Loops)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "most", Right: true}, {Title: "edits", Right: true}, {Title: "back", Right: true}, {Title: "in", Right: true},
		{Title: "file", Flex: true, Path: true, Min: 16}, {Title: "project", Flex: true, Path: true, Min: 8}, {Title: "most in"},
	}}
	for i := range r.Loops {
		l := &r.Loops[i]
		table.AddCells(term.Cell{Text: plain.Count(int64(l.Most)), Style: term.Red}, term.Cell{Text: plain.Count(int64(l.Edits))},
			term.Cell{Text: plain.Count(int64(l.Identical))}, term.Cell{Text: plain.Count(int64(l.Units))},
			term.Cell{Text: l.Path}, term.Cell{Text: projectName(l.Project)}, v.where(l.Worst))
	}
	return table.Print(v.out, 2)
}

func projectName(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

func (v *reportView) tools() error {
	r := v.r
	if len(r.Tools) == 0 {
		return nil
	}
	v.heading("tools", len(r.Tools), r.More.Tools)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "type"}, {Title: "calls", Right: true}, {Title: "failed of ended", Right: true}, {Title: "rate", Right: true},
		{Title: "denied", Right: true, Spare: 3}, {Title: "again", Right: true, Spare: 1}, {Title: "mean", Right: true, Spare: 2},
		{Title: "tokens failed", Right: true},
	}}
	rows := r.Tools
	if len(rows) > 1 {
		all := r.AllTools
		all.Type = "all"
		rows = append(rows[:len(rows):len(rows)], all)
	}
	for _, t := range rows {
		mean := ""
		if t.Timed > 0 {
			mean = units.Took(t.TimedMS/int64(t.Timed), t.Gaps > 0)
		}
		table.AddCells(term.Cell{Text: string(t.Type)}, term.Cell{Text: plain.Count(int64(t.Calls))}, failingCell(t.Failed, units.Share(t.Failed, t.Ended)),
			term.Cell{Text: units.PercentOf(t.Failed, t.Ended)},
			term.Cell{Text: plain.Count(int64(t.Denied))}, term.Cell{Text: plain.Count(int64(t.Retries))}, term.Cell{Text: mean}, term.Cell{Text: units.Amount(t.Spent)})
	}
	return table.Print(v.out, 2)
}

func (v *reportView) slow() error {
	r := v.r
	if len(r.Slow) == 0 {
		return nil
	}
	v.heading(fmt.Sprintf("longest calls, at most %d of a session", insight.MaxSlow), len(r.Slow), r.More.Slow)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "took", Right: true}, {Title: "tool", Flex: true, Min: 8}, {},
		{Title: "what", Flex: true, Min: 16}, {Title: "session, event"}}}
	for i := range r.Slow {
		s := &r.Slow[i]
		failed, took := term.Cell{}, units.Took(s.MS, s.Gap)
		if s.Failed {
			failed = term.Cell{Text: "failed", Style: term.Red}
		}
		table.AddCells(term.Cell{Text: took}, term.Cell{Text: agentcli.ToolWord(s.Tool)}, failed, term.Cell{Text: s.What}, v.where(s.Place))
	}
	return table.Print(v.out, 2)
}

func (v *reportView) tokens() error {
	t := v.r.Tokens
	if t.Units == 0 {
		return nil
	}
	v.heading("tokens that failures cost", 0, 0)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{}, {Right: true}, {Right: true}}}
	table.AddCells(term.Cell{Text: "in calls that failed"}, term.Cell{Text: units.Amount(t.Failed) + " of " + units.Amount(t.Calls), Style: term.Red},
		term.Cell{Text: units.PercentOf(t.Failed, t.Calls)})
	table.AddCells(term.Cell{Text: "in repeats that did not fail"}, term.Cell{Text: units.Amount(t.Retries) + " of " + units.Amount(t.Calls)},
		term.Cell{Text: units.PercentOf(t.Retries, t.Calls)})
	if err := table.Print(v.out, 2); err != nil {
		return err
	}
	term.Paragraph(v.out, 2, "", fmt.Sprintf("of the tokens of responses that made calls; all tokens of %s that report any: %s", units.Share(t.Units, t.Of),
		units.Amount(t.All)))
	return nil
}

func (v *reportView) phases() error {
	r := v.r
	if len(r.Phases) == 0 {
		return nil
	}
	v.heading("phases of the workflow", len(r.Phases), r.More.Phases)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "phase", Flex: true, Min: 8}, {Title: "done", Right: true}, {Title: "failed", Right: true}, {Title: "active", Right: true, Spare: 2},
		{Title: "tokens", Right: true, Spare: 1}, {Title: "its failed calls", Right: true},
		{Title: "which", Flex: true, Min: 8}, {Title: "most in"},
	}}
	for i := range r.Phases {
		p := &r.Phases[i]
		tools := make([]string, len(p.Tools))
		for i, t := range p.Tools {
			tools[i] = agentcli.ToolWord(t.Tool) + " " + plain.Count(int64(t.Failed))
		}
		worst := v.where(p.Worst)
		if v.narrow() {
			worst.Text = ""
		}
		table.AddCells(term.Cell{Text: strings.TrimSuffix(p.Command+":"+p.Phase, ":")}, term.Cell{Text: units.Share(p.Completed, p.Runs)},
			failingCell(p.Failed, units.Share(p.Failed, p.Runs)), term.Cell{Text: units.Milliseconds(p.ActiveMS)}, term.Cell{Text: units.Tokens(p.Tokens)},
			failingCell(p.BadCalls, units.Share(p.BadCalls, p.Calls)), term.Cell{Text: strings.Join(tools, ", ")}, worst)
	}
	return table.Print(v.out, 2)
}

func (v *reportView) weeks() error {
	r := v.r
	if len(r.Weeks) == 0 && r.NoWeek == nil {
		return nil
	}
	v.heading("by week (ISO, UTC)", len(r.Weeks), r.More.Weeks)
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "week"}, {Title: "failing", Right: true}, {Spare: 3}, {Title: "failed calls", Right: true}, {Title: "rate", Right: true, Spare: 1},
		{Title: "errors", Right: true, Spare: 2}, {Title: "tokens eaten", Right: true},
	}}
	weeks := r.Weeks
	if r.NoWeek != nil {
		weeks = append(weeks[:len(weeks):len(weeks)], *r.NoWeek)
	}
	for i := range weeks {
		w := &weeks[i]
		table.AddCells(term.Cell{Text: cmp.Or(w.Week, "none")}, failingCell(w.Failing, units.Share(w.Failing, w.Ended)),
			term.Cell{Text: bar(w.Failing, w.Ended), Style: term.Red}, term.Cell{Text: units.Share(w.Failed, w.Calls)},
			term.Cell{Text: units.PercentOf(w.Failed, w.Calls)},
			term.Cell{Text: plain.Count(int64(w.Errors))}, term.Cell{Text: units.Amount(w.Spent) + " of " + units.Amount(w.Tokens)})
	}
	return table.Print(v.out, 2)
}
