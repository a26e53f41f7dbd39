package trace

import (
	"encoding/json"
	"time"
)

// Version is the v of the JSON form of traces, relationships and tool-result events.
const Version = 1

// SessionTrace is one session of one agent, or one sub-agent's part of it. Sub-agents have traces of their own.
type SessionTrace struct {
	V int `json:"v"`
	// Source is the name of the reader, an agent's or that of aburn's own log. Together with ID it names the trace.
	Source string `json:"source"`
	// ID is the agent's id of the session. A sub-agent whose id is unique only within its session is "SESSION/AGENT".
	ID      string    `json:"id"`
	Agent   Agent     `json:"agent"`
	Project Project   `json:"project"`
	Start   time.Time `json:"start,omitzero"`
	End     time.Time `json:"end,omitzero"`
	// ActiveMS is the time between events without the gaps over IdleGap, in milliseconds.
	ActiveMS int64   `json:"active_ms"`
	Outcome  Outcome `json:"outcome"`
	// OutcomeFrom is the evidence for Outcome; it is empty exactly if Outcome is unknown.
	OutcomeFrom   string                `json:"outcome_from,omitempty"`
	Events        []Event               `json:"events"`
	Results       []ToolResultEvent     `json:"results"`
	Responses     []Response            `json:"responses"`
	Relationships []SessionRelationship `json:"relationships"`
	// Usage is the sum over the Responses that are not copies.
	Usage Usage `json:"usage"`
	// Limits is the last that the source states of each window of the user's plan.
	Limits  []Limit  `json:"limits,omitempty"`
	Sources []File   `json:"sources"`
	Scrub   Scrub    `json:"scrub"`
	Damaged []Damage `json:"damaged,omitempty"`
	Lineage Lineage  `json:"lineage,omitzero"`
	// Extra is what only this provider knows. Nothing above the readers acts on it; StatedCost reads it.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// Agent is the program that ran the session. Version is the last one that the source names.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Project is where the session worked. Path is its working directory in the source. Key is the same for all work trees
// of one repository: the real path of the main checkout, or Path if that is unknown.
type Project struct {
	Path string `json:"path,omitempty"`
	Key  string `json:"key,omitempty"`
}

// File is a source of a trace. Refs count these from 0.
type File struct {
	Path string `json:"path"`
	// How says how the file was read, if that matters: "mode=ro", "copy of db and wal", "immutable", …
	How string `json:"how,omitempty"`
}

// Scrub says what was removed before anything was stored: the version of the rules, and the number of secrets.
type Scrub struct {
	Version  int `json:"version"`
	Redacted int `json:"redacted"`
}

// Damage is an unreadable place and the reason. Reading continues behind it.
type Damage struct {
	Ref    Ref    `json:"ref"`
	Reason string `json:"reason"`
}

// Lineage is what Link needs to find out whose copy a session is.
type Lineage struct {
	// Root is the Record of the first event of the conversation. Sessions that share it are copies of one another.
	Root string `json:"root,omitempty"`
	// MayCopy is how many of the leading events may be copies, as far as this source alone shows.
	MayCopy int `json:"may_copy,omitempty"`
}

// Outcome says how a session ended, only as its source states it. Everything else is unknown here, and inferred
// elsewhere.
type Outcome string

const (
	Completed   Outcome = "completed"
	Interrupted Outcome = "interrupted"
	Errored     Outcome = "errored"
	Killed      Outcome = "killed" // it just stops, or, with BySignal in OutcomeFrom, a signal ended it
	Unknown     Outcome = "unknown"
)

// BySignal is part of OutcomeFrom where the source says which signal ended the program.
const BySignal = "signal "

// Outcomes that no source states, and so no reader: where a trace is put out with the verdict on its session.
const (
	GaveUp  Outcome = "gave_up"
	Crashed Outcome = "crashed"
	Running Outcome = "running"
)

// IdleGap is the pause that ends activity: ActiveMS leaves out longer ones.
const IdleGap = 10 * time.Minute

// Usage counts tokens, none twice: Input excludes tokens read from and written to the provider's cache; Output
// includes Reasoning. Readers convert the counts of agents that count otherwise.
type Usage struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	// CacheWrite5m and CacheWrite1h are the parts of CacheWrite that live for five minutes and for an hour. The rest
	// is of unknown life.
	CacheWrite5m int64 `json:"cache_write_5m,omitempty"`
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning,omitempty"`
	// Searches counts searches of the web that the provider made and bills.
	Searches int64 `json:"web_searches,omitempty"`
	// CostUSD is the cost that the source states; zero also if it states none.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.CacheWrite5m += o.CacheWrite5m
	u.CacheWrite1h += o.CacheWrite1h
	u.Output += o.Output
	u.Reasoning += o.Reasoning
	u.Searches += o.Searches
	u.CostUSD += o.CostUSD
}

