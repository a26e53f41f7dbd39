package hooks

import (
	"errors"
	"os"
	"slices"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/internal/recent"
	"aburn/logfmt"
)

// How long a delivery waits for the queue's lock. A claim can wait for the next
// prompt; a printed task without a receipt would be printed again.
const (
	claimWait   = 20 * time.Millisecond
	receiptWait = 400 * time.Millisecond
)

// clockStep is how far the times of entries may contradict their order: each writer
// reads the clock before it has the lock.
const clockStep = time.Minute

// delivery hands the tasks that wait for a session to its agent, once.
type delivery struct {
	moment
	queue *queue.Queue
	tasks []queue.Task // claimed, and part of the answer

	prompt *string // of promptID, once the log was asked
}

// IsAdvice reports whether a prompt is the text with which a hook made its turn go on. No
// person typed that.
func IsAdvice(prompt string) bool { return queue.IsComposed(prompt) }

// answer is the hook's output: the waiting tasks, which it claims, and a line about
// finished sub-agents; nil if there are neither.
func (d *delivery) answer() ([]byte, error) {
	switch {
	case d.entry.Event == logfmt.Stop:
		return d.answerStop()
	case d.inTurn() && len(d.looked.Certain) == 0:
		return nil, nil
	}
	line := ""
	if d.typed() && !d.looked.Alone && d.settings.Deliver.AgentEnd && !d.agent.Traits.TellsAgentEnds {
		line = agentsEnded(unlockedTail(d.journal, journal.TailSize), d.payload.Session, d.entry.ID)
	}
	text, err := d.claim(maxInjected - len(line))
	if text += line; text == "" {
		return nil, err
	}
	return d.agent.Context(d.payload.Event, text), err
}

// workerVar is in the environment of a worker's agent, and so of its hooks. It is hold.MarkVariable: only the agent of a
// worker is sent messages, and no other pays for looking for them.
const workerVar = "ABURN_WORKER"

// answerStop is the answer at a turn's end: advice if the user wants that, and the messages to a worker.
func (d *delivery) answerStop() ([]byte, error) {
	if !d.settings.Deliver.AtStop && d.env(workerVar) == "" || d.agent.Continue(d.payload, "") == nil {
		return nil, nil
	}
	text, err := d.claim(maxInjected)
	if text == "" {
		return nil, err
	}
	return d.agent.Continue(d.payload, text), err
}

// claimant says which advice may be told now, beside messages: after a call those that the look was
// certain of, with a machine's prompt the critical ones. So too at a turn's end, unless
// no prompt comes after it: then nothing can wait.
func (d *delivery) claimant() queue.Claimant {
	who := queue.Claimant{Session: d.payload.Session, PromptID: d.promptID(), PID: os.Getpid(), Typed: d.typed()}
	switch d.entry.Event {
	case logfmt.Prompt:
		who.CriticalOnly = !d.typed()
	case logfmt.Stop:
		who.MessagesOnly = !d.settings.Deliver.AtStop
		who.CriticalOnly = !d.agent.PrintMode(d.payload, d.env)
	default:
		who.Only = d.looked.Certain
	}
	return who
}

// promptID names the turn. If the agent has no name for it, that is the id of the entry of the prompt that began it; "" if
// the log's tail has none.
func (d *delivery) promptID() string {
	if d.agent.PromptID != "" {
		return Head(d.payload.Str(d.agent.PromptID))
	}
	if d.prompt == nil {
		id := d.turnOf(unlockedTail(d.journal, journal.TailSize))
		d.prompt = &id
	}
	return *d.prompt
}

func (d *delivery) turnOf(lines recent.Lines) string {
	if d.entry.Event == logfmt.Prompt {
		return d.entry.ID
	}
	for line := range lines {
		h, ok := logfmt.ParseHeader(line)
		if ok && string(h.Event) == string(logfmt.Prompt) && !h.Agent && string(h.Session) == string(d.payload.Session) {
			return string(h.ID)
		}
	}
	return ""
}

// claim takes the tasks that wait for this session, most urgent first, as far as they
// fit into room bytes; "" if there are none or another process holds the queue.
func (d *delivery) claim(room int) (string, error) {
	now := time.Now()
	who := d.claimant()
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
	claimed := d.undelivered(desk, desk.Claim(who, now), now)
	text, used, _ := queue.Compose(claimed, room)
	desk.Unclaim(claimed[len(used):], now)
	if err := desk.Close(); err != nil {
		return "", err
	}
	d.tasks = used
	return text, nil
}

// undelivered leaves out tasks that the log calls delivered or resolved, and messages that a
// prompt said. The queue may not know: a claimant was killed or found the queue busy before
// its receipt, somebody put an old queue back, or a person sent what aburn had typed.
func (d *delivery) undelivered(desk *queue.Desk, tasks []queue.Task, now time.Time) []queue.Task {
	if len(tasks) == 0 {
		return nil
	}
	last := d.lastEvents(tasks)
	return slices.DeleteFunc(tasks, func(t queue.Task) bool {
		switch last[t.ID] {
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

// lastEvents is the log's last DELIVERED or RESOLVED of each task. If nobody has claimed
// the tasks before, it reads only the entries since they were put.
func (d *delivery) lastEvents(tasks []queue.Task) map[string]logfmt.Event {
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
	last := map[string]logfmt.Event{}
	for line := range unlockedTail(d.journal, farBack) {
		h, ok := logfmt.ParseHeader(line)
		if !ok {
			continue
		}
		if at, err := time.Parse(time.RFC3339, string(h.Time)); err == nil && at.Before(oldest) {
			break
		}
		id, event := "", logfmt.Event(h.Event)
		switch event {
		case logfmt.Delivered, logfmt.Resolved:
			id = gjson.GetBytes(line, "data.task_id").Str
		case logfmt.Prompt:
			id, event = said(tasks, line), logfmt.Delivered
		}
		if id != "" && last[id] == "" {
			last[id] = event
		}
	}
	return last
}

// said is the id of the message that the entry of a prompt has whole, as far as its length tells: a person may have sent
// the tag alone.
func said(tasks []queue.Task, prompt []byte) string {
	id := logfmt.MessageIn(gjson.GetBytes(prompt, "data.head").Str)
	i := slices.IndexFunc(tasks, func(t queue.Task) bool { return t.ID == id && t.IsMessage() })
	if id == "" || i < 0 || gjson.GetBytes(prompt, "data.machine").Bool() {
		return ""
	}
	least := int64(0)
	for _, r := range tasks[i].Prompt {
		if !unicode.IsSpace(r) {
			least++
		}
	}
	if gjson.GetBytes(prompt, "data.chars").Int() < least {
		return ""
	}
	return id
}

// receipt notes in the log and in the queue that the claimed tasks were printed.
// Either alone is enough. The log comes first: a look that finds the receipt only in
// the queue adds it to the log.
func (d *delivery) receipt(deadline time.Time) error {
	if len(d.tasks) == 0 {
		return nil
	}
	ids := make([]string, len(d.tasks))
	entries := make([]*logfmt.Entry, len(d.tasks))
	for i, t := range d.tasks {
		ids[i] = t.ID
		entries[i] = logfmt.TaskEntry(logfmt.Delivered, d.payload.Session, logfmt.TaskFacts{
			Task: t.ID, Type: t.Type, Signature: t.Signature, PromptID: d.promptID(), InTurn: d.inTurn(),
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
