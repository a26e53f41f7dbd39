package state

import (
	"slices"

	"aburn/logfmt"
)

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
	// Closed are calls that have a result in the agent's own file. A call that a user denies in the terminal gets one, and no hook fires.
	Closed map[CallKey]Fact
}

// CallKey is a call of a session's own line.
type CallKey struct {
	Source  string // the agent
	Session logfmt.SessionID
	Call    string
}

// OutputKey is a file of a worktree.
type OutputKey struct{ Wt, Path string }

// Wanted is what Judge would like to know, bounded and in a fixed order; it asks
// only for what can change a verdict.
type Wanted struct {
	Procs   []Proc
	Outputs []OutputKey
	Tasks   []WantedTask
	Calls   []CallKey // those that wait for a permission
}

// WantedTask is a delivered task that was not seen yet.
type WantedTask struct {
	Task    string
	Session logfmt.SessionID
}

// The most that Wants asks for of each.
const (
	maxWantedProcs   = 32
	maxWantedOutputs = 64
	maxWantedTasks   = 16
	maxWantedCalls   = 16
)

// Wants says what to observe for a judgement.
func (s *State) Wants() Wanted {
	var w Wanted
	for _, v := range slices.Backward(s.Sessions) {
		if v.unfinished() && v.Proc.PID != 0 && !slices.Contains(w.Procs, v.Proc) && len(w.Procs) < maxWantedProcs {
			w.Procs = append(w.Procs, v.Proc)
		}
		if p := v.Lost.Proc; p.PID != 0 && !slices.Contains(w.Procs, p) && len(w.Procs) < maxWantedProcs {
			w.Procs = append(w.Procs, p)
		}
		for i := range v.Waits {
			if key, ok := v.callOf(&v.Waits[i]); ok && !v.End.Is() && len(w.Calls) < maxWantedCalls {
				w.Calls = append(w.Calls, key)
			}
		}
		w.outputs(&v.Own)
		for _, a := range v.Agents {
			w.outputs(&a.Line)
		}
	}
	for _, a := range slices.Backward(s.Advice) {
		if a.Session != "" && a.Delivered.Is() && !a.Seen.Is() && !a.Resolved.Is() && len(w.Tasks) < maxWantedTasks {
			w.Tasks = append(w.Tasks, WantedTask{a.Task, a.Session})
		}
	}
	return w
}

// callOf names the call that a wait is about, if it is the session's own. The files of sub-agents are not asked.
func (s *Session) callOf(w *Wait) (CallKey, bool) {
	return CallKey{s.Source, s.ID, w.Call}, w.Call != "" && w.Agent == ""
}

// Waiting are the waits that nobody has answered, as far as hooks and the agent's own file tell.
func (s *Session) Waiting(o Observed) []Wait {
	if len(s.Waits) == 0 || len(o.Closed) == 0 {
		return s.Waits
	}
	var list []Wait
	for i := range s.Waits {
		if key, _ := s.callOf(&s.Waits[i]); o.Closed[key] != Yes {
			list = append(list, s.Waits[i])
		}
	}
	return list
}

// unfinished reports whether it matters that the session's process is gone.
func (s *Session) unfinished() bool {
	return !s.End.Is() && (s.Turn.Open || len(s.Calls) > 0 || len(s.Waits) > 0 || s.Own.Active() != nil ||
		slices.ContainsFunc(s.Agents, (*Agent).Running))
}

// outputs asks for the outputs of the line's runs that are complete: all of the
// newest, of older ones those that are not known to have existed.
func (w *Wanted) outputs(l *Line) {
	newest := true
	ask := func(r *Run) {
		if r == nil || !r.End.Is() || r.Failed {
			return
		}
		for _, o := range r.Outputs {
			key := OutputKey{r.Wt, o.Path}
			if (newest || !o.Hashed) && len(w.Outputs) < maxWantedOutputs && !slices.Contains(w.Outputs, key) {
				w.Outputs = append(w.Outputs, key)
			}
		}
		newest = false
	}
	ask(l.Run)
	for _, r := range slices.Backward(l.Before) {
		ask(r)
	}
}
