package learn

import (
	"fmt"
	"path/filepath"
	"strings"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/internal/plain"
	"aburn/internal/term"
)

func (v *reportView) loops() error {
	r := v.r
	if len(r.Loops) == 0 {
		return nil
	}
	v.part("files changed again and again: in "+kit.Share(r.LoopsIn, r.Units.All), len(r.Loops), r.More.Loops)
	table := term.Table{Width: kit.PipeWidth, Columns: []term.Column{
		{Title: "most", Right: true}, {Title: "edits", Right: true}, {Title: "back", Right: true}, {Title: "in", Right: true}, {Title: "file", Flex: true, Path: true, Min: 16}, {Title: "project", Flex: true, Path: true, Min: 8}, {Title: "most in"},
	}}
	for i := range r.Loops {
		l := &r.Loops[i]
		table.AddCells(term.Cell{Text: plain.Count(int64(l.Most)), Style: term.Red}, term.Cell{Text: plain.Count(int64(l.Edits))}, term.Cell{Text: plain.Count(int64(l.Identical))}, term.Cell{Text: plain.Count(int64(l.Units))},
			term.Cell{Text: l.Path}, term.Cell{Text: projectName(l.Project)}, v.where(l.Worst))
	}
	return table.Print(v.out, 2)
}

// projectName is the last part of a project's folder.
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
	v.part("tools", len(r.Tools), r.More.Tools)
	table := term.Table{Width: kit.PipeWidth, Columns: []term.Column{
		{Title: "type"}, {Title: "calls", Right: true}, {Title: "failed of ended", Right: true}, {Title: "rate", Right: true}, {Title: "denied", Right: true, Spare: 3}, {Title: "again", Right: true, Spare: 1}, {Title: "mean", Right: true, Spare: 2},
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
			mean = kit.Milliseconds(t.TimedMS / int64(t.Timed))
		}
		table.AddCells(term.Cell{Text: string(t.Type)}, term.Cell{Text: plain.Count(int64(t.Calls))}, bad(t.Failed, kit.Share(t.Failed, t.Ended)), term.Cell{Text: kit.PercentOf(t.Failed, t.Ended)},
			term.Cell{Text: plain.Count(int64(t.Denied))}, term.Cell{Text: plain.Count(int64(t.Retries))}, term.Cell{Text: mean}, term.Cell{Text: kit.Amount(t.Spent)})
	}
	return table.Print(v.out, 2)
}

func (v *reportView) slow() error {
	r := v.r
	if len(r.Slow) == 0 {
		return nil
	}
	v.part(fmt.Sprintf("longest calls, at most %d of a session", insight.MaxSlow), len(r.Slow), r.More.Slow)
	table := term.Table{Width: kit.PipeWidth, Columns: []term.Column{{Title: "took", Right: true}, {Title: "tool", Flex: true, Min: 8}, {}, {Title: "what", Flex: true, Min: 16}, {Title: "session, event"}}}
	for i := range r.Slow {
		s := &r.Slow[i]
		failed, took := term.Cell{}, kit.Milliseconds(s.MS)
		if s.Gap {
			took = "≤" + took
		}
		if s.Failed {
			failed = term.Cell{Text: "failed", Style: term.Red}
		}
		table.AddCells(term.Cell{Text: took}, term.Cell{Text: scope.ToolWord(s.Tool)}, failed, term.Cell{Text: s.What}, v.where(s.Place))
	}
	return table.Print(v.out, 2)
}

func (v *reportView) tokens() error {
	t := v.r.Tokens
	if t.Units == 0 {
		return nil
	}
	v.part("tokens that failures ate", 0, 0)
	table := term.Table{Width: kit.PipeWidth, Columns: []term.Column{{}, {Right: true}, {Right: true}}}
	table.AddCells(term.Cell{Text: "in calls that failed"}, term.Cell{Text: kit.Amount(t.Failed) + " of " + kit.Amount(t.Calls), Style: term.Red}, term.Cell{Text: kit.PercentOf(t.Failed, t.Calls)})
	table.AddCells(term.Cell{Text: "in repeating failed calls"}, term.Cell{Text: kit.Amount(t.Retries) + " of " + kit.Amount(t.Calls)}, term.Cell{Text: kit.PercentOf(t.Retries, t.Calls)})
	if err := table.Print(v.out, 2); err != nil {
		return err
	}
	kit.Paragraph(v.out, 2, "", fmt.Sprintf("of the tokens of responses that made calls; all tokens of %s that report any: %s", kit.Share(t.Units, t.Of), kit.Amount(t.All)))
	return nil
}

func (v *reportView) phases() error {
	r := v.r
	if len(r.Phases) == 0 {
		return nil
	}
	v.part("phases of the workflow", len(r.Phases), r.More.Phases)
	table := term.Table{Width: kit.PipeWidth, Columns: []term.Column{
		{Title: "phase", Flex: true, Min: 8}, {Title: "done", Right: true}, {Title: "failed", Right: true}, {Title: "active", Right: true, Spare: 2}, {Title: "tokens", Right: true, Spare: 1}, {Title: "failed calls", Right: true},
		{Title: "which", Flex: true, Min: 8}, {Title: "most in"},
	}}
	for i := range r.Phases {
		p := &r.Phases[i]
		tools := make([]string, len(p.Tools))
		for i, t := range p.Tools {
			tools[i] = scope.ToolWord(t.Tool) + " " + plain.Count(int64(t.Failed))
		}
		worst := v.where(p.Worst)
		if v.narrow() {
			worst.Text = ""
		}
		table.AddCells(term.Cell{Text: strings.TrimSuffix(p.Command+":"+p.Phase, ":")}, term.Cell{Text: kit.Share(p.Completed, p.Runs)}, bad(p.Failed, kit.Share(p.Failed, p.Runs)), term.Cell{Text: kit.Milliseconds(p.ActiveMS)}, term.Cell{Text: kit.Tokens(p.Tokens)},
			bad(p.BadCalls, kit.Share(p.BadCalls, p.Calls)), term.Cell{Text: strings.Join(tools, ", ")}, worst)
	}
	return table.Print(v.out, 2)
}

func (v *reportView) weeks() error {
	r := v.r
	if len(r.Weeks) == 0 {
		return nil
	}
	v.part("by week (ISO, UTC)", len(r.Weeks), r.More.Weeks)
	table := term.Table{Width: kit.PipeWidth, Columns: []term.Column{
		{Title: "week"}, {Title: "failing", Right: true}, {Spare: 3}, {Title: "failed calls", Right: true}, {Title: "rate", Right: true, Spare: 1}, {Title: "errors", Right: true, Spare: 2}, {Title: "tokens eaten", Right: true},
	}}
	for i := range r.Weeks {
		w := &r.Weeks[i]
		table.AddCells(term.Cell{Text: w.Week}, bad(w.Failing, kit.Share(w.Failing, w.Ended)), term.Cell{Text: bar(w.Failing, w.Ended), Style: term.Red}, term.Cell{Text: kit.Share(w.Failed, w.Calls)}, term.Cell{Text: kit.PercentOf(w.Failed, w.Calls)},
			term.Cell{Text: plain.Count(int64(w.Errors))}, term.Cell{Text: kit.Amount(w.Spent) + " of " + kit.Amount(w.Tokens)})
	}
	if err := table.Print(v.out, 2); err != nil {
		return err
	}
	if n := r.Units.Undated; n > 0 {
		kit.Paragraph(v.out, 2, "", fmt.Sprintf("%s of %s that ended without a time are in no week", plain.Count(int64(n)), plain.Count(int64(r.Units.Ended))))
	}
	return nil
}
