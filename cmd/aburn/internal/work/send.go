package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/workspace"
	"aburn/worker"
	"aburn/worker/control"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// sendWait is how long send waits for the agent's own record by default.
const sendWait = 30 * time.Second

func SendCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "send",
		Usage:     "send a worker a message",
		ArgsUsage: "NAME… TEXT",
		Description: "TEXT is the last argument; - reads it from stdin. A working agent gets it from its hook when its turn ends. For an idle\n" +
			"agent in tmux, aburn types it, but only if the agent's record and screen show an empty input line: never into a\n" +
			"question, and never after text that somebody began to type. A message is accepted when the agent's own record shows it.\n" +
			"Messages reach a worker in order, each once. A message that isn't accepted in time waits, and reaches the agent later.\n\n" +
			"Exit codes: 0 accepted, or handed over with --no-wait; 1 not accepted; 2 wrong usage.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "read the text from `FILE`", TakesFile: true},
			&cli.BoolFlag{Name: "after-turn", Usage: "don't type: deliver at the end of a turn, or with the next prompt"},
			&cli.BoolFlag{Name: "interrupt", Usage: "end the turn first, as Esc does"},
			&cli.BoolFlag{Name: "type", Usage: "type even if its record doesn't show that it is idle; its screen must"},
			&cli.DurationFlag{Name: "wait", Value: sendWait, Usage: "wait up to `TIME` until it is accepted; default 30s"},
			&cli.BoolFlag{Name: "no-wait", Usage: "hand it over and return"},
			kit.JSONFlag(),
		},
		ShellComplete: target.CompleteWorkers(a),
		Metadata: kit.Examples(`aburn send fix-the-flaky-test "The fixture server listens on 8081 now"`, `aburn send --interrupt fix "Stop: not in that file"`,
			"aburn send --file review.md fix issue-12", "git log -1 | aburn send --after-turn fix -"),
		Action: a.Action(runSend),
	}
}

func runSend(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	names, text, err := sendArguments(a, cmd)
	if err != nil {
		return err
	}
	options, from, err := sendOptions(a, cmd)
	if err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	members, err := target.Chosen(ctx, o, names)
	if err != nil {
		return err
	}
	results := make([]manager.Sent, len(members))
	var all sync.WaitGroup
	for i, m := range members {
		all.Go(func() { results[i] = sendOne(ctx, o, cmd, m, manager.Message{Text: text, From: from}, options) })
	}
	all.Wait()
	if cmd.Bool("json") {
		err = a.PrintJSON(results)
	} else {
		sendText(a, results, cmd.Bool("no-wait"))
	}
	for _, r := range results {
		if err == nil && r.State != manager.Accepted && !(r.State == manager.Waits && cmd.Bool("no-wait")) {
			err = fault.Exit(fault.ExitFailed)
		}
	}
	return err
}

func sendOne(ctx context.Context, o *projects.Project, cmd *cli.Command, m *manager.Member, msg manager.Message, options manager.SendOptions) manager.Sent {
	refused := manager.Sent{Worker: m.Name, State: manager.Declined}
	if idle := m.Worker.Delivery() == worker.ByKeys; cmd.Bool("interrupt") && !idle {
		if err := control.Interrupt(ctx, o.Manager, m); err != nil {
			refused.Why = "its turn was not ended: " + err.Error()
			return refused
		}
	}
	if m.IsRemote() {
		return control.SendRemote(ctx, o.Manager, m, msg, options)
	}
	r, err := manager.Send(ctx, o.Manager, m.Name, msg, options)
	if err != nil {
		r.Why = err.Error()
	}
	return r
}

// sendArguments are the workers and the text.
func sendArguments(a *kit.App, cmd *cli.Command) (names []string, text string, err error) {
	args := cmd.Args().Slice()
	file := cmd.String("file")
	switch {
	case file != "":
		names = args
	case len(args) > 0:
		names, text = args[:len(args)-1], args[len(args)-1]
	}
	if len(names) == 0 {
		return nil, "", fault.Usage("name a worker, then the text as one argument", `aburn send fix-the-flaky-test "use port 8081"`)
	}
	var from io.Reader
	switch {
	case file != "":
		dir, err := kit.Folder(cmd)
		if err != nil {
			return nil, "", err
		}
		f, err := os.Open(workspace.InFolder(dir, file))
		if err != nil {
			return nil, "", fault.Usage("--file: " + err.Error())
		}
		defer f.Close()
		from = f
	case text == "-":
		from = a.Stdin
	}
	if from != nil {
		data, err := io.ReadAll(io.LimitReader(from, manager.MaxMessage+2))
		if err != nil {
			return nil, "", fault.Usage("the text cannot be read: " + err.Error())
		}
		text = string(data)
	}
	if text, err = control.CheckMessage(text); err != nil {
		return nil, "", err
	}
	text, secrets := scrub.Text(text) // it lies in files until it is accepted, and in the queue's archive
	if secrets > 0 {
		a.Note(plain.Plural(int64(secrets), "secret was", "secrets were") + " taken out of the text")
	}
	return names, text, nil
}

