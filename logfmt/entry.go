package logfmt

import "time"

const (
	// MaxEntry is the size of one entry in bytes: both lines with their newlines.
	MaxEntry = 64 << 10
	// MaxCmd, MaxPhase, MaxSession, MaxEvent and MaxID bound the routing fields, in bytes.
	MaxCmd     = 64
	MaxPhase   = 32
	MaxSession = 128
	MaxEvent   = 64
	MaxID      = 64
	// MaxSeq is the largest sequence number, exact in every JSON reader.
	MaxSeq Seq = 1<<53 - 1

	// SessionCmd is the cmd of an entry made while no command is active.
	SessionCmd = "session"
	// SupervisorCmd is the cmd of INTERVENTION, DELIVERED and RESOLVED.
	SupervisorCmd = "supervisor"

	// RelayPrefix begins the line that `aburn log` prints if it may not write the log itself. One
	// entry's complete JSON line follows.
	RelayPrefix = "aburn:entry "

	// FirstLine begins every new log file: it names the format and its version.
	FirstLine = "# aburn workflow log v1 - an entry is one JSON line, then one line for people; see logfmt/SPEC.md\n"
)

// Seq numbers the entries of one project's log, from 1; 0 means none.
type Seq uint64

// SessionID is an agent's name for one session; "" when unknown.
type SessionID string

// Agent names the sub-agent that an entry belongs to (ADR-008).
type Agent struct {
	Type, ID  string
	ParentCmd string // the command active in the parent when it was spawned
}

// Member is an unknown top-level key, kept with its value as it was.
type Member struct {
	Key string
	Raw []byte // compact JSON
}

// Entry is one entry of the log.
type Entry struct {
	Time    time.Time // wall clock as read; written in UTC with milliseconds
	Cmd     string    // required
	Phase   string
	Event   Event // required
	Session SessionID
	Seq     Seq    // 0: none
	ID      string // idempotency key; "" in other tools' entries
	Agent   *Agent // nil: the session itself
	Source  string // who wrote it: claude, codex, …, prompt, aburn
	Wt      string // root of the worktree relative to the project; "" is the main one
	Branch  string
	Data    []byte   // one compact JSON object, or nil
	Extra   []Member // unknown top-level keys, in their order
	Edited  bool     // a crc was there and does not match: used, but marked
}

// Meaning is what the entry is about. START, COMPLETE and FAILED with a phase are about the
// phase. A failed phase keeps the event FAILED (and its phase).
func (e *Entry) Meaning() (cmd, phase string, ev Event) {
	return e.Cmd, e.Phase, meaning(e.Event, e.Phase != "")
}

func meaning(ev Event, phased bool) Event {
	if phased {
		switch ev {
		case Start:
			return PhaseStart
		case Complete:
			return PhaseComplete
		}
	}
	return ev
}

// EndsCommand reports whether e ends the command in its own session and agent: it is a COMPLETE
// or FAILED without a phase.
func (e *Entry) EndsCommand() bool {
	return e.Phase == "" && (e.Event == Complete || e.Event == Failed)
}

// ChainComplete reports whether e can be "the last COMPLETE of a command": it is a COMPLETE
// without phase and agent.
func (e *Entry) ChainComplete() bool {
	return e.Event == Complete && e.Phase == "" && e.Agent == nil
}
