// Package workflow is the model of commands and phases: what comes after what, what a command is expected to leave
// behind and how long a phase may take. The default is Go data, so that using it parses nothing.
package workflow

import "time"

// Model is one workflow.
type Model struct {
	Commands []Command     // in order
	Phases   []Phase       // in order
	Timeout  time.Duration // for phases without one of their own
}

// Command is one step of the chain.
type Command struct {
	Name    string   // as entries carry it in cmd
	After   string   // the command that has to be COMPLETE before it; "" for the first
	Outputs []string // what it is expected to leave behind, as patterns of path.Match relative to the worktree
}

// Phase is one part of a command.
type Phase struct {
	Name    string // as entries carry it in phase
	Timeout time.Duration
}

// Default is the workflow ideate → plan → build → ship with the phases RED → GREEN → REFACTOR.
func Default() Model {
	return Model{
		Commands: []Command{{Name: "ideate"}, {Name: "plan", After: "ideate"}, {Name: "build", After: "plan"}, {Name: "ship", After: "build"}},
		Phases:   []Phase{{"RED", 10 * time.Minute}, {"GREEN", 5 * time.Minute}, {"REFACTOR", 3 * time.Minute}},
		Timeout:  5 * time.Minute,
	}
}
