// Package supervise is the commands that judge a project's work and keep its queue of advice. They read the log and never an
// archived session, so it imports neither archive nor insight.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/rows"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/look"
	"aburn/supervisor/state"
)

func SupervisorCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "supervisor",
		Usage:     "say what is wrong with the work now; watch it, replay old logs",
		UsageText: "aburn supervisor [command] [options]",
		Description: "Looks once at all sessions: what each is doing, what is wrong or missing, which entries prove it,\n" +
			"and how sure that is. An issue that is surer than supervisor.queue_above is queued for the agent,\n" +
			"which gets it at its next prompt. --at and --explain queue nothing. No model is asked. Exit 1 if an\n" +
			"issue is critical. ISSUE is a type, or the beginning of a signature that the list shows.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Local: true, Usage: "only the session with this `ID`; its first or last 4 characters suffice"},
			&cli.StringFlag{Name: "at", Local: true, Usage: "judge as of `TIME`: 15m, 24h, 2026-11-21T10:03; which processes lived then is unknown"},
			&cli.StringFlag{Name: "explain", Local: true, Usage: "show the entries that prove `ISSUE`"},
			&cli.BoolFlag{Name: "json", Local: true, Usage: "print JSON"},
		},
		Metadata: kit.Examples(
			"aburn supervisor",
			"aburn supervisor --explain phase_stuck",
			"aburn supervisor --at 2026-11-21T10:03 --session 5b0c2f91",
			"aburn supervisor --json | jq '.issues[] | select(.level==\"queue\")'",
			"aburn supervisor watch  # tells you what goes wrong, as it happens",
		),
		Commands:      []*cli.Command{supervisorWatchCommand(a), supervisorReportCommand(a), backtestCommand(a)},
		ShellComplete: a.Completer(kit.NoWords),
		Before:        ownFlags,
		Action:        a.Action(runSupervisor),
	}
}

// ownFlags refuses flags of one look in front of a subcommand, which would not see them.
func ownFlags(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	sub := cmd.Command(cmd.Args().First())
	if sub == nil {
		return ctx, nil
	}
	for _, f := range cmd.Flags {
		if f.IsSet() {
			return ctx, fault.Usage(kit.Dashed(f.Names()[0])+" before "+fault.Quote(sub.Name)+" has no effect", sub.FullName()+" --help")
		}
	}
	return ctx, nil
}

func runSupervisor(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return a.HelpAction(ctx, cmd)
	}
	c := scope.BaseOf(a, cmd)
	at := c.Now
	if text := cmd.String("at"); text != "" {
		t, err := units.ParseTime(text, c.Now)
		if err != nil {
			return fault.Usage("--at: " + err.Error())
		}
		at = t
	}
	w, err := workspace.OpenWorkspace(c)
	if err != nil {
		return err
	}
	defer w.Close()
	v, err := lookAt(ctx, c, w, lookMode{at: at, past: cmd.IsSet("at"), peek: cmd.IsSet("explain")})
	if err != nil {
		return err
	}
	if err := v.chooseSession(cmd.String("session")); err != nil {
		return err
	}
	v.queue = v.factsOfQueue(w)
	if text := cmd.String("explain"); cmd.IsSet("explain") {
		return explain(a, cmd, w, v, text)
	}
	return printLook(a, cmd, w, v)
}

// printLook prints a look and turns it into an exit code.
func printLook(a *kit.App, cmd *cli.Command, w *workspace.Workspace, v *view) error {
	var err error
	if cmd.Bool("json") {
		err = a.PrintJSON(v.report(w))
	} else {
		err = v.show(a.Screen(cmd), w.Wt)
		noteEmpty(a, v)
	}
	if err == nil && critical(v.chosenIssues()) > 0 {
		return fault.Exit(fault.ExitFailed)
	}
	return err
}

func noteEmpty(a *kit.App, v *view) {
	if v.Empty() && !v.at {
		a.Note(workspace.NothingRecorded + ": " + workspace.AskDoctor)
	}
}

func (v *view) Empty() bool { return len(v.State.Sessions) == 0 }

