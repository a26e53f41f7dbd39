package look

import (
	"math"
	"slices"
	"strconv"
	"time"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
)

// Source is the source of the supervisor's tasks and entries.
const Source = "aburn"

// decision turns one judgement into tasks and entries, under the queue's lock.
type decision struct {
	*Look
	desk    *queue.Desk
	result  *Result
	entries []*logfmt.Entry // for the log, once the queue is on disk
}

func (d *decision) decide() {
	d.expire()
	d.finish()
	d.dropOver()
	d.markSeen()
	d.resolve()
	for _, is := range d.due() {
		d.put(is)
	}
}

// expire drops tasks that are too old. Of those that nobody was told it leaves a receipt.
func (d *decision) expire() {
	for _, t := range d.desk.Expire(d.result.Now) {
		if isOwn(d.queue, &t) && t.DeliveredAt.IsZero() {
			d.untold(&t, queue.ReasonExpired)
		}
	}
}

// overFor is how long a session has to be over until its tasks are dropped: a script may take it up
// again at once. One that is taken up later is told anew what is still wrong.
const overFor = 10 * time.Minute

// dropOver drops waiting tasks of sessions that nobody will prompt. Those of a session that a person
// left, or that died, wait until they expire, because people take such a session up again.
func (d *decision) dropOver() {
	for _, t := range d.tasks() {
		s := d.session(t.Session)
		if t.Status != queue.Pending || s == nil || d.advice(t.ID) == nil || t.Session == d.o.Session || !saidAll(s) {
			continue
		}
		if d.result.Now.Sub(s.End.Time()) >= overFor && d.desk.Drop(t.ID, queue.ReasonOver, d.result.Now) {
			d.untold(&t, queue.ReasonOver)
		}
	}
}

// saidAll reports whether the session ended as those of print modes always do, and some clients' others: after
// its turn, for no reason that has a name.
func saidAll(s *state.Session) bool { return s.End.Is() && s.End.Reason == "other" && !s.End.InTurn }

// untold leaves the receipt of a task that ended without being delivered.
func (d *decision) untold(t *queue.Task, reason string) {
	d.entries = append(d.entries, Untold(t, reason))
	d.result.Untold = append(d.result.Untold, t.ID)
}

// Untold is the receipt of a task that ended without being delivered. Unless its session is over, its
// issue may still be open and have a RESOLVED of its own later.
func Untold(t *queue.Task, reason string) *logfmt.Entry {
	e := logfmt.TaskEntry(logfmt.Resolved, t.Session, logfmt.TaskFacts{Task: t.ID, Type: t.Type, Signature: t.Signature, Reason: reason})
	if reason != queue.ReasonOver {
		e.ID = logfmt.ToolID(Source, "", "", logfmt.Resolved, t.ID+":untold")
	}
	return e
}

// needed reports whether the judgement alone asks for a decision. It does not read the
// queue.
func (d *decision) needed() bool {
	return len(d.due()) > 0 || len(d.newlySeen()) > 0 || len(d.clearedNotifications()) > 0 ||
		slices.ContainsFunc(d.result.State.Advice, func(a *state.Advice) bool { return d.cleared(a) && d.judged(a) })
}

// due are the issues to queue: certain enough, in a session that can be reached, and not
// queued within the cooldown. A session that has done nothing since its last advice
// gets no more. Inside of its turn a session gets what it can be told there; the rest
// is judged when the turn ends.
func (d *decision) due() (due []*supervisor.Issue) {
	for i := range d.result.Issues {
		is := &d.result.Issues[i]
		later := d.o.InTurn && is.Session == d.o.Session && is.Confidence <= limits.InTurnAbove
		if supervisor.LevelOf(is, d.limits) == supervisor.Queue && !later && d.reachable(is) && !d.advised(is) {
			due = append(due, is)
		}
	}
	return due
}

// skew is how much later than now an entry may be: its writer may have read the clock after this look did.
const skew = time.Minute

func (d *decision) advised(is *supervisor.Issue) bool {
	return slices.ContainsFunc(d.result.State.Advice, func(a *state.Advice) bool {
		if a.Signature != is.Signature || a.Task == "" || a.Resolved.Is() {
			return false
		}
		age := d.result.Now.Sub(a.Queued.Time())
		return age >= -skew && age < d.limits.Cooldown || d.away(is, a)
	})
}

// newlySeen is the advice that the transcript shows and the log does not call seen.
func (d *decision) newlySeen() (seen []*state.Advice) {
	for _, a := range d.result.State.Advice {
		if a.Task != "" && !a.Seen.Is() && d.result.Observed.Seen[a.Task] == state.Yes {
			seen = append(seen, a)
		}
	}
	return seen
}

