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
	// ID is the session's id as its agent has it; of a sub-agent that has only an id within its session, "SESSION/AGENT".
	ID      string    `json:"id"`
	Agent   Agent     `json:"agent"`
	Project Project   `json:"project"`
	Start   time.Time `json:"start,omitzero"`
	End     time.Time `json:"end,omitzero"`
	// ActiveMS is the time between events without the gaps over IdleGap, in milliseconds.
	ActiveMS int64   `json:"active_ms"`
	Outcome  Outcome `json:"outcome"`
	// OutcomeFrom says what in the source states the outcome; it is empty exactly if the outcome is unknown.
	OutcomeFrom   string                `json:"outcome_from,omitempty"`
	Events        []Event               `json:"events"`
	Results       []ToolResultEvent     `json:"results"`
	Responses     []Response            `json:"responses"`
	Relationships []SessionRelationship `json:"relationships"`
	// Usage is the sum over the Responses that were not copied.
	Usage   Usage    `json:"usage"`
	Sources []File   `json:"sources"`
	Scrub   Scrub    `json:"scrub"`
	Damaged []Damage `json:"damaged,omitempty"`
	Lineage Lineage  `json:"lineage,omitzero"`
	// Extra is what only this provider knows. Nothing above the readers acts on it.
	Extra json.RawMessage `json:"extra,omitempty"`
}

// Agent is the program whose session it was. Version is the last one that the source names.
type Agent struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Project is where the session worked. Path is its working directory as the source has it; Key is the same for all
// work trees of one repository: the real path of the main checkout, or Path where nothing better is known.
type Project struct {
	Path string `json:"path,omitempty"`
	Key  string `json:"key,omitempty"`
}

// File is something that a trace was read from. Refs count these from 0.
type File struct {
	Path string `json:"path"`
	// How says how it was read where that matters: "mode=ro", "copy of db and wal", "immutable", …
	How string `json:"how,omitempty"`
}

// Scrub says what was taken out before anything was stored: the version of the rules, and how many secrets.
type Scrub struct {
	Version  int `json:"version"`
	Redacted int `json:"redacted"`
}

// Damage is a place that could not be read, and why. Reading goes on behind it.
type Damage struct {
	Ref    Ref    `json:"ref"`
	Reason string `json:"reason"`
}

// Lineage is what it takes to find out whose copy a session is where its source does not say so (Link).
type Lineage struct {
	// Root is the Record of the first event of the conversation. Sessions that share it are copies of one another.
	Root string `json:"root,omitempty"`
	// MayCopy is how many of the leading events can be copies, as far as this source alone tells.
	MayCopy int `json:"may_copy,omitempty"`
}

// Outcome is how a session ended, only as its source states it. The rest is unknown, and inferred elsewhere.
type Outcome string

// The outcomes.
const (
	Completed   Outcome = "completed"
	Interrupted Outcome = "interrupted"
	Errored     Outcome = "errored"
	Killed      Outcome = "killed"
	Unknown     Outcome = "unknown"
)

// IdleGap is the pause that ends activity: longer ones are not in ActiveMS.
const IdleGap = 10 * time.Minute

// Usage is tokens, without any counted twice: Input is what was neither read from nor written to the provider's
// cache; Output holds Reasoning. Agents that count the cached ones as input have them taken out here.
type Usage struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`
	// CostUSD is what the source says it cost; zero also where it says nothing.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Add adds o to u.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Output += o.Output
	u.Reasoning += o.Reasoning
	u.CostUSD += o.CostUSD
}

// Total is all tokens that went in and out.
func (u Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Response is one answer of the model, as billed once, however many records repeat it.
type Response struct {
	// ID is the provider's id of the response or message.
	ID    string `json:"id"`
	Model string `json:"model,omitempty"`
	// Event is the Seq of the first event that came of it, or of the last one before it if none did; 0 if there is neither.
	Event int       `json:"event"`
	Time  time.Time `json:"time,omitzero"`
	Usage Usage     `json:"usage"`
	Stop  string    `json:"stop,omitempty"`
	Ref   Ref       `json:"ref"`
	// Copied is the session that this is a copy from: it was billed there.
	Copied string `json:"copied,omitempty"`
}
