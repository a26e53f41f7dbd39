package costs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/internal/atomicfile"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
)

func pricesUpdateCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "update",
		Usage:     "add LiteLLM's prices to your own",
		ArgsUsage: "FILE",
		Description: "FILE is LiteLLM's model_prices_and_context_window.json. The command shows what would change, and asks. It takes the models\n" +
			"that your sessions used or that aburn has prices for. LiteLLM states no days, so its prices apply from today, and earlier answers\n" +
			"keep theirs. ~ marks amounts at its prices.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "take every model"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only show what would change"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "skip the question"},
			kit.JSONFlag(),
		},
		ArgValidator: pricesUpdateArguments,
		Metadata:     kit.Examples("aburn cost prices update model_prices_and_context_window.json --dry-run"),
		Action:       a.Action(runPricesUpdate),
	}
}

func pricesUpdateArguments(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 {
		return fault.Usage("name one file of prices", "aburn cost prices update FILE")
	}
	return nil
}

// PricesUpdate is what `aburn cost prices update --json` prints.
type PricesUpdate struct {
	File     string         `json:"file"` // the user's own prices
	Changes  []priceChange  `json:"changes"`
	Same     int            `json:"same"`
	Unwanted int            `json:"unwanted"`
	LeftOut  []cost.LeftOut `json:"left_out"`
	Done     bool           `json:"done"`
}

type priceChange struct {
	Models []string    `json:"models"`
	From   cost.Day    `json:"from,omitempty"`
	Until  cost.Day    `json:"until,omitempty"`
	Before []cost.Rate `json:"before"`
	After  []cost.Rate `json:"after"`
	Doubt  string      `json:"doubt,omitempty"`
}

func runPricesUpdate(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	c := chosen.CallerOf(a, cmd)
	path := bill.PriceFile(c.Env)
	if path == "" {
		return fault.Failed("there is no folder for your settings", "set HOME or XDG_CONFIG_HOME")
	}
	before, plan, err := planUpdate(ctx, c, path, cmd.Args().First(), cmd.Bool("all"))
	if err != nil {
		return err
	}
	report := updateReport(path, plan)
	if !cmd.Bool("json") {
		showUpdate(a.Screen(cmd), &report)
	}
	if len(plan.Changes) > 0 && !cmd.Bool("dry-run") {
		if report.Done, err = applyUpdate(a, cmd, path, before, plan.Text); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(report)
	}
	return nil
}

// planUpdate reads the user's own prices and the file of newer ones.
func planUpdate(ctx context.Context, c *lookup.Caller, path, named string, all bool) (before []byte, plan *cost.Update, err error) {
	dir, err := c.Folder()
	if err != nil {
		return nil, nil, err
	}
	file := workspace.InFolder(dir, named)
	text, err := bill.PriceText(file)
	if err != nil {
		return nil, nil, fault.Usage(err.Error(), "aburn cost prices update FILE")
	}
	own, err := bill.ReadPrices(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		own = &cost.Prices{}
	case err != nil:
		return nil, nil, fault.Failed("your own prices can't be read: "+err.Error(), "repair or remove the file; nothing was changed")
	default:
		if before, err = bill.PriceText(path); err != nil {
			return nil, nil, err
		}
	}
	wanted, err := wantedModels(ctx, c, cost.Shipped().With(own), all)
	if err != nil {
		return nil, nil, err
	}
	plan, err = cost.PlanUpdate(before, text, cost.Day(c.Now.UTC().Format(time.DateOnly)), wanted)
	if err != nil {
		return nil, nil, fault.Failed(file+": "+err.Error(), "nothing was changed: your prices are as before",
			"to use a price file in aburn's own form, pass --prices FILE")
	}
	return before, plan, nil
}

// wantedModels chooses models with a price, and those that archived sessions used.
func wantedModels(ctx context.Context, c *lookup.Caller, table *cost.Prices, all bool) (func(string) bool, error) {
	if all {
		return func(string) bool { return true }, nil
	}
	used := map[string]bool{}
	wanted := func(model string) bool { return table.Knows(model) || used[model] }
	if _, err := os.Stat(filepath.Join(archive.Dir(c.Env), archive.Name)); err != nil {
		return wanted, nil
	}
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	return wanted, arch.EachAnswers(ctx, func(int64) bool { return true }, func(_ int64, list []archive.Answer) error {
		for i := range list {
			used[list[i].Model] = true
		}
		return nil
	})
}

