// Package activity turns entries of a project's log into facts about workers: what their agents did, by the worktree in
// which they did it.
package activity

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/journal"
	"aburn/internal/proc"
	"aburn/logfmt"
	"aburn/worker"
)

// slack is how much earlier than its ledger an agent's clock may be.
const slack = time.Minute

// Activity is what the log says of the agent in one worktree.
type Activity struct {
	Facts   []worker.Fact
	Newest  logfmt.Seq       // of all entries, also of those that are no facts
	Session logfmt.SessionID // of the agent's newest entry, sub-agents left out
	Said    string           // the text of the newest WORKER_DONE or WORKER_ASK
	Asks    string           // what the newest PERMISSION is about: its tool, and the head of the command or the path
	Pushed  time.Time        // when it last ran a command that pushes, or opens a pull request
	spoke   bool
}

// Since reads the log's entries of these worktrees (as entries name them) since a time, by worktree. What is alive is asked in a look.
func Since(log *journal.Journal, since time.Time, trees map[string]bool, look *proc.Look) (map[string]*Activity, error) {
	heard := map[string]*Activity{}
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return heard, err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || line.Carried {
			continue
		}
		if at, err := time.Parse(time.RFC3339Nano, string(h.Time)); err == nil && at.Before(since.Add(-slack)) {
			break
		}
		wt := string(h.Wt)
		if !trees[wt] {
			continue
		}
		if heard[wt] == nil {
			heard[wt] = &Activity{}
		}
		if e, err := logfmt.Parse(line.JSON); err == nil {
			heard[wt].older(&e, look)
		}
	}
	return heard, nil
}

// older takes the entry before those that it has.
func (h *Activity) older(e *logfmt.Entry, look *proc.Look) {
	h.Newest = max(h.Newest, e.Seq)
	if h.Session == "" && e.Agent == nil && e.Source != "aburn" {
		h.Session = e.Session
	}
	if !h.spoke && e.Event.OfWorker() {
		h.spoke, h.Said = true, gjson.GetBytes(e.Data, "text").String()
	}
	if e.Event == logfmt.Permission && h.Asks == "" {
		h.Asks = strings.TrimPrefix(gjson.GetBytes(e.Data, "tool").String()+": "+
			cmp.Or(gjson.GetBytes(e.Data, "head").String(), gjson.GetBytes(e.Data, "path").String()), ": ")
	}
	if e.Event == logfmt.Tool && e.Time.After(h.Pushed) && pushes(gjson.GetBytes(e.Data, "head").String()) {
		h.Pushed = e.Time
	}
	if f, ok := fact(e, look); ok {
		h.Facts = append(h.Facts, f)
	}
}

// Behind is what two names of one worktree say, of which the other one was the earlier. Either may be nil.
func (h *Activity) Behind(earlier *Activity) *Activity {
	if h == nil || earlier == nil {
		return cmp.Or(h, earlier)
	}
	both := *h
	both.Facts = slices.Concat(earlier.Facts, h.Facts)
	both.Newest, both.Session = max(h.Newest, earlier.Newest), cmp.Or(h.Session, earlier.Session)
	if !h.spoke {
		both.spoke, both.Said = earlier.spoke, earlier.Said
	}
	both.Asks = cmp.Or(h.Asks, earlier.Asks)
	if earlier.Pushed.After(h.Pushed) {
		both.Pushed = earlier.Pushed
	}
	return &both
}

// pushes reports whether the head of a command line pushes or opens a pull request, as far as one can see.
func pushes(head string) bool {
	return strings.Contains(head, "git push") || strings.Contains(head, "gh pr create") || strings.Contains(head, "glab mr create")
}

// End is the end of the log at one moment: entries behind it are newer than it.
type End struct{ seq logfmt.Seq }

