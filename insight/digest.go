package insight

import (
	"cmp"
	"slices"
	"time"

	"aburn/insight/failure"
	"aburn/trace"
)

// Digest summarises one session, or one sub-agent's part of it, for reports. Copied events count
// in none of its numbers.
type Digest struct {
	Source   string         `json:"source"`
	ID       string         `json:"id"`
	Agent    trace.Agent    `json:"agent"`
	Project  trace.Project  `json:"project"`
	Relation trace.Relation `json:"relation"`
	// Parent is the ID of the session that started a sub-agent.
	Parent   string    `json:"parent,omitempty"`
	Start    time.Time `json:"start,omitzero"`
	End      time.Time `json:"end,omitzero"`
	ActiveMS int64     `json:"active_ms"`

	// Verdict is how the session ended, as if nothing came after. For a Live session it is how it
	// stands so far.
	Verdict Verdict `json:"verdict"`
	// Live says that the last event is less than five minutes old and that no end is recorded.
	// The loader of a digest sets it (SetLive); it is not stored.
	Live bool `json:"live,omitempty"`
	Keys Keys `json:"keys"`

	Counts trace.Counts `json:"counts"`
	Usage  trace.Usage  `json:"usage"`
	// Spent counts the tokens of failed calls and of repeating them.
	Spent Spent `json:"spent"`

	Classes []ClassCount `json:"classes"` // errors by class, in alphabetical order
	Errors  []ErrorGroup `json:"errors"`  // equal errors, in the order of their first appearance; at most MaxErrors
	Tools   []ToolUse    `json:"tools"`   // by type, in alphabetical order
	Slow    []SlowCall   `json:"slow"`    // the longest calls, the longest first; at most MaxSlow
	Loops   []EditLoop   `json:"loops"`   // files changed repeatedly, by first change; at most MaxLoops, those with most edits
	Changes []Change     `json:"changes"` // by path, in the order of their first appearance; at most MaxChanges
	Phases  []PhaseUse   `json:"phases"`  // of the workflow, in their order, where hooks or prompts recorded them

	// Ask is the head of the first prompt, AskEvent its Seq.
	Ask      string `json:"ask,omitempty"`
	AskEvent int    `json:"ask_event,omitempty"`
	// Decisive is the index in Errors of the main error, -1 without one: what ended the session,
	// else what was never got over (Solved), else any. Of several it is the first error of the most
	// frequent class. Among equally frequent classes, the earlier first error decides.
	Decisive int `json:"decisive"`

	// Hooked says that aburn's hooks recorded the session too, and that their facts are included.
	Hooked bool `json:"hooked,omitempty"`
	// More counts what the lists leave out. The numbers of this digest include it.
	More More `json:"more,omitzero"`
}

// Bounds of a digest's lists (entries) and texts (bytes).
const (
	MaxErrors  = 40
	MaxSlow    = 5
	MaxChanges = 60
	MaxPhases  = 40
	MaxLoops   = 40
	MaxHead    = 200
)

// Outcome is how a session ended, inferred by ordered rules.
type Outcome string

const (
	Running     Outcome = "running"
	Interrupted Outcome = "interrupted"
	Errored     Outcome = "errored"
	Killed      Outcome = "killed"  // by a signal, as the source says; only a worker's ledger does
	Crashed     Outcome = "crashed" // its records, or those of hooks, just stop: nothing says that a signal killed it
	GaveUp      Outcome = "gave_up"
	Completed   Outcome = "completed"
	Unknown     Outcome = "unknown"
)

// Verdict is an outcome with its evidence.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	// Rule names the rule that decided. Events are the Seqs of its evidence, at most five.
	Rule   string `json:"rule"`
	Events []int  `json:"events,omitempty"`
	// Refined names the fact that changed the outcome, and the outcome before: "errored →
	// completed: COMPLETE of build at 2026-11-21 10:31:07 UTC". Such a fact is a mark or
	// statement of the source, or a record of hooks.
	Refined string `json:"refined,omitempty"`
	// Reason says all this in a sentence. It follows from the others, and is not stored.
	Reason string `json:"reason"`
}

// Failing reports whether the session ended errored, gave_up, killed or crashed. An interrupted session
// neither failed nor completed.
func (v Verdict) Failing() bool {
	return v.Outcome == Errored || v.Outcome == GaveUp || v.Outcome == Killed || v.Outcome == Crashed
}

// Outcome is the verdict's outcome, or Running while the session is live.
func (d *Digest) Outcome() Outcome { return d.Judged().Outcome }

// Judged is the verdict that is shown: Running while the session is live, else Verdict.
func (d *Digest) Judged() Verdict {
	if d.Live {
		return Verdict{Outcome: Running, Rule: RuleLive, Reason: "its last event is less than 5 minutes old, and no end of it is recorded"}
	}
	return d.Verdict
}

// ClassCount is the number of errors in a class.
type ClassCount struct {
	Class failure.Class `json:"class"`
	Count int           `json:"count"`
}

