package costs

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/fault"
	"aburn/internal/term"
	"aburn/internal/units"
)

func pricesCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "prices",
		Usage:     "list the prices that costs use, and their sources",
		UsageText: "aburn cost prices [options] [MODEL]",
		Description: "Lists dollars per million tokens by kind, with the days on which they apply, and with doubts. Nothing is fetched. Your own\n" +
			"prices replace these, by model and day. Put them into prices.json in the folder of your settings (docs/formats/prices.md\n" +
			"describes it), or take them from a file with `aburn cost prices update`.",
		Commands: []*cli.Command{pricesUpdateCommand(a)},
		Flags: kit.OwnFlags([]cli.Flag{&cli.StringFlag{Name: "prices", Usage: "also use the prices in `FILE`, before all others", TakesFile: true},
			kit.JSONFlag()}),
		ArgValidator: pricesArguments,
		Metadata:     kit.Examples("aburn cost prices", "aburn cost prices claude-opus", "aburn cost prices --json | jq '.rows[] | select(.doubt)'"),
		Action:       a.Action(runPrices),
	}
}

func pricesArguments(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() > 1 {
		return fault.Usage("name one model, or a part of its name", "aburn cost prices claude-opus")
	}
	return nil
}

// PricesReport is what `aburn cost prices --json` prints.
type PricesReport struct {
	Made    cost.Day               `json:"made"`
	Read    string                 `json:"read,omitempty"`
	Sources map[string]cost.Source `json:"sources"`
	Rows    []priceRow             `json:"rows"`
}

type priceRow struct {
	Name    string      `json:"name"`
	Vendor  string      `json:"vendor"`
	Models  []string    `json:"models"`
	From    cost.Day    `json:"from,omitempty"`
	Until   cost.Day    `json:"until,omitempty"`
	Rates   []cost.Rate `json:"rates"`
	Sources []string    `json:"sources"`
	Seen    string      `json:"seen,omitempty"`
	Doubt   string      `json:"doubt,omitempty"`
	Own     bool        `json:"own"`
	Note    string      `json:"note,omitempty"`
}

func runPrices(_ context.Context, a *kit.App, cmd *cli.Command) error {
	prices, err := bill.PricesOf(scope.CallerOf(a, cmd), cmd.String("prices"))
	if err != nil {
		return err
	}
	part := cmd.Args().First()
	report := PricesReport{Made: prices.Made, Read: prices.Read, Sources: prices.Sources, Rows: []priceRow{}}
	for _, r := range prices.Rows() {
		if strings.Contains(strings.Join(r.Models, " "), part) {
			report.Rows = append(report.Rows, priceRow{r.Name, r.Vendor, r.Models, r.From, r.Until, r.Rates(), r.Sources, r.Seen, r.Doubt(), r.Own, r.Note})
		}
	}
	switch {
	case cmd.Bool("json"):
		return a.PrintJSON(report)
	case len(report.Rows) == 0:
		return fault.Failed("no price is known for a model called "+fault.Quote(part), "aburn cost prices")
	}
	return showPrices(a.Screen(cmd), &report)
}

func showPrices(out *term.Out, r *PricesReport) error {
	kinds := []string{"input", "cache_read", "cache_write_5m", "cache_write_1h", "cache_write", "output"}
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "model", Flex: true, Min: 12}, {Title: "from"}, {Title: "until", Spare: 2}, {Title: "input", Right: true}, {Title: "read", Right: true},
		{Title: "write 5m", Right: true, Spare: 3},
		{Title: "write 1h", Right: true, Spare: 3}, {Title: "write", Right: true, Spare: 3}, {Title: "output", Right: true}, {Title: "seen", Spare: 4},
		{Title: "doubt", Flex: true, Min: 8, Spare: 5},
	}}
	for i := range r.Rows {
		row := &r.Rows[i]
		addRates(&table, strings.Join(row.Models, ", "), row, kinds, 0)
		for _, rate := range row.Rates {
			if rate.Above > 0 {
				addRates(&table, fmt.Sprintf("  above %s tokens", units.Amount(rate.Above)), row, kinds, rate.Above)
				break
			}
		}
	}
	if err := table.Print(out, 0); err != nil {
		return err
	}
	fmt.Fprintln(out)
	term.Paragraph(out, 0, "", "Dollars per million tokens, as known on "+string(r.Made)+": read "+r.Read+". `aburn cost prices --json` names the sources.")
	return nil
}

func addRates(table *term.Table, name string, row *priceRow, kinds []string, above int64) {
	cells := []term.Cell{{Text: name}, {Text: string(row.From)}, {Text: string(row.Until)}}
	if above > 0 {
		cells[1].Text, cells[2].Text = "", ""
	}
	for _, kind := range kinds {
		cell := term.Cell{}
		for _, rate := range row.Rates {
			if rate.Kind == kind && rate.Above == above {
				cell.Text = rate.Dollars
			}
		}
		cells = append(cells, cell)
	}
	if above == 0 {
		seen := row.Seen
		if row.Own {
			seen = "yours"
		}
		cells = append(cells, term.Cell{Text: seen, Style: term.Dim}, term.Cell{Text: row.Doubt, Style: term.Dim})
	}
	table.AddCells(cells...)
}
