package queue

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// Claim marks the tasks that are deliverable to who as executing, with a lease, and returns them,
// messages in the order of the file and then advice, most urgent first. It claims at most MaxOpen tasks. They may be printed only after Close has
// returned nil. Unclaim returns those that are not printed.
func (d *Desk) Claim(who Claimant, now time.Time) []Task {
	var places []int
	for i := range d.doc.items {
		if ok, _ := d.q.deliverable(d.doc, i, who, now); ok {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(i, j int) int {
		a, b := &d.doc.items[i].task, &d.doc.items[j].task
		if a.IsMessage() || b.IsMessage() {
			return messageFirst(a) - messageFirst(b)
		}
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.CreatedAt.Compare(b.CreatedAt))
	})
	lease := Lease{PID: who.PID, Session: who.Session, PromptID: who.PromptID, Until: stamp(now.Add(LeaseTime))}
	status, leased := member{"status", quote(Executing)}, member{"lease", lease.encode()}
	var claimed []Task
	for _, i := range places[:min(len(places), MaxOpen)] {
		d.change(i, now, status, d.attempts(i, +1), leased)
		claimed = append(claimed, d.doc.items[i].task)
	}
	return claimed
}

func messageFirst(t *Task) int {
	if t.IsMessage() {
		return 0
	}
	return 1
}

func (d *Desk) attempts(i, step int) member {
	return member{"attempts", strconv.AppendInt(nil, int64(d.doc.items[i].task.Attempts+step), 10)}
}

// Unclaim makes tasks of this Desk's Claim pending again, as if they had not been claimed.
func (d *Desk) Unclaim(tasks []Task, now time.Time) {
	for _, t := range tasks {
		if i := d.q.find(d.doc, t.ID); i >= 0 && d.doc.items[i].task.Status == Executing {
			d.change(i, now, member{"status", quote(Pending)}, d.attempts(i, -1), member{"lease", null})
		}
	}
}

// Receipt marks printed tasks as completed. If a lease ran out and somebody else printed the task
// too, the second Receipt changes nothing.
func (d *Desk) Receipt(ids []string, now time.Time) {
	status, delivered := member{"status", quote(Completed)}, member{"delivered_at", quote(formatTime(now))}
	for _, id := range ids {
		if i := d.q.find(d.doc, id); i >= 0 && d.doc.items[i].task.Status != Completed {
			d.change(i, now, status, delivered)
		}
	}
}

// Seen records that the agent's transcript shows the task. It reports whether that is new.
func (d *Desk) Seen(id string, now time.Time) bool {
	i := d.q.find(d.doc, id)
	if i < 0 || !d.doc.items[i].task.SeenAt.IsZero() {
		return false
	}
	d.change(i, now, member{"seen_at", quote(formatTime(now))})
	return true
}
