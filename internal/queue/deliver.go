package queue

import (
	"bytes"
	"io/fs"
	"slices"
	"strconv"
	"time"
)

// Read takes a snapshot of the queue without the lock. A missing file is an empty queue.
func (q *Queue) Read() (File, error) {
	doc, _, err := q.load()
	if doc == nil {
		return File{}, err
	}
	f := File{Version: doc.version, UpdatedAt: doc.updatedAt, Others: doc.others}
	f.Tasks = doc.tasks()
	return f, nil
}

// Waiting reports, without the lock, whether anything is deliverable to who. A hook asks it
// before it takes the lock. A missing file is an empty queue. A file that names neither the
// session nor the project is not parsed. So a broken one is no error then, and a session's id
// written with escapes is not found.
func (q *Queue) Waiting(who Claimant, now time.Time) (bool, error) {
	data, _, err := readRegular(q.root, Name)
	if err != nil || !names(data, string(who.Session)) && !names(data, ScopeProject) || who.MessagesOnly && !names(data, KindMessage) {
		return false, err
	}
	doc, err := parseDocument(data)
	if err != nil {
		return false, &fs.PathError{Op: "read", Path: Name, Err: err}
	}
	for i := range doc.items {
		if ok, _ := q.deliverable(doc, i, who, now); ok {
			return true, nil
		}
	}
	return false, nil
}

// names reports whether a JSON string in data is the word, in the spelling of writers that escape
// no letters.
func names(data []byte, word string) bool {
	return word != "" && (!verbatim(word) || bytes.Contains(data, []byte(`"`+word+`"`)))
}

// verbatim reports whether every writer spells the word without escapes.
func verbatim(word string) bool {
	for i := 0; i < len(word); i++ {
		if c := word[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '/' || c == '<' || c == '>' || c == '&' || c == '\'' {
			return false
		}
	}
	return true
}

// Deliverable reports whether t may be given to who now, and if not, why, in words for people. It
// does not check whether another task has the same id.
func (q *Queue) Deliverable(t Task, who Claimant, now time.Time) (ok bool, reason string) {
	reason = q.obstacle(&t, who, now)
	return reason == "", reason
}

// deliverable is Deliverable for an item of the document. Of several items with one id, only
// find's choice is deliverable.
func (q *Queue) deliverable(doc *document, i int, who Claimant, now time.Time) (ok bool, reason string) {
	it := &doc.items[i]
	if !it.isTask {
		return false, "it is no task"
	}
	if reason = q.obstacle(&it.task, who, now); reason != "" {
		return false, reason
	}
	if q.find(doc, it.task.ID) != i {
		return false, "another task has its id"
	}
	if who.Only != nil && q.toldAlready(doc, &it.task, who) {
		return false, "one of its type was told in this turn"
	}
	return true, ""
}

// toldAlready reports whether another task of ours with t's type was claimed for the same prompt.
func (q *Queue) toldAlready(doc *document, t *Task, who Claimant) bool {
	for i := range doc.items {
		o := &doc.items[i].task
		if doc.items[i].isTask && o.ID != t.ID && o.Type == t.Type && o.Session == t.Session && o.Lease != nil &&
			o.Lease.Session == who.Session && o.Lease.PromptID == who.PromptID && q.Ours(*o) {
			return true
		}
	}
	return false
}

// find returns the item that an id means, or -1: the first task of ours with it, or else the
// first with it. Copies of a task, and others' tasks with the same id, are never touched.
func (q *Queue) find(doc *document, id string) int {
	if i, ok := q.index(doc)[id]; ok && id != "" {
		return i
	}
	return -1
}

// index maps ids to find's choice. Another tool may write thousands of tasks with one id; only
// such repeated ids cost a check of signatures.
type index map[string]int

func (q *Queue) index(doc *document) index {
	if doc.byID != nil {
		return doc.byID
	}
	doc.byID = make(index, len(doc.items))
	ours := map[string]bool{} // for repeated ids: whether byID points at a task of ours
	for i := range doc.items {
		it := &doc.items[i]
		if !it.isTask {
			continue
		}
		first, twice := doc.byID[it.task.ID]
		if !twice {
			doc.byID[it.task.ID] = i
			continue
		}
		known, asked := ours[it.task.ID]
		if !asked {
			known = q.Ours(doc.items[first].task)
		}
		if !known && q.Ours(it.task) {
			doc.byID[it.task.ID], known = i, true
		}
		ours[it.task.ID] = known
	}
	return doc.byID
}

// obstacle says why t may not be given to who now, or "". Cheap checks come first.
func (q *Queue) obstacle(t *Task, who Claimant, now time.Time) string {
	switch {
	case t.Session != "" && t.Session != who.Session, t.Session == "" && t.Scope != ScopeProject:
		return t.notFor()
	case who.Session == "":
		return "the session is unknown"
	case !t.IsMessage() && (who.MessagesOnly || who.CriticalOnly && t.Priority != Critical), who.Only != nil && !slices.Contains(who.Only, t.ID):
		return "it can wait for a person's prompt"
	case t.IsMessage() && !t.TypedAt.IsZero() && !who.Typed:
		return "it was typed, and may stand in the agent's input line"
	case who.Only != nil && (who.PromptID == "" || t.Attempts > 0):
		return "a hook claimed it before, or the turn is unknown"
	}
	if reason := t.notNow(now); reason != "" {
		return reason
	}
	if reason := t.notFit(); reason != "" {
		return reason
	}
	switch {
	case len(q.key) == 0:
		return "this user has not trusted the project"
	case !(q.Foreign && !t.IsMessage()) && !q.Ours(*t):
		return "aburn did not sign it"
	}
	return ""
}

func (t *Task) notFor() string {
	if t.Session == "" {
		return "it names neither a session nor the project"
	}
	return "it is for another session"
}

// notNow says why t may not be given at this moment, or "".
func (t *Task) notNow(now time.Time) string {
	switch {
	case t.Status == Executing && !t.leaseOver(now):
		return "it is being delivered"
	case t.Status == Executing && t.Attempts >= MaxAttempts:
		return "it was claimed " + strconv.Itoa(t.Attempts) + " times in vain"
	case t.Status != Pending && t.Status != Executing:
		return "its status is " + string(t.Status)
	case t.expired(now):
		return "it has expired"
	}
	return ""
}

// notFit says why t may never be given to an agent, or "".
func (t *Task) notFit() string {
	for _, m := range t.Extra {
		if memberNumber(m.Key) >= 0 {
			return "its member " + m.Key + " has the wrong type or appears twice"
		}
	}
	switch {
	case t.ID == "":
		return "it has no id"
	case t.Kind != "" && !t.IsMessage():
		return "its kind is unknown"
	case t.IsMessage() && t.Session == "":
		return "a message is for one session"
	}
	return t.badPrompt()
}

func (t *Task) badPrompt() string {
	most := MaxPrompt
	if t.IsMessage() {
		most = MaxMessage
	}
	switch n := len(block(t.Prompt)); {
	case n == 0:
		return "its prompt is empty"
	case n > most:
		return "its prompt has more than " + strconv.Itoa(most) + " bytes"
	}
	return ""
}

func (t *Task) expired(now time.Time) bool { return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt) }

// leaseOver reports whether the lease of a claimed task has ended. A lease that ends too late to
// be possible comes from a clock that went backwards, and has ended too. Without a lease another
// tool is at work, and nothing is known about its end.
func (t *Task) leaseOver(now time.Time) bool {
	return t.Lease != nil && (!now.Before(t.Lease.Until) || t.Lease.Until.After(now.Add(LeaseTime+skew)))
}
