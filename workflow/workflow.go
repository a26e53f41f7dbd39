package workflow

import "time"

// Model is one workflow. The zero value has no command and no phase. It is read-only, so that
// goroutines may share it.
type Model struct {
	Commands     []Command     // in chain order
	Phases       []Phase       // in their order within a command; the first follows the last
	Timeout      time.Duration // of phases without their own
	Tests        []string      // paths of tests and fixtures: see IsTestPath
	Docs         []string      // paths that are neither tests nor production code: documents, tool settings
	TestCommands []string      // beginnings of shell commands that run tests, word by word: see IsTestCommand
}

// Command is one step of the chain.
type Command struct {
	Name       string   // as entries carry it in cmd
	After      string   // the command that must be COMPLETE before this one starts; "" for the first
	Outputs    []string // path.Match patterns, each for the base name of an expected output; nil expects nothing
	Milestones int      // milestones that its phases are expected to log in all; 0 = none expected
}

type Phase struct {
	Name        string        // as entries carry it in phase
	Timeout     time.Duration // 0 = the model's
	Optional    bool          // it may be skipped
	TestsOnly   bool          // production code must not be edited in it
	FailingTest bool          // it must show or declare a failing test before the next phase begins
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

// Next is the first command whose After is name, or "".
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

func (m *Model) HasPhase(name string) bool { return m.phase(name) >= 0 }

// phase is the index of a phase, or -1.
func (m *Model) phase(name string) int {
	for i := range m.Phases {
		if m.Phases[i].Name == name {
			return i
		}
	}
	return -1
}

// TimeoutOf is how long a phase may take: its own timeout, or else the model's.
func (m *Model) TimeoutOf(phase string) time.Duration {
	if i := m.phase(phase); i >= 0 && m.Phases[i].Timeout > 0 {
		return m.Phases[i].Timeout
	}
	return m.Timeout
}

// Legal reports whether phase to may follow phase from in one command: going forwards, and round
// from the last to the first, only optional phases may be skipped. from is "" if to is known to
// be the command's first phase. skipped is the first phase that was missed. Repeating a phase is
// legal, and so is any phase that the model does not have; then the caller keeps its last known
// phase.
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
