package setup

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/install/doctor"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace/readers"
)

// Unaccounted finds processes of a project's workers that no ledger or holder accounts for.
type Unaccounted func(ctx context.Context, env func(string) string, dir string) []string

func DoctorCommand(a *kit.App, unaccounted Unaccounted) *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "check that hooks work here, or show why not",
		Description: "Checks the project, the agents, which settings call the hook, whether Codex trusts it, and whether the\n" +
			"agents' newest sessions are in the log. Exits with 1 if a problem was found. --live also runs every registered\n" +
			"command with a canary, in a temporary project.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "live", Usage: "run a canary through every registered hook"},
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn doctor", "aburn doctor --live", "aburn doctor --json | jq '.checks[] | select(.status == \"bad\")'"),
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			return runDoctor(ctx, a, cmd, unaccounted)
		}),
	}
}

func runDoctor(ctx context.Context, a *kit.App, cmd *cli.Command, unaccounted Unaccounted) error {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	self, _ := os.Executable()
	report := doctor.Run(ctx, doctor.Options{Dir: dir, Env: a.Getenv, Now: time.Now(), Self: self, Live: cmd.Bool("live"), Readers: readers.Readers(),
		Agents: install.Agents()})
	for _, text := range unaccounted(ctx, a.Getenv, dir) {
		report.Checks = append(report.Checks, doctor.Check{Topic: "workers", Status: doctor.Note, Text: text, Hints: []string{"aburn kill NAME ends it", "aburn ps"}})
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(struct {
			OK     bool           `json:"ok"`
			Checks []doctor.Check `json:"checks"`
		}{!report.Bad(), report.Checks})
	} else {
		printReport(a.Screen(cmd), report)
	}
	if err == nil && report.Bad() {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

// printReport prints the findings by topic. Lines are not cut, so that paths at their end can be copied.
func printReport(out *term.Out, r doctor.Report) {
	last := ""
	for _, c := range r.Checks {
		topic := c.Topic
		if topic == last {
			topic = ""
		}
		last = c.Topic
		style := term.Green
		switch c.Status {
		case doctor.Note:
			style = term.Yellow
		case doctor.Bad:
			style = term.BoldRed
		}
		begin := out.Paint(term.Bold, plain.Pad(topic, 8)) + "  " + out.Paint(style, plain.Pad(string(c.Status), 4)) + "  "
		for _, line := range out.Fold(plain.Line(c.Text), textColumn) {
			fmt.Fprintf(out, "%s%s\n", begin, line)
			begin = plain.Pad("", textColumn)
		}
		for _, h := range c.Hints {
			for _, line := range out.Fold("→ "+plain.Line(h), textColumn) {
				fmt.Fprintf(out, "%s%s\n", plain.Pad("", textColumn), out.Paint(term.Cyan, line))
			}
		}
	}
}

// textColumn is where the words of a finding begin.
const textColumn = 16