// Total is the number of all tokens, in and out.
func (u Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Response is one answer of the model, billed once, however many records repeat it.
type Response struct {
	// ID is the provider's id of the response or message.
	ID    string `json:"id"`
	Model string `json:"model,omitempty"`
	// Tier is the provider's word for the speed or priority at which it served the request; empty is the standard.
	// Geo is where it did, if the source states that.
	Tier string `json:"tier,omitempty"`
	Geo  string `json:"geo,omitempty"`
	// Branch is the git branch that the session was on.
	Branch string `json:"branch,omitempty"`
	// Event is the Seq of the answer's first event, or of the last one before it if it has none; 0 if there is
	// neither.
	Event int       `json:"event"`
	Time  time.Time `json:"time,omitzero"`
	Usage Usage     `json:"usage"`
	Stop  string    `json:"stop,omitempty"`
	Ref   Ref       `json:"ref"`
	// Copied is the session that this is a copy from, which was billed for it.
	Copied string `json:"copied,omitempty"`
}

// MaxUsedPercent bounds Limit.UsedPercent: paid extra usage goes above 100.
const MaxUsedPercent = 1000

// Limit is how much of a window of the user's plan is used up. It is about the user's account and all its sessions.
type Limit struct {
	// ID is the source's name of the limit; a plan may have several with windows of the same length.
	ID            string    `json:"id,omitempty"`
	WindowMinutes int64     `json:"window_minutes"`
	UsedPercent   float64   `json:"used_percent"`
	Resets        time.Time `json:"resets,omitzero"` // when the next window begins
	Time          time.Time `json:"time"`            // when the source said so
}

// SessionRelationship relates a session to another. Every trace has at least one; the relationship of a session that
// nothing precedes is root.
type SessionRelationship struct {
	V       int      `json:"v"`
	Kind    Relation `json:"kind"`
	Source  string   `json:"source"`
	Session string   `json:"session"`
	// Related is the session that this one continues, was copied from, or was spawned by; empty for a root.
	Related string    `json:"related,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	// SourceSession is the session id inside the file, if it differs from the file's own. SourceVersion is the agent's
	// version.
	SourceSession string `json:"source_session,omitempty"`
	SourceVersion string `json:"source_version,omitempty"`
	ParentCall    string `json:"parent_call,omitempty"`
	AgentID       string `json:"agent_id,omitempty"`
	AgentType     string `json:"agent_type,omitempty"`
	Description   string `json:"description,omitempty"`
	// Provenance says whether the source states the relationship. Evidence says what it was inferred from.
	Provenance Provenance `json:"provenance"`
	Evidence   string     `json:"evidence,omitempty"`
}

// Relation is a kind of relationship.
type Relation string

const (
	Root         Relation = "root"
	Continuation Relation = "continuation"
	Fork         Relation = "fork"
	Subagent     Relation = "subagent"
)

// Provenance says how a relationship is known.
type Provenance string

const (
	Explicit Provenance = "explicit"
	Inferred Provenance = "inferred"
)

// Settle derives Start, End, ActiveMS and Usage from the events and responses, without copies.
func (t *SessionTrace) Settle() {
	t.Start, t.End, t.Usage = time.Time{}, time.Time{}, Usage{}
	var active time.Duration
	var last time.Time
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" || e.Time.IsZero() {
			continue
		}
		if t.Start.IsZero() || e.Time.Before(t.Start) {
			t.Start = e.Time
		}
		if e.Time.After(t.End) {
			t.End = e.Time
		}
		if gap := e.Time.Sub(last); !last.IsZero() && gap > 0 && gap <= IdleGap {
			active += gap
		}
		if e.Time.After(last) {
			last = e.Time
		}
	}
	t.ActiveMS = active.Milliseconds()
	for i := range t.Responses {
		if t.Responses[i].Copied == "" {
			t.Usage.Add(t.Responses[i].Usage)
		}
	}
}

// StatedCost is how many dollars the source states that the session's processes cost, sub-agents and answers without a
// record included. ok is false if it states nothing.
func (t *SessionTrace) StatedCost() (usd float64, ok bool) {
	var extra struct {
		Cost *float64 `json:"total_cost_usd"`
	}
	if json.Unmarshal(t.Extra, &extra) != nil || extra.Cost == nil {
		return 0, false
	}
	return *extra.Cost, true
}
