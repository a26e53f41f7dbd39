// Package record is the commands that write, read and check one project's log. They judge nothing, so it imports neither
// the supervisor nor the archive.
package record

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/workflow"
)

func LogCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "log what a workflow command does: START, COMPLETE, FAILED",
		UsageText: "aburn log [options] CMD EVENT",
		Description: "EVENT is START, PHASE_START, PHASE_COMPLETE, MILESTONE, AGENT_SPAWN, AGENT_COMPLETE,\n" +
			"COMPLETE or FAILED. COMPLETE and FAILED without --phase end the command; with it they end the\n" +
			"phase. Any other event needs --force: it goes into the log, and aburn ignores it.\n\n" +
			"The session comes from --session, ABURN_SESSION or the agent's own variables. If a sandbox\n" +
			"makes the log read-only, aburn prints one line `aburn:entry …`, and the agent's hook appends it.\n" +
			"Exit codes: 0 written, or handed to the hook; 1 not written; 2 wrong usage.",
		Commands:      []*cli.Command{statsCommand(a)},
		Flags:         kit.OwnFlags(logFlags()),
		ArgValidator:  commandAndEvent,
		ShellComplete: a.CommandCompleter(scope.ModelWords(a, logWords)),
		Metadata: kit.Examples(
			"aburn log plan START",
			"aburn log plan COMPLETE --summary '3 slices' --output plan.md --next build",
			"aburn log build PHASE_START --phase RED",
			"aburn log build PHASE_COMPLETE --phase RED --metric tests_failing=4",
			"aburn log build FAILED --error 'the fixture server does not start' --next plan",
			`echo '{"args":"issue 12"}' | aburn log build START --data -`,
		),
		Action: a.Action(runLog),
	}
}

func logFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "phase", Usage: "the `PHASE` this is about, RED for instance"},
		&cli.StringFlag{Name: "summary", Usage: "one line of `TEXT`: what was done, or will be done"},
		&cli.StringSliceFlag{Name: "output", Usage: "a `FILE` that was made; aburn records its size and sha256 (repeat for more)", TakesFile: true},
		&cli.StringFlag{Name: "next", Usage: "the `CMD` to run next"},
		&cli.StringSliceFlag{Name: "metric", Usage: "a number, as `NAME=NUMBER` (repeat for more)"},
		&cli.StringFlag{Name: "error", Usage: "one line of `TEXT`: why it failed (FAILED, AGENT_COMPLETE)"},
		&cli.StringFlag{Name: "agent-type", Usage: "the sub-agent's `TYPE`, when a sub-agent logs"},
		&cli.StringFlag{Name: "agent-id", Usage: "the sub-agent's `ID`; aburn usually finds it"},
		&cli.StringFlag{Name: "session", Usage: "the session's `ID`; aburn usually finds it"},
		&cli.BoolFlag{Name: "force", Usage: "log an event that aburn does not know"},
		&cli.StringFlag{Name: "data", Usage: "more members, as one `JSON` object; - reads it from standard input"},
		kit.JSONFlag(),
	}
}

func commandAndEvent(_ context.Context, cmd *cli.Command) error {
	switch args := cmd.Args().Slice(); {
	case len(args) == 0:
		return fault.Usage("CMD and EVENT are missing", "aburn tail  # shows the log", "aburn log plan START", "aburn log --help")
	case len(args) < 2:
		return fault.Usage("EVENT is missing", "aburn log "+args[0]+" START", "aburn log --help")
	case len(args) > 2:
		return fault.Usage("unexpected argument "+fault.Quote(args[2]), "quote texts, and pass each file with its own --output")
	}
	return nil
}

