package templates

// HookEvent is one event of an agent that aburn's hook subscribes to.
type HookEvent struct {
	Name    string // as the agent spells it in its settings
	Timeout int    // seconds after which the agent gives up on the hook; the hook itself ends within one
}

// ClaudeEvents is what the hook of Claude Code subscribes to. Older clients drop the names they do not know, one by one.
// Never among them: WorktreeCreate, because a hook that prints nothing there breaks the creation of worktrees, and
// MessageDisplay, which runs for every piece of text. The explicit timeout raises SessionEnd's budget of 1.5 s in
// settings files, though not in a plugin.
func ClaudeEvents() []HookEvent {
	return []HookEvent{
		{"SessionStart", 10},
		{"SessionEnd", 10},
		{"UserPromptSubmit", 10},
		{"UserPromptExpansion", 10},
		{"PreToolUse", 10},
		{"PostToolUse", 10},
		{"PostToolUseFailure", 10},
		{"PostToolBatch", 10},
		{"PermissionRequest", 10},
		{"PermissionDenied", 10},
		{"SubagentStart", 10},
		{"SubagentStop", 10},
		{"Stop", 10},
		{"StopFailure", 10},
		{"PreCompact", 10},
		{"PostCompact", 10},
		{"Notification", 10},
	}
}

// CodexEvents is what the hook of Codex subscribes to. The timeouts are part of what Codex's hook trust covers: a
// change asks every user for a new review. SessionEnd and Interrupt are capped at 3 s by Codex. Not among them:
// PreModelRequest, which says nothing that PostModelRequest does not.
func CodexEvents() []HookEvent {
	return []HookEvent{
		{"SessionStart", 5},
		{"UserPromptSubmit", 5},
		{"PreToolUse", 5},
		{"PermissionRequest", 5},
		{"PostToolUse", 5},
		{"PostModelRequest", 5},
		{"Stop", 5},
		{"SubagentStart", 5},
		{"SubagentStop", 5},
		{"PreCompact", 5},
		{"PostCompact", 5},
		{"Interrupt", 2},
		{"SessionEnd", 2},
	}
}
