package supervise

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/supervisor/status"
)

func queueList(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "show the tasks, the most urgent first",
		Description: "A waiting task goes to its session with the next prompt. If its session is over, it is delivered only\n" +
			"when the session continues. A foreign task was not signed on this machine and waits for `aburn\n" +
			"queue allow`. A task that is held back cannot be delivered: `aburn queue show` says why. Delivered\n" +
			"tasks stay for a while; dropped ones are in .oss/queue.archive.jsonl.",
		Flags:        []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "also tasks that were delivered or given up"}, kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn queue list", "aburn queue list --json | jq '.tasks[] | select(.ours | not)'"),
		Action:       a.Action(runListTasks),
	}
}

func runListTasks(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	t, err := openQueue(a, cmd, false)
	if err != nil {
		return err
	}
	defer t.close()
	f, err := t.read()
	if err != nil {
		return err
	}
	t.lookAtSessions(ctx, f.Tasks)
	if cmd.Bool("json") {
		r := QueueReport{UpdatedAt: units.OptionalTime(f.UpdatedAt), Tasks: []taskReport{}, Others: f.Others}
		for _, task := range f.Tasks {
			r.Tasks = append(r.Tasks, t.report(task))
		}
		return a.PrintJSON(r)
	}
	return showTasks(a, cmd, t, f)
}

func showTasks(a *kit.App, cmd *cli.Command, t *taskQueue, f queue.File) error {
	waiting, done, foreign := t.sorted(f.Tasks)
	shown := waiting
	if cmd.Bool("all") {
		shown = append(shown, done...)
	}
	if len(shown) == 0 {
		fmt.Fprintln(a.Stdout, "nothing waits")
	} else if err := t.print(a.Screen(cmd), shown); err != nil {
		return err
	}
	if len(done) > 0 && !cmd.Bool("all") {
		a.Note(plain.Plural(int64(len(done)), "task is", "tasks are") + " done: aburn queue list --all")
	}
	if f.Others > 0 {
		a.Note(plain.Plural(int64(f.Others), "item of the file is no task", "items of the file are no tasks"))
	}
	if foreign {
		a.Note("foreign tasks wait until you allow them: aburn queue show ID, then aburn queue allow ID")
	}
	return nil
}

// sorted are the waiting tasks and the done ones, the most urgent and then the oldest first. foreign says whether a waiting
// one is foreign.
func (t *taskQueue) sorted(all []queue.Task) (waiting, done []queue.Task, foreign bool) {
	slices.SortStableFunc(all, func(a, b queue.Task) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.CreatedAt.Compare(b.CreatedAt))
	})
	for _, task := range all {
		s := t.state(task)
		if s.done {
			done = append(done, task)
			continue
		}
		waiting = append(waiting, task)
		foreign = foreign || s == foreignTask
	}
	return waiting, done, foreign
}

// print prints one line a task. On a narrow terminal it leaves out the type, and cuts ids if they stay different: findTask
// accepts such ids.
func (t *taskQueue) print(out *term.Out, list []queue.Task) error {
	narrow := out.Width() > 0 && out.Width() < entries.WideFrom
	cut := narrow && distinct(list, units.ShortID)
	table := term.Table{Columns: []term.Column{
		{Title: "id"}, {Title: "for"}, {Title: "priority"}, {Title: "state"}, {Title: "type"}, {Title: "what", Flex: true, Min: 20}, {Title: "age"},
	}}
	for _, task := range list {
		s, age := t.state(task), ""
		if !task.CreatedAt.IsZero() {
			age = plain.Age(t.now.Sub(task.CreatedAt))
		}
		id, kind := task.ID, task.Type
		if cut {
			id = id[:min(units.ShortID, len(id))]
		}
		if narrow {
			kind = ""
		}
		table.AddCells(term.Cell{Text: id}, recipientCell(task), term.Cell{Text: task.Priority.String(), Style: priorityStyle(task.Priority)},
			term.Cell{Text: s.word, Style: s.style}, term.Cell{Text: kind, Style: term.Dim}, term.Cell{Text: plain.OneLine(summaryOf(task), 400)},
			term.Cell{Text: age, Style: term.Dim})
	}
	return table.Print(out, 0)
}

// summaryOf is what a list shows of a prompt. Of the supervisor's it is only what is wrong.
func summaryOf(task queue.Task) string {
	if says := gjson.GetBytes(task.Context, "says").String(); says != "" && strings.Contains(task.Prompt, says) {
		return says
	}
	return task.Prompt
}

// distinct says whether all ids differ in their first n bytes.
func distinct(list []queue.Task, n int) bool {
	seen := map[string]bool{}
	for _, task := range list {
		id := task.ID[:min(n, len(task.ID))]
		if seen[id] {
			return false
		}
		seen[id] = true
	}
	return true
}