// clearedNotifications are those of issues that are no longer open.
func (d *decision) clearedNotifications() (cleared []state.Told) {
	for _, n := range d.result.State.Told {
		if d.raised(n.Signature) == nil {
			cleared = append(cleared, n)
		}
	}
	return cleared
}

// cleared reports whether the advice's issue is no longer open although its session goes
// on.
func (d *decision) cleared(a *state.Advice) bool {
	return a.Task != "" && !a.Resolved.Is() && d.raised(a.Signature) == nil && !d.over(a.Session)
}

// finish completes what a killed look or delivery left undone: it gives queue and log
// what the other one has.
func (d *decision) finish() {
	for _, t := range d.tasks() {
		a := d.advice(t.ID)
		switch {
		case a == nil && d.raised(t.Signature) != nil:
			d.intervene(d.raised(t.Signature), t.ID, supervisor.Queue)
		case a == nil && t.DeliveredAt.IsZero():
			d.desk.Drop(t.ID, "no longer raised", d.result.Now)
		case a == nil: // delivered so long ago that the state has forgotten the task
		case !t.DeliveredAt.IsZero() && !a.Delivered.Is():
			e := d.add(logfmt.Delivered, t.Session, logfmt.TaskFacts{Task: t.ID, Type: t.Type, Signature: t.Signature})
			// The hook's own entry may stand before the INTERVENTION, where it has no effect. With the same id
			// this one would count as a repeat of it.
			e.ID = logfmt.ToolID(Source, "", "", logfmt.Delivered, t.ID+":late")
		case t.DeliveredAt.IsZero() && a.Delivered.Is():
			d.desk.Receipt([]string{t.ID}, d.result.Now)
		}
	}
}

// tasks are the supervisor's own.
func (d *decision) tasks() []queue.Task {
	return slices.DeleteFunc(slices.Clone(d.desk.Tasks()), func(t queue.Task) bool {
		return !isOwn(d.queue, &t)
	})
}

// isOwn reports whether the supervisor put the task.
func isOwn(q *queue.Queue, t *queue.Task) bool {
	return t.Signature != "" && t.Source == Source && q.Ours(*t)
}

// markSeen marks delivered advice as seen.
func (d *decision) markSeen() {
	for _, a := range d.newlySeen() {
		d.desk.Seen(a.Task, d.result.Now)
		d.add(logfmt.Delivered, a.Session, logfmt.TaskFacts{Task: a.Task, Type: a.Type, Signature: a.Signature, Seen: true})
	}
}

// resolve records that the issues of some advice are resolved. If the issue's type or
// session is no longer judged, it withdraws the task without an entry. Tasks of a session
// that is over wait, see dropOver.
func (d *decision) resolve() {
	for _, a := range d.result.State.Advice {
		switch {
		case !d.cleared(a):
		case !d.judged(a):
			d.desk.Drop(a.Task, "no longer looked for", d.result.Now)
		default:
			d.desk.Drop(a.Task, "resolved", d.result.Now)
			d.add(logfmt.Resolved, a.Session, logfmt.TaskFacts{Task: a.Task, Type: a.Type, Signature: a.Signature, Reason: "cleared"})
			d.result.Resolved = append(d.result.Resolved, a.Task)
		}
	}
	for _, n := range d.clearedNotifications() {
		e := d.add(logfmt.Resolved, "", logfmt.TaskFacts{Signature: n.Signature, Reason: "cleared"})
		e.ID = logfmt.ToolID(Source, "", "", logfmt.Resolved, "told:"+n.Signature+":"+strconv.FormatInt(n.At, 10))
	}
}

// silentFor is the silence after which a session is no longer judged.
const silentFor = 24 * time.Hour

// judged reports whether the judgement would have found the advice's issue.
func (d *decision) judged(a *state.Advice) bool {
	if slices.Contains(d.limits.Off, a.Type) {
		return false
	}
	if a.Session == "" {
		return true
	}
	s := d.session(a.Session)
	return s != nil && d.result.Now.Sub(s.Last.Time()) < silentFor
}

// put queues an issue, unless the queue has it or had it within the cooldown.
func (d *decision) put(is *supervisor.Issue) {
	now, cooldown := d.result.Now, d.limits.Cooldown
	t := d.task(is)
	put, err := d.desk.Put(t, cooldown, now)
	if err != nil {
		d.result.warn(queue.Name, err)
		return
	}
	if put.Aside != "" {
		d.result.Warnings = append(d.result.Warnings, queue.Name+" was no queue: it is "+put.Aside+" now")
	}
	for _, t := range put.Dropped {
		if isOwn(d.queue, &t) && t.DeliveredAt.IsZero() {
			d.untold(&t, queue.ReasonFull)
		}
	}
	if put.Reason == string(queue.Pending) {
		d.result.Waiting = append(d.result.Waiting, Queued{*is, put.Task.ID})
	}
	if put.Added {
		d.intervene(is, t.ID, supervisor.Queue)
		d.result.Queued = append(d.result.Queued, Queued{*is, t.ID})
	}
}

