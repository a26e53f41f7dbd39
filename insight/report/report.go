// Package report adds digests up to an answer to "what keeps going wrong here?". Every rate has
// its denominator; every finding names sessions that show it. It is pure: the order of the
// digests does not matter. Of remedies it knows only their measures; it quotes recorded text for
// models through internal/plain.
package report

import (
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/trace"
)

// Report sums up a set of sessions. A unit is a session, or a sub-agent's part of one. What was
// done (calls, errors, tokens, loops, phases) is of all units. Running units have no outcome yet,
// so outcomes, failures, shapes and decisive errors are of those that ended. Weeks and NoWeek
// together are of all units, too.
type Report struct {
	Made   time.Time `json:"made"`
	Chosen Chosen    `json:"chosen"`
	Units  Units     `json:"units"`

	Outcomes []Outcome `json:"outcomes"` // all but running, completed first
	Agents   []Agent   `json:"agents"`   // most units first
	Failures []Shape   `json:"failures"` // coarse keys of failing units, most units first
	Errors   []Error   `json:"errors"`   // fine keys: main errors, most units first
	Classes  []Class   `json:"classes"`  // most errors first
	Loops    []Loop    `json:"loops"`    // most edits in one unit first
	LoopsIn  int       `json:"units_with_loops"`
	Tools    []Tool    `json:"tools"` // most calls first
	AllTools Tool      `json:"all_tools"`
	Slow     []Slow    `json:"slow"` // the longest first
	Tokens   Tokens    `json:"tokens"`
	Phases   []Phase   `json:"phases"` // of the workflow, in the order in which units went through them
	Weeks    []Week    `json:"weeks"`  // earliest first, without weeks in which no unit ended
	// NoWeek sums up the units that are in no week, because they run or because nobody knows when
	// they ended; nil without any.
	NoWeek *Week `json:"no_week,omitempty"`
	// Remedies compares failures before and after each remedy that was tried.
	Remedies []remedy.Measured `json:"remedies"`
	More     More              `json:"more,omitzero"` // what Top left out
}

// Chosen repeats the filters of the report: the span of the ends, the source, the project.
type Chosen struct {
	Since   time.Time `json:"since,omitzero"`
	Until   time.Time `json:"until,omitzero"`
	Source  string    `json:"source,omitempty"`
	Project string    `json:"project,omitempty"`
}

// Units counts sessions and sub-agents.
type Units struct {
	All       int `json:"all"`
	Sessions  int `json:"sessions"`
	Subagents int `json:"subagents"`
	Running   int `json:"running"` // of all
	Ended     int `json:"ended"`   // the others
	Failing   int `json:"failing"` // of those that ended: errored, gave_up, killed, crashed
	Erring    int `json:"erring"`  // of those that ended: with an error of any class other than cancelled
	Undated   int `json:"undated"` // of those that ended: without a known end time; they are in no week
}

// Outcome counts the units with one outcome.
type Outcome struct {
	Outcome insight.Outcome `json:"outcome"`
	Units   int             `json:"units"`
	Of      int             `json:"of"`              // that ended
	Rules   []Rule          `json:"rules,omitempty"` // the rules that decided, most frequent first
	Refined int             `json:"refined"`         // of Units: a fact changed the inferred outcome (insight.Verdict.Refined)
}

// Rule counts the units that a rule decided.
type Rule struct {
	Rule  string `json:"rule"`
	Units int    `json:"units"`
}

// Agent sums up the units of one source.
type Agent struct {
	Source  string `json:"source"`
	Units   int    `json:"units"`
	Ended   int    `json:"ended"`
	Failing int    `json:"failing"` // of Ended
	Calls   int    `json:"calls"`
	Tokens  int64  `json:"tokens"`
}

// Place names a session, and an event in it by its Seq; 0 means the whole session.
type Place struct {
	Source  string    `json:"source"`
	Session string    `json:"session"`
	Event   int       `json:"event,omitempty"`
	End     time.Time `json:"end,omitzero"`
}

// Shape is a group of failing units with the same coarse fingerprint.
type Shape struct {
	Key       string          `json:"fingerprint"`
	Shape     string          `json:"shape"`
	Agent     string          `json:"agent"`
	Outcome   insight.Outcome `json:"outcome"`
	Rate      insight.Rate    `json:"failure_rate_bucket"`
	Units     int             `json:"units"`
	OfFailing int             `json:"of_failing"` // denominator
	OfEnded   int             `json:"of_ended"`
	First     time.Time       `json:"first,omitzero"` // when the earliest and the latest of them ended
	Last      time.Time       `json:"last,omitzero"`
	Seen      []Place         `json:"seen"` // the latest, at most MaxSeen
}

