package status

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor/look"
	"aburn/supervisor/state"
)

// queueFacts is what waits in the queue.
type queueFacts struct {
	Waiting   int `json:"waiting"`      // ours, to be delivered at a prompt
	Over      int `json:"session_over"` // of those waiting, for sessions that are over: only if somebody takes them up again
	Delivered int `json:"delivered"`    // printed
	Seen      int `json:"seen"`         // of those delivered
	Failed    int `json:"failed"`
	Foreign   int `json:"foreign"` // not signed by aburn: they wait for `aburn queue allow`
	urgent    string
}

// readQueue reads the queue. It warns of a queue that it cannot read, and the tasks are nil then.
func readQueue(c *workspace.Caller, w *workspace.Workspace, key []byte) (queue.File, map[string]queue.Task) {
	file, err := queue.New(w.Oss, key).Read()
	if err != nil {
		var news *fault.Error
		if errors.As(QueueFailure(err), &news) {
			c.Warn(news.Msg, news.Hints...)
		}
		return file, nil
	}
	tasks := map[string]queue.Task{}
	for _, t := range file.Tasks {
		tasks[t.ID] = t
	}
	return file, tasks
}

// FactsOfQueue counts the tasks, of the chosen sessions only if one was named.
func (v *View) FactsOfQueue(w *workspace.Workspace) (f queueFacts) {
	q := queue.New(w.Oss, v.key)
	most := queue.Priority(0)
	for _, t := range v.file.Tasks {
		open := t.Status == queue.Pending || t.Status == queue.Executing
		switch {
		case v.Session != "" && (t.Session == "" || !v.chosen(t.Session)):
		case open && !t.ExpiresAt.IsZero() && !v.Now.Before(t.ExpiresAt):
		case open && !q.Ours(t) && !w.Settings.Queue.Foreign:
			f.Foreign++
		case open:
			f.Waiting++
			if IsOver(&v.Result, t.Session) {
				f.Over++
			}
			if t.Priority > most {
				most, f.urgent = t.Priority, t.Priority.String()
			}
		case t.Status == queue.Failed:
			f.Failed++
		case t.Status == queue.Completed:
			f.Delivered++
			if !t.SeenAt.IsZero() {
				f.Seen++
			}
		}
	}
	return f
}

// IsOver reports whether the session has ended or its process is gone, so that no prompt of it
// comes unless somebody takes it up again. A session that the log does not know is not over.
func IsOver(r *look.Result, id logfmt.SessionID) bool {
	if r.State == nil || id == "" {
		return false
	}
	for _, s := range r.State.Sessions {
		if s.ID == id {
			mode, _ := s.Mode(r.Now, r.Observed)
			return mode == state.Ended || mode == state.Gone
		}
	}
	return false
}

func (f *queueFacts) text() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	waiting := "waiting for a prompt"
	if f.urgent != "" {
		waiting += " (up to " + f.urgent + ")"
	}
	if f.Over > 0 {
		waiting += fmt.Sprintf(", %d of them for sessions that are over", f.Over)
	}
	add(f.Waiting, waiting)
	add(f.Delivered, "delivered")
	add(f.Failed, "failed")
	add(f.Foreign, "foreign")
	return strings.Join(parts, ", ")
}

// waits is what waits, for the line that sums a look up; "" if nothing does.
func (f *queueFacts) waits() string {
	verb := func(n int) string {
		if n == 1 {
			return " waits"
		}
		return " wait"
	}
	text := ""
	if f.Waiting > 0 {
		text = plain.Plural(int64(f.Waiting), "task") + verb(f.Waiting) + " for a prompt"
	}
	switch {
	case f.Over == 0:
	case f.Over == f.Waiting && f.Over == 1:
		text += " of a session that is over"
	case f.Over == f.Waiting:
		text += " of sessions that are over"
	default:
		text += fmt.Sprintf(", %d of them of sessions that are over", f.Over)
	}
	if f.Foreign > 0 {
		if text != "" {
			text += "; "
		}
		text += plain.Plural(int64(f.Foreign), "foreign task") + verb(f.Foreign) + " for you"
	}
	return text
}

// QueueWait is how long a command waits for the queue's lock.
const QueueWait = 5 * time.Second

// QueueFailure is the error that a person is shown when the queue cannot be used.
func QueueFailure(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, queue.ErrBroken):
		return fault.Failed(".oss/"+queue.Name+" is not a queue", "queue a task to move it aside: aburn queue add")
	case errors.Is(err, queue.ErrVersion):
		return fault.Failed(".oss/" + queue.Name + " has a version that this aburn does not know: it is left alone")
	case errors.Is(err, queue.ErrTooLarge):
		return fault.Failed(".oss/"+queue.Name+" has more than 4 MiB: it is left alone", "move it away, and aburn starts a new one")
	case errors.Is(err, queue.ErrBusy):
		return fault.Failed(fmt.Sprintf("another process has held the queue's lock for %s", QueueWait))
	}
	return fault.Failed(".oss/" + queue.Name + ": " + err.Error())
}
