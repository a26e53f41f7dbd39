package hooks

import (
	"errors"
	"os"
	"slices"
	"time"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/logfmt"

	"github.com/tidwall/gjson"
)

// How long a delivery waits for the queue's lock. A claim can come with the next
// prompt; what was printed and has no receipt would be printed again.
const (
	claimWait   = 20 * time.Millisecond
	receiptWait = 400 * time.Millisecond
)

// clockStep is how far apart the times of entries may be whose order is the other way
// round: each writer reads the clock before it has the lock.
const clockStep = time.Minute

// delivery hands the tasks that wait for a session to its agent, once.
type delivery struct {
	scene
	queue *queue.Queue
	tasks []queue.Task // claimed, and part of the answer
}

// answer is the hook's output: what waits, and a line about finished sub-agents;
// nil if there is nothing to say. What it holds of the queue is claimed.
func (d *delivery) answer() ([]byte, error) {
	if d.turn.Event == logfmt.Stop {
		if !d.settings.Deliver.AtStop || d.agent.Continue(d.payload, "") == nil {
			return nil, nil
		}
		text, err := d.claim(maxInjected)
		if text == "" {
			return nil, err
		}
		return d.agent.Continue(d.payload, text), err
	}
	line := ""
	if d.typed() && !d.alone && d.settings.Deliver.AgentEnd {
		line = agentsEnded(peek(d.journal, journal.TailSize), d.payload.Session, d.turn.ID)
	}
	text, err := d.claim(maxInjected - len(line))
	if text += line; text == "" {
		return nil, err
	}
	return d.agent.Context(d.payload.Event, text), err
}

// claim takes what waits for this session, most urgent first, as far as it fits;
// "" if there is nothing, or if somebody else has the queue just now.
func (d *delivery) claim(room int) (string, error) {
	now := time.Now()
	who := queue.Claimant{
		Session: d.payload.Session, PromptID: Head(d.payload.Str(d.agent.PromptID)), PID: os.Getpid(), CriticalOnly: !d.typed(),
	}
	if waits, err := d.queue.Waiting(who, now); !waits {
		return "", err
	}
	desk, err := d.queue.Lock(claimWait)
	if err != nil {
		if err == queue.ErrBusy {
			err = nil
		}
		return "", err
	}
	defer desk.Close()
	claimed := d.fresh(desk, desk.Claim(who, now), now)
	text, used, _ := queue.Compose(claimed, room)
	desk.Unclaim(claimed[len(used):], now)
	if err := desk.Close(); err != nil {
		return "", err
	}
	d.tasks = used
	return text, nil
}

// fresh is tasks without those of which the log says that they were printed, or that
// what they are about is gone: their claimant never gave its receipt, because the
// queue was busy or somebody killed it in between, or an old queue was put back.
func (d *delivery) fresh(desk *queue.Desk, tasks []queue.Task, now time.Time) []queue.Task {
	if len(tasks) == 0 {
		return nil
	}
	said := d.said(tasks)
	return slices.DeleteFunc(tasks, func(t queue.Task) bool {
		switch said[t.ID] {
		case logfmt.Delivered:
			desk.Receipt([]string{t.ID}, now)
		case logfmt.Resolved:
			desk.Drop(t.ID, "resolved", now)
		default:
			return false
		}
		return true
	})
}

// said is what the log says last about each task that was printed or resolved. Of
// tasks that nobody has claimed before it says what came since they were put.
func (d *delivery) said(tasks []queue.Task) map[string]logfmt.Event {
	oldest := tasks[0].CreatedAt
	for _, t := range tasks {
		if t.Attempts > 1 || t.CreatedAt.IsZero() {
			oldest = time.Time{}
			break
		}
		if t.CreatedAt.Before(oldest) {
			oldest = t.CreatedAt
		}
	}
	oldest = oldest.Add(-clockStep)
	said := map[string]logfmt.Event{}
	for line := range peek(d.journal, farBack) {
		h, ok := logfmt.ParseHeader(line)
		if !ok {
			continue
		}
		if at, err := time.Parse(time.RFC3339, string(h.Time)); err == nil && at.Before(oldest) {
			break
		}
		if string(h.Event) != string(logfmt.Delivered) && string(h.Event) != string(logfmt.Resolved) {
			continue
		}
		if id := gjson.GetBytes(line, "data.task_id").Str; said[id] == "" {
			said[id] = logfmt.Event(h.Event)
		}
	}
	return said
}

// receipt notes, in the log and in the queue, that the claimed tasks were printed.
// Either alone is enough. The log comes first: a look that finds only the queue's
// writes the log's.
func (d *delivery) receipt(deadline time.Time) error {
	if len(d.tasks) == 0 {
		return nil
	}
	ids := make([]string, len(d.tasks))
	entries := make([]*logfmt.Entry, len(d.tasks))
	for i, t := range d.tasks {
		ids[i] = t.ID
		entries[i] = logfmt.TaskEntry(logfmt.Delivered, d.payload.Session, logfmt.TaskFacts{
			Task: t.ID, Type: t.Type, Signature: t.Signature, PromptID: Head(d.payload.Str(d.agent.PromptID)),
		})
		entries[i].Time, entries[i].Wt = time.Now(), d.proj.Wt
	}
	_, err := d.journal.Append(func(journal.Tail) []*logfmt.Entry { return entries })
	wait := min(receiptWait, time.Until(deadline)-receiptWait/4)
	desk, lerr := d.queue.Lock(max(wait, 0))
	if lerr == nil {
		desk.Receipt(ids, time.Now())
		lerr = desk.Close()
	}
	return errors.Join(err, lerr)
}