// Error is a group of units with the same main error.
type Error struct {
	Key      string         `json:"error_key"`
	Class    failure.Class  `json:"class"`
	Type     trace.ToolType `json:"type,omitempty"`
	Tool     string         `json:"tool,omitempty"` // of the latest
	Exit     *int           `json:"exit,omitempty"`
	Head     string         `json:"head"` // normalised
	Text     string         `json:"text"` // of the latest
	Units    int            `json:"units"`
	OfErring int            `json:"of_erring"` // denominator
	OfEnded  int            `json:"of_ended"`
	Failing  int            `json:"failing"` // of Units
	Times    int            `json:"times"`   // errors in all of them
	Solved   int            `json:"solved"`  // of Units: the same or a like call succeeded later
	First    time.Time      `json:"first,omitzero"`
	Last     time.Time      `json:"last,omitzero"`
	Seen     []Place        `json:"seen"`
}

// Class sums up the errors of one class.
type Class struct {
	Class     failure.Class `json:"class"`
	Errors    int           `json:"errors"`
	OfErrors  int           `json:"of_errors"`
	Units     int           `json:"units"` // units that have such an error
	OfUnits   int           `json:"of_units"`
	Failing   int           `json:"failing"`    // failing units that have such an error
	OfFailing int           `json:"of_failing"` // denominator
}

// Loop is a file that was edited repeatedly, over all units that did so.
type Loop struct {
	Path      string `json:"path"`
	Project   string `json:"project,omitempty"`
	Units     int    `json:"units"`
	Edits     int    `json:"edits"`     // in all of them
	Most      int    `json:"most"`      // in one of them
	Identical int    `json:"identical"` // of Edits: restored an earlier content
	Worst     Place  `json:"worst"`     // the unit of Most, at its first edit
}

// Tool sums up the calls of one type of tool.
type Tool struct {
	Type    trace.ToolType `json:"type,omitempty"`
	Calls   int            `json:"calls"`
	Ended   int            `json:"ended"`
	Failed  int            `json:"failed"` // of Ended
	Denied  int            `json:"denied"` // of Failed
	Retries int            `json:"retries"`
	Timed   int            `json:"timed"`    // calls whose duration is known
	TimedMS int64          `json:"timed_ms"` // their sum
	Gaps    int            `json:"gaps"`     // of Timed: not measured, so that TimedMS is an upper bound (Slow.Gap)
	Spent   int64          `json:"spent_failed"`
}

// Slow is a long call. A unit contributes at most insight.MaxSlow.
type Slow struct {
	Place
	Tool string         `json:"tool"`
	Type trace.ToolType `json:"type"`
	What string         `json:"what,omitempty"`
	MS   int64          `json:"ms"`
	// Gap says that MS is the time between the records of the call and its end, including any
	// wait for a permission. Otherwise the agent measured it.
	Gap    bool `json:"gap"`
	Failed bool `json:"failed"`
}

// Tokens counts tokens of all kinds. Responses without calls count in All only.
type Tokens struct {
	All     int64 `json:"all"`
	Calls   int64 `json:"calls"`   // of All: responses with calls
	Failed  int64 `json:"failed"`  // of Calls: shares of calls that failed
	Retries int64 `json:"retries"` // of Calls: shares of calls that repeat a failed one and did not fail
	Units   int   `json:"units"`   // units with known token counts
	Of      int   `json:"of_units"`
}

// Phase sums up all recorded runs of one phase of a workflow command.
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
	Tools     []insight.ToolFailed `json:"tools"`        // the tools that failed in it, most failures first
	Worst     Place                `json:"worst"`        // the run with most failed calls
}

// Week sums up the units that ended in one ISO week, in UTC.
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

// More counts what the lists leave out.
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

// Bounds: places named per finding, entries in the list of slow calls.
const (
	MaxSeen = 3
	MaxSlow = 20
)

// Top cuts each list to n members and adds what it leaves out to More. It shares the members with
// r.
func (r *Report) Top(n int) *Report {
	t := *r
	t.Agents, t.More.Agents = head(t.Agents, n, t.More.Agents)
	t.Failures, t.More.Failures = head(t.Failures, n, t.More.Failures)
	t.Errors, t.More.Errors = head(t.Errors, n, t.More.Errors)
	t.Classes, t.More.Classes = head(t.Classes, n, t.More.Classes)
	t.Loops, t.More.Loops = head(t.Loops, n, t.More.Loops)
	t.Tools, t.More.Tools = head(t.Tools, n, t.More.Tools)
	t.Slow, t.More.Slow = head(t.Slow, n, t.More.Slow)
	t.Phases, t.More.Phases = head(t.Phases, n, t.More.Phases)
	t.Weeks, t.More.Weeks = tail(t.Weeks, n, t.More.Weeks)
	t.Remedies, t.More.Remedies = tail(t.Remedies, n, t.More.Remedies)
	return &t
}

func head[T any](list []T, n, more int) ([]T, int) {
	if len(list) <= n {
		return list, more
	}
	return list[:n], more + len(list) - n
}

func tail[T any](list []T, n, more int) ([]T, int) {
	if len(list) <= n {
		return list, more
	}
	return list[len(list)-n:], more + len(list) - n
}
