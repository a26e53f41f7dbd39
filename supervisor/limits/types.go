package limits

// The names of the types of issues, as settings, logs and answers have them.
const (
	Loop             = "loop"
	PhaseStuck       = "phase_stuck"
	Regression       = "regression"
	OutOfOrder       = "out_of_order"
	ChainBroken      = "chain_broken"
	TDDViolation     = "tdd_violation"
	ExplicitFailure  = "explicit_failure"
	AgentFailed      = "agent_failed"
	ToolFailureRun   = "tool_failure_run"
	EditChurn        = "edit_churn"
	Silence          = "silence"
	MissingMilestone = "missing_milestones"
	Declining        = "declining_velocity"
	IncompleteOutput = "incomplete_outputs"
	AgentSilence     = "agent_silence"
	Undeclared       = "undeclared_command"
	IgnoredAdvice    = "ignored_advice"
	AbruptStop       = "abrupt_stop"
	Partial          = "partial_completion"
	AbandonedAgent   = "abandoned_agent"
	KilledTool       = "killed_tool"
	PermissionWait   = "permission_wait"
	QuestionWait     = "question_wait"
	UnprovedDone     = "unproved_done"
	BlockedByService = "blocked_by_service"
	AgentHangs       = "agent_hangs"
	Overwritten      = "overwritten"
	CompactionChurn  = "compaction_churn"
)

// InTurnAbove is the confidence above which an issue of a type of InTurn may be told inside of a turn.
const InTurnAbove = 0.95

// InTurn lists the types that an agent may be told inside of a turn: more of the turn proves them further, and nothing
// that the turn may still do explains them.
func InTurn() []string { return []string{Loop, ToolFailureRun, EditChurn, PhaseStuck} }

// Group is what some types have in common.
type Group string

// The groups.
const (
	Presence Group = "presence of bad"
	Absence  Group = "absence of good"
	Hard     Group = "hard stops"
	Waiting  Group = "waiting"
)

// Kind is what is fixed about a type, whatever the evidence.
type Kind struct {
	Type     string
	Group    Group
	Priority string // critical, high, medium or low
	Earned   bool   // the corpus has proved it: its confidence may exceed MaxUnearned
	Means    string // when it is reported, in a sentence for docs
}

// MaxUnearned is the highest confidence of a type that has not earned more. It is below the default of QueueAbove.
const MaxUnearned = 0.9

// kinds lists all types in the order of the documentation. A type is its name above, a row here, and a detector in supervisor.
var kinds = [...]Kind{
	{Loop, Presence, "high", true,
		"the same call with the same input and result, up to three calls in turns, or the same milestone, again and again with no progress and no change between"},
	{PhaseStuck, Presence, "high", true, "a phase was worked on for longer than its timeout, with no progress for as long and no call open"},
	{Regression, Presence, "high", true,
		"a test that had passed is broken, outside a phase that wants a failing test, and the command or phase failed with it broken"},
	{OutOfOrder, Presence, "medium", true, "a phase was started without an earlier one that the model requires"},
	{ChainBroken, Presence, "medium", true, "a command of the chain was started although the one before it was skipped, failed or never finished"},
	{TDDViolation, Presence, "high", true,
		"production code was edited in a phase for tests only, or the next phase began and no test was seen or declared failing"},
	{ExplicitFailure, Presence, "critical", true, "a command ended with FAILED, and its session did not complete it since; or a phase did, and was left"},
	{AgentFailed, Presence, "high", true, "a sub-agent's end reports a failure, and nobody did its task since"},
	{ToolFailureRun, Presence, "high", true, "many calls in a row failed, with different inputs"},
	{EditChurn, Presence, "medium", true, "a file's content goes back and forth between contents that it had before"},
	{Overwritten, Presence, "high", false, "two sessions change a file in turns"},
	{CompactionChurn, Presence, "medium", false, "compactions with the same reads after each, and little done between"},
	{UnprovedDone, Presence, "high", true,
		"a command, phase, worker or last message claims success, and the last check of the code failed, is older than the change, or did not run"},

	{Silence, Absence, "medium", false, "a session works on a command, nothing was recorded for long, and nothing explains that"},
	{MissingMilestone, Absence, "low", false, "a slice is over without a milestone, in a command that is expected to log some"},
	{Declining, Absence, "low", false, "the gaps between milestones grow, one after the other or as a trend, with no pause inside"},
	{IncompleteOutput, Absence, "high", true, "a COMPLETE names a file that does not exist"},
	{AgentSilence, Absence, "medium", false, "a sub-agent was started long ago, and it and its tools have no entry"},
	{AgentHangs, Absence, "medium", false, "a background sub-agent's call is open for long, its parent went on"},
	{Undeclared, Absence, "low", true, "a command of the chain was invoked, and a turn of work passed without a lifecycle entry of it"},
	{IgnoredAdvice, Absence, "medium", true, "advice was delivered and seen, and the same trouble continues over turns of work"},

	{AbruptStop, Hard, "critical", true, "a session ended in the middle of a turn, not by the user, or its process is gone"},
	{Partial, Hard, "critical", false, "a command has complete phases, neither ended nor failed, and its session is over or gone"},
	{AbandonedAgent, Hard, "critical", false, "a sub-agent had started and has no entry for long, and its parent continued or finished"},
	{KilledTool, Hard, "critical", true, "a call was open when its session was cut off, or when another process resumed it"},

	{BlockedByService, Waiting, "high", false, "turns in a row ended in a rate limit, overload, or used-up quota or context"},
	{PermissionWait, Waiting, "high", false, "a permission was not answered for long"},
	{QuestionWait, Waiting, "medium", false, "a question to the user was not answered for long"},
}

// Kinds lists the types with what is fixed about each, in the order of the documentation.
func Kinds() []Kind { return append([]Kind(nil), kinds[:]...) }

// Types lists the names in the order of the documentation.
func Types() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].Type
	}
	return names
}

// KindOf returns the row of a type; the zero Kind for a name that no type has.
func KindOf(name string) Kind {
	for i := range kinds {
		if kinds[i].Type == name {
			return kinds[i]
		}
	}
	return Kind{}
}