// sendOptions also says which agent sends, if no person does. An agent presses no keys.
func sendOptions(a *kit.App, cmd *cli.Command) (o manager.SendOptions, from string, err error) {
	o = manager.SendOptions{NoKeys: cmd.Bool("after-turn"), Type: cmd.Bool("type"), Wait: cmd.Duration("wait")}
	if cmd.Bool("no-wait") {
		o.Wait = 0
	}
	switch {
	case cmd.Bool("no-wait") && cmd.IsSet("wait"):
		return o, "", fault.Usage("use only one of --wait and --no-wait")
	case o.Wait < 0:
		return o, "", fault.Usage("--wait: a time of at least 0s")
	case o.NoKeys && (o.Type || cmd.Bool("interrupt")):
		return o, "", fault.Usage("--after-turn can't be combined with --type or --interrupt")
	}
	if o.Type || cmd.Bool("interrupt") {
		return o, "", scope.PersonOnly(a, "type into a worker's terminal")
	}
	if _, name, _, ok := manager.ParseMark(a.Getenv(hold.MarkVariable)); ok {
		from = "the worker " + name
	} else if list := agentcli.CallingAgents(a.Getenv); len(list) > 0 {
		from = agentcli.Of(list[0].Of.Name).Title
	}
	o.NoKeys = o.NoKeys || from != ""
	return o, from, nil
}

// sendText says of each worker how far its message came, and what can be done.
func sendText(a *kit.App, results []manager.Sent, noWait bool) {
	for _, r := range results {
		way := "aburn attach " + r.Worker
		if r.Ended() {
			way = "aburn resume " + r.Worker
		}
		switch {
		case r.State == manager.Accepted:
			fmt.Fprintf(a.Stdout, "%s  has it (%s)\n", r.Worker, r.ID)
		case r.State == manager.Waits && noWait:
			fmt.Fprintln(a.Stdout, plain.Line(fmt.Sprintf("%s  waits (%s): %s", r.Worker, r.ID, r.Why)))
		case r.State == manager.Waits:
			a.Warn(fmt.Sprintf("%s: not accepted yet, and it waits (%s): %s", r.Worker, r.ID, r.Why), way, "aburn ps "+r.Worker)
		case r.State == manager.Unconfirmed:
			a.Warn(fmt.Sprintf("%s: aburn can't tell whether it has the message (%s), and doesn't type it again: %s", r.Worker, r.ID, r.Why), "aburn attach "+r.Worker)
		default:
			a.Warn(fmt.Sprintf("%s: not sent: %s", r.Worker, r.Why), way, "aburn ps "+r.Worker)
		}
	}
}

func InterruptCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "interrupt",
		Usage:     "interrupt a worker's turn, as Esc does",
		ArgsUsage: "NAME…",
		Description: "The agent stays at its prompt and keeps its conversation. aburn doesn't interrupt a worker that asks something, because Esc\n" +
			"would refuse that. Exits with 1 if a turn did not end.",
		Flags:         []cli.Flag{kit.JSONFlag()},
		ArgValidator:  target.SomeWorkers,
		ShellComplete: target.CompleteWorkers(a),
		Metadata:      kit.Examples("aburn interrupt fix-the-flaky-test"),
		Action:        a.Action(runInterrupt),
	}
}

func runInterrupt(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if err := scope.PersonOnly(a, "end turns of workers"); err != nil {
		return err
	}
	o, err := target.OpenProject(a, cmd)
	if err != nil {
		return err
	}
	defer o.Close()
	members, err := target.Chosen(ctx, o, cmd.Args().Slice())
	if err != nil {
		return err
	}
	acts := target.NewActs(a, cmd.Bool("json"))
	for _, m := range members {
		switch err := control.Interrupt(ctx, o.Manager, m); {
		case errors.Is(err, manager.ErrOver):
			acts.Failed(target.ActedOn(m, ""), "its agent has ended already")
		case err != nil:
			acts.Failed(target.ActedOn(m, ""), err.Error(), "aburn attach "+m.Name)
		default:
			acts.Did(target.Acted{Worker: m.Name, Did: target.DidInterrupt}, m.Name+"  its turn is over")
		}
	}
	return acts.End()
}