type lookMode struct {
	at   time.Time
	past bool       // judge as of at
	peek bool       // queue nothing
	with *look.Look // goes on from an earlier look; nil: begin anew
}

// lookAt makes one look. It warns of what it cannot do, and returns what it can see.
func lookAt(ctx context.Context, c *workspace.Base, w *workspace.Workspace, how lookMode) (*view, error) {
	key, err := w.Key()
	if err != nil || !w.Marked {
		key = nil
		c.Warn("you have not vouched for this project on this machine: nothing is queued, and its settings do not count", "aburn init")
	}
	m := newMeter(c.Progress, 0)
	l := how.with
	if l == nil {
		o := look.Options{Root: w.Oss, Project: w.Project, Journal: w.Log, Settings: &w.Settings, Key: key, By: journal.Command}
		if m.out.Terminal() { // the total is worked out only for the meter
			o.Progress = func(read, total int64) { m.total = total; m.add(read - m.done) }
		}
		l = look.New(o)
	}
	v := &view{model: w.Settings.Model(), limits: w.Settings.Limits(), at: how.past, key: key}
	switch {
	case how.past:
		v.Result, err = l.At(ctx, how.at)
	case how.peek:
		v.Result, err = l.Peek(ctx, how.at)
	default:
		v.Result, err = l.Once(ctx, how.at, time.Time{})
		if errors.Is(err, look.ErrBusy) {
			c.Warn("another process is using the queue: this look queues nothing")
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
		return nil, err
	}
	return v, nil
}

// chooseSession restricts the view to the sessions that --session names, to all by "". Naming one that is not there is bad news.
func (v *view) chooseSession(session string) error {
	v.session = session
	if session != "" && !slices.ContainsFunc(v.State.Sessions, func(s *state.Session) bool { return v.chosen(s.ID) }) {
		return fault.Failed("no session is called "+fault.Quote(session), "aburn status")
	}
	return nil
}

func (v *view) chosen(id logfmt.SessionID) bool {
	f := rows.Filter{Session: v.session}
	return f.MatchSession([]byte(id))
}

// chosenIssues are the issues of the chosen sessions, and those of the chain unless a session was named.
func (v *view) chosenIssues() []*supervisor.Issue {
	return v.issues(func(i *supervisor.Issue) bool {
		if i.OfChain() {
			return v.session == ""
		}
		return v.chosen(i.Session)
	})
}

// show prints a look, 80 cells wide where no terminal says otherwise.
func (v *view) show(out *term.Out, wt string) error {
	if v.at {
		fmt.Fprintf(out, "as of %s, by the entries up to then\n", v.Now.Local().Format("2006-01-02 15:04:05"))
	}
	sessions, hidden := v.sessions()
	for i := range sessions {
		v.showSession(out, &sessions[i])
	}
	ofChain := v.issues((*supervisor.Issue).OfChain)
	if v.session == "" && (len(v.model.Commands) > 0 && len(v.State.Links) > 0 || len(ofChain) > 0) {
		fmt.Fprintf(out, "%s  %s\n", out.Paint(term.Bold, "chain"), v.chainText(out, wt, kit.TextWidth(out)-7))
		for _, is := range ofChain {
			v.showIssue(out, is, true)
		}
	}
	return v.showSummary(out, v.chosenIssues(), len(sessions), hidden)
}

// showSession prints one line about a session, and its issues below.
func (v *view) showSession(out *term.Out, s *sessionView) {
	l := rows.NewColumns(out)
	l.Add(rows.SessionStyle(s.ID), rows.ShortSession(s.ID, rows.WideSession), rows.WideSession)
	line, used := l.Text()
	for _, c := range []term.Cell{{Text: s.Source}, v.modeCell(s), {Text: s.place(), Style: term.Bold}, v.clockCell(s.Session)} {
		if text := plain.Cut(plain.Line(c.Text), kit.TextWidth(out)-used-2); text != "" && text != "-" {
			line += "  " + out.Paint(c.Style, text)
			used += 2 + plain.Width(text)
		}
	}
	fmt.Fprintln(out, line)
	for _, is := range s.issues {
		v.showIssue(out, is, s.mode != state.Ended && s.mode != state.Gone)
	}
}

// showIssue prints one issue. reachable says whether its session can still get advice.
func (v *view) showIssue(out *term.Out, is *supervisor.Issue, reachable bool) {
	level := supervisor.LevelOf(is, v.limits)
	priority := is.Type.Priority()
	if priority == "critical" {
		priority = out.Paint(term.BoldRed, priority)
	}
	fmt.Fprintf(out, "  %s  %s  %s  %s\n", out.Paint(levelStyle(level), string(is.Type)), percent(is.Confidence), priority, out.Paint(term.Dim, evidenceText(is.Evidence)))
	says := is.Says
	if is.Agent != "" {
		says = "in the sub-agent " + is.Agent + ": " + says
	}
	kit.Paragraph(out, 4, "", says)
	kit.Paragraph(out, 4, "healthy: ", is.Healthy)
	if level != supervisor.Notify {
		kit.Paragraph(out, 4, "suggested: ", is.Suggest)
	}
	if text := v.adviceText(is, level, reachable); text != "" {
		kit.Paragraph(out, 4, "", text)
	}
	kit.Paragraph(out, 4, "", "signature "+shortSignature(is.Signature))
}

// adviceText is what becomes of an issue that is sure enough for the queue.
func (v *view) adviceText(is *supervisor.Issue, level supervisor.Level, reachable bool) string {
	ago := func(m state.Mark) string { return plain.Age(v.Now.Sub(m.Time())) }
	a := v.advice(is)
	switch {
	case v.queued(is) != "" && is.OfChain():
		return "queued: whichever session is prompted next gets it"
	case v.queued(is) != "":
		return "queued: the agent gets it at its next prompt"
	case a != nil && a.Seen.Is():
		return "the agent saw it (delivered " + ago(a.Delivered) + ")"
	case a != nil && a.Untold != "":
		return "queued " + ago(a.Queued) + ", and ended untold: " + a.Untold
	case a != nil && a.Delivered.Is():
		return "delivered " + ago(a.Delivered) + ", not seen yet"
	case a != nil && v.taskStatus(a.Task) == taskGone:
		return "queued " + ago(a.Queued) + ", and not in the queue any more"
	case a != nil && v.taskStatus(a.Task) == string(queue.Failed):
		return "queued " + ago(a.Queued) + ", and given up: no hook confirmed that it printed the task"
	case a != nil && !reachable:
		return "queued " + ago(a.Queued) + ", and its session is over: it is told only if the session is taken up again"
	case a != nil:
		return "queued " + ago(a.Queued)
	case level == supervisor.Queue && !reachable:
		return "sure enough for the queue, but the session has ended"
	}
	return ""
}

func (v *view) showSummary(out *term.Out, issues []*supervisor.Issue, shown, hidden int) error {
	waits := v.queue.waits()
	text := "nothing is wrong"
	if waits != "" {
		text = "no issue is open"
	}
	if n := len(issues); n > 0 {
		text = plain.Plural(int64(n), "issue")
		if c := critical(issues); c > 0 {
			text += ", " + out.Paint(term.BoldRed, strconv.Itoa(c)+" critical")
		}
	}
	text += ", in " + plain.Plural(int64(shown), "session")
	if hidden > 0 {
		text += " (and " + strconv.Itoa(hidden) + " silent for a day)"
	}
	if shown+hidden == 0 {
		text = "no session yet"
	}
	if n := len(v.Resolved); n > 0 {
		text += "; " + plain.Plural(int64(n), "task") + " taken back: cleared"
	}
	if n := len(v.Untold); n > 0 {
		text += "; " + plain.Plural(int64(n), "task") + " ended untold"
	}
	if waits != "" {
		text += "\n" + waits + ": aburn queue list"
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// shortSignature is enough of a signature to name the issue.
func shortSignature(signature string) string {
	i := strings.LastIndexByte(signature, '-')
	return signature[:min(i+9, len(signature))]
}
