// Package workflow is the model of commands and phases: what comes after what, what a command is expected to leave
// behind and how long a phase may take. The default is Go data, so that using it parses nothing.
package workflow

import "time"

// Model is one workflow. The zero value knows no command and no phase.
type Model struct {
	Commands []Command     // in the order of the chain
	Phases   []Phase       // in the order of a command that has them
	Timeout  time.Duration // of phases without one of their own
}

// Command is one step of the chain.
type Command struct {
	Name    string   // as entries carry it in cmd
	After   string   // the command that has to be COMPLETE before this one starts; "" for the first
	Outputs []string // what it should leave behind: each a path.Match pattern for the base name of one output; nil says nothing
}

// Phase is one part of a command.
type Phase struct {
	Name    string // as entries carry it in phase
	Timeout time.Duration
}

// Default is the workflow ideate → plan → build → ship with the phases RED → GREEN → REFACTOR.
func Default() Model {
	return Model{
		Commands: []Command{
			{Name: "ideate", Outputs: []string{"*.md"}},
			{Name: "plan", After: "ideate", Outputs: []string{"*.md"}},
			{Name: "build", After: "plan"},
			{Name: "ship", After: "build"},
		},
		Phases: []Phase{
			{"RED", 10 * time.Minute},
			{"GREEN", 5 * time.Minute},
			{"REFACTOR", 3 * time.Minute},
		},
		Timeout: 5 * time.Minute,
	}
}

// Command returns the command of that name.
func (m Model) Command(name string) (Command, bool) {
	for _, c := range m.Commands {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// Next is the first command that comes after the named one, "" when none does.
func (m Model) Next(name string) string {
	for _, c := range m.Commands {
		if c.After == name && name != "" {
			return c.Name
		}
	}
	return ""
}

// HasPhase says whether the model names a phase.
func (m Model) HasPhase(name string) bool {
	for _, p := range m.Phases {
		if p.Name == name {
			return true
		}
	}
	return false
}

// TimeoutOf is how long a phase may take.
func (m Model) TimeoutOf(phase string) time.Duration {
	for _, p := range m.Phases {
		if p.Name == phase {
			return p.Timeout
		}
	}
	return m.Timeout
}