// ErrorGroup is a group of equal errors: failed calls, refused calls, and error events outside of
// calls.
type ErrorGroup struct {
	Class failure.Class `json:"class"`
	// Type and Tool are the call's; both are empty for an error event.
	Type trace.ToolType `json:"type,omitempty"`
	Tool string         `json:"tool,omitempty"`
	Exit *int           `json:"exit,omitempty"`
	// Code is the agent's own word for an error event, Status its HTTP status.
	Code   string `json:"code,omitempty"`
	Status int    `json:"status,omitempty"`
	// Head is the normalised head (failure.Normal), at most MaxHead bytes. Hash covers the head
	// before it was cut.
	Head string `json:"head"`
	Hash string `json:"hash"`
	// Text is the first error's head as its trace has it, on one line, at most MaxHead bytes.
	Text string `json:"text"`
	// Count is the number of errors. First and Last are the Seqs of the first and last call or
	// error event.
	Count int `json:"count"`
	First int `json:"first"`
	Last  int `json:"last"`
	// Solved is the Seq of the first success after the last of these errors, or 0. A success is
	// the same call (tool and input), or one of the same tool about the same path or command
	// word; after an error event, anything that the agent did.
	Solved int `json:"solved,omitempty"`
}

// ToolUse sums up the calls of one type of tool.
type ToolUse struct {
	Type     trace.ToolType `json:"type"`
	Calls    int            `json:"calls"`
	Ended    int            `json:"ended"` // calls that have an end: the denominator of a failure rate
	Failed   int            `json:"failed"`
	Denied   int            `json:"denied"`
	Retries  int            `json:"retries"` // calls that repeat a failed one
	TimedMS  int64          `json:"timed_ms"`
	Timed    int            `json:"timed"` // calls of known duration, measured or a gap (SlowCall); TimedMS is their sum
	Gaps     int            `json:"gaps"`  // of Timed: gaps
	SpentAll int64          `json:"spent_failed"`
}

// Spent counts tokens of all kinds. A response's tokens are shared equally among its calls; a
// response without calls counts nowhere. Failed sums the shares of failed calls. Retries sums the
// shares of calls that repeat a failed call and did not fail. No token is in both.
type Spent struct {
	Calls   int64 `json:"calls"` // shares of all calls, including the two below
	Failed  int64 `json:"failed"`
	Retries int64 `json:"retries"`
}

// SlowCall is one of the longest calls.
type SlowCall struct {
	Event int            `json:"event"`
	Tool  string         `json:"tool"`
	Type  trace.ToolType `json:"type"`
	What  string         `json:"what,omitempty"` // path or command, at most MaxHead bytes
	MS    int64          `json:"ms"`
	// Gap says that the source did not measure the call. MS is then the time between the records
	// of the call and its end, which may include waiting for a permission.
	Gap    bool `json:"gap,omitempty"`
	Failed bool `json:"failed"`
}

// EditLoop is a file that was edited more than LoopEdits times, or that got an earlier content
// back.
type EditLoop struct {
	Path  string `json:"path"`
	Edits int    `json:"edits"`
	// Identical counts the edits that gave the file a content (by hash) it had had before.
	Identical int `json:"identical"`
	First     int `json:"first"`
	Last      int `json:"last"`
}

// LoopEdits is the highest number of edits of a file that is not yet a loop.
const LoopEdits = 3

// Change sums up the changes of one file, without its content.
type Change struct {
	Path    string `json:"path"`
	Action  string `json:"action"` // of the last change
	Times   int    `json:"times"`
	Added   *int   `json:"added,omitempty"`
	Removed *int   `json:"removed,omitempty"`
	Hash    string `json:"hash,omitempty"`
	Event   int    `json:"event"` // of the last change
}

// PhaseUse is what one phase of a workflow command took. For a command without phases, Phase is
// empty.
type PhaseUse struct {
	Command  string       `json:"command"`
	Phase    string       `json:"phase,omitempty"`
	Result   string       `json:"result"` // completed, failed, open
	ActiveMS int64        `json:"active_ms"`
	Tokens   int64        `json:"tokens"`
	Calls    int          `json:"calls"`
	Failed   int          `json:"failed"`
	Tools    []ToolFailed `json:"tools,omitempty"` // failed calls by tool
	First    int          `json:"first"`
	Last     int          `json:"last"`
}

type ToolFailed struct {
	Tool   string `json:"tool"`
	Failed int    `json:"failed"`
}

// More counts the entries that a digest's lists leave out.
type More struct {
	Errors  int `json:"errors,omitempty"`
	Changes int `json:"changes,omitempty"`
	Phases  int `json:"phases,omitempty"`
	Loops   int `json:"loops,omitempty"`
}

// Renumber replaces every Seq in d by number's answer for it. Package digests uses it for a
// joined trace, so that the numbers refer to the archived trace.
func (d *Digest) Renumber(number func(seq int) int) {
	at := func(seqs ...*int) {
		for _, seq := range seqs {
			if *seq != 0 {
				*seq = number(*seq)
			}
		}
	}
	at(&d.AskEvent)
	for i := range d.Verdict.Events {
		at(&d.Verdict.Events[i])
	}
	d.Verdict.Events = slices.Compact(d.Verdict.Events)
	d.Verdict.explain(d.Counts.Interrupts)
	for i := range d.Errors {
		at(&d.Errors[i].First, &d.Errors[i].Last, &d.Errors[i].Solved)
	}
	for i := range d.Slow {
		at(&d.Slow[i].Event)
	}
	for i := range d.Loops {
		at(&d.Loops[i].First, &d.Loops[i].Last)
	}
	for i := range d.Changes {
		at(&d.Changes[i].Event)
	}
	for i := range d.Phases {
		at(&d.Phases[i].First, &d.Phases[i].Last)
	}
}

// Newer orders sessions by their end, the latest first, and then by name.
func Newer(x, y *Digest) int {
	return cmp.Or(y.End.Compare(x.End), cmp.Compare(x.Source, y.Source), cmp.Compare(x.ID, y.ID))
}
