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
	"aburn/supervisor/state"
)

// Source is what tasks and entries of the supervisor name as theirs.
const Source = "aburn"

// decision is what follows from one judgement, under the queue's lock.
type decision struct {
	*Look
	desk    *queue.Desk
	result  *Result
	entries []*logfmt.Entry // for the log, once the queue is on disk
}

func (d *decision) decide() {
	d.desk.Expire(d.result.Now)
	d.finish()
	d.notice()
	d.resolve()
	for _, is := range d.due() {
		d.put(is)
	}
}

// calls reports whether the judgement alone asks for a decision. It does not know
// what the queue holds.
func (d *decision) calls() bool {
	return len(d.due()) > 0 || len(d.seenNow()) > 0 || len(d.toldGone()) > 0 ||
		slices.ContainsFunc(d.result.State.Advice, func(a *state.Advice) bool { return d.gone(a) && d.judged(a) })
}

// due are the issues to queue: certain enough, of whom it can reach, and not told a
// little while ago, or since the session did anything: who is away is not written to
// again and again.
func (d *decision) due() (due []*supervisor.Issue) {
	for i := range d.result.Issues {
		is := &d.result.Issues[i]
		if supervisor.LevelOf(is, d.limits) == supervisor.Queue && d.reachable(is) && !d.advised(is) {
			due = append(due, is)
		}
	}
	return due
}

// skew is how much later than now an entry may be: who waited for the lock looked at the clock before.
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

// seenNow is the advice that the transcript shows and the log does not say so of.
func (d *decision) seenNow() (seen []*state.Advice) {
	for _, a := range d.result.State.Advice {
		if a.Task != "" && !a.Seen.Is() && d.result.Observed.Seen[a.Task] == state.Yes {
			seen = append(seen, a)
		}
	}
	return seen
}

// toldGone is what the user was told and is no more.
func (d *decision) toldGone() (gone []state.Told) {
	for _, told := range d.result.State.Told {
		if d.raised(told.Signature) == nil {
			gone = append(gone, told)
		}
	}
	return gone
}

// gone reports whether the trouble that the advice was about is not found any more,
// though its session goes on.
func (d *decision) gone(a *state.Advice) bool {
	return a.Task != "" && !a.Resolved.Is() && d.raised(a.Signature) == nil && !d.over(a.Session)
}

// finish does what a look or a delivery that died did not come to: the queue and
// the log each say what the other one lacks.
func (d *decision) finish() {
	for _, t := range d.tasks() {
		a := d.advice(t.ID)
		switch {
		case a == nil && d.raised(t.Signature) != nil:
			d.intervene(d.raised(t.Signature), t.ID, supervisor.Queue)
		case a == nil && t.DeliveredAt.IsZero():
			d.desk.Drop(t.ID, "no longer raised", d.result.Now)
		case a == nil: // it was delivered so long ago that the state has forgotten it
		case !t.DeliveredAt.IsZero() && !a.Delivered.Is():
			e := d.add(logfmt.Delivered, t.Session, logfmt.TaskFacts{Task: t.ID, Type: t.Type, Signature: t.Signature})
			// With the id of the hook's own entry it would be a repeat, where that one came before the INTERVENTION
			// and so said nothing.
			e.ID = logfmt.ToolID(Source, "", "", logfmt.Delivered, t.ID+":late")
		case t.DeliveredAt.IsZero() && a.Delivered.Is():
			d.desk.Receipt([]string{t.ID}, d.result.Now)
		}
	}
}

// tasks are those of the supervisor.
func (d *decision) tasks() []queue.Task {
	return slices.DeleteFunc(slices.Clone(d.desk.Tasks()), func(t queue.Task) bool {
		return t.Signature == "" || t.Source != Source || !d.queue.Ours(t)
	})
}

// notice raises what was delivered to seen.
func (d *decision) notice() {
	for _, a := range d.seenNow() {
		d.desk.Seen(a.Task, d.result.Now)
		d.add(logfmt.Delivered, a.Session, logfmt.TaskFacts{Task: a.Task, Type: a.Type, Signature: a.Signature, Seen: true})
	}
}

// resolve says of which advice the trouble is gone. Where nobody looks for it any
// more, nobody knows: such tasks are taken back without a word in the log. So it is
// while a session is over, but it may be resumed: its tasks wait until they expire.
func (d *decision) resolve() {
	for _, a := range d.result.State.Advice {
		switch {
		case !d.gone(a):
		case !d.judged(a):
			d.desk.Drop(a.Task, "no longer looked for", d.result.Now)
		default:
			d.desk.Drop(a.Task, "resolved", d.result.Now)
			d.add(logfmt.Resolved, a.Session, logfmt.TaskFacts{Task: a.Task, Type: a.Type, Signature: a.Signature, Reason: "cleared"})
			d.result.Resolved = append(d.result.Resolved, a.Task)
		}
	}
	for _, told := range d.toldGone() {
		e := d.add(logfmt.Resolved, "", logfmt.TaskFacts{Signature: told.Signature, Reason: "cleared"})
		e.ID = logfmt.ToolID(Source, "", "", logfmt.Resolved, "told:"+told.Signature+":"+strconv.FormatInt(told.At, 10))
	}
}

// silentFor is how long a session may be silent to be judged at all.
const silentFor = 24 * time.Hour

// judged reports whether an issue like that of the advice would have been found.
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

// put queues an issue, unless the queue has it, or had it a little while ago.
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

// reachable reports whether advice about the issue can still reach whom it is about.
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
		return false // this very hook is its
	}
	mode, _ := s.Mode(d.result.Now, d.result.Observed)
	return mode == state.Ended || mode == state.Gone
}

// away reports whether the session has done nothing since it was advised. The one
// whose hook this is has: it is here.
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

// log appends the entries of what was decided.
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

// Tell notes in the log that the user was told of these issues, each with its
// level, so that no other watcher tells them again: see State.Told. It leaves out
// what the state has already.
func (l *Look) Tell(issues []supervisor.Issue, now time.Time) error {
	var entries []*logfmt.Entry
	for i := range issues {
		told := l.folded.state != nil && slices.ContainsFunc(l.folded.state.Told, func(t state.Told) bool {
			return t.Signature == issues[i].Signature
		})
		if level := supervisor.LevelOf(&issues[i], l.limits); level != "" && !told {
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
