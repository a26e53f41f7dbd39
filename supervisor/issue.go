package supervisor

import (
	"time"

	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// Type is a kind of trouble: one of limits.Types.
type Type string

// Issue is one thing that is wrong, or missing.
type Issue struct {
	Type       Type
	Session    logfmt.SessionID // "" = the chain, which is the project's (see OfChain), or entries that name no session
	Agent      string           // the sub-agent that it is about
	Signature  string           // stable: the same trouble has the same one after a restart, a later one of its kind another
	Confidence float64          // 0–1, computed from the evidence
	Evidence   []state.Mark     // the entries that prove it, oldest first
	Since      state.Mark       // from when it was true
	Says       string           // what is wrong, in our own words and counts, one line
	Healthy    string           // what would have been healthy
	Suggest    string           // what the agent should do
}

// Input is what a judgement depends on besides the State.
type Input struct {
	Now      time.Time
	Model    *workflow.Model // nil: the State's
	Limits   *limits.Limits  // nil: the State's
	Observed state.Observed
}

// OfChain reports whether the issue is the project's and not a session's. Entries
// that name no session have the Session "" too; their issues can be told to nobody.
func (i *Issue) OfChain() bool { return i.Type == limits.ChainBroken }
