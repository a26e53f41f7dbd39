package workflow

// Types lists the types of issues that a supervisor looks for, in the order in which docs list them. Settings names
// them (supervisor.off, supervisor.TYPE.PARAM).
func Types() []string {
	return []string{
		"loop", "phase_stuck", "regression", "out_of_order", "chain_broken", "tdd_violation", "explicit_failure", "agent_failed", "tool_failure_run", "edit_churn",
		"silence", "missing_milestones", "declining_velocity", "incomplete_outputs", "agent_silence", "undeclared_command", "ignored_advice",
		"abrupt_stop", "partial_completion", "abandoned_agent", "killed_tool",
		"permission_wait", "question_wait",
	}
}
