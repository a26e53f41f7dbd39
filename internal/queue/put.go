package queue

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// PutResult describes the outcome of a Put.
type PutResult struct {
	Task    Task // the new task, or the existing one that made it unnecessary
	Added   bool
	Reason  string // why not added: "pending", "executing", "cooling", or "full" of more urgent tasks
	Dropped []Task // moved to the archive: to make room, or expired
	Aside   string // the name under which Close keeps a broken queue.json, or ""
}

// ErrTask says that a task cannot be put or allowed. The error's text gives the reason.
var ErrTask = errors.New("not a task for the queue")

// taskError is an ErrTask with its reason.
type taskError string

func (e taskError) Error() string        { return string(e) }
func (e taskError) Is(target error) bool { return target == ErrTask }

// Put signs a task and adds it. It does not add a task whose signature is pending or being
// delivered in a task of ours, or was put or delivered less than cooldown ago.
//
// Put fills in empty fields: ID, CreatedAt, Priority (Medium) and ExpiresAt (Expiry, at most
// MaxAge). The status becomes Pending. A task without a session and scope, or with an empty
// prompt or one of more than MaxPrompt bytes, is ErrTask. The write at Close is synced.
func (d *Desk) Put(t Task, cooldown time.Duration, now time.Time) (PutResult, error) {
	if len(d.q.key) == 0 {
		return PutResult{}, ErrNoKey
	}
	if err := t.complete(now); err != nil {
		return PutResult{}, err
	}
	d.q.sign(&t)
	if len(t.encode()) > maxTask {
		return PutResult{}, taskError("it has more than " + strconv.Itoa(maxTask) + " bytes")
	}
	if err := d.makeWay(now); err != nil {
		return PutResult{}, err
	}
	if old, reason := d.existing(&t, cooldown, now); reason != "" {
		return PutResult{Task: old, Reason: reason}, nil
	}
	r := PutResult{Task: t, Aside: d.movedTo, Dropped: d.Expire(now)}
	dropped, full := d.makeRoom(t.Priority, now)
	if full {
		r.Reason = "full"
		return r, nil
	}
	r.Dropped, r.Added = append(r.Dropped, dropped...), true
	d.doc.add(t)
	d.touch(now)
	d.sync = true
	return r, nil
}

// PutMessage signs a message to a session and adds it behind all others. A message with this id that the queue has is
// not added again. ok is false if MaxMessages wait for the session already. An empty text, or one of more than MaxMessage
// bytes, is ErrTask. The write at Close is synced.
func (d *Desk) PutMessage(id string, session logfmt.SessionID, source, text string, now time.Time) (ok bool, err error) {
	if len(d.q.key) == 0 {
		return false, ErrNoKey
	}
	t := Task{ID: id, CreatedAt: stamp(now), Priority: High, Source: source, Kind: KindMessage, Type: KindMessage, Prompt: strings.ToValidUTF8(text, "\uFFFD"),
		Status: Pending, Session: session}
	if why := t.notFit(); why != "" {
		return false, taskError(why)
	}
	if err := d.makeWay(now); err != nil {
		return false, err
	}
	open, _ := d.count(func(o *Task) bool { return o.IsMessage() && o.Session == session && o.open() })
	if i := d.q.find(d.doc, id); i >= 0 && d.q.Ours(d.doc.items[i].task) {
		return true, nil
	}
	if open >= MaxMessages {
		return false, nil
	}
	d.q.sign(&t)
	d.doc.add(t)
	d.touch(now)
	d.sync = true
	return true, nil
}

// Withdraw takes a message that waits out of the queue, so that nobody is told it from here. It reports whether it waited.
func (d *Desk) Withdraw(id string, now time.Time) bool {
	i := d.q.find(d.doc, id)
	return i >= 0 && d.doc.items[i].task.IsMessage() && d.doc.items[i].task.Status == Pending && d.Drop(id, "withdrawn", now)
}

// Typing notes that a message's text is about to be put into the agent's input line. Until that line was sent or the message
// is withdrawn, no hook tells it. It reports false if the message does not wait here: a hook may be telling it.
func (d *Desk) Typing(id string, now time.Time) bool {
	i := d.q.find(d.doc, id)
	if i < 0 || !d.doc.items[i].task.IsMessage() || d.doc.items[i].task.Status != Pending {
		return false
	}
	d.change(i, now, member{"typed_at", quote(formatTime(now))})
	return true
}

func (t *Task) open() bool { return t.Status == Pending || t.Status == Executing }

