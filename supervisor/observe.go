package supervisor

import "aburn/logfmt"

// Fact is what an observation found.
type Fact int8

// The zero Fact is Unknown: nobody looked, or nobody can tell.
const (
	Unknown Fact = iota
	Yes
	No
)

// Observed is what was looked up outside the log.
type Observed struct {
	Alive  map[Proc]Fact      // the process runs
	Exists map[OutputKey]Fact // the file is there
	Seen   map[string]Fact    // by task: the agent's transcript shows it
}

// OutputKey is a file of a worktree.
type OutputKey struct{ Wt, Path string }

// Wanted is what Judge would like to know, bounded and in a fixed order; it asks
// only for what can change a verdict.
type Wanted struct {
	Procs   []Proc
	Outputs []OutputKey
	Tasks   []WantedTask
}

// WantedTask is a delivered task that was not seen yet.
type WantedTask struct {
	Task    string
	Session logfmt.SessionID
}

// Wants says what to observe for a judgement.
func (s *State) Wants() Wanted { return Wanted{} }
