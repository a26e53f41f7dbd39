package state

import (
	"strconv"
	"time"

	"aburn/internal/agentcli"
	"aburn/logfmt"
	"aburn/supervisor/limits"
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

// Anchor names the entry that an issue hangs on by what does not change when the
// log is folded anew from a later segment: its number, or its time.
func (m Mark) Anchor() string {
	if m.Seq != 0 {
		return "s" + strconv.FormatUint(uint64(m.Seq), 10)
	}
	return "t" + strconv.FormatInt(m.At, 10)
}

// Entry names the entry to people.
func (m Mark) Entry() string {
	if m.Seq == 0 {
		return "an entry without a number"
	}
	return "entry " + strconv.FormatUint(uint64(m.Seq), 10)
}

// Cited is " (entry 12)", or nothing for the zero Mark.
func (m Mark) Cited() string {
	if !m.Is() {
		return ""
	}
	return " (" + m.Entry() + ")"
}

// State is the facts of a number of entries.
type State struct {
	Entries  uint64     // how many were folded
	Repeats  uint64     // entries that were folded before, by their id: they changed nothing else
	Last     Mark       // the newest
	Sessions []*Session // by first appearance; at most maxSessions, the longest silent (ended ones first) are forgotten
	Links    []*Link    // the chain: what each command of the model last did, by worktree; at most maxLinks
	Advice   []*Advice  // what was queued, newest last; at most maxAdvice
	Told     []Told     // what the watcher told the user and has not been resolved, newest last; at most maxTold
	Forgot   int        // sessions that were forgotten
	Unread   int        // payloads that no hook could read; nobody knows of which session
	UnreadAt Mark       // the newest of them

	model  *workflow.Model
	limits *limits.Limits
	fold   *folder // what folding needs besides the facts
}

// Session is one session of an agent. Entries that name no session are one of
// their own for each worktree, with the ID "": they may be of several, so they
// prove little about any.
type Session struct {
	ID          logfmt.SessionID
	Source      string // the agent, as its hooks say; "" = no hook of it was heard, so only what prompts logged is known, and no turn's end
	Wt          string // worktree of its newest entry
	First, Last Mark   // of its entries, sub-agents included; aburn's own (source aburn) do not count
	Heard       int    // its entries, without those that were carried; 0 = only carried ones: it may have gone on or ended since
	Middle      bool   // its beginning is not in the log: the first entry was none that begins a session, or was carried
	Proc        Proc   // the agent's process, as last told
	Turn        Turn
	Turns       int // that began (PROMPT entries of the session itself)
	Blocked     Blocked
	Lost        Lost         // zero while nothing is; the same calls made again, an end of a command or of the session, or two turns of work clear it
	End         End          // zero while it has none; SESSION_START, PROMPT, COMMAND and what begins a piece of work of the session itself clear it
	Waits       []Wait       // unanswered permissions and questions, oldest first; at most maxWaits
	Own         Line         // its own work
	Agents      []*Agent     // sub-agents in order of appearance; at most maxAgents, ended ones are forgotten first
	Calls       []*Call      // open calls of the session and its sub-agents, oldest first; at most maxCalls
	Files       []*File      // edited files, newest last; at most maxFiles; dropped when the session ends
	Tests       []*Test      // test commands that ran, newest last; at most maxTests
	Checks      []*Checked   // tests, builds, type checks and linters by worktree, the newest last; at most maxChecks
	Compactions []Compaction // newest last; at most maxCompactions
	Acted       Mark         // the newest shell call that ended well and may be a check that aburn does not know
	Claims      []*Claim     // of success, newest last; at most maxClaims
	Invoked     *Invocation  // the newest slash command that is a command of the model
	Progress    Moment       // the newest progress: phase event, milestone with another text than the one before, new content of a file, test whose result changed
	Asked       Mark         // the newest prompt of a person
	Wanted      int          // how often that prompt asks to do something again; 0 = it asks for no repetition
	Epoch       Epoch
	Clock       Clock // how long it has worked, until Last; see ClockAt
}

// ReviewsNeverEnd reports whether turns of a machine's own prompts may stay without an end in the log.
func (s *Session) ReviewsNeverEnd() bool { return s.traits().ReviewsNeverEnd }

// traits are what is known of the agent; all false for an unknown one.
func (s *Session) traits() *agentcli.Traits { return &agentcli.Of(s.Source).Traits }

// Proc is one process on one host; the zero value is unknown.
type Proc struct {
	PID, Start int64 // Start as the kernel counts; 0 = unknown
	Host       string
}

// Turn is the work between a prompt and its end.
type Turn struct {
	Open    bool         // the session itself is at work: a prompt, or a call or lifecycle entry of its own, and no end since
	Start   Mark         // of the newest turn
	Machine bool         // its prompt was machine-made; some clients never tell the end of a review
	Steered bool         // its prompt came while the one before was open
	Calls   int          // tool calls that ended in it, those of sub-agents too
	Ended   Mark         // when the last one ended
	By      logfmt.Event // how: STOP, TURN_FAILED, INTERRUPT, SESSION_END, NOTIFY (the client says it is idle), or SESSION_START (anew, no end was told)
}

// End is the end of a session.
type End struct {
	Mark
	Reason  string  // the client's word: clear, logout, prompt_input_exit, other, …
	InTurn  bool    // a turn was open
	Waiting bool    // a permission or question was open
	Calls   []*Call // that were open then, without those that waited for the user; what ends after all leaves it
}

// Lost is what was open when another process took the session up. Nobody will tell its end.
type Lost struct {
	Mark       // the new process's first entry
	Turn  Mark // the start of the turn that was cut off
	Proc  Proc // the earlier process; zero: it is not known that the process is another one
	Calls []*Call
	Turns int // that ended with STOP since, with at least one call in them
}

// Wait is a question to the user that nobody has answered.
type Wait struct {
	Since    Mark
	Question bool   // else a permission
	Tool     string // what it is about
	Input    string // its head or path
	Call     string // the id of the open call that it holds up; "" if none is known
	Agent    string // of a sub-agent
	// the client reminded the user (NOTIFY). Claude Code does so 6 s after the dialog if it is still open, and tells no
	// answer but the call's end: without a reminder the call probably runs
	Noted Mark
}

// Clock is a session's time of work in milliseconds: while a turn is open and
// nothing explains a standstill. Between two entries it stands still while the
// session itself waits for the user, once a call of its own has run for a minute,
// with a call in the background after a minute without an entry, and before a
// person's prompt or a process's start, when nobody knows. It only grows.
type Clock int64

// Epoch is the last entry after which a repeated action counts as new: progress, a
// changed file, a person's prompt, or the first call of a turn that a machine began. It
// is that entry's seq, or its time in Unix milliseconds if it has none; 0 = none since
// the session's first entry.
type Epoch uint64

// Line is one line of work: a session's own, or a sub-agent's.
type Line struct {
	Run    *Run   // the newest command, or the one that was heard of last; nil before the first
	Before []*Run // commands before it, newest last; at most maxRuns
	Recent []Did  // calls that ended, newest last; at most maxRecent; dropped when the session or the sub-agent ends
	Fails  Streak // failing calls in a row; the first call that ends after a person's prompt begins anew, unless they are a trouble already
	Same   Repeat // the newest milestone's text, repeated
}

// Run is one command from START to its end. A later FAILED or COMPLETE of an
// ended one, with no START between, says anew how it ended.
type Run struct {
	Cmd, Wt    string
	Start      Mark     // zero: it began before the log, or did not say so
	At         Clock    // the session's clock at its start
	End        Mark     // zero while it is open
	Failed     bool     // it ended with FAILED
	Phases     []*Phase // newest last, the only one that may be open; at most maxPhases
	Done       int      // phases complete
	Milestones []Moment // newest last; at most maxMilestones
	Reached    int      // milestones in all
	Through    uint64   // phases complete in the slice that goes on, as bits by their places in the model
	Said       bool     // a milestone came in that slice
	Unsaid     int      // phases complete since the newest milestone
	Silent     Mark     // where the first slice since the newest milestone was over without one; zero: none
	Outputs    []Output // of its COMPLETE; at most maxOutputs
}

// Phase is one phase of a run.
type Phase struct {
	Name       string
	Start, End Mark  // no Start: it began before the log, or did not say so; no End: open if it is the newest of an open run, else another began without it
	At         Clock // the session's clock at its start
	Failed     bool  // it ended with FAILED
	EndAt      Clock // the session's clock at its end
	Regressed  bool  // its FAILED says that something is broken which had worked
	// the required phase that was jumped over to get here from the phase before: of this line, or, if that had ended, of
	// another line of the session with the same command
	Skipped    string
	Edits      []Edit // of a phase that is TestsOnly: production files edited in it by whomever in the session; at most maxEdits, the first ones
	Edited     int    // how many such edits
	TestFailed Mark   // the first test command that failed in it, of whomever in the session
	TestPassed Mark   // the first that passed
	TestUnsure int    // test commands in it whose result is not known: behind a pipe, cut, in the background
	Declared   bool   // an entry of it says that a test fails
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
	Background bool   // its result said that it still runs, or it ran on when the turn had ended
	Spawns     string // the sub-agent that it started
	Cut        Mark   // a prompt came while it ran: it was interrupted, unless the client tells its end; forgotten at the next sign of work
}

// Did is a call that ended.
type Did struct {
	Mark
	Key    uint32 // hash of (tool, whole input); 0 = the input is not known
	Tool   string
	Input  string // head or path, cut
	Failed bool   // not by an interrupt
	Denied bool
	Unsure bool   // how it ended is not known, or it was interrupted
	Edit   bool   // it changed a file, or should have
	Result uint32 // hash of what is known of its result: event, exit code, outcome, sha256, bytes, and what it answered
	Known  bool   // its answer is part of Result, or it was denied
	Beside bool   // something that its line of work had started ran in the background
	Epoch  Epoch  // the session's, before what the call itself changed
}

// Streak is a run of failing calls of one line. A success ends it. These neither count
// nor end it: denied, interrupted and unsure calls, calls of aburn, tests in a phase
// that should show a failing one, and exit code 1 of a search that found nothing.
type Streak struct {
	First, Last Mark
	Count       int
	Inputs      []uint32 // different keys; at most maxInputs
}

// Repeat is one text logged again and again, with nothing new between.
type Repeat struct {
	First, Last Mark
	Key         uint32
	Count       int
	Epoch       Epoch
}

// File is a file that the session edits.
type File struct {
	Path, Wt string
	Hashes   []Version // of the content after each edit that changed it, newest last; at most maxVersions
	Edits    int       // that succeeded
}

// Version is one content of a file.
type Version struct {
	Mark
	Hash uint32 // of the sha256; 0 = not known
}

// Test is a test command of the session and its sub-agents, where its exit code
// says what the tests said.
type Test struct {
	Key                 uint32 // of the tool and the command line; a client may word the rest of the input anew each time
	Input               string
	FirstPass, LastPass Mark
	Broke               Mark // the first failure after LastPass; zero while it passes, or never did
	LastFail            Mark
	Runs                int // whose result is known
}

// Agent is a sub-agent.
type Agent struct {
	ID, Type   string // ID "": only its type was told; prompts tell no more, and often not its end
	In         string // the sub-agent that started it; "" = the session, or not known
	Parent     string // the command active in its parent when it was spawned
	Spawned    Mark   // zero: before the log
	Begun      Mark   // its first own entry
	Last       Mark   // its newest own entry
	Ended      Mark   // zero while it runs; it may be asked again after that
	Failed     bool   // its end says so: the status, or FAILED of its own command with no COMPLETE after it
	Status     string // as its end says it
	Cut        Mark   // it ended with what it was part of: an interrupted turn, or its session's end or new beginning; no fault of its own
	Background bool   // it runs beside the session's turns; in some clients always so
	Call       string // the id of the call in the background that it is, if known
	Line       Line
}

// Invocation is a command that the user called.
type Invocation struct {
	Mark
	Cmd      string
	Declared bool // its prompt has logged something since
	Turns    int  // turns that ended with STOP, with at least one call in them, before it was declared
	Calls    int  // calls that ended since
}

// Link is what is known about one command of the chain in one worktree.
type Link struct {
	Cmd, Wt                 string
	Start, Complete, Failed Mark             // the newest of each
	Session                 logfmt.SessionID // of the newest
	Open                    bool             // started, and neither complete nor failed since
	By                      logfmt.SessionID // of the newest entry about it, its phases' included
	Left                    Mark             // while Open: By ended, and did not come back
	// commands before it of which nothing is known in any worktree, back to one that is: as of its newest START; empty
	// where none before it is known. What was before the end of a round (the last command complete in this worktree) is
	// not known after it
	Jumped []string
	Heard  bool // not only carried entries speak of it
}

// Advice is a task that aburn queued.
type Advice struct {
	Task, Type, Signature string
	Session               logfmt.SessionID // "" = the project
	Queued                Mark
	Delivered, Seen       Mark // printed; found in the transcript
	InTurn                bool // it was printed inside of a turn
	Resolved              Mark
	SameTurn              bool   // Resolved before the session's next turn began
	Untold                string // why the task ended undelivered: Expired or Full (the issue may still be open), Over; "" if it did not
	Turns                 int    // turns of its session that ended with STOP, with at least one call in them, after it was delivered
}

// Why a task ended untold, as RESOLVED says it and Advice.Untold keeps it.
const (
	Expired = "expired"
	Full    = "full"
	Over    = "session over"
)

// Told is an alert that the user was told.
type Told struct {
	Mark
	Signature string
}