// EndOf is the place behind the newest numbered entry.
func EndOf(log *journal.Journal) (End, error) {
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return End{}, err
		}
		if h, ok := logfmt.ParseHeader(line.JSON); ok && !line.Carried && h.Seq > 0 {
			return End{h.Seq}, nil
		}
	}
	return End{}, nil
}

// After gives the facts of a worktree behind a place, and the number of all its entries there.
func After(log *journal.Journal, end End, wt string) (facts []worker.Fact, entries int, err error) {
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return facts, entries, err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || line.Carried {
			continue
		}
		if h.Seq > 0 && h.Seq <= end.seq {
			break
		}
		if string(h.Wt) != wt {
			continue
		}
		entries++
		if e, err := logfmt.Parse(line.JSON); err == nil {
			if f, ok := Fact(&e); ok {
				facts = append(facts, f)
			}
		}
	}
	return facts, entries, nil
}

// Session is the agent's id of the last session in a worktree, "" if the log has none since then.
func Session(log *journal.Journal, since time.Time, tree string) string {
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return ""
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || line.Carried {
			continue
		}
		if at, err := time.Parse(time.RFC3339Nano, string(h.Time)); err == nil && at.Before(since.Add(-slack)) {
			return ""
		}
		if string(h.Wt) == tree && string(h.Event) == string(logfmt.SessionStart) {
			return string(h.Session)
		}
	}
	return ""
}

// Fact is what an entry tells of the worker in its tree. ok is false for an entry that tells nothing of where it stands.
func Fact(e *logfmt.Entry) (f worker.Fact, ok bool) { return fact(e, proc.NewLook()) }

func fact(e *logfmt.Entry, look *proc.Look) (f worker.Fact, ok bool) {
	var d logfmt.Details
	logfmt.ReadDetails(e.Data, &d)
	f = worker.Fact{File: worker.Log, Seq: uint64(e.Seq), At: e.Time.UTC().Truncate(time.Millisecond), Call: clip(d.ToolUseID.String()),
		Input: clip(d.Input.String())}
	if f.Kind = kind(e, &d); f.Kind == "" || f.Seq == 0 {
		return f, false
	}
	switch f.Kind {
	case worker.Prompted:
		f.Message = logfmt.MessageIn(d.Head.String())
		f.Person = !d.Machine && f.Message == ""
	case worker.Received:
		if d.Type.String() == worker.MessageType {
			f.Message = clip(d.TaskID.String())
		}
	}
	if pid, start, host := logfmt.ReadProc(d.Proc); pid > 0 && start > 0 {
		p := proc.Process{PID: int(pid), Start: start}
		f.Proc = &worker.Process{PID: p.PID, Start: p.Start}
		f.Alive = look.Of(p, host) == proc.Runs
	}
	return f, true
}

// kind maps events. What a sub-agent begins and ends is no turn of its worker's, but its tool calls are work.
func kind(e *logfmt.Entry, d *logfmt.Details) worker.Kind {
	switch e.Event {
	case logfmt.ToolStart:
		return worker.ToolBegan
	case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
		return worker.ToolEnded
	case logfmt.Permission:
		return worker.Asks
	case logfmt.WorkerAsk:
		return worker.AsksPerson
	}
	if e.Agent != nil {
		return ""
	}
	switch e.Event {
	case logfmt.SessionStart:
		if d.Source.String() == "compact" {
			return ""
		}
		return worker.Started
	case logfmt.Prompt:
		return worker.Prompted
	case logfmt.Stop:
		return worker.TurnEnded
	case logfmt.TurnFailed:
		return worker.TurnFailed
	case logfmt.Interrupt:
		return worker.Interrupted
	case logfmt.WorkerDone:
		return worker.SaysDone
	case logfmt.Delivered:
		return worker.Received
	case logfmt.SessionEnd:
		if reason := d.Reason.String(); reason == "clear" || reason == "resume" {
			return worker.Cleared
		}
		return worker.Ended
	}
	return ""
}

// clip keeps an id within what a fact takes.
func clip(id string) string { return id[:min(len(id), 256)] }
