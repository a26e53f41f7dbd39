package supervisor

import (
	"time"

	"aburn/logfmt"
	"aburn/workflow"
)

// Mark is where in the log something stands.
type Mark struct {
	Seq logfmt.Seq // the entry's number, as people are told it; 0 in other tools' entries
	Ord uint64     // how many entries had been folded with it; 0 = nowhere: the zero Mark
	At  int64      // the wall clock as written, Unix milliseconds
}

// Is reports whether the mark stands anywhere.
func (m Mark) Is() bool { return m.Ord != 0 }

// Time is the mark's time in UTC.
func (m Mark) Time() time.Time { return time.UnixMilli(m.At).UTC() }

// State is what a number of entries come to.
type State struct {
	Entries  uint64     // how many were folded
	Last     Mark       // the newest
	Sessions []*Session // by first appearance; at most maxSessions, the longest silent (ended ones first) are forgotten
	Links    []*Link    // the chain: what each command of the model last did, by worktree
	Advice   []*Advice  // what was queued, newest last; at most maxAdvice
	Told     []Told     // what the watcher told the user, newest last; at most maxTold
	Forgot   int        // sessions that were forgotten

	model *workflow.Model
}

// Session is one session of an agent.
type Session struct {
	ID          logfmt.SessionID
	Source      string // the agent
	Wt          string // worktree of its newest entry
	First, Last Mark   // of its entries, sub-agents included; aburn's own (source aburn) do not count
	Middle      bool   // its beginning is not in the log: the first entry was none that begins a session, or was carried
	Proc        Proc   // the agent's process, as last told
	Turn        Turn
	Turns       int         // that began (PROMPT entries of the session itself)
	End         End         // zero while it has none; a later entry of the session clears it
	Waits       []Wait      // unanswered permissions and questions, oldest first; at most maxWaits
	Own         Line        // its own work
	Agents      []*Agent    // sub-agents in order of appearance; at most maxAgents, ended ones are forgotten first
	Calls       []*Call     // open calls of the session and its sub-agents, oldest first; at most maxCalls
	Files       []*File     // edited files, newest last; at most maxFiles
	Tests       []*Test     // test commands that ran, newest last; at most maxTests
	Invoked     *Invocation // the newest slash command that is a command of the model
	Progress    Mark        // the newest progress: phase event, milestone, changed file hash, test whose result changed
	Clock       Clock       // how long it has worked
}

// Proc is one process on one host; the zero value is unknown.
type Proc struct {
	PID, Start int64 // Start as the kernel counts; 0 = unknown
	Host       string
}

// Turn is the work between a prompt and its end.
type Turn struct {
	Open    bool // something is at work: a prompt, or activity after its end, without STOP, TURN_FAILED, INTERRUPT or SESSION_END
	Start   Mark // of the newest turn
	Machine bool // its prompt was machine-made
	Calls   int  // tool calls that ended in it
	Ended   Mark // how the last one ended: STOP, TURN_FAILED, INTERRUPT, SESSION_END
	By      logfmt.Event
}

// End is the end of a session.
type End struct {
	Mark
	Reason string  // the client's word: clear, logout, prompt_input_exit, other, …
	InTurn bool    // a turn was open
	Calls  []*Call // that were open then
}

// Wait is a question to the user that nobody has answered.
type Wait struct {
	Since    Mark
	Question bool   // else a permission
	Tool     string // what it is about
	Input    string // its head or path
	Call     string // the id of the open call that it holds up; "" if none is known
	Agent    string // of a sub-agent
}

// Clock is a session's time of work in milliseconds: while a turn is open and
// nothing explains a standstill (a call that takes more than a minute, an open
// wait). It only grows.
type Clock int64

// Line is one line of work: a session's own, or a sub-agent's.
type Line struct {
	Run    *Run   // the newest command; nil before the first
	Before []*Run // commands before it, newest last; at most maxRuns
	Recent []Did  // calls that ended, newest last; at most maxRecent
	Fails  Streak // failing calls in a row
	Epoch  uint64 // grows with all that makes a repetition new: progress, a change, a person's prompt
	Same   Repeat // the newest milestone's text, repeated
}

