package main

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/look"
)

func (a *app) supervisorCommand() *cli.Command {
	return &cli.Command{
		Name:      "supervisor",
		Usage:     "say what is wrong with the work, and keep an eye on it",
		UsageText: "aburn supervisor [command] [options]",
		Description: "One look at all sessions: what each is doing, what is wrong or missing, which entries prove it\n" +
			"and how sure that is. What is surer than supervisor.queue_above is queued for the agent, which gets\n" +
			"it at its next prompt; not so with --at and --explain. No model is asked. Exit 1 if an issue is\n" +
			"critical. ISSUE is a type or the signature that the list shows; its beginning suffices.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Local: true, Usage: "only the session with this `ID`; its first or last 4 characters suffice"},
			&cli.StringFlag{Name: "at", Local: true, Usage: "judge as of `TIME`: 15m, 24h, 2026-11-21T10:03; what could be observed then is not known"},
			&cli.StringFlag{Name: "explain", Local: true, Usage: "tell the story of `ISSUE`: the entries that prove it"},
			&cli.BoolFlag{Name: "json", Local: true, Usage: "print JSON"},
		},
		Metadata: examples(
			"aburn supervisor",
			"aburn supervisor --explain phase_stuck",
			"aburn supervisor --at 2026-11-21T10:03 --session 5b0c2f91",
			"aburn supervisor --json | jq '.issues[] | select(.level==\"queue\")'",
			"aburn supervisor watch  # tells what goes wrong, as it does",
		),
		Commands:      []*cli.Command{a.supervisorWatchCommand(), a.supervisorReportCommand(), a.backtestCommand()},
		ShellComplete: a.completer(nothing),
		Before:        ownFlags,
		Action:        a.supervisor,
	}
}

// ownFlags refuses the flags of one look before a command that would not hear of them.
func ownFlags(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	sub := cmd.Command(cmd.Args().First())
	if sub == nil {
		return ctx, nil
	}
	for _, f := range cmd.Flags {
		if f.IsSet() {
			return ctx, usageError(dashed(f.Names()[0])+" before "+quote(sub.Name)+" means nothing", sub.FullName()+" --help")
		}
	}
	return ctx, nil
}

func (a *app) supervisor(ctx context.Context, cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return a.noCommand(ctx, cmd)
	}
	c := a.caller(cmd)
	at := c.Now
	if text := cmd.String("at"); text != "" {
		t, err := moment(text, c.Now)
		if err != nil {
			return usageError("--at: " + err.Error())
		}
		at = t
	}
	w, err := openWorkspace(c)
	if err != nil {
		return err
	}
	defer w.close()
	v, err := lookAt(ctx, c, w, lookHow{at: at, past: cmd.IsSet("at"), peek: cmd.IsSet("explain")})
	if err != nil {
		return err
	}
	only, err := v.chooser(cmd.String("session"))
	if err != nil {
		return err
	}
	if text := cmd.String("explain"); cmd.IsSet("explain") {
		return a.explain(cmd, w, v, text, only)
	}
	return a.supervisorShow(cmd, w, v, only)
}

// supervisorShow prints a look and turns it into an exit code.
func (a *app) supervisorShow(cmd *cli.Command, w *workspace, v *view, only func(logfmt.SessionID) bool) error {
	var err error
	if cmd.Bool("json") {
		err = a.printJSON(v.report(w, only, cmd.IsSet("session")))
	} else {
		err = v.show(a.screen(cmd), w.Wt, only, cmd.IsSet("session"))
		a.noteEmpty(v)
	}
	if err == nil && critical(v.chosen(only, cmd.IsSet("session"))) > 0 {
		return exitOnly(exitBadNews)
	}
	return err
}

// What is said where no session is recorded.
const (
	nothingRecorded = "nothing is recorded here yet"
	askDoctor       = "aburn doctor says whether hooks do it"
)

// noteEmpty says to whoever sees nothing where to look for the reason.
func (a *app) noteEmpty(v *view) {
	if v.empty() && !v.at {
		a.note(nothingRecorded + ": " + askDoctor)
	}
}

func (v *view) empty() bool { return len(v.State.Sessions) == 0 }

// lookHow says how a command looks.
type lookHow struct {
	at   time.Time
	past bool // as of then
	peek bool // without any effect
}

// lookAt makes one look. What cannot be done is a warning; what can be seen is in the view all the same.
func lookAt(ctx context.Context, c *caller, w *workspace, how lookHow) (*view, error) {
	key, err := w.Key()
	if err != nil || !w.Marked {
		key = nil
		c.Warn("you have not vouched for this project on this machine: nothing is queued, and its settings do not count", "aburn init")
	}
	m := newMeter(c.Progress, 0)
	o := look.Options{Root: w.oss, Project: w.Project, Journal: w.log, Settings: &w.settings, Key: key, By: journal.Command}
	if m.out.Terminal() { // else nobody asks how much there is to read
		o.Progress = func(read, total int64) { m.total = total; m.add(read - m.done) }
	}
	l := look.New(o)
	v := &view{model: w.settings.Model(), limits: w.settings.Limits(), at: how.past, key: key}
	switch {
	case how.past:
		v.Result, err = l.At(ctx, how.at)
	case how.peek:
		v.Result, err = l.Peek(ctx, how.at)
	default:
		v.Result, err = l.Once(ctx, how.at, time.Time{})
		if errors.Is(err, look.ErrBusy) {
			c.Warn("somebody else is at the queue: nothing is queued by this look")
			v.Result, err = l.Peek(ctx, how.at)
		}
	}
	m.clear()
	if !how.past {
		v.file, v.tasks = readQueue(c, w, key)
	}
	for _, warning := range v.Warnings {
		c.Warn(warning)
	}
	if v.Damage > 0 {
		c.Warn(plain.Plural(v.Damage, "line")+" of the log could not be read", "aburn verify")
	}
	if err != nil {
		return nil, badNews(err.Error())
	}
	return v, nil
}

// chooser chooses the sessions that --session names. Naming one that is not there is bad news.
func (v *view) chooser(session string) (func(logfmt.SessionID) bool, error) {
	f := filter{session: session}
	only := func(id logfmt.SessionID) bool { return f.matchSession([]byte(id)) }
	for _, s := range v.State.Sessions {
		if only(s.ID) {
			return only, nil
		}
	}
	if session != "" {
		return nil, badNews("no session is called "+quote(session), "aburn status")
	}
	return only, nil
}

// chosen are the issues of the sessions that were chosen, and those of the chain unless sessions were.
func (v *view) chosen(only func(logfmt.SessionID) bool, some bool) (list []*supervisor.Issue) {
	for i := range v.Issues {
		if is := &v.Issues[i]; is.OfChain() && !some || !is.OfChain() && only(is.Session) {
			list = append(list, is)
		}
	}
	return list
}
