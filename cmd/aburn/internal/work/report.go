package work

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/hold"
	"aburn/internal/journal"
	"aburn/internal/scrub"
	"aburn/logfmt"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// maxReport bounds what an agent says of itself in an entry, in bytes.
const maxReport = 1000

func DoneCommand(a *kit.App) *cli.Command {
	return reportCommand(a, logfmt.WorkerDone, "done", "[TEXT]", "report that this worker's task is finished",
		"It writes WORKER_DONE into the project's log, and `aburn ps` shows the worker as done. It checks and merges nothing.",
		`aburn done "the cart test passes 100 times in a row"`)
}

func AskCommand(a *kit.App) *cli.Command {
	return reportCommand(a, logfmt.WorkerAsk, "ask", "TEXT", "ask a person for help, from inside a worker",
		"It writes a WORKER_ASK into the project's log, and `aburn ps` shows that the worker needs you. The agent ends its turn\n"+
			"then: the answer comes as its next prompt, or by `aburn send`.",
		`aburn ask "May I drop the table carts_old? Nothing reads it."`)
}

func reportCommand(a *kit.App, ev logfmt.Event, name, args, usage, what, example string) *cli.Command {
	return &cli.Command{
		Name:      name,
		Usage:     usage,
		ArgsUsage: args,
		Description: what + "\n\nTEXT may also come from stdin, as -. In a sandbox that makes the log read-only, it prints one line `aburn:entry …`, and\n" +
			"the agent's hook appends it. Exit code: 0 written, or handed to the hook; 1 not written; 2 outside of a worker.",
		Flags:    []cli.Flag{kit.JSONFlag()},
		Metadata: kit.Examples(example),
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			return runReport(a, cmd, ev)
		}),
	}
}

func runReport(a *kit.App, cmd *cli.Command, ev logfmt.Event) error {
	name := cmd.Name
	key, worker, session, ok := manager.ParseMark(a.Getenv(hold.MarkVariable))
	if !ok {
		return fault.Usage("aburn "+name+" is for agents that aburn spawned: this is not inside of a worker", "aburn spawn --help")
	}
	text, err := reportText(a, cmd, ev)
	if err != nil {
		return err
	}
	if a.Getenv("ABURN") == "0" {
		a.Note("not logged: ABURN=0 switches aburn off")
		return nil
	}
	w, err := scope.Open(a, cmd)
	if err != nil {
		return err
	}
	defer w.Close()
	store, err := ledger.Open(w.Root, a.Getenv)
	if err != nil || store.Key != key {
		return fault.Usage("this folder is not of the project that the worker "+fault.Quote(worker)+" belongs to", "run it in the worktree")
	}
	e := &logfmt.Entry{Cmd: logfmt.SessionCmd, Event: ev, Source: "aburn", Wt: w.Wt}
	if c := (&manager.Manager{Root: w.Root, Checkout: projects.Checkout(w, a.Getenv), Store: store}); c.Wt(worker) != "" {
		e.Wt = c.Wt(worker)
	}
	e.Session, e.Agent = reporter(a, session)
	var data logfmt.Object
	e.Data = data.Str("worker", worker).StrIf("text", text).Bytes()
	receipt, err := w.Log.Append(func(journal.Tail) []*logfmt.Entry {
		e.Time = time.Now()
		return []*logfmt.Entry{e}
	})
	switch {
	case journal.ReadOnly(err):
		return scope.HandToHook(a, w, e)
	case err != nil:
		return fault.Failed("not logged: "+err.Error(), "aburn doctor")
	case cmd.Bool("json"):
		line, err := receipt.Entries[0].AppendJSON(nil)
		if err == nil {
			_, err = fmt.Fprintf(a.Stdout, "%s\n", line)
		}
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, receipt.Entries[0].Human())
	return err
}

// reportText is what the agent says, on one line and without secrets.
func reportText(a *kit.App, cmd *cli.Command, ev logfmt.Event) (string, error) {
	text := strings.Join(cmd.Args().Slice(), " ")
	if text == "-" {
		data, err := io.ReadAll(io.LimitReader(a.Stdin, 64<<10))
		if err != nil {
			return "", fault.Usage("the text cannot be read: " + err.Error())
		}
		text = string(data)
	}
	text = scrub.Head(text, maxReport)
	if text == "" && ev == logfmt.WorkerAsk {
		return "", fault.Usage("the question is missing", `aburn ask "May I drop the table carts_old?"`)
	}
	return text, nil
}

// reporter is the session that speaks: what its own variables say, or the one that the worker was started with. Some agents
// also name the sub-agent.
func reporter(a *kit.App, started string) (logfmt.SessionID, *logfmt.Agent) {
	if s := a.Getenv("ABURN_SESSION"); s != "" {
		started = s
	} else if list := agentcli.CallingAgents(a.Getenv); len(list) == 1 {
		started = list[0].Session
		if id := list[0].Agent; id != "" {
			return logfmt.SessionID(started), &logfmt.Agent{ID: id}
		}
	}
	return logfmt.SessionID(started), nil
}