// Run is one command from START to its end.
type Run struct {
	Cmd, Wt    string
	Start      Mark     // zero: it began before the log
	End        Mark     // zero while it is open
	Failed     bool     // it ended with FAILED
	Phases     []*Phase // newest last; at most maxPhases
	Done       int      // phases complete
	Milestones []Moment // newest last; at most maxMilestones
	Reached    int      // milestones in all
	Outputs    []Output // of its COMPLETE; at most maxOutputs
}

// Phase is one phase of a run.
type Phase struct {
	Name       string
	Start, End Mark
	At         Clock  // the session's clock at its start
	Failed     bool   // it ended with FAILED
	Skipped    string // the required phase that was jumped over to get here
	Edits      []Edit // production files edited in it by whomever in the session; at most maxEdits
	TestFailed Mark   // a test command failed in it
	Declared   bool   // its details say that a test fails
}

// Moment is a mark with the session's clock.
type Moment struct {
	Mark
	Clock Clock
}

// Edit is a change of a file.
type Edit struct {
	Mark
	Path string
}

// Output is what a COMPLETE says it made.
type Output struct {
	Path   string // relative to the worktree
	Hashed bool   // it existed when it was logged: the entry has its sha256
}

// Call is a tool call that has not ended, or goes on in the background.
type Call struct {
	Start      Mark
	ID, Tool   string
	Input      string // head or path, cut
	Key        uint32 // of the whole input, see Did
	Agent      string // of a sub-agent
	Background bool   // its result said that it still runs
}

// Did is a call that ended.
type Did struct {
	Mark
	Key    uint32 // hash of (tool, whole input); 0 = the input is not known
	Tool   string
	Input  string // head or path, cut
	Failed bool
	Denied bool
	Result uint32 // hash of what is known of its result: exit code, outcome, sha256, bytes
	Epoch  uint64
}

// Streak is a run of failing calls of one line.
type Streak struct {
	First, Last Mark
	Count       int
	Inputs      []uint32 // different keys; at most maxInputs
}

// Repeat is one text logged again and again.
type Repeat struct {
	First, Last Mark
	Key         uint32
	Count       int
	Epoch       uint64
}

// File is a file that the session edits.
type File struct {
	Path   string
	Hashes []Version // of the content after each edit, newest last; at most maxVersions
	Edits  int
}

// Version is one content of a file.
type Version struct {
	Mark
	Hash uint32 // of the sha256
}

// Test is a test command of the session.
type Test struct {
	Key                 uint32
	Input               string
	FirstPass, LastPass Mark
	Broke               Mark // the first failure after LastPass; zero while it passes
	LastFail            Mark
	Runs                int
}

// Agent is a sub-agent.
type Agent struct {
	ID, Type   string
	Parent     string // the command active in its parent when it was spawned
	Spawned    Mark   // zero: before the log
	Begun      Mark   // its first own entry
	Last       Mark   // its newest own entry
	Ended      Mark
	Failed     bool   // its end says so
	Status     string // as its end says it
	Background bool
	Line       Line
}

// Invocation is a command that the user called.
type Invocation struct {
	Mark
	Cmd      string
	Declared bool // its prompt has logged something since
	Turns    int  // turns with at least one ended call that ended since
	Calls    int  // calls that ended since
}

// Link is what is known about one command of the chain in one worktree.
type Link struct {
	Cmd, Wt                 string
	Start, Complete, Failed Mark             // the newest of each
	Session                 logfmt.SessionID // of the newest
	Open                    bool             // started, and neither complete nor failed since
	Jumped                  []string         // commands between it and its nearest known predecessor that were not complete when it started
}

// Advice is a task that aburn queued.
type Advice struct {
	Task, Type, Signature string
	Session               logfmt.SessionID // "" = the project
	Queued                Mark
	Delivered, Seen       Mark // printed; found in the transcript
	Resolved              Mark
	Turns                 int // turns of its session that ended after it was delivered
}

// Told is an alert that the user was told.
type Told struct {
	Mark
	Signature string
}