func updateReport(path string, plan *cost.Update) PricesUpdate {
	r := PricesUpdate{File: path, Changes: []priceChange{}, Same: plan.Same, Unwanted: plan.Unwanted, LeftOut: append([]cost.LeftOut{}, plan.LeftOut...)}
	for _, c := range plan.Changes {
		change := priceChange{Models: c.Row.Models, From: c.Row.From, Until: c.Row.Until, Before: []cost.Rate{}, After: c.Row.Rates(), Doubt: c.Row.Doubt()}
		if c.Before != nil {
			change.Before = c.Before.Rates()
		}
		r.Changes = append(r.Changes, change)
	}
	return r
}

func showUpdate(out *term.Out, r *PricesUpdate) {
	for i := range r.Changes {
		c := &r.Changes[i]
		days := ""
		if c.From != "" {
			days = " from " + string(c.From)
		}
		if c.Until != "" {
			days += " until " + string(c.Until)
		}
		fmt.Fprintln(out, plain.Line(strings.Join(c.Models, ", ")+days))
		for _, text := range ratesChanged(c.Before, c.After) {
			fmt.Fprintln(out, "  "+text)
		}
	}
	if len(r.Changes) > 0 {
		fmt.Fprintln(out)
	}
	for i, left := range r.LeftOut {
		if i == fault.MaxListed {
			fmt.Fprintf(out, "%s more left out\n", plain.Count(int64(len(r.LeftOut)-i)))
			break
		}
		fmt.Fprintln(out, plain.Line("left out: "+left.Model+": "+left.Why))
	}
	summary := fmt.Sprintf("%s, %s as known", plain.Plural(int64(len(r.Changes)), "change"), plain.Count(int64(r.Same)))
	if r.Unwanted > 0 {
		summary += fmt.Sprintf("; %s that no session used (--all takes them)", plain.Plural(int64(r.Unwanted), "model"))
	}
	fmt.Fprintln(out, summary)
}

// ratesChanged lists what an update does to each price, in dollars per million tokens.
func ratesChanged(before, after []cost.Rate) (lines []string) {
	type key struct {
		kind  string
		above int64
	}
	old := map[key]string{}
	for _, r := range before {
		old[key{r.Kind, r.Above}] = r.Dollars
	}
	name := func(k key) string {
		if k.above > 0 {
			return k.kind + " above " + units.Amount(k.above)
		}
		return k.kind
	}
	for _, r := range after {
		k := key{r.Kind, r.Above}
		was, known := old[k]
		delete(old, k)
		switch {
		case !known:
			lines = append(lines, name(k)+": $"+r.Dollars+" (no price before)")
		case was != r.Dollars:
			lines = append(lines, name(k)+": $"+was+" → $"+r.Dollars)
		}
	}
	for _, r := range before {
		if k := (key{r.Kind, r.Above}); old[k] != "" {
			lines = append(lines, name(k)+": $"+r.Dollars+" → no price")
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "the same prices, with other days, tiers or sources")
	}
	return lines
}

var errPricesChanged = errors.New("your own prices changed meanwhile")

// applyUpdate asks and writes. It returns false if the person refused.
func applyUpdate(a *kit.App, cmd *cli.Command, path string, before, text []byte) (bool, error) {
	if !cmd.Bool("yes") {
		if cmd.Bool("json") || !a.CanAsk(cmd) {
			return false, fault.Usage("prices update asks before it changes your prices, but there is no terminal: nothing was changed",
				cmd.FullName()+" --dry-run shows the change", "pass --yes to skip the question")
		}
		if !a.Confirm("do this?") {
			fmt.Fprintln(a.Stdout, "nothing was changed")
			return false, fault.Exit(fault.ExitFailed)
		}
	}
	unchanged := func() error {
		now, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !bytes.Equal(now, before) {
			return errPricesChanged
		}
		return nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomicfile.Write(path, text, 0o600, atomicfile.Options{Sync: true, Check: unchanged})
	}
	if err != nil {
		return false, fault.Failed(path+": "+err.Error(), "nothing was changed")
	}
	if !cmd.Bool("json") {
		fmt.Fprintln(a.Stdout, "written: "+path)
	}
	return true, nil
}
