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
)

// Types lists the names in the order of the documentation.
func Types() []string {
	return []string{
		Loop, PhaseStuck, Regression, OutOfOrder, ChainBroken, TDDViolation, ExplicitFailure, AgentFailed, ToolFailureRun, EditChurn,
		Silence, MissingMilestone, Declining, IncompleteOutput, AgentSilence, Undeclared, IgnoredAdvice,
		AbruptStop, Partial, AbandonedAgent, KilledTool,
		PermissionWait, QuestionWait,
	}
}
