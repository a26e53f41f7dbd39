package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/instrument/jsast"
	"aburn/instrument/provider"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
)

func costCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "cost",
		Usage:     "the most that a run's questions to a model can take",
		ArgsUsage: "PATH...",
		Description: "Scans the files and makes the question about each, as a run would. Then it adds up the longest answers\n" +
			"and the largest number of attempts: that is the ceiling. A run asks no model before you accepted it.\n" +
			"Tokens are estimated from bytes. Nothing leaves the machine, and nothing is written.\n\n" +
			"Exit code: 0, or 2 if no file matches.",
		Flags: []cli.Flag{
			projectConfigFlag(),
			&cli.StringFlag{Name: "model", Usage: "say the price of the `MODEL`, if it is known; default: agentModel of " + instrument.ConfigFile},
			&cli.StringFlag{Name: "mode", Usage: "for a run in the mode `HOW`: plan or rewrite; default: mode of " + instrument.ConfigFile},
			&cli.BoolFlag{Name: "token", Usage: "also give a token, for a run that a person approves"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn instrument cost src", "aburn instrument cost src --json | jq .maxTokens"),
		Action:   a.Action(runCost),
	}
}

func runCost(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	c, _, err := projectConfig(dir, cmd.String("config"))
	if err != nil {
		return err
	}
	if err := withMode(cmd, &c); err != nil {
		return err
	}
	files, err := selected(ctx, a, dir, cmd.Args().Slice(), c)
	if err != nil {
		return err
	}
	engine := jsast.Start(ctx)
	defer engine.Close()
	survey, err := coordinator.Look(ctx, engine, dir, files, c)
	if err != nil {
		return lookError(err, c)
	}
	model := cmp.Or(cmd.String("model"), c.AgentModel)
	price, priced := mostOf(model, c.Provider)
	ceiling := survey.Ceiling(dir, c, price)
	answer := costAnswer{Ceiling: ceiling}
	if cmd.Bool("token") {
		c.AgentModel = model
		if answer.Token, err = newToken(a, dir, c, cmd.Args().Slice(), ceiling); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(answer)
	}
	out := a.Screen(cmd)
	printCeiling(out, ceiling, survey.Idle, priced)
	if answer.Token != "" {
		fmt.Fprintf(out, "token: %s; aburn instrument approve %s lets an agent start the run\n", answer.Token, answer.Token)
	}
	return nil
}

// costAnswer is a ceiling, with the token for it where one was asked for.
type costAnswer struct {
	coordinator.Ceiling
	Token string `json:"approval,omitempty"` // scrubbing takes out what is called a token
}

// lookError words an error of a survey.
func lookError(err error, c instrument.Config) error {
	var many *coordinator.TooManyError
	if errors.As(err, &many) {
		return fault.Usage(many.Error(), "name fewer paths, or raise maxFilesPerRun in "+instrument.ConfigFile)
	}
	return applyError(err, c)
}

// priceOf is what a model's tokens cost at list prices today; nil where it has none.
func priceOf(model string) coordinator.Price {
	prices := cost.Shipped()
	if model == "" || !prices.Knows(model) {
		return nil
	}
	return func(u provider.Usage) *float64 {
		sum := prices.Price(cost.Response{Time: time.Now(), Model: model, Tokens: cost.Tokens{
			Input: int64(u.Input), Output: int64(u.Output), CacheRead: int64(u.CacheRead), Write5m: int64(u.CacheWrite),
		}})
		if sum.UnpricedTokens() > 0 {
			return nil
		}
		dollars := float64(sum.Amount.Cents()) / 100
		if sum.Amount.Cents() == 0 && sum.Amount > 0 {
			dollars = 0.01
		}
		return &dollars
	}
}

// mostOf is what tokens cost at most, and the model whose price that is: the one that is named, or
// that of the provider's own settings. Where none of them has a price, it is the provider's dearest.
func mostOf(model, name string) (price coordinator.Price, of string) {
	if price := priceOf(model); price != nil || model != "" {
		return price, model
	}
	who, err := provider.Find(name, os.Environ())
	if err != nil {
		return nil, ""
	}
	own, vendor := provider.OwnModel(who, os.Environ())
	if price := priceOf(own); price != nil {
		return price, own
	}
	return dearest(vendor)
}

// dearest is the price of the vendor's model whose tokens cost most today; nil where none has a price.
func dearest(vendor string) (price coordinator.Price, model string) {
	most := 0.0
	for _, row := range cost.Shipped().Rows() {
		if row.Vendor != vendor || row.Until != "" || len(row.Models) == 0 {
			continue
		}
		p := priceOf(row.Models[0])
		if p == nil {
			continue
		}
		if dollars := p(provider.Usage{Input: 1_000_000, Output: 1_000_000}); dollars != nil && *dollars > most {
			most, price, model = *dollars, p, row.Models[0]+", "+vendor+"'s dearest model"
		}
	}
	return price, model
}

func printCeiling(out *term.Out, c coordinator.Ceiling, idle []instrument.Skipped, model string) {
	for _, f := range c.Each {
		fmt.Fprintf(out, "%s: %s, at most %s tokens in %s", plain.Line(f.Path), countOf(f.Candidates, "candidate"), plain.Count(int64(f.MaxTokens)),
			countOf(f.Calls, "call"))
		if f.Note != "" {
			fmt.Fprintf(out, " (%s)", f.Note)
		}
		fmt.Fprintln(out)
	}
	if len(idle) > 0 {
		fmt.Fprintf(out, "%s without a question: nothing in them wants a span, or they cannot be parsed\n", countOf(len(idle), "file"))
	}
	fmt.Fprintln(out, ceilingLine(c, model))
}

// ceilingLine is the ceiling in one sentence.
func ceilingLine(c coordinator.Ceiling, model string) string {
	line := fmt.Sprintf("ceiling: %s, at most %s and %s tokens, %s", countOf(c.Files, "file"), countOf(c.Calls, "call"), plain.Count(int64(c.MaxTokens)), c.Basis)
	switch {
	case c.MaxUSD != nil:
		line += fmt.Sprintf("; at most $%.2f at list prices of %s", *c.MaxUSD, plain.Line(model))
	case model != "":
		line += "; no price is known for " + plain.Line(model)
	default:
		line += "; what that costs depends on the model, or on your plan"
	}
	return line
}
