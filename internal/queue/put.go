package queue

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// PutResult says what became of a Put.
type PutResult struct {
	Task    Task   // as it was put, or the one that is there already
	Added   bool   //
	Reason  string // why not: "pending", "executing", "cooling", or "full" of more urgent ones
	Dropped []Task // went into the archive: to make room, or too old
	Aside   string // the name that a broken queue.json has when Close has returned, or ""
}

// ErrTask says that a task cannot be put or allowed; the text of the error says why.
var ErrTask = errors.New("not a task for the queue")

// taskError is an ErrTask with the reason.
type taskError string

func (e taskError) Error() string        { return string(e) }
func (e taskError) Is(target error) bool { return target == ErrTask }

// Put signs a task and adds it, unless one of ours with its signature waits, is being delivered, or was put or delivered
// less than cooldown ago. ID, CreatedAt, Priority (Medium) and ExpiresAt (Expiry, at most MaxAge) are filled in if empty;
// the status is Pending. A task without a session and scope, with an empty prompt or one of more than MaxPrompt bytes, is
// ErrTask. The write at Close is synced.
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
	if there, reason := d.there(&t, cooldown, now); reason != "" {
		return PutResult{Task: there, Reason: reason}, nil
	}
	r := PutResult{Task: t, Aside: d.aside, Dropped: d.Expire(now)}
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

// complete fills in what the caller left empty and reports what cannot be put.
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
		*s = strings.ToValidUTF8(*s, "\uFFFD") // as the file says it, before it is signed
	}
	switch why := badPrompt(t.Prompt); {
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

// there finds what makes a Put unnecessary. Only tasks of ours count: nobody else can keep advice away by its signature.
func (d *Desk) there(t *Task, cooldown time.Duration, now time.Time) (there Task, reason string) {
	for i := range d.doc.items {
		it := &d.doc.items[i]
		same := it.isTask && (it.task.ID == t.ID || t.Signature != "" && it.task.Signature == t.Signature)
		if !same || !d.q.Ours(it.task) {
			continue
		}
		open := it.task.Status == Pending || it.task.Status == Executing
		switch {
		case open && !it.task.expired(now), it.task.ID == t.ID:
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
			there, reason = old, "cooling"
		}
		return reason == ""
	})
	return there, reason
}

// cooling reports whether t was put or delivered less than cooldown ago. A time far in the future, of a clock that went
// back, is no time ago.
func (t *Task) cooling(cooldown time.Duration, now time.Time) bool {
	for _, at := range []time.Time{t.CreatedAt, t.DeliveredAt} {
		if age := now.Sub(at); !at.IsZero() && age >= -skew && age < cooldown {
			return true
		}
	}
	return false
}

// makeRoom drops the least urgent and, of those, oldest waiting tasks of ours until one more fits, and finished ones
// likewise. full: all that wait are more urgent than the new one.
func (d *Desk) makeRoom(p Priority, now time.Time) (dropped []Task, full bool) {
	for {
		open, least := d.count(func(t *Task) bool { return t.Status == Pending || t.Status == Executing })
		if open < MaxOpen {
			break
		}
		if least < 0 || d.doc.items[least].task.Priority > p {
			return dropped, true
		}
		dropped = append(dropped, d.drop(least, "full", now))
	}
	for {
		done, oldest := d.count(func(t *Task) bool { return t.Status == Completed || t.Status == Failed })
		if done <= MaxOpen {
			return dropped, false
		}
		dropped = append(dropped, d.drop(oldest, "finished", now))
	}
}

// count counts the tasks of ours that are like this, and finds the one that can go first; one that is being delivered
// cannot. -1: none.
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

// goesBefore reports whether t makes room before u does.
func goesBefore(t, u *Task) bool {
	if waits := t.Status == Pending; waits && t.Priority != u.Priority {
		return t.Priority < u.Priority
	}
	return t.CreatedAt.Before(u.CreatedAt)
}

// newID is 16 random hexadecimal digits.
func newID() string {
	s := strconv.FormatUint(rand.Uint64(), 16)
	return strings.Repeat("0", 16-len(s)) + s
}
