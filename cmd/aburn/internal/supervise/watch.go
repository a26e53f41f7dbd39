package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/notify"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/supervisor/look"
	"aburn/supervisor/status"
	"aburn/supervisor/watch"
	"aburn/supervisor/watchlock"
)

func supervisorWatchCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "watch",
		Usage: "follow the log and the clock, and tell you what goes wrong",
		Description: "Prints one line an issue, and makes a notice as notify.* in your own settings says: on the desktop, by\n" +
			"the bell, or by a command of yours, which gets the line of --json on stdin. It notifies you once of an\n" +
			"issue, also across restarts. Hooks judge at prompts and stops without a watcher. A watcher adds what only\n" +
			"time shows: silence and waiting. A project has one watcher: a second one ends with exit 1. It ends when no\n" +
			"session has been active for watch.linger.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON line when an issue is raised, queued or resolved"},
		},
		ArgValidator: kit.NoArguments,
		Metadata: kit.Examples(
			"aburn supervisor watch  # in a terminal of its own; Ctrl-C ends it",
			"aburn supervisor watch --json | jq -r 'select(.event==\"raised\").says'",
		),
		Action: a.Action(runSupervisorWatch),
	}
}

// errReload ends a watch whose settings have changed: it must judge by the same settings as the hooks.
var errReload = errors.New("settings have changed")

func runSupervisorWatch(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	for again := false; ; again = true {
		w, err := scope.Open(a, cmd)
		if err != nil {
			return err
		}
		screen := a.Screen(cmd)
		t := &watchPrinter{json: cmd.Bool("json"), restarted: again, out: screen, note: a.Note, warn: a.Warn}
		t.bell = terminalOf(a, screen)
		err = watchProject(ctx, a.Getenv, w, t)
		w.Close()
		var other *watchlock.RunningError
		if errors.As(err, &other) {
			return fault.Failed(err.Error(), "aburn supervisor checks once while it runs")
		}
		if !errors.Is(err, errReload) {
			return err
		}
		a.Note(errReload.Error() + ": they are read again")
	}
}

// Watch is `aburn supervisor watch` without a screen: it makes notices only. It watches the project of the caller's folder until ctx ends,
// or no session has lived there for watch.linger. If another process watches already, the error is a *watch.RunningError. link adds an
// address to a notice.
func Watch(ctx context.Context, c *workspace.Caller, link func(session string) string) error {
	nowhere := term.New(io.Discard, c.Env, true)
	for again := false; ; again = true {
		w, err := workspace.Open(c)
		if err != nil {
			return err
		}
		err = watchProject(ctx, c.Env, w, &watchPrinter{restarted: again, out: nowhere, note: func(string) {}, warn: c.Warn, link: link})
		w.Close()
		if !errors.Is(err, errReload) {
			return err
		}
	}
}

// watchProject watches one project with the current settings.
func watchProject(ctx context.Context, env func(string) string, w *workspace.Workspace, t *watchPrinter) error {
	key, err := w.Key()
	if err != nil || !w.Marked {
		return fault.Failed("you have not trusted this project on this machine, so nothing from it is judged", "aburn init")
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go awaitChange(ctx, env, w, stop)
	t.project, t.minConfidence, t.notifier = w.Root, w.Settings.Notify.Min, t.newNotifier(env, w.Settings.Notify)
	defer t.notifier.Close(2 * time.Second)
	err = watch.Run(ctx, watch.Options{
		Root: w.Oss, Path: filepath.Join(w.Root, project.OssDir), Limits: w.Settings.Limits(), Linger: w.Settings.Watch.Linger,
		Look: look.New(look.Options{
			Root: w.Oss, Project: w.Project, Journal: w.Log, Settings: &w.Settings, Key: key, By: journal.Command, Env: env,
		}),
		Started: func() {
			if !t.restarted {
				t.note("process " + strconv.Itoa(os.Getpid()) + " watches " + w.Root)
			}
		},
		Event: t.handle, Problem: func(err error) { t.warn(err.Error()) },
	})
	switch other := (*watchlock.RunningError)(nil); {
	case errors.As(err, &other):
		return err
	case err != nil:
		return fault.Failed(filepath.Join(w.Root, project.OssDir) + ": " + err.Error())
	case ctx.Err() == nil:
		t.note("no session has been active here for " + plain.Duration(w.Settings.Watch.Linger) + ": the watcher ends")
	case errors.Is(context.Cause(ctx), errReload):
		return errReload
	}
	return nil
}

func (t *watchPrinter) newNotifier(env func(string) string, s settings.Notify) *notify.Notifier {
	o := notify.Options{
		Desktop: s.Desktop, Command: s.Command, Env: env,
		Report: func(channel string, err error) {
			hint := "the watcher continues; set " + channel + " in your own settings.json to be notified another way"
			if channel == "notify.desktop" {
				hint = "the watcher continues; to stop this message, set \"notify\": {\"desktop\": false} in your own settings.json; notify.command is another way"
			}
			t.warn(channel+": "+err.Error(), hint)
		},
	}
	if s.Line != "" {
		o.Command = notify.Shell(s.Line)
	}
	switch {
	case !s.Bell:
	case t.bell != nil:
		o.Bell = t.bell
	default:
		t.warn("notify.bell: neither stdout nor stderr is a terminal")
	}
	return notify.New(o)
}

// terminalOf is the terminal that can ring, nil without one.
func terminalOf(a *kit.App, screen *term.Out) io.Writer {
	if said := term.New(a.Stderr, a.Getenv, false); said.Terminal() {
		return said
	}
	if screen.Terminal() {
		return screen
	}
	return nil
}

// awaitChange ends the watch when a settings file changes.
func awaitChange(ctx context.Context, env func(string) string, w *workspace.Workspace, stop context.CancelCauseFunc) {
	files := []string{filepath.Join(w.Root, project.OssDir, settings.File)}
	if dir := project.ConfigDir(env); dir != "" {
		files = append(files, filepath.Join(dir, settings.File))
	}
	before := status.Versions(files)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if status.Versions(files) == before {
				continue
			}
			if _, err := os.Stat(filepath.Dir(files[0])); err == nil { // else the project is gone, and the watch ends by itself
				stop(errReload)
			}
			return
		}
	}
}

