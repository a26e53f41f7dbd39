package insight

import (
	"time"

	"aburn/insight/failure"
	"aburn/trace"
)

// Digest is one session, or one sub-agent's part of it, as reports need it. Copies are in no number of it.
type Digest struct {
	Source   string         `json:"source"`
	ID       string         `json:"id"`
	Agent    trace.Agent    `json:"agent"`
	Project  trace.Project  `json:"project"`
	Relation trace.Relation `json:"relation"`
	// Parent is the ID of the session that started it, if it is a sub-agent.
	Parent   string    `json:"parent,omitempty"`
	Start    time.Time `json:"start,omitzero"`
	End      time.Time `json:"end,omitzero"`
	ActiveMS int64     `json:"active_ms"`

	// Verdict is how the session ended, as if nothing came after. While its source is being written (Live) that is how it
	// stands so far.
	Verdict Verdict `json:"verdict"`
	// Live says that the source changed less than five minutes ago. Who loads the digest sets it (SetLive); it is not kept.
	Live bool `json:"live,omitempty"`
	Keys Keys `json:"keys"`

	Counts trace.Counts `json:"counts"`
	Usage  trace.Usage  `json:"usage"`
	// Spent is the tokens that went into calls that failed, and into repeating them.
	Spent Spent `json:"spent"`

	Classes []ClassCount `json:"classes"` // errors by class, in alphabetical order
	Errors  []ErrorGroup `json:"errors"`  // equal errors, in the order of their first appearance; at most MaxErrors
	Tools   []ToolUse    `json:"tools"`   // by type, in alphabetical order
	Slow    []SlowCall   `json:"slow"`    // the longest calls, the longest first; at most MaxSlow
	Loops   []EditLoop   `json:"loops"`   // files that were changed again and again, by their first change; at most MaxLoops, those with most edits
	Changes []Change     `json:"changes"` // by path, in the order of their first appearance; at most MaxChanges
	Phases  []PhaseUse   `json:"phases"`  // of the workflow, in their order, where hooks or prompts recorded them

	// Ask is the head of the first prompt, at AskEvent.
	Ask      string `json:"ask,omitempty"`
	AskEvent int    `json:"ask_event,omitempty"`
	// Decisive is the index in Errors of the first decisive error: the first one of the class that has most errors (of equal
	// ones, whose first error came first); -1 if there is none.
	Decisive int `json:"decisive"`

	// Hooked says that aburn's hooks recorded the session too, and that what they know is in here.
	Hooked bool `json:"hooked,omitempty"`
	// More says how much the lists leave out. All numbers hold it.
	More More `json:"more,omitzero"`
}

// The bounds of a digest's lists, and of its texts in bytes.
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

// The outcomes.
const (
	Running     Outcome = "running"
	Interrupted Outcome = "interrupted"
	Errored     Outcome = "errored"
	Killed      Outcome = "killed" // only where hooks or the source tell so
	GaveUp      Outcome = "gave_up"
	Completed   Outcome = "completed"
	Unknown     Outcome = "unknown"
)

// Verdict is an outcome with what it rests on.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	// Rule is the name of the rule that decided, Events the Seqs of the events that it rests on (at most five).
	Rule   string `json:"rule"`
	Events []int  `json:"events,omitempty"`
	// Refined says which fact changed the outcome, a mark or a word of the source or what hooks recorded, and from which one: "errored → completed: COMPLETE of build at 2026-11-21 10:31:07 UTC".
	Refined string `json:"refined,omitempty"`
}

// Failing says whether the session failed: errored, gave_up or killed. One that the user interrupted did neither fail nor
// come to its end.
func (v Verdict) Failing() bool {
	return v.Outcome == Errored || v.Outcome == GaveUp || v.Outcome == Killed
}

// Outcome is the verdict's, or running while the session is live.
func (d *Digest) Outcome() Outcome {
	if d.Live {
		return Running
	}
	return d.Verdict.Outcome
}

// ClassCount is how many errors a class has.
type ClassCount struct {
	Class failure.Class `json:"class"`
	Count int           `json:"count"`
}

