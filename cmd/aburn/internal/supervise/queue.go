package supervise

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor/look"
	"aburn/supervisor/status"
)

func QueueCommand(a *kit.App) *cli.Command {
	list := queueList(a)
	return a.ByDefault(&cli.Command{
		Name:  "queue",
		Usage: "list and change the advice that waits for sessions",
		Description: "Advice of the supervisor, and your own, waits here for the next prompt of the session that it names.\n" +
			"A task that was not signed on this machine waits until you allow it. Without a command, `aburn queue` lists the tasks.",
		Metadata: kit.Examples(
			"aburn queue",
			`aburn queue add --session 5b0c2f91 "The fixture server listens on 8081 now."`,
			"aburn queue drop 9f3c",
		),
		Commands: []*cli.Command{list, queueShow(a), queueAdd(a), queueDrop(a), queueAllow(a)},
	}, list)
}

// taskQueue is the project's queue, opened for one command.
type taskQueue struct {
	*queue.Queue
	w    *workspace.Workspace
	now  time.Time
	seen look.Result // what sessions do, where tasks are listed; zero: not known
}

// openQueue finds the project and its queue. A command that changes the queue needs the key of the user's mark.
func openQueue(a *kit.App, cmd *cli.Command, change bool) (*taskQueue, error) {
	w, err := scope.Open(a, cmd)
	if err != nil {
		return nil, err
	}
	key, err := w.Key()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.Warn(err.Error(), "aburn init")
	}
	if err != nil && change {
		w.Close()
		return nil, fault.Usage("you have not trusted this project on this machine, so aburn cannot sign", "aburn init")
	}
	t := &taskQueue{Queue: queue.New(w.Oss, key), w: w, now: time.Now()}
	t.Foreign = w.Settings.Queue.Foreign
	return t, nil
}

// lookAtSessions finds out which sessions of waiting tasks are over. Where that fails, it is not known.
func (t *taskQueue) lookAtSessions(ctx context.Context, tasks []queue.Task) {
	waits := func(task queue.Task) bool { return task.Session != "" && task.Status == queue.Pending }
	if slices.ContainsFunc(tasks, waits) {
		l := look.New(look.Options{Root: t.w.Oss, Project: t.w.Project, Journal: t.w.Log, Settings: &t.w.Settings, By: journal.Command})
		t.seen, _ = l.Peek(ctx, t.now)
	}
}

func (t *taskQueue) close() { t.w.Close() }

func (t *taskQueue) read() (queue.File, error) {
	f, err := t.Read()
	return f, status.QueueFailure(err)
}

// update calls do under the lock. It tries again if a program that does not take the lock changed the file meanwhile.
func (t *taskQueue) update(do func(d *queue.Desk) error) error {
	for range 5 {
		d, err := t.Lock(status.QueueWait)
		if err != nil {
			return status.QueueFailure(err)
		}
		if err := do(d); err != nil {
			d.Close()
			return err
		}
		if err = d.Close(); err == nil || !errors.Is(err, queue.ErrChanged) {
			return status.QueueFailure(err)
		}
	}
	return status.QueueFailure(queue.ErrChanged)
}

// findTask is the task with this id, or the only one whose id begins or ends with these at least 4 characters.
func findTask(all []queue.Task, id string) (queue.Task, error) {
	var found []queue.Task
	var names []string
	for _, t := range all {
		switch {
		case t.ID == id && id != "":
			return t, nil
		case len(id) >= 4 && (strings.HasPrefix(t.ID, id) || strings.HasSuffix(t.ID, id)):
			found = append(found, t)
		}
		names = append(names, t.ID)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		hints := []string{"aburn queue list"}
		if len(id) < 4 {
			hints = append(hints, "at least 4 characters of its beginning or end")
		}
		if near := plain.Nearest(id, names); near != "" {
			hints = []string{"did you mean " + near + "?"}
		}
		return queue.Task{}, fault.Failed("no task "+fault.Quote(id), hints...)
	}
	return queue.Task{}, fault.Failed(fault.Quote(id)+" is "+plain.Plural(int64(len(found)), "task"), "more of its id; aburn queue list shows it")
}

func oneTaskArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return fault.Usage("name one task", "aburn queue list", cmd.FullName()+" --help")
	}
	return nil
}

func recipientFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "for the session with this `ID`; its first or last 4 characters suffice"},
		&cli.BoolFlag{Name: "project", Usage: "for whichever session of the project is prompted next"},
		&cli.StringFlag{Name: "expires", Usage: "drop it after this `TIME`: 15m, 2h, 1d (at most 7d)"},
	}
}

// recipient is the session of --session, "" for --project.
func recipient(a *kit.App, cmd *cli.Command, w *workspace.Workspace) (logfmt.SessionID, error) {
	session := cmd.String("session")
	switch {
	case session == "" && !cmd.Bool("project"):
		return "", fault.Usage("name the session that the task is for",
			"--session ID; aburn status shows the sessions", "--project, for whichever session is prompted next")
	case session != "" && cmd.Bool("project"):
		return "", fault.Usage("--session and --project exclude each other")
	case session == "":
		return "", nil
	}
	if err := workspace.CheckName("the session's id", session, logfmt.MaxSession); err != nil {
		return "", err
	}
	return fullSession(a, w, session)
}

// fullSession is the only session of the log with this id, beginning or end. An unknown one is used as typed, with a warning.
func fullSession(a *kit.App, w *workspace.Workspace, typed string) (logfmt.SessionID, error) {
	f := entries.Filter{Session: typed}
	found := map[string]bool{}
	for line, err := range w.Log.Backward(journal.BackwardOptions{Limit: status.StatusBytes}) {
		if err != nil {
			return "", err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || len(h.Session) == 0 || !f.MatchSession(h.Session) {
			continue
		}
		if string(h.Session) == typed {
			return logfmt.SessionID(typed), nil
		}
		found[string(h.Session)] = true
	}
	switch len(found) {
	case 0:
		a.Warn("the log has no session "+fault.Quote(typed), "aburn status shows the sessions")
		return logfmt.SessionID(typed), nil
	case 1:
		for id := range found {
			return logfmt.SessionID(id), nil
		}
	}
	return "", fault.Usage(fault.Quote(typed)+" is "+plain.Plural(int64(len(found)), "session"), "more of its id; aburn status --json shows it")
}

// expiry is the time of --expires, zero without it.
func expiry(cmd *cli.Command, now time.Time) (time.Time, error) {
	text := cmd.String("expires")
	if text == "" {
		return time.Time{}, nil
	}
	d, ok := units.ParseAge(text)
	if !ok || d <= 0 || d > queue.MaxAge {
		return time.Time{}, fault.Usage("--expires: "+fault.Quote(text)+" is not a duration of at most 7d", "--expires 2h")
	}
	return now.Add(d), nil
}

func completeTasks(ctx context.Context, a *kit.App, cmd *cli.Command) {
	a.Completer(func(int) []string {
		oss := scope.OssAt(a, cmd)
		if oss == nil {
			return nil
		}
		defer oss.Close()
		f, _ := queue.New(oss, nil).Read()
		var ids []string
		for _, t := range f.Tasks {
			if !strings.ContainsAny(t.ID, ":\n") {
				ids = append(ids, plain.Line(t.ID)+":"+plain.Cut(strings.ReplaceAll(plain.Line(t.Prompt), ":", " "), 60))
			}
		}
		return ids
	})(ctx, cmd)
}
