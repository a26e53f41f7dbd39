// Package report adds digests up to an answer to "what keeps going wrong here?": every rate with what it is a rate of, every
// finding with sessions where it can be seen. It is pure: the same digests give the same report, in whatever order they come.
package report

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/trace"
)

// Report is what a pile of sessions amounts to. A unit is a session, or a sub-agent's part of one. Units that are still going on
// are in Units.Running and in what was done (calls, errors, tokens, loops, phases); they have no outcome yet, so they are in no
// number of outcomes, failures, shapes and decisive errors.
type Report struct {
	Made   time.Time `json:"made"`
	Chosen Chosen    `json:"chosen"`
	Units  Units     `json:"units"`

	Outcomes []Outcome `json:"outcomes"` // all but running, completed first
	Agents   []Agent   `json:"agents"`   // most units first
	Failures []Shape   `json:"failures"` // coarse keys of failing units, most units first
	Errors   []Error   `json:"errors"`   // fine keys: first decisive errors, most units first
	Classes  []Class   `json:"classes"`  // most errors first
	Loops    []Loop    `json:"loops"`    // most edits in one unit first
	LoopsIn  int       `json:"units_with_loops"`
	Tools    []Tool    `json:"tools"` // most calls first
	AllTools Tool      `json:"all_tools"`
	Slow     []Slow    `json:"slow"` // the longest first
	Tokens   Tokens    `json:"tokens"`
	Phases   []Phase   `json:"phases"` // of the workflow, in the order in which units went through them
	Weeks    []Week    `json:"weeks"`  // the earliest first; those in which no unit ended are left out
	// Remedies is how often failures came before and after what was tried against them.
	Remedies []remedy.Measured `json:"remedies"`
	More     More              `json:"more,omitzero"` // what Top left out
}

// Chosen says which sessions the report is about: those that ended in a span, of a source, of a project. It is only repeated.
type Chosen struct {
	Since   time.Time `json:"since,omitzero"`
	Until   time.Time `json:"until,omitzero"`
	Source  string    `json:"source,omitempty"`
	Project string    `json:"project,omitempty"`
}

// Units says how many sessions and sub-agents there are.
type Units struct {
	All       int `json:"all"`
	Sessions  int `json:"sessions"`
	Subagents int `json:"subagents"`
	Running   int `json:"running"` // of all
	Ended     int `json:"ended"`   // the others
	Failing   int `json:"failing"` // of those that ended: errored, gave_up, killed
	Erring    int `json:"erring"`  // of those that ended: with an error of any class but cancelled
	Undated   int `json:"undated"` // of those that ended: nobody knows when; they are in no week
}

// Outcome is how many units ended so.
type Outcome struct {
	Outcome insight.Outcome `json:"outcome"`
	Units   int             `json:"units"`
	Of      int             `json:"of"`              // that ended
	Rules   []Rule          `json:"rules,omitempty"` // what decided, the most frequent first
	Refined int             `json:"refined"`         // of Units: a fact corrected it, a mark or a word of the source or what hooks recorded
}

// Rule is how often a rule decided.
type Rule struct {
	Rule  string `json:"rule"`
	Units int    `json:"units"`
}

// Agent is the units of one source.
type Agent struct {
	Source  string `json:"source"`
	Units   int    `json:"units"`
	Ended   int    `json:"ended"`
	Failing int    `json:"failing"` // of Ended
	Calls   int    `json:"calls"`
	Tokens  int64  `json:"tokens"`
}

// Place is where something can be seen. Event is a Seq of the session's trace, 0 for the session as a whole.
type Place struct {
	Source  string    `json:"source"`
	Session string    `json:"session"`
	Event   int       `json:"event,omitempty"`
	End     time.Time `json:"end,omitzero"`
}

// Shape is failing units with the same coarse fingerprint.
type Shape struct {
	Key       string          `json:"fingerprint"`
	Shape     string          `json:"shape"`
	Agent     string          `json:"agent"`
	Outcome   insight.Outcome `json:"outcome"`
	Rate      insight.Rate    `json:"failure_rate_bucket"`
	Units     int             `json:"units"`
	OfFailing int             `json:"of_failing"` // of so many
	OfEnded   int             `json:"of_ended"`
	First     time.Time       `json:"first,omitzero"` // when the earliest and the latest of them ended
	Last      time.Time       `json:"last,omitzero"`
	Seen      []Place         `json:"seen"` // the latest of them, at most MaxSeen
}

// Error is units whose first decisive error is the same.
type Error struct {
	Key      string         `json:"error_key"`
	Class    failure.Class  `json:"class"`
	Type     trace.ToolType `json:"type,omitempty"`
	Tool     string         `json:"tool,omitempty"` // of the latest
	Exit     *int           `json:"exit,omitempty"`
	Head     string         `json:"head"` // without what differs
	Text     string         `json:"text"` // of the latest
	Units    int            `json:"units"`
	OfErring int            `json:"of_erring"` // of so many
	OfEnded  int            `json:"of_ended"`
	Failing  int            `json:"failing"` // of Units
	Times    int            `json:"times"`   // how often it happened in them
	Solved   int            `json:"solved"`  // of Units: the same call, or one about the same, succeeded later
	First    time.Time      `json:"first,omitzero"`
	Last     time.Time      `json:"last,omitzero"`
	Seen     []Place        `json:"seen"`
}

