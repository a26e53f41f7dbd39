package worker

import (
	"time"

	"aburn/logfmt"
)

// File is where a fact stands. At one moment the agent's files come before the ledger.
type File uint8

// The files.
const (
	Log    File = iota // .oss/workflow.log
	Store              // the agent's own transcript or protocol
	Ledger             // the worker's ledger
	files
)

// Ref names a fact by its place.
type Ref struct {
	File File
	Seq  uint64
}

// Kind says what a fact tells.
type Kind string

// The kinds that an agent's log entries, transcript or protocol give.
const (
	Started     Kind = "started" // startup, resume
	Prompted    Kind = "prompt"
	ToolBegan   Kind = "tool_began"
	ToolEnded   Kind = "tool_ended"  // also failed and denied
	Asks        Kind = "asks"        // permission, question
	Answered    Kind = "answered"    // what it asked was answered, or taken back
	AsksPerson  Kind = "asks_person" // WORKER_ASK: stays open when the turn ends, until a prompt or message
	TurnEnded   Kind = "turn_ended"
	TurnFailed  Kind = "turn_failed"
	Interrupted Kind = "interrupted"
	Cleared     Kind = "cleared"  // the session ended by clear or resume: another one follows
	Ended       Kind = "ended"    // the session ended otherwise
	SaysDone    Kind = "done"     // WORKER_DONE
	Received    Kind = "received" // a message was handed over: DELIVERED, a protocol's receipt
)

// The kinds of the ledger, whose words stand in logfmt.
const (
	Requested    = Kind(logfmt.LedgerRequested)
	Stepped      = Kind(logfmt.LedgerStep) // its tree got files, ports, or what setup makes
	Prepared     = Kind(logfmt.LedgerPrepared)
	Launched     = Kind(logfmt.LedgerLaunched)
	LaunchFailed = Kind(logfmt.LedgerLaunchFailed)
	Certificate  = Kind(logfmt.LedgerCertificate) // the holder waited for the agent and writes how it ended
	Probed       = Kind(logfmt.LedgerProbe)
	Messaged     = Kind(logfmt.LedgerMessage)
	Accepted     = Kind(logfmt.LedgerAccepted)
	Unconfirmed  = Kind(logfmt.LedgerUnconfirmed)
	Held         = Kind(logfmt.LedgerHeld)
	Withdrawn    = Kind(logfmt.LedgerWithdrawn) // a message that was told to nobody, and will not be
	KillAsked    = Kind(logfmt.LedgerKillAsked)
	Pulled       = Kind(logfmt.LedgerPull)
	Checked      = Kind(logfmt.LedgerCheck)
	Reviewed     = Kind(logfmt.LedgerReview)
	Reacted      = Kind(logfmt.LedgerReacted)
	Escalated    = Kind(logfmt.LedgerEscalated)
	Snapshotted  = Kind(logfmt.LedgerSnapshot)
	Preserved    = Kind(logfmt.LedgerPreserved)
	Expired      = Kind(logfmt.LedgerExpired) // a snapshot of which each change was made by a commit too
	Overlapped   = Kind(logfmt.LedgerOverlap)
	Branched     = Kind(logfmt.LedgerBranch) // its worktree is on another branch, which is its own
	Synced       = Kind(logfmt.LedgerSynced)
	Merged       = Kind(logfmt.LedgerMerged)
	Used         = Kind(logfmt.LedgerUsage)
	Budgeted     = Kind(logfmt.LedgerBudget)
	Restored     = Kind(logfmt.LedgerRestored)
	Removed      = Kind(logfmt.LedgerRemoved)
	NoProgress   = Kind(logfmt.LedgerNoProgress) // the supervisor's verdict, or silence in time of work
	Gated        = Kind(logfmt.LedgerGate)       // a run of the gates: started, passed, failed
)

// agents reports whether the agent itself told facts of kind k.
func (k Kind) agents() bool {
	switch k {
	case Started, Prompted, ToolBegan, ToolEnded, Asks, Answered, AsksPerson, TurnEnded, TurnFailed, Interrupted, Cleared, Ended, SaysDone, Received:
		return true
	}
	return false
}

// Life is what a probe can say.
type Life string

// The answers. What was not asked or did not answer is LifeUnknown.
const (
	LifeUnknown Life = ""
	Alive       Life = "alive"
	Dead        Life = "dead"
)

// Process names one process of a host for ever: ids are used again, an id with its start is not.
type Process struct {
	PID   int   `json:"pid"`
	Start int64 `json:"start"` // as the operating system counts
}

