package supervise

import (
	"context"
	"io"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/supervisor/status"
)

// ProofCommand is `aburn proof`.
func ProofCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "proof",
		Usage:     "show what a session claimed, and what the log proves",
		ArgsUsage: "[SESSION|last]",
		Description: "Lists each claim that work is finished: a command's COMPLETE, a phase, `aburn done`, the words of a turn's\n" +
			"last message. A claim is proved if the last run of its checks (tests, build, type check, linter) passed,\n" +
			"after the last change of the code. Without SESSION it takes the newest one.\n\n" +
			"Exit codes: 0 no claim lacks proof · 1 one does · 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "markdown", Usage: "print Markdown, for a pull request"},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn proof", "aburn proof last --markdown | gh pr comment --body-file -",
			"aburn proof --json | jq '.claims[] | select(.verdict==\"not proved\")'"),
		Action: a.Action(runProof),
	}
}

func runProof(_ context.Context, a *kit.App, cmd *cli.Command) error {
	session := status.LastSession
	switch cmd.NArg() {
	case 0:
	case 1:
		session = cmd.Args().First()
	default:
		return fault.Usage("proof takes one session")
	}
	if cmd.Bool("json") && cmd.Bool("markdown") {
		return fault.Usage("--json and --markdown: one of them")
	}
	p, err := status.ProofOf(scope.CallerOf(a, cmd), status.ProofQuery{Session: session})
	if err != nil {
		return err
	}
	switch {
	case cmd.Bool("json"):
		err = a.PrintJSON(p)
	case cmd.Bool("markdown"):
		_, err = io.WriteString(a.Stdout, p.Markdown())
	default:
		err = p.Print(a.Screen(cmd))
	}
	if err != nil {
		return err
	}
	return p.Failed()
}
