package work

import (
	"context"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/control"
	"aburn/worker/describe"
)

func AnswerCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "answer",
		Usage:     "answer a worker's question",
		ArgsUsage: "NAME allow|deny",
		Description: "An agent without a terminal waits until you answer. `aburn ps NAME` shows its question. An answer is for one question,\n" +
			"once.\n\n" +
			"A worker in a terminal asks there: `aburn attach NAME`.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "text", Usage: "tell the agent `TEXT` with the answer, such as what to do instead"},
			&cli.StringFlag{Name: "id", Usage: "answer the question `ID`, if there are several"},
			kit.JSONFlag(),
		},
		ArgValidator: func(_ context.Context, cmd *cli.Command) error {
			if word := cmd.Args().Get(1); cmd.NArg() != 2 || word != "allow" && word != "deny" {
				return fault.Usage("name a worker, and allow or deny", "aburn ps", cmd.FullName()+" --help")
			}
			return nil
		},
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn answer fix-the-flaky-test allow", `aburn answer fix deny --text "only in the tests"`),
		Action:        a.Action(runAnswer),
	}
}

func runAnswer(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "answer for the person"); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	m, err := o.Member(ctx, cmd.Args().First())
	if err != nil {
		return err
	}
	ch, h, ok := o.Channel(m)
	switch {
	case m.Over():
		return fault.Failed(m.Name+" has ended: "+describe.StateText(m), "aburn ps "+m.Name)
	case !ok:
		return fault.Failed(m.Name+" is waiting in its terminal", "aburn attach "+m.Name)
	}
	q, err := control.Answer(ctx, ch, h, cmd.String("id"), cmd.Args().Get(1) == "allow", cmd.String("text"))
	if err != nil {
		return describe.AnswerFailure(m, err)
	}
	did := map[bool]string{true: target.DidAllow, false: target.DidDeny}[cmd.Args().Get(1) == "allow"]
	acts := target.NewActs(a, cmd.Bool("json"))
	acts.Did(target.Acted{Worker: m.Name, Did: did, Asked: plain.Line(q.What)}, m.Name+"  "+did+": "+q.What)
	return acts.End()
}
