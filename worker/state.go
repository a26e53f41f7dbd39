package worker

// State is one of the eight canonical states.
type State uint8

// The states.
const (
	NotStarted State = iota
	Working
	Idle
	NeedsInput
	Detecting // it looks dead or cannot be seen; nothing is proven
	Stuck
	Done
	Terminated
)

var stateNames = [...]string{"not_started", "working", "idle", "needs_input", "detecting", "stuck", "done", "terminated"}

// States lists the states.
func States() []State {
	return []State{NotStarted, Working, Idle, NeedsInput, Detecting, Stuck, Done, Terminated}
}

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// Reason says why a worker is in its state.
type Reason string

// The reasons. Nothing is known of a worker whose reason is empty.
const (
	NothingKnown       Reason = ""
	SpawnRequested     Reason = "spawn_requested"
	AgentAcknowledged  Reason = "agent_acknowledged"
	TaskInProgress     Reason = "task_in_progress"
	FixingCI           Reason = "fixing_ci"
	ResolvingReview    Reason = "resolving_review_comments"
	Verifying          Reason = "verifying" // the agent said done, its gates run
	TurnIsOver         Reason = "turn_ended"
	AwaitingReview     Reason = "awaiting_external_review"
	MergedWaiting      Reason = "merged_waiting_decision"
	ClosedWaiting      Reason = "pr_closed_waiting_decision"
	AwaitingUser       Reason = "awaiting_user_input"
	BudgetReached      Reason = "budget_reached"
	VerifyFailed       Reason = "verify_failed" // the gates failed once more than retries allow
	NotProgressing     Reason = "no_progress"
	OutOfReach         Reason = "out_of_reach" // the runtime is gone, the agent lives
	ResearchComplete   Reason = "research_complete"
	Revived            Reason = "revived" // it was called terminated, yet lives
	ManuallyKilled     Reason = "manually_killed"
	RuntimeLost        Reason = "runtime_lost"
	AgentProcessExited Reason = "agent_process_exited"
	ProbeFailure       Reason = "probe_failure"
	ErrorInProcess     Reason = "error_in_process"
	AutoCleanup        Reason = "auto_cleanup"
	PullRequestMerged  Reason = "pr_merged"
)

// Reasons lists the reasons that s can have.
func (s State) Reasons() []Reason {
	switch s {
	case NotStarted:
		return []Reason{NothingKnown, SpawnRequested, Revived}
	case Working:
		return []Reason{TaskInProgress, FixingCI, ResolvingReview, Verifying, Revived}
	case Idle:
		return []Reason{AgentAcknowledged, TurnIsOver, AwaitingUser, AwaitingReview, MergedWaiting, ClosedWaiting, Revived}
	case NeedsInput:
		return []Reason{AwaitingUser, ErrorInProcess, BudgetReached, VerifyFailed, Revived}
	case Detecting:
		return []Reason{AgentProcessExited, RuntimeLost, ProbeFailure}
	case Stuck:
		return []Reason{NotProgressing, OutOfReach, ProbeFailure}
	case Done:
		return []Reason{ResearchComplete, Revived}
	}
	return []Reason{ManuallyKilled, RuntimeLost, AgentProcessExited, ProbeFailure, ErrorInProcess, AutoCleanup, PullRequestMerged}
}