func (d *decision) task(is *supervisor.Issue) queue.Task {
	id, now := journal.NewID(), d.result.Now
	t := queue.Task{
		ID: id, CreatedAt: now, Source: Source, Type: string(is.Type), Signature: is.Signature,
		Prompt:  is.Prompt() + "\n(" + taskMark(id) + ")",
		Session: is.Session, Evidence: evidence(is), ExpiresAt: now.Add(d.o.Settings.Queue.Expires),
	}
	t.Priority, _ = queue.ParsePriority(is.Type.Priority())
	if is.Session == "" {
		t.Scope = queue.ScopeProject
	}
	var context logfmt.Object
	t.Context = context.Str("says", is.Says).Float("confidence", rounded(is.Confidence)).Bytes()
	return t
}

// reachable reports whether advice about the issue can still reach its session.
func (d *decision) reachable(is *supervisor.Issue) bool {
	if is.OfChain() {
		return true
	}
	return is.Session != "" && d.session(is.Session) != nil && !d.over(is.Session)
}

// over reports whether the session has ended or its process is gone.
func (d *decision) over(id logfmt.SessionID) bool {
	s := d.session(id)
	if s == nil || id == d.o.Session {
		return false // this hook belongs to it
	}
	mode, _ := s.Mode(d.result.Now, d.result.Observed)
	return mode == state.Ended || mode == state.Gone
}

// away reports whether the session has done nothing since it was advised. The session
// of this hook is never away.
func (d *decision) away(is *supervisor.Issue, a *state.Advice) bool {
	s := d.session(is.Session)
	return is.Session != d.o.Session && s != nil && s.Last.Ord <= a.Queued.Ord
}

func (d *decision) session(id logfmt.SessionID) *state.Session {
	for _, s := range d.result.State.Sessions {
		if s.ID == id {
			return s
		}
	}
	return nil
}

func (d *decision) advice(task string) *state.Advice {
	for _, a := range d.result.State.Advice {
		if a.Task == task {
			return a
		}
	}
	return nil
}

func (d *decision) raised(signature string) *supervisor.Issue {
	for i := range d.result.Issues {
		if d.result.Issues[i].Signature == signature {
			return &d.result.Issues[i]
		}
	}
	return nil
}

func (d *decision) add(ev logfmt.Event, s logfmt.SessionID, f logfmt.TaskFacts) *logfmt.Entry {
	e := logfmt.TaskEntry(ev, s, f)
	d.entries = append(d.entries, e)
	return e
}

func (d *decision) intervene(is *supervisor.Issue, task string, level supervisor.Level) {
	d.entries = append(d.entries, intervention(is, task, level))
}

// log appends the entries of the decision.
func (d *decision) log() error { return d.append(d.entries, d.result.Now) }

func (l *Look) append(entries []*logfmt.Entry, now time.Time) error {
	if len(entries) == 0 {
		return nil
	}
	for _, e := range entries {
		e.Time = now
	}
	_, err := l.o.Journal.Append(func(journal.Tail) []*logfmt.Entry { return entries })
	return err
}

func intervention(is *supervisor.Issue, task string, level supervisor.Level) *logfmt.Entry {
	return logfmt.TaskEntry(logfmt.Intervention, is.Session, logfmt.TaskFacts{
		Task: task, Type: string(is.Type), Signature: is.Signature,
		Confidence: rounded(is.Confidence), Evidence: evidence(is), Level: string(level),
	})
}

// Tell notes in the log that the user was notified of these issues, each with its level,
// so that no other watcher repeats them: see State.Told. It leaves out issues that the
// state has already.
func (l *Look) Tell(issues []supervisor.Issue, now time.Time) error {
	var entries []*logfmt.Entry
	for i := range issues {
		known := l.folded.state != nil && slices.ContainsFunc(l.folded.state.Told, func(t state.Told) bool {
			return t.Signature == issues[i].Signature
		})
		if level := supervisor.LevelOf(&issues[i], l.limits); level != "" && !known {
			entries = append(entries, intervention(&issues[i], "", level))
		}
	}
	return l.append(entries, now)
}

func evidence(is *supervisor.Issue) []uint64 {
	var seqs []uint64
	for _, m := range is.Evidence {
		if m.Seq != 0 {
			seqs = append(seqs, uint64(m.Seq))
		}
	}
	return seqs
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