func recipientCell(task queue.Task) term.Cell {
	switch {
	case task.Session != "":
		return term.Cell{Text: entries.ShortSession(task.Session, entries.WideSession), Style: entries.SessionStyle(task.Session)}
	case task.Scope == queue.ScopeProject:
		return term.Cell{Text: "project"}
	}
	return term.Cell{Text: "nobody", Style: term.Dim}
}

func priorityStyle(p queue.Priority) term.Style {
	switch p {
	case queue.Critical:
		return term.BoldRed
	case queue.High:
		return term.Yellow
	case queue.Low:
		return term.Dim
	}
	return term.Plain
}

// taskState is where a task is, in a word or two.
type taskState struct {
	word  string
	style term.Style
	done  bool
}

var (
	foreignTask = taskState{"foreign", term.Magenta, false}
	overTask    = taskState{"session over", term.Dim, false}
)

func (t *taskQueue) state(task queue.Task) taskState {
	switch ok, _ := t.deliverable(task); {
	case ok && status.IsOver(&t.seen, task.Session):
		return overTask
	case ok && task.Status == queue.Executing:
		return taskState{"waits again", term.Yellow, false} // its lease is over, without a receipt
	case ok:
		return taskState{"waits", term.Green, false}
	case !task.SeenAt.IsZero():
		return taskState{"seen", term.Dim, true}
	case task.Status == queue.Completed:
		return taskState{"delivered", term.Dim, true}
	case task.Status == queue.Failed:
		return taskState{"given up", term.Red, true}
	case !t.Ours(task) && !t.Foreign:
		return foreignTask
	case task.Status == queue.Executing:
		return taskState{"being told", term.Cyan, false}
	case !task.ExpiresAt.IsZero() && !task.ExpiresAt.After(t.now):
		return taskState{"expired", term.Dim, false}
	}
	return taskState{"held back", term.Dim, false}
}

// deliverable says whether the task's session would get it now, or why not.
func (t *taskQueue) deliverable(task queue.Task) (bool, string) {
	who := queue.Claimant{Session: task.Session}
	if who.Session == "" {
		who.Session = "any"
	}
	return t.Deliverable(task, who, t.now)
}

// QueueReport is what `queue list --json` prints.
type QueueReport struct {
	UpdatedAt *time.Time   `json:"updated_at,omitempty"`
	Tasks     []taskReport `json:"tasks"`
	Others    int          `json:"others"` // items that are no tasks
}

// taskReport is a task as in the file, with whether aburn would deliver it.
type taskReport struct {
	ID             string           `json:"id"`
	CreatedAt      *time.Time       `json:"created_at,omitempty"`
	Priority       string           `json:"priority,omitempty"`
	Source         string           `json:"source,omitempty"`
	Kind           string           `json:"kind,omitempty"`
	Type           string           `json:"anomaly_type,omitempty"`
	Prompt         string           `json:"prompt"`
	SuggestedAgent string           `json:"suggested_agent,omitempty"`
	Context        json.RawMessage  `json:"context,omitempty"`
	Status         queue.Status     `json:"status"`
	Attempts       int              `json:"attempts"`
	Session        logfmt.SessionID `json:"session,omitempty"`
	Scope          string           `json:"scope,omitempty"`
	Evidence       []uint64         `json:"evidence,omitempty"`
	ExpiresAt      *time.Time       `json:"expires_at,omitempty"`
	Signature      string           `json:"signature,omitempty"`
	DeliveredAt    *time.Time       `json:"delivered_at,omitempty"`
	SeenAt         *time.Time       `json:"seen_at,omitempty"`
	Ours           bool             `json:"ours"`
	Deliverable    bool             `json:"deliverable"`
	SessionOver    bool             `json:"session_over,omitempty"` // no prompt of it comes unless it is taken up again
	Reason         string           `json:"reason,omitempty"`       // why it is not
}

func (t *taskQueue) report(task queue.Task) taskReport {
	r := taskReport{
		ID: task.ID, CreatedAt: units.OptionalTime(task.CreatedAt), Priority: task.Priority.String(), Source: task.Source, Kind: task.Kind, Type: task.Type,
		Prompt: task.Prompt, SuggestedAgent: task.SuggestedAgent, Context: task.Context, Status: task.Status, Attempts: task.Attempts,
		Session: task.Session, Scope: task.Scope, Evidence: task.Evidence, ExpiresAt: units.OptionalTime(task.ExpiresAt), Signature: task.Signature,
		DeliveredAt: units.OptionalTime(task.DeliveredAt), SeenAt: units.OptionalTime(task.SeenAt), Ours: t.Ours(task),
	}
	r.Deliverable, r.Reason = t.deliverable(task)
	r.SessionOver = r.Deliverable && status.IsOver(&t.seen, task.Session)
	return r
}
