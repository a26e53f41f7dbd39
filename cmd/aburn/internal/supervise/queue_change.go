package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/scrub"
	"aburn/logfmt"
	"aburn/supervisor/look"
	"aburn/supervisor/status"
)

func queueAdd(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "add",
		Usage:     "tell a session something at its next prompt",
		ArgsUsage: "PROMPT",
		Description: "PROMPT is the text for the agent, at most 5,000 bytes; - reads it from standard input. aburn takes\n" +
			"secrets out of it, and signs it as yours.",
		Flags: append(recipientFlags(),
			&cli.StringFlag{Name: "priority", Usage: "its `PRIORITY`: critical, high, medium or low", Value: "medium"},
			&cli.StringFlag{Name: "type", Usage: "what it is about, as one `WORD`"},
			kit.JSONFlag(),
		),
		Metadata: kit.Examples(
			`aburn queue add --session 5b0c2f91 "The fixture server listens on 8081 now."`,
			`aburn queue add --project --priority high --expires 2h "main is frozen until noon"`,
			"git diff --stat | aburn queue add --session 5b0c2f91 -",
		),
		Action: a.Action(runAddTask),
	}
}

func runAddTask(_ context.Context, a *kit.App, cmd *cli.Command) error {
	now := time.Now()
	task, err := taskOf(a, cmd, now)
	if err != nil {
		return err
	}
	t, err := openQueue(a, cmd, true)
	if err != nil {
		return err
	}
	defer t.close()
	if task.Session, err = recipient(a, cmd, t.w); err != nil {
		return err
	}
	if task.Session == "" {
		task.Scope = queue.ScopeProject
	}
	if task.ExpiresAt.IsZero() && t.w.Settings.Queue.Expires > 0 {
		task.ExpiresAt = now.Add(t.w.Settings.Queue.Expires)
	}
	var done queue.PutResult
	err = t.update(func(d *queue.Desk) (err error) {
		if done, err = d.Put(task, 0, now); errors.Is(err, queue.ErrBroken) {
			return status.QueueFailure(err)
		}
		return taskFailure(err)
	})
	if err != nil {
		return err
	}
	if err := receipts(t, done.Dropped, now); err != nil {
		a.Warn("the log does not say which tasks were dropped: " + err.Error())
	}
	return printAdded(a, cmd, t, done)
}

// receipts notes in the log the supervisor's tasks that were dropped before anybody was told them.
func receipts(t *taskQueue, dropped []queue.Task, now time.Time) error {
	var entries []*logfmt.Entry
	for _, task := range dropped {
		if task.Source != look.Source || task.Signature == "" || !task.DeliveredAt.IsZero() {
			continue
		}
		reason := queue.ReasonFull
		if !now.Before(task.ExpiresAt) {
			reason = queue.ReasonExpired
		}
		e := look.Untold(&task, reason)
		e.Time = now
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return nil
	}
	_, err := t.w.Log.Append(func(journal.Tail) []*logfmt.Entry { return entries })
	return err
}

// taskOf is the task that the command line describes, without its recipient.
func taskOf(a *kit.App, cmd *cli.Command, now time.Time) (task queue.Task, err error) {
	switch cmd.Args().Len() {
	case 0:
		return task, fault.Usage("PROMPT is missing", "give the text in quotes, or - and the text on standard input")
	case 1:
	default:
		return task, fault.Usage("unexpected argument "+fault.Quote(cmd.Args().Get(1)), "put the prompt in quotes")
	}
	ok := false
	if task.Priority, ok = queue.ParsePriority(strings.ToLower(cmd.String("priority"))); !ok {
		var hints []string
		if near := plain.Nearest(cmd.String("priority"), Priorities()); near != "" {
			hints = []string{"did you mean " + near + "?"}
		}
		return task, fault.Usage("--priority: critical, high, medium or low, not "+fault.Quote(cmd.String("priority")), hints...)
	}
	if task.ExpiresAt, err = expiry(cmd, now); err != nil {
		return task, err
	}
	if strings.ContainsFunc(cmd.String("type"), unicode.IsSpace) {
		return task, fault.Usage("--type: one word, not " + fault.Quote(cmd.String("type")))
	}
	task.Source, task.Type = "user", scrub.Head(cmd.String("type"), 64)
	task.Prompt, err = promptText(a, cmd.Args().First())
	return task, err
}

// Priorities are the values of --priority.
func Priorities() []string { return []string{"critical", "high", "medium", "low"} }

func promptText(a *kit.App, arg string) (string, error) {
	if arg == "-" {
		data, err := io.ReadAll(io.LimitReader(a.Stdin, 16*queue.MaxPrompt))
		if err != nil {
			return "", fault.Failed("read the prompt from standard input: " + err.Error())
		}
		arg = string(data)
	}
	text, secrets := scrub.Text(strings.TrimSpace(arg))
	if secrets > 0 {
		a.Note(plain.Plural(int64(secrets), "secret was", "secrets were") + " taken out of the prompt")
	}
	return text, nil
}

