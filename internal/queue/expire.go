package queue

import (
	"time"

	"aburn/logfmt"
)

// Drop moves the task with that id, and all its copies, into the archive. It reports whether
// there was one. A task of ours must not come back through a copy; but others' tasks with the
// same id stay.
func (d *Desk) Drop(id, reason string, now time.Time) bool {
	i := d.q.find(d.doc, id)
	if i < 0 {
		return false
	}
	ours := d.q.Ours(d.doc.items[i].task)
	for i < len(d.doc.items) {
		if it := &d.doc.items[i]; it.isTask && it.task.ID == id && d.q.Ours(it.task) == ours {
			d.drop(i, reason, now)
		} else {
			i++
		}
	}
	return true
}

// Expire drops tasks of ours that have expired or are older than MaxAge, and returns them. Tasks
// claimed MaxAttempts times in vain become failed. Others' tasks, and tasks being delivered, are
// left alone.
func (d *Desk) Expire(now time.Time) (dropped []Task) {
	for i := 0; i < len(d.doc.items); i++ {
		it := &d.doc.items[i]
		reason, failed := it.task.over(now)
		if !it.isTask || reason == "" && !failed || !d.q.Ours(it.task) { // the signature last, because it costs most
			continue
		}
		if reason == "" {
			d.change(i, now, member{"status", quote(Failed)})
			continue
		}
		dropped = append(dropped, d.drop(i, reason, now))
		i--
	}
	return dropped
}

// over says why a task is to be dropped, or "", and whether it was claimed too often.
func (t *Task) over(now time.Time) (reason string, failed bool) {
	executing := t.Status == Executing
	switch {
	case executing && !t.leaseOver(now):
		return "", false
	case (executing || t.Status == Pending) && t.expired(now):
		return ReasonExpired, false
	case now.Sub(t.CreatedAt) > MaxAge && !(t.IsMessage() && t.open()):
		return "old", false
	}
	return "", executing && t.Attempts >= MaxAttempts
}

// Allow addresses a task to a session, or with "" to the whole project, and signs it: a person
// accepts a foreign task. until is the new expiry. If it is zero, a future expiry stays and any
// other becomes Expiry from now. The task must be pending (ErrTask). The write at Close is
// synced.
func (d *Desk) Allow(id string, session logfmt.SessionID, until, now time.Time) error {
	if len(d.q.key) == 0 {
		return ErrNoKey
	}
	i := d.q.find(d.doc, id)
	if i < 0 {
		return ErrNoTask
	}
	t := d.doc.items[i].task
	if t.Session, t.Scope = session, ""; session == "" {
		t.Scope = ScopeProject
	}
	if t.ExpiresAt = d.allowedUntil(t, until, now); t.expired(now) {
		return taskError("it has expired")
	}
	if why := t.notFit(); why != "" {
		return taskError(why)
	}
	if t.Status != Pending {
		return taskError("its status is " + string(t.Status))
	}
	d.q.sign(&t)
	d.change(i, now, orNull("session", string(t.Session)), orNull("scope", t.Scope),
		member{"expires_at", quote(formatTime(t.ExpiresAt))}, member{"hmac", quote(t.HMAC)})
	d.doc.byID = nil // among items with this id, find may now choose this one
	d.sync = true
	return nil
}

func (d *Desk) allowedUntil(t Task, until, now time.Time) time.Time {
	if until.IsZero() {
		if until = t.ExpiresAt; until.IsZero() || t.expired(now) {
			until = now.Add(Expiry)
		}
	}
	if last := now.Add(MaxAge); until.After(last) {
		until = last
	}
	return stamp(until)
}

func orNull(key, value string) member {
	if value == "" {
		return member{key, null}
	}
	return member{key, quote(value)}
}
