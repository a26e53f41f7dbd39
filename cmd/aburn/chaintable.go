package main

import (
	"fmt"

	"aburn/chain"
	"aburn/internal/term"
	"aburn/logfmt"
)

// printOverview shows the chain as a table, at most 80 columns wide where the screen does not say otherwise, and below
// it what is doubtful.
func printOverview(o *term.Out, q chain.Query, results []chain.Result) error {
	where := "chain of " + chain.Worktree(q.Project.Wt)
	if branch := q.Project.Branch(); branch != "" {
		where += ", on " + chain.Quote(branch, shownBranch)
	}
	fmt.Fprintf(o, "%s %s\n", where, o.Paint(term.Dim, notOrders))
	table := chainTable(q, results)
	if o.Width() == 0 {
		narrow(table, pageWidth)
	}
	if err := table.Print(o, 0); err != nil {
		return err
	}
	return printNotes(o, results)
}

// outputsColumn is the one that gives way.
const outputsColumn = 3

func chainTable(q chain.Query, results []chain.Result) *term.Table {
	table := &term.Table{Columns: []term.Column{
		{Title: "COMMAND"}, {Title: "STATE"}, {Title: "AGE"}, {Title: "OUTPUTS", Flex: true, Path: true, Min: 8}, {Title: "NEXT"},
	}}
	for i := range results {
		r := &results[i]
		age, next := "", ""
		if !r.Since.IsZero() {
			age = term.Age(q.Now.Sub(r.Since))
		}
		if r.Next != "" {
			next = chain.Quote(r.Next, logfmt.MaxCmd)
		}
		table.AddCells(
			term.Cell{Text: term.Cut(chain.Quote(r.Cmd, logfmt.MaxCmd), shownName), Style: term.Bold}, stateCell(r), term.Cell{Text: age},
			term.Cell{Text: outputsText(r.Outputs)}, term.Cell{Text: term.Cut(next, shownName)},
		)
	}
	return table
}

// stateCell is the newest thing that happened to a command.
func stateCell(r *chain.Result) term.Cell {
	switch {
	case r.State == chain.Running:
		return term.Cell{Text: "running", Style: term.Cyan}
	case r.State == chain.Failed:
		return term.Cell{Text: "failed", Style: term.Red}
	case r.State == chain.Done && r.Stale():
		return term.Cell{Text: "stale", Style: term.Yellow}
	case r.State == chain.Done:
		return term.Cell{Text: "done", Style: term.Green}
	}
	return term.Cell{Text: "-", Style: term.Dim}
}

// outputsText is the first output and how many more there are.
func outputsText(outputs []chain.Output) string {
	if len(outputs) == 0 {
		return ""
	}
	text := chain.Quote(outputs[0].Path, chain.MaxPath)
	if more := len(outputs) - 1; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

// narrow cuts the outputs so that no line of the table is wider than total cells.
func narrow(t *term.Table, total int) {
	widths := make([]int, len(t.Columns))
	for _, row := range t.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], term.Width(cell.Text))
		}
	}
	left := total
	for i, w := range widths {
		if w > 0 && i != outputsColumn {
			left -= max(w, len(t.Columns[i].Title)) + 2
		}
	}
	for _, row := range t.Rows {
		row[outputsColumn].Text = term.CutStart(row[outputsColumn].Text, left)
	}
}

func printNotes(o *term.Out, results []chain.Result) error {
	shown := 0
	for i := range results {
		for _, n := range results[i].Notes {
			if shown++; shown > shownNotes {
				return nil
			}
			_, err := fmt.Fprintf(o, "%s %s: %s\n", o.Paint(term.Dim, "note"), chain.Quote(results[i].Cmd, logfmt.MaxCmd), o.Paint(term.Yellow, noteText(&results[i], n)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