// watchPrinter prints events on stdout and notifies the user.
type watchPrinter struct {
	project       string
	json          bool
	restarted     bool
	out           *term.Out
	notifier      *notify.Notifier
	minConfidence float64 // confidence of which a notice is made
	note          func(string)
	warn          workspace.WarnFunc
	bell          io.Writer                   // nil: there is no terminal
	link          func(session string) string // nil: notices have no address
}

// WatchLine is an event as --json prints it, and as notify.command gets it.
type WatchLine struct {
	At      time.Time  `json:"at"`
	Event   watch.Kind `json:"event"`
	Project string     `json:"project"`
	Task    string     `json:"task_id,omitempty"` // that was queued
	Link    string     `json:"link,omitempty"`    // to the page of an aburn web that watches
	status.IssueReport
}

func (t *watchPrinter) handle(e watch.Event) {
	link := ""
	if t.link != nil {
		link = t.link(string(e.Session))
	}
	line, _ := json.Marshal(WatchLine{e.At.UTC().Truncate(time.Millisecond), e.Kind, t.project, e.Task, link, status.IssueReportOf(&e.Issue.Issue, e.Level)})
	line = append(plain.AppendJSON(nil, line), '\n')
	switch standing := e.Kind == watch.Standing; {
	case standing && (t.json || t.restarted): // an earlier watch told it
	case t.json:
		t.out.Write(line)
	default:
		t.out.Write([]byte(t.row(&e) + "\n"))
	}
	switch {
	case e.Kind == watch.Resolved:
		t.notifier.Forget(e.Signature)
	case e.Kind == watch.Raised && e.Confidence >= t.minConfidence:
		t.notifier.Tell(notify.Notice{
			Key: e.Signature, Title: "aburn: " + string(e.Type) + " in " + t.where(&e), Text: strings.TrimSpace(plain.Line(e.Says) + " " + link),
			Urgent: e.Type.Priority() == "critical", JSON: line,
		})
	}
}

// where names project and session, for the title of a notice.
func (t *watchPrinter) where(e *watch.Event) string {
	name := filepath.Base(t.project)
	if e.Session != "" {
		name += " " + entries.ShortSession(e.Session, entries.WideSession)
	}
	return plain.Line(name)
}

// row is an event in columns: time, level or what happened, type, session, and what is wrong.
func (t *watchPrinter) row(e *watch.Event) string {
	what, style := string(e.Level), status.LevelStyle(e.Level)
	switch e.Kind {
	case watch.Resolved:
		what, style = "resolved", term.Green
	case watch.Queued:
		what = "queued"
	case watch.Standing:
		style = term.Dim
	}
	layout := "15:04:05"
	if !t.out.Terminal() {
		layout = "2006-01-02 15:04:05"
	}
	session := "chain"
	if e.Session != "" || !e.OfChain() {
		session = entries.ShortSession(e.Session, entries.WideSession)
	}
	l := entries.NewColumns(t.out)
	l.Add(term.Dim, e.At.Local().Format(layout), len(layout))
	l.Add(style, what, len("resolved"))
	l.Add(term.Plain, string(e.Type), len("declining_velocity"))
	l.Add(entries.SessionStyle(e.Session), session, entries.WideSession)
	tag := ""
	if e.Agent != "" {
		tag = "[" + e.Agent + "] "
	}
	return l.End(plain.Line(tag), "", units.Join(e.Says, status.EvidenceText(e.Evidence)))
}
