// Package workflow is the model of commands and phases: what comes after what, what a command is expected to leave
// behind and how long a phase may take. It knows nothing of logs and verdicts, so it imports neither. The default is Go
// data, so that using it parses nothing.
//
// Invariants:
//   - Only the functions of default.go know a command, a phase, a tool or a language by name; all else reads the model.
//   - Two models with equal Hash are the same model: a state that was folded with another one is to be rebuilt.
//   - What a model does not name is never wrong: an unknown phase is in no order, an unknown command in no chain.
package workflow

import "time"

// Model is one workflow. The zero value knows no command and no phase. It is read only: commands that share one may
// use it at the same time.
type Model struct {
	Commands     []Command     // in the order of the chain
	Phases       []Phase       // in the order of a command that has them; after the last comes the first again
	Timeout      time.Duration // of phases without one of their own
	Tests        []string      // paths that are tests or their fixtures: see IsTestPath
	Docs         []string      // paths that are neither tests nor production code: documents, settings of tools
	TestCommands []string      // how shell commands that run tests begin, word by word: see IsTestCommand
}

// Command is one step of the chain.
type Command struct {
	Name       string   // as entries carry it in cmd
	After      string   // the command that has to be COMPLETE before this one starts; "" for the first
	Outputs    []string // what it should leave behind: each a path.Match pattern for the base name of one output; nil says nothing
	Milestones int      // how many its phases are expected to log in all; 0 = none is expected
}

// Phase is one part of a command.
type Phase struct {
	Name        string        // as entries carry it in phase
	Timeout     time.Duration // 0 = the model's
	Optional    bool          // it may be skipped
	TestsOnly   bool          // production code is not edited in it
	FailingTest bool          // it has to show or declare a failing test before the next one begins
}

// Command returns the command of that name.
func (m *Model) Command(name string) (Command, bool) {
	for i := range m.Commands {
		if m.Commands[i].Name == name {
			return m.Commands[i], true
		}
	}
	return Command{}, false
}

// Next is the first command that comes after the named one, "" when none does.
func (m *Model) Next(name string) string {
	for i := range m.Commands {
		if m.Commands[i].After == name && name != "" {
			return m.Commands[i].Name
		}
	}
	return ""
}

// Phase returns the phase of that name.
func (m *Model) Phase(name string) (Phase, bool) {
	if i := m.phase(name); i >= 0 {
		return m.Phases[i], true
	}
	return Phase{}, false
}

// HasPhase says whether the model names a phase.
func (m *Model) HasPhase(name string) bool { return m.phase(name) >= 0 }

// phase is the index of a phase, -1 for none.
func (m *Model) phase(name string) int {
	for i := range m.Phases {
		if m.Phases[i].Name == name {
			return i
		}
	}
	return -1
}

// TimeoutOf is how long a phase may take: its own timeout, else the model's.
func (m *Model) TimeoutOf(phase string) time.Duration {
	if i := m.phase(phase); i >= 0 && m.Phases[i].Timeout > 0 {
		return m.Phases[i].Timeout
	}
	return m.Timeout
}

// Legal says whether phase to may follow phase from in one command: going forwards from one to the other, round the
// cycle, only optional phases are left out. from is "" where the command's first phase is known to be to. skipped is
// the first phase that had to come before. The same phase again is legal, and so is what names a phase that the model
// does not have: with those the caller keeps the last one that it has.
func (m *Model) Legal(from, to string) (ok bool, skipped string) {
	at, end := m.phase(from), m.phase(to)
	if end < 0 || from != "" && at < 0 || at == end {
		return true, ""
	}
	for i := (at + 1) % len(m.Phases); i != end; i = (i + 1) % len(m.Phases) {
		if !m.Phases[i].Optional {
			return false, m.Phases[i].Name
		}
	}
	return true, ""
}