// ErrorGroup is equal errors: failed calls, refused ones too, and error events that are not results.
type ErrorGroup struct {
	Class failure.Class `json:"class"`
	// Type and Tool are the call's; empty for an error that is none of a call.
	Type trace.ToolType `json:"type,omitempty"`
	Tool string         `json:"tool,omitempty"`
	Exit *int           `json:"exit,omitempty"`
	// Code and Status are the agent's own word and the HTTP status of an error event.
	Code   string `json:"code,omitempty"`
	Status int    `json:"status,omitempty"`
	// Head is the normalised head (Normal), at most MaxHead bytes; Hash of all of it.
	Head string `json:"head"`
	Hash string `json:"hash"`
	// Text is the first one's head as its trace has it, on one line, at most MaxHead bytes.
	Text string `json:"text"`
	// Count is how many, First and Last the Seqs of the first and last (of the call, or the error event).
	Count int `json:"count"`
	First int `json:"first"`
	Last  int `json:"last"`
	// Solved says that the same call (tool and input), or one of the same tool about the same path or command word, succeeded
	// after the last of them, at this Seq; 0 if none did.
	Solved int `json:"solved,omitempty"`
}

// ToolUse is the calls of one type of tool.
type ToolUse struct {
	Type     trace.ToolType `json:"type"`
	Calls    int            `json:"calls"`
	Ended    int            `json:"ended"` // those that have an end: what a rate of failure is a rate of
	Failed   int            `json:"failed"`
	Denied   int            `json:"denied"`
	Retries  int            `json:"retries"` // calls that repeat one that failed
	TimedMS  int64          `json:"timed_ms"`
	Timed    int            `json:"timed"` // calls whose duration is known, measured or as a gap (SlowCall): TimedMS is the sum of theirs
	SpentAll int64          `json:"spent_failed"`
}

// Spent is tokens of all kinds. A response's tokens are shared equally among the calls that it made; what it made no call
// with is in none. Failed is the shares of calls that failed, Retries those of calls that repeat a failed one and did not
// fail themselves: no token is in both.
type Spent struct {
	Calls   int64 `json:"calls"` // shares of all calls: what the two others are parts of
	Failed  int64 `json:"failed"`
	Retries int64 `json:"retries"`
}

// SlowCall is one call that took long.
type SlowCall struct {
	Event int            `json:"event"`
	Tool  string         `json:"tool"`
	Type  trace.ToolType `json:"type"`
	What  string         `json:"what,omitempty"` // path or command, at most MaxHead bytes
	MS    int64          `json:"ms"`
	// Gap says that the source did not measure it: MS is the time between the records of the call and of its end, in which it
	// may have waited for somebody's permission, too.
	Gap    bool `json:"gap,omitempty"`
	Failed bool `json:"failed"`
}

// EditLoop is a file that was changed more than LoopEdits times, or got a content that it had had before.
type EditLoop struct {
	Path  string `json:"path"`
	Edits int    `json:"edits"`
	// Identical is how many of them gave the file a content (by hash) that an earlier one of them had given it.
	Identical int `json:"identical"`
	First     int `json:"first"`
	Last      int `json:"last"`
}

// LoopEdits is how often a file can be changed in a session before that is a loop.
const LoopEdits = 3

// Change is what became of a file, without its content.
type Change struct {
	Path    string `json:"path"`
	Action  string `json:"action"` // of the last change
	Times   int    `json:"times"`
	Added   *int   `json:"added,omitempty"`
	Removed *int   `json:"removed,omitempty"`
	Hash    string `json:"hash,omitempty"`
	Event   int    `json:"event"` // of the last change
}

// PhaseUse is what a phase of a workflow command took. A command without phases has an empty Phase.
type PhaseUse struct {
	Command  string       `json:"command"`
	Phase    string       `json:"phase,omitempty"`
	Result   string       `json:"result"` // completed, failed, open
	ActiveMS int64        `json:"active_ms"`
	Tokens   int64        `json:"tokens"`
	Calls    int          `json:"calls"`
	Failed   int          `json:"failed"`
	Tools    []ToolFailed `json:"tools,omitempty"` // those that failed in it
	First    int          `json:"first"`
	Last     int          `json:"last"`
}

// ToolFailed is how often a tool failed.
type ToolFailed struct {
	Tool   string `json:"tool"`
	Failed int    `json:"failed"`
}

// More is how many entries a digest's lists leave out.
type More struct {
	Errors  int `json:"errors,omitempty"`
	Changes int `json:"changes,omitempty"`
	Phases  int `json:"phases,omitempty"`
	Loops   int `json:"loops,omitempty"`
}
