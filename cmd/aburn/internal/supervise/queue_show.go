package supervise

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/internal/units"
)

func queueShow(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:          "show",
		Usage:         "show all of one task",
		ArgsUsage:     "ID",
		Description:   "The first or last 4 characters of the id suffice.",
		Flags:         []cli.Flag{kit.JSONFlag()},
		ArgValidator:  oneTaskArgument,
		ShellComplete: a.Completion(completeTasks),
		Metadata:      kit.Examples("aburn queue show 9f3c", "aburn queue show 9f3c --json | jq -r .prompt"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			t, err := openQueue(a, cmd, false)
			if err != nil {
				return err
			}
			defer t.close()
			f, err := t.read()
			if err != nil {
				return err
			}
			task, err := findTask(f.Tasks, cmd.Args().First())
			if err != nil {
				return err
			}
			t.lookAtSessions(ctx, []queue.Task{task})
			if cmd.Bool("json") {
				return a.PrintJSON(t.report(task))
			}
			return printTask(a, cmd, t, task)
		},
	}
}

func printTask(a *kit.App, cmd *cli.Command, t *taskQueue, task queue.Task) error {
	out := a.Screen(cmd)
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(out.Paint(term.Dim, plain.Pad(name, 11)) + plain.Line(value) + "\n")
		}
	}
	line("task", task.ID)
	line("for", recipientText(task))
	line("state", t.stateText(task))
	line("priority", task.Priority.String())
	line("type", task.Type)
	line("from", t.authorText(task))
	line("agent", task.SuggestedAgent)
	if !task.CreatedAt.IsZero() {
		line("made", plain.Age(t.now.Sub(task.CreatedAt)))
	}
	if !task.ExpiresAt.IsZero() && task.Status == queue.Pending {
		if left := task.ExpiresAt.Sub(t.now); left > 0 {
			line("expires", "in "+plain.Duration(left))
		} else {
			line("expired", plain.Age(-left))
		}
	}
	line("evidence", entryNumbers(task.Evidence))
	line("signature", task.Signature)
	line("context", string(task.Context))
	for _, m := range task.Extra {
		line(plain.Line(m.Key), string(m.Raw))
	}
	if _, err := fmt.Fprintln(out, b.String()); err != nil {
		return err
	}
	return printPrompt(out, task.Prompt)
}

// printPrompt prints a prompt. On a terminal it folds long lines.
func printPrompt(out *term.Out, prompt string) error {
	for text := range strings.SplitSeq(strings.TrimRight(plain.Text(prompt), "\n"), "\n") {
		if out.Terminal() && plain.Width(text) > term.TextWidth(out) {
			term.Paragraph(out, 0, "", text)
		} else if _, err := fmt.Fprintln(out, text); err != nil {
			return err
		}
	}
	return nil
}

func recipientText(task queue.Task) string {
	switch {
	case task.Session != "":
		return "session " + string(task.Session)
	case task.Scope == queue.ScopeProject:
		return "whichever session of the project is prompted next"
	}
	return "nobody: the task names neither a session nor the project"
}

func (t *taskQueue) stateText(task queue.Task) string {
	s, words := t.state(task), ""
	switch _, reason := t.deliverable(task); {
	case !task.SeenAt.IsZero():
		words = "shown by the agent's transcript since " + plain.Age(t.now.Sub(task.SeenAt))
	case !task.DeliveredAt.IsZero():
		words = "printed " + plain.Age(t.now.Sub(task.DeliveredAt))
	case s == overTask:
		words = "it is delivered only when the session continues"
	case reason != s.word:
		words = reason
	}
	if task.Attempts > 1 {
		words = units.Join(words, "claimed "+strconv.Itoa(task.Attempts)+" times")
	}
	return units.Join(s.word, words)
}

func (t *taskQueue) authorText(task queue.Task) string {
	who := task.Source
	if who == "" {
		who = "unknown"
	}
	if t.Ours(task) {
		return who + ", signed on this machine"
	}
	return who + ", not signed by aburn on this machine"
}

// entryNumbers lists numbers of entries, runs of them as one: entries 12, 14-19.
func entryNumbers(list []uint64) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.FormatUint(list[i], 10)
		if j > i {
			part += "-" + strconv.FormatUint(list[j], 10)
		}
		parts = append(parts, part)
		i = j + 1
	}
	if len(parts) == 0 {
		return ""
	}
	return "entries " + strings.Join(parts, ", ")
}