// complete fills in empty fields and rejects tasks that cannot be put.
func (t *Task) complete(now time.Time) error {
	t.Status, t.Attempts, t.Lease, t.DeliveredAt, t.SeenAt, t.Extra = Pending, 0, nil, time.Time{}, time.Time{}, nil
	if t.ID == "" {
		t.ID = newID()
	}
	if t.CreatedAt.IsZero() {
		t.CreatedAt = now
	}
	if t.Priority == 0 {
		t.Priority = Medium
	}
	if t.ExpiresAt.IsZero() {
		t.ExpiresAt = now.Add(Expiry)
	}
	if last := now.Add(MaxAge); t.ExpiresAt.After(last) {
		t.ExpiresAt = last
	}
	t.CreatedAt, t.ExpiresAt = stamp(t.CreatedAt), stamp(t.ExpiresAt)
	for _, s := range []*string{&t.ID, &t.Source, &t.Type, &t.Prompt, &t.SuggestedAgent, &t.Scope, &t.Signature, (*string)(&t.Session)} {
		*s = strings.ToValidUTF8(*s, "\uFFFD") // as the file will have it, before signing
	}
	switch why := t.badPrompt(); {
	case t.Kind != "":
		return taskError("it is no advice")
	case t.Session == "" && t.Scope != ScopeProject:
		return taskError("it names neither a session nor the project")
	case t.Session != "" && t.Scope != "":
		return taskError("it names a session and a scope")
	case t.expired(now):
		return taskError("it has expired")
	case len(t.Context) > 0 && !logfmt.Valid(t.Context):
		return taskError("its context is no JSON")
	case why != "":
		return taskError(why)
	}
	return nil
}

// existing finds a task that makes a Put unnecessary, with the reason. Only tasks of ours count,
// so that nobody else can suppress advice by its signature.
func (d *Desk) existing(t *Task, cooldown time.Duration, now time.Time) (found Task, reason string) {
	for i := range d.doc.items {
		it := &d.doc.items[i]
		same := it.isTask && (it.task.ID == t.ID || t.Signature != "" && it.task.Signature == t.Signature)
		if !same || !d.q.Ours(it.task) {
			continue
		}
		switch {
		case it.task.open() && !it.task.expired(now), it.task.ID == t.ID:
			return it.task, string(it.task.Status)
		case it.task.cooling(cooldown, now):
			return it.task, "cooling"
		}
	}
	if t.Signature == "" || cooldown <= 0 {
		return Task{}, ""
	}
	d.q.archived(t.Signature, func(old Task) bool {
		if old.cooling(cooldown, now) {
			found, reason = old, "cooling"
		}
		return reason == ""
	})
	return found, reason
}

// cooling reports whether t was put or delivered less than cooldown ago. A time far in the future
// comes from a clock that went back, and does not count.
func (t *Task) cooling(cooldown time.Duration, now time.Time) bool {
	for _, at := range []time.Time{t.CreatedAt, t.DeliveredAt} {
		if age := now.Sub(at); !at.IsZero() && age >= -skew && age < cooldown {
			return true
		}
	}
	return false
}

// makeRoom drops waiting tasks of ours until another one fits: the least urgent first, and of
// those the oldest. It drops finished tasks likewise. full says that all waiting tasks are more
// urgent.
func (d *Desk) makeRoom(p Priority, now time.Time) (dropped []Task, full bool) {
	for {
		open, least := d.count(func(t *Task) bool { return t.open() && !t.IsMessage() })
		if open < MaxOpen {
			break
		}
		if least < 0 || d.doc.items[least].task.Priority > p {
			return dropped, true
		}
		dropped = append(dropped, d.drop(least, ReasonFull, now))
	}
	for {
		done, oldest := d.count(func(t *Task) bool { return t.Status == Completed || t.Status == Failed })
		if done <= MaxOpen {
			return dropped, false
		}
		dropped = append(dropped, d.drop(oldest, "finished", now))
	}
}

// count counts the tasks of ours that like accepts, and finds the first of them to drop, or -1. A
// task being delivered cannot be dropped.
func (d *Desk) count(like func(*Task) bool) (n, first int) {
	first = -1
	for i := range d.doc.items {
		t := &d.doc.items[i].task
		if !d.doc.items[i].isTask || !like(t) || !d.q.Ours(*t) {
			continue
		}
		n++
		if t.Status == Executing {
			continue
		}
		if first < 0 || goesBefore(t, &d.doc.items[first].task) {
			first = i
		}
	}
	return n, first
}

// goesBefore reports whether t is dropped before u.
func goesBefore(t, u *Task) bool {
	if waits := t.Status == Pending; waits && t.Priority != u.Priority {
		return t.Priority < u.Priority
	}
	return t.CreatedAt.Before(u.CreatedAt)
}

// newID returns 16 random hexadecimal digits.
func newID() string {
	s := strconv.FormatUint(rand.Uint64(), 16)
	return strings.Repeat("0", 16-len(s)) + s
}