// Class is the errors of one class.
type Class struct {
	Class     failure.Class `json:"class"`
	Errors    int           `json:"errors"`
	OfErrors  int           `json:"of_errors"`
	Units     int           `json:"units"` // in so many
	OfUnits   int           `json:"of_units"`
	Failing   int           `json:"failing"`    // failing units that have such an error
	OfFailing int           `json:"of_failing"` // of so many
}

// Loop is a file that was changed again and again, in all units where it was.
type Loop struct {
	Path      string `json:"path"`
	Project   string `json:"project,omitempty"`
	Units     int    `json:"units"`
	Edits     int    `json:"edits"`     // in all of them
	Most      int    `json:"most"`      // in one of them
	Identical int    `json:"identical"` // of Edits: gave it a content that it had had before
	Worst     Place  `json:"worst"`     // where Most is from, at the first edit
}

// Tool is the calls of one type of tool.
type Tool struct {
	Type    trace.ToolType `json:"type,omitempty"`
	Calls   int            `json:"calls"`
	Ended   int            `json:"ended"`
	Failed  int            `json:"failed"` // of Ended
	Denied  int            `json:"denied"` // of Failed
	Retries int            `json:"retries"`
	Timed   int            `json:"timed"`    // calls whose duration is known
	TimedMS int64          `json:"timed_ms"` // theirs
	Spent   int64          `json:"spent_failed"`
}

// Slow is a call that took long. A unit gives at most insight.MaxSlow.
type Slow struct {
	Place
	Tool string         `json:"tool"`
	Type trace.ToolType `json:"type"`
	What string         `json:"what,omitempty"`
	MS   int64          `json:"ms"`
	// Gap says that MS is the time between the records of call and end, which holds the wait for a permission; else the agent measured it.
	Gap    bool `json:"gap"`
	Failed bool `json:"failed"`
}

// Tokens is what was spent, of all kinds of tokens. What the model wrote beside calls is in All alone.
type Tokens struct {
	All     int64 `json:"all"`
	Calls   int64 `json:"calls"`   // of All: responses that made calls
	Failed  int64 `json:"failed"`  // of Calls: shares of calls that failed
	Retries int64 `json:"retries"` // of Calls: shares of calls that repeat a failed one and did not fail
	Units   int   `json:"units"`   // units whose tokens are known
	Of      int   `json:"of_units"`
}

// Phase is what a phase of a workflow command took, in all runs that the log or the prompts have.
type Phase struct {
	Command   string               `json:"command"`
	Phase     string               `json:"phase,omitempty"`
	Runs      int                  `json:"runs"`
	Completed int                  `json:"completed"` // of Runs
	Failed    int                  `json:"failed"`    // of Runs
	Open      int                  `json:"open"`      // of Runs: neither
	ActiveMS  int64                `json:"active_ms"`
	Tokens    int64                `json:"tokens"`
	Calls     int                  `json:"calls"`
	BadCalls  int                  `json:"failed_calls"` // of Calls
	Tools     []insight.ToolFailed `json:"tools"`        // those that failed in it, the most often first
	Worst     Place                `json:"worst"`        // the run with most failed calls, or the first one
}

// Week is what ended in one ISO week, in UTC.
type Week struct {
	Week     string               `json:"week"`  // 2026-W47
	Start    time.Time            `json:"start"` // its Monday
	Ended    int                  `json:"ended"`
	Failing  int                  `json:"failing"` // of Ended
	Outcomes map[string]int       `json:"outcomes"`
	Calls    int                  `json:"calls_ended"`
	Failed   int                  `json:"calls_failed"` // of Calls
	Errors   int                  `json:"errors"`
	Classes  []insight.ClassCount `json:"classes"` // in alphabetical order
	Tokens   int64                `json:"tokens"`
	Spent    int64                `json:"spent_failed"` // of Tokens: failed calls and repeating them
}

// More is how many members of lists are left out.
type More struct {
	Agents   int `json:"agents,omitempty"`
	Failures int `json:"failures,omitempty"`
	Errors   int `json:"errors,omitempty"`
	Classes  int `json:"classes,omitempty"`
	Loops    int `json:"loops,omitempty"`
	Tools    int `json:"tools,omitempty"`
	Slow     int `json:"slow,omitempty"`
	Phases   int `json:"phases,omitempty"`
	Weeks    int `json:"weeks,omitempty"`    // the earliest
	Remedies int `json:"remedies,omitempty"` // those tried first
}

// The bounds of what a report keeps of each finding, and of its list of slow calls.
const (
	MaxSeen = 3
	MaxSlow = 20
)