// taskFailure makes a task that the queue refuses a mistake in the call.
func taskFailure(err error) error {
	if errors.Is(err, queue.ErrTask) {
		return fault.Usage("not queued: " + err.Error())
	}
	return err
}

func printAdded(a *kit.App, cmd *cli.Command, t *taskQueue, done queue.PutResult) error {
	if done.Aside != "" {
		a.Warn(".oss/" + queue.Name + " wasn't a queue: it was renamed to .oss/" + done.Aside + " now")
	}
	for _, d := range done.Dropped {
		a.Note("dropped, because it was too old or to make room: " + fault.Quote(d.ID) + ", now in .oss/" + queue.ArchiveName)
	}
	if !done.Added {
		return fault.Failed("not queued: " + plain.Count(queue.MaxOpen) + " more urgent tasks wait already")
	}
	if cmd.Bool("json") {
		return a.PrintJSON(t.report(done.Task))
	}
	_, err := fmt.Fprintf(a.Stdout, "queued %s for %s, for %s at most\n", done.Task.ID, plain.Line(recipientText(done.Task)),
		plain.Duration(done.Task.ExpiresAt.Sub(t.now)))
	return err
}

func queueDrop(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:          "drop",
		Usage:         "move tasks out of the queue, into .oss/" + queue.ArchiveName,
		ArgsUsage:     "ID...",
		Description:   "The first or last 4 characters of an id suffice. All of them are dropped, or none.",
		Flags:         []cli.Flag{kit.JSONFlag()},
		ShellComplete: a.Completion(completeTasks),
		Metadata:      kit.Examples("aburn queue drop 9f3c", "aburn queue drop $(aburn queue list --json | jq -r '.tasks[] | select(.ours | not) | .id')"),
		Action:        a.Action(runDropTasks),
	}
}

func runDropTasks(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.Args().Len() == 0 {
		return fault.Usage("which task?", "aburn queue list")
	}
	t, err := openQueue(a, cmd, false)
	if err != nil {
		return err
	}
	defer t.close()
	dropped := []string{}
	err = t.update(func(d *queue.Desk) error {
		if d.Broken() != nil {
			return status.QueueFailure(d.Broken())
		}
		dropped = dropped[:0]
		all := d.Tasks()
		for _, id := range cmd.Args().Slice() {
			task, err := findTask(all, id)
			if err != nil {
				return err
			}
			dropped = append(dropped, task.ID)
		}
		for _, id := range dropped {
			d.Drop(id, "by hand", t.now)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(struct {
			Dropped []string `json:"dropped"`
		}{dropped})
	}
	for _, id := range dropped {
		fmt.Fprintf(a.Stdout, "dropped %s\n", plain.Line(id))
	}
	return nil
}

func queueAllow(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "allow",
		Usage:     "sign a foreign task, so that it is delivered",
		ArgsUsage: "ID",
		Description: "You name the session it is for, and aburn signs it as yours. Read it first, with `aburn queue show`. It\n" +
			"expires when it says, or after queue.expires.",
		Flags:         append(recipientFlags(), kit.JSONFlag()),
		ArgValidator:  oneTaskArgument,
		ShellComplete: a.Completion(completeTasks),
		Metadata:      kit.Examples("aburn queue show 9f3c", "aburn queue allow 9f3c --session 5b0c2f91", "aburn queue allow 9f3c --project --expires 2h"),
		Action:        a.Action(runAllowTask),
	}
}

func runAllowTask(_ context.Context, a *kit.App, cmd *cli.Command) error {
	t, err := openQueue(a, cmd, true)
	if err != nil {
		return err
	}
	defer t.close()
	session, err := recipient(a, cmd, t.w)
	if err != nil {
		return err
	}
	until, err := expiry(cmd, t.now)
	if err != nil {
		return err
	}
	var allowed queue.Task
	err = t.update(func(d *queue.Desk) error {
		if d.Broken() != nil {
			return status.QueueFailure(d.Broken())
		}
		found, err := findTask(d.Tasks(), cmd.Args().First())
		if err != nil {
			return err
		}
		if own := found.ExpiresAt; until.IsZero() && !own.After(t.now) && t.w.Settings.Queue.Expires > 0 {
			until = t.now.Add(t.w.Settings.Queue.Expires)
		}
		if err := d.Allow(found.ID, session, until, t.now); err != nil {
			return fault.Failed("not allowed: " + err.Error())
		}
		for _, task := range d.Tasks() { // several may have this id: take the signed one
			if task.ID == found.ID && t.Ours(task) {
				allowed = task
				break
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(t.report(allowed))
	}
	_, err = fmt.Fprintf(a.Stdout, "allowed %s for %s; the agent will get:\n%s\n", plain.Line(allowed.ID), plain.Line(recipientText(allowed)),
		plain.Text(allowed.Prompt))
	return err
}