func runLog(_ context.Context, a *kit.App, cmd *cli.Command) error {
	e, err := entryOf(a, cmd)
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
	if e.Data, err = dataOf(a, cmd, w, e.Event); err != nil {
		return err
	}
	e.Wt = w.Wt
	e.Branch, _ = scrub.Text(w.Branch())
	who, err := identify(a, cmd, func(yield func([]byte) bool) { workspace.RecentLines(w, yield) })
	if err != nil {
		return err
	}
	e.Session, e.Agent = who.session, who.agent
	receipt, err := w.Log.Append(func(journal.Tail) []*logfmt.Entry {
		e.Time = time.Now() // under the lock, so that times rise with file order as far as clocks allow
		return []*logfmt.Entry{e}
	})
	if journal.ReadOnly(err) {
		return scope.HandToHook(a, w, e)
	}
	if err != nil {
		return fault.Failed("not logged: "+err.Error(), "aburn doctor")
	}
	rotateIfDue(a, w)
	return printLogged(a, cmd, receipt.Entries[0])
}

// rotateIfDue only warns if it fails, because the entry was logged.
func rotateIfDue(a *kit.App, w *workspace.Workspace) {
	if _, err := w.Log.RotateIfDue(journal.Command); err != nil {
		a.Warn("the log is due for rotation: " + err.Error())
	}
}

func printLogged(a *kit.App, cmd *cli.Command, e *logfmt.Entry) error {
	if !cmd.Bool("json") {
		_, err := fmt.Fprintln(a.Stdout, e.Human())
		return err
	}
	line, err := e.AppendJSON(nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\n", line)
	return err
}

// entryOf is the entry that the arguments describe, without time, session and data.
func entryOf(a *kit.App, cmd *cli.Command) (*logfmt.Entry, error) {
	args := cmd.Args().Slice()
	name := strings.ToLower(strings.TrimPrefix(args[0], "/"))
	if err := workspace.CheckName("CMD", name, logfmt.MaxCmd); err != nil {
		return nil, err
	}
	if name == logfmt.SessionCmd || name == logfmt.SupervisorCmd {
		return nil, fault.Usage("only aburn itself logs as CMD "+fault.Quote(name), "name the workflow command: aburn log plan START")
	}
	phase := strings.ToUpper(cmd.String("phase"))
	if cmd.IsSet("phase") {
		if err := workspace.CheckName("--phase", phase, logfmt.MaxPhase); err != nil {
			return nil, err
		}
	}
	event, err := eventOf(a, args[1], phase, cmd.Bool("force"))
	if err != nil {
		return nil, err
	}
	return &logfmt.Entry{Cmd: name, Phase: phase, Event: event, Source: "prompt"}, nil
}

// eventOf checks the event as typed. One that the format does not define is a mistake, unless force says that it is
// none. START and COMPLETE with a phase become PHASE_START and PHASE_COMPLETE.
func eventOf(a *kit.App, typed, phase string, force bool) (logfmt.Event, error) {
	ev := logfmt.Event(strings.ToUpper(typed))
	if err := workspace.CheckName("EVENT", string(ev), logfmt.MaxEvent); err != nil {
		return "", err
	}
	switch {
	case !ev.Known() && force:
		scope.WarnUnknownEvent(a, ev)
		return ev, nil
	case !ev.Known():
		return "", unknownEvent(ev)
	case !ev.Lifecycle():
		return "", fault.Usage(string(ev)+" is for hooks and aburn itself, not for prompts", "aburn log --help")
	case phase == "" && (ev == logfmt.PhaseStart || ev == logfmt.PhaseComplete):
		return "", fault.Usage(string(ev)+" needs a phase", "--phase RED")
	}
	e := logfmt.Entry{Event: ev, Phase: phase}
	if _, _, meant := e.Meaning(); meant != ev {
		a.Note(string(ev) + " with --phase means the phase: logged as " + string(meant))
		return meant, nil
	}
	return ev, nil
}

func unknownEvent(ev logfmt.Event) error {
	names := workspace.EventNames(logfmt.Event.Lifecycle)
	hints := []string{"EVENT is " + strings.Join(names, ", "), "pass --force to log it anyway"}
	if near := plain.Nearest(string(ev), names); near != "" {
		hints[0] = "did you mean " + near + "?"
	}
	return fault.Usage("there is no event "+fault.Quote(string(ev))+"; nothing was logged", hints...)
}

func logWords(m *workflow.Model, n int) []string {
	switch n {
	case 0:
		return workspace.CommandNames(m)
	case 1:
		return workspace.EventNames(logfmt.Event.Lifecycle)
	}
	return nil
}