// Words of Fact.Is.
const (
	PullOpen, PullMerged, PullClosed                       = "open", "merged", "closed"                        // pr
	CheckPassing, CheckFailing, CheckPending               = "passing", "failing", "pending"                   // ci
	ReviewAsked, ReviewApproved, ReviewChanges, ReviewNone = "asked", "approved", "changes", "no"              // review
	OverlapNone, OverlapFiles, OverlapConflict             = "none", "overlap", "conflict"                     // overlap
	GateStarted, GatePassed, GateFailed                    = "started", "passed", "failed"                     // gate
	ActionSend, ActionNotify, ActionMerge, ActionResume    = "send-to-agent", "notify", "auto-merge", "resume" // reacted
	KeyCI, KeyChanges, KeyBots, KeyConflicts               = "ci-failed", "changes-requested", "bugbot-comments", "merge-conflicts"
)

// Fact is one thing that somebody saw or did. Members that its kind does not use are zero.
type Fact struct {
	File File      `json:"-"`   // said by who reads it
	Seq  uint64    `json:"seq"` // place in its file, from 1, growing; 0 for an entry of the log that its writer could not number
	At   time.Time `json:"at"`  // wall clock, UTC, whole milliseconds
	Kind Kind      `json:"kind"`
	Gen  int       `json:"gen,omitempty"` // the launch that it belongs to, from 1; 0: not said, the present one

	// Up is the uptime of Host since Boot when the fact was written, without time asleep; 0 is unknown.
	Up   time.Duration `json:"-"`
	Boot string        `json:"boot,omitempty"`
	Host string        `json:"host,omitempty"`

	Proc  *Process `json:"proc,omitempty"`  // the agent's process
	Alive bool     `json:"alive,omitempty"` // Proc was seen alive when the fact was read
	Weak  bool     `json:"weak,omitempty"`  // read off the screen: may demote, never promote, never end

	Call    string `json:"call,omitempty"`    // of a tool or permission: the client's id of the call
	Input   string `json:"input,omitempty"`   // hash of its input, where the permission has no id
	Message string `json:"message,omitempty"` // id of a message: sent, accepted, or seen as the tag of a prompt; gate, reacted: what tells the agent
	Person  bool   `json:"person,omitempty"`  // prompt, message: neither a machine nor aburn wrote it

	Server  string `json:"server,omitempty"`  // launched: the runtime server, which may die with all its workers
	Hooks   bool   `json:"hooks,omitempty"`   // launched: the agent reports through hooks
	Gates   bool   `json:"gates,omitempty"`   // requested, launched: gates run on done
	Retries int    `json:"retries,omitempty"` // and how often a failure goes back to the agent

	Exit   *int   `json:"exit,omitempty"`   // certificate; absent after a signal
	Reason Reason `json:"reason,omitempty"` // kill_asked: manually_killed, auto_cleanup, pr_merged
	Forget bool   `json:"forget,omitempty"` // kill_asked: the host cannot be asked; ends in the book

	Runtime Life `json:"runtime,omitempty"` // probe
	Process Life `json:"process,omitempty"`
	Holder  Life `json:"holder,omitempty"`
	Mass    bool `json:"mass,omitempty"` // held back by Mass

	Is        string `json:"is,omitempty"`        // pr, ci, review, gate, overlap: the words above
	PR        int    `json:"pr,omitempty"`        // number
	Head      string `json:"head,omitempty"`      // commit of the branch that was judged
	Draft     bool   `json:"draft,omitempty"`     // pr: nobody is asked to merge it yet
	Conflicts bool   `json:"conflicts,omitempty"` // pr
	Unsure    bool   `json:"unsure,omitempty"`    // pr: the forge has not said whether it conflicts
	Threads   int    `json:"threads,omitempty"`   // review: open threads
	Key       string `json:"key,omitempty"`       // reacted, escalated: which reaction
	Action    string `json:"action,omitempty"`    // reacted

	Full    bool `json:"full,omitempty"`    // budget: all of it
	Clean   bool `json:"clean,omitempty"`   // snapshot, removed: nothing in the tree that is not on another ref
	Changes *int `json:"changes,omitempty"` // snapshot: files that differ from the last commit; absent is unknown
	Differs *int `json:"differs,omitempty"` // snapshot: files that differ from the base, committed or not; absent is unknown
}

func (f *Fact) ref() Ref { return Ref{f.File, f.Seq} }

// names reports whether f names one of the processes.
func (f *Fact) names(ps ...Process) bool {
	if f.Proc == nil {
		return false
	}
	for _, p := range ps {
		if p == *f.Proc {
			return true
		}
	}
	return false
}
