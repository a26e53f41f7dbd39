package agentcli

var all = [...]*Agent{&Claude, &Codex, &Opencode, &Openclaw, &Gemini, &Qwen, &Copilot, &Pi, &Own, &WorkerLedgers}

// quiet are agents that can be workers and are no source: aburn has neither hooks for them nor a reader.
var quiet = [...]*Agent{&Aider}

// Claude is Claude Code, as of 2.1.329.
//
// Its events must not contain WorktreeCreate, because a hook that prints nothing there breaks the creation of
// worktrees, nor MessageDisplay, which runs for every piece of text. Older clients skip each name that they do not
// know. The explicit timeout raises SessionEnd's limit of 1.5 s in settings files, though not in a plugin.
var Claude = Agent{
	Name: "claude", Title: "Claude Code", Program: "claude", Tried: "2.1.329",
	Home:     Home{Dir: ".claude", Var: "CLAUDE_CONFIG_DIR"},
	Settings: Settings{User: "settings.json", Project: ".claude/settings.json", Local: ".claude/settings.local.json", Worktree: true, StatusLine: true},
	Hooks: Hooks{
		Events: []Event{
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
		},
		Exec: true, Once: true, Reloads: true, AtStart: true, ProjectVar: "CLAUDE_PROJECT_DIR",
		Since: "2.1.139", Before: "it doesn't support the exec form of hooks, so it would run aburn-hook without the agent's name",
	},
	Prompts:     Prompts{Folder: ".claude/", Mention: "/", Slash: true},
	Plugin:      Plugin{Form: HooksPlugin, Use: "claude --plugin-dir DIR", RootVar: "CLAUDE_PLUGIN_ROOT"},
	Resume:      "claude --resume",
	FirstPrompt: "--",
	Session:     Session{ID: "CLAUDE_CODE_SESSION_ID"},
	Store: Store{
		Sessions: "projects/*/*.jsonl",
		Result:   `"tool_use_id":`,
		Keeps:    Keeps{Days: 30, File: "settings.json", Setting: "cleanupPeriodDays"},
	},
	Traits: Traits{PromptsCut: true, ShortWindows: true},
}

// Codex is the Codex CLI, as of 0.169.0.
//
// Its hook trust covers the timeouts: a change would ask every user for a new review. It caps SessionEnd and
// Interrupt at 3 s. PreModelRequest is not among the events, because PostModelRequest says the same and more.
var Codex = Agent{
	Name: "codex", Title: "Codex", Program: "codex", Tried: "0.169.0",
	Home:     Home{Dir: ".codex", Var: "CODEX_HOME"},
	Settings: Settings{User: "hooks.json", Project: ".codex/hooks.json"},
	Hooks: Hooks{
		Events: []Event{
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
		},
		Since: "0.124.0", Before: "it runs hooks only with features.codex_hooks switched on",
	},
	Prompts: Prompts{
		Folder: ".agents/", Mention: "$",
		Explicit: "agents/openai.yaml", ExplicitText: "policy:\n  allow_implicit_invocation: false\n",
	},
	Plugin:      Plugin{Form: SkillPlugin, Use: "codex plugin marketplace add DIR && codex plugin add aburn@aburn"},
	Resume:      "codex resume",
	FirstPrompt: "--",
	Session:     Session{ID: "CODEX_SESSION_ID", Thread: "CODEX_THREAD_ID", Call: "CODEX_TOOL_CALL_ID"},
	Store:       Store{Sessions: "sessions/*/*/*/rollout-*.jsonl"},
	Traits: Traits{BackgroundAgents: true, CallsRunOn: true, TellsInterrupts: true, LoginShell: true, HidesCacheWrites: true, ReviewsNeverEnd: true,
		ShortWindows: true},
}

// Opencode is opencode, as of 1.18.33. OpenCode 2 has not been tried: its plugin and its tables are read from public sources.
//
// It has no hooks that are commands: aburn's plugin calls the hook, with events and fields of its own. Home is the folder
// of settings; the sessions lie elsewhere.
var Opencode = Agent{
	Name: "opencode", Title: "opencode", Program: "opencode", Tried: "1.18.33",
	FirstPrompt: "--prompt",
	Home:        Home{Dir: ".config/opencode", TopVar: "XDG_CONFIG_HOME"},
	Settings:    Settings{User: "plugin/aburn.js"},
	Hooks: Hooks{
		Events: []Event{
			{"session.created", 0},
			{"session.resumed", 0},
			{"chat.message", 0},
			{"tool.execute.before", 0},
			{"tool.ended", 0},
			{"permission.asked", 0},
			{"session.idle", 0},
			{"session.error", 0},
			{"session.compacted", 0},
			{"subagent.created", 0},
			{"subagent.idle", 0},
			{"dispose", 0},
		},
		Exec: true,
		Renamed: [][2]string{
			{"session.created", "SessionStart"}, {"dispose", "SessionEnd"}, {"chat.message", "UserPromptSubmit"},
			{"tool.execute.before", "PreToolUse"}, {"tool.ended", "PostToolUse"}, {"session.idle", "Stop"},
		},
		Since: "1.2.27", Before: "aburn's plugin, which is also OpenCode 2's, keeps it from starting",
	},
	Prompts: Prompts{Folder: ".opencode/", Mention: "/", Slash: true},
	Session: Session{ID: "ABURN_OPENCODE_SESSION"},
	Store:   Store{Var: "OPENCODE_DB"},
}

// Openclaw is OpenClaw, whose store is read.
var Openclaw = Agent{
	Name: "openclaw", Title: "OpenClaw", Program: "openclaw",
	Home: Home{Dir: ".openclaw", Var: "OPENCLAW_STATE_DIR", BaseVar: "OPENCLAW_HOME"},
}

// Gemini is the Gemini CLI, as of 0.61.0.
//
// Its events must not contain BeforeModel, AfterModel, BeforeToolSelection and PreCompress, which all run at every request
// to the model. It takes any exit code but 0 and 1 with a text for a refusal, 127 of a missing program included.
var Gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Program: "gemini", Tried: "0.61.0",
	FirstPrompt: "--prompt-interactive",
	Home:        Home{Dir: ".gemini", BaseVar: "GEMINI_CLI_HOME"},
	Settings:    Settings{User: "settings.json", Project: ".gemini/settings.json", Worktree: true},
	Hooks: Hooks{
		Events: []Event{
			{"SessionStart", 10},
			{"SessionEnd", 10},
			{"BeforeAgent", 10},
			{"BeforeTool", 10},
			{"AfterTool", 10},
			{"AfterAgent", 10},
			{"Notification", 10},
		},
		MissingBlocks: true, Named: true, Millis: true, Comments: true, Once: true,
		Renamed: [][2]string{{"BeforeAgent", "UserPromptSubmit"}, {"BeforeTool", "PreToolUse"}, {"AfterTool", "PostToolUse"}, {"AfterAgent", "Stop"}},
		Since:   "0.26.0", Before: "its hooks are an experiment that you have to switch on",
	},
	Prompts: Prompts{Folder: ".gemini/", Mention: "/", Slash: true, Braces: true, TOML: true},
	Session: Session{Mark: "GEMINI_CLI"}, // its hooks have GEMINI_SESSION_ID, its model's commands do not
	Store: Store{
		Sessions: "tmp/*/chats/session-*.jsonl",
		Keeps:    Keeps{Days: 30, File: "settings.json", Setting: "general.sessionRetention"},
	},
	Traits: Traits{PromptsCut: true},
}

// Qwen is Qwen Code, as of 0.24.4.
//
// Its events must not contain InstructionsLoaded and MessageDisplay, which run for every piece of text, nor PreCompact,
// which says nothing that PostCompact does not. Older versions read time limits as milliseconds, this one only those from
// 1000 on.
var Qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Program: "qwen", Tried: "0.24.4",
	FirstPrompt: "--prompt-interactive",
	Home:        Home{Dir: ".qwen", Var: "QWEN_HOME"},
	Settings:    Settings{User: "settings.json", Project: ".qwen/settings.json", Worktree: true},
	Hooks: Hooks{
		Events: []Event{
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
			{"PostCompact", 10},
			{"Notification", 10},
		},
		Named: true, Millis: true, Comments: true, Once: true,
	},
	Prompts: Prompts{Folder: ".qwen/", Mention: "/", Slash: true, Braces: true},
	Session: Session{ID: "QWEN_CODE_SESSION_ID"},
	Store:   Store{Var: "QWEN_RUNTIME_DIR", Sessions: "projects/*/chats/*.jsonl"},
	Traits:  Traits{PromptsCut: true},
}

// Copilot is the GitHub Copilot CLI, as of 1.0.102.
//
// Its events must not contain permissionRequest: a hook that fails there denies the call, and it comes for allowed calls
// too.
var Copilot = Agent{
	Name: "copilot", Title: "Copilot CLI", Program: "copilot", Tried: "1.0.102",
	FirstPrompt: "--interactive",
	Home:        Home{Dir: ".copilot", Var: "COPILOT_HOME"},
	Settings:    Settings{User: "hooks/aburn.json", Project: ".github/hooks/aburn.json", Worktree: true},
	Hooks: Hooks{
		Events: []Event{
			{"sessionStart", 10},
			{"sessionEnd", 10},
			{"userPromptSubmitted", 10},
			{"preToolUse", 10},
			{"postToolUse", 10},
			{"postToolUseFailure", 10},
			{"agentStop", 10},
			{"subagentStart", 10},
			{"subagentStop", 10},
			{"errorOccurred", 10},
			{"preCompact", 10},
			{"notification", 10},
		},
		EventArg: true, MissingBlocks: true,
		Renamed: [][2]string{
			{"sessionStart", "SessionStart"}, {"sessionEnd", "SessionEnd"}, {"userPromptSubmitted", "UserPromptSubmit"},
			{"preToolUse", "PreToolUse"}, {"postToolUse", "PostToolUse"}, {"agentStop", "Stop"},
		},
		Since: "1.0.0", Before: "aburn was not tried with it",
	},
	Prompts: Prompts{Folder: ".github/", Mention: "/"},
	Session: Session{Thread: "COPILOT_AGENT_SESSION_ID"},
	Store:   Store{Sessions: "session-state/*/events.jsonl"},
	Traits:  Traits{TellsAgentEnds: true},
}

// Pi is pi (@earendil-works/pi-coding-agent), as of 1.6.0.
//
// It has no hooks that are commands: aburn's extension calls the hook, with fields of its own. It asks for no permission and has no
// sub-agents.
var Pi = Agent{
	Name: "pi", Title: "pi", Program: "pi", Tried: "1.6.0",
	Home:     Home{Dir: ".pi/agent", Var: "PI_CODING_AGENT_DIR"},
	Settings: Settings{User: "extensions/aburn.js"},
	Hooks: Hooks{
		Events: []Event{
			{"session_start", 0},
			{"session_shutdown", 0},
			{"before_agent_start", 0},
			{"tool_execution_start", 0},
			{"tool_execution_end", 0},
			{"agent_settled", 0},
			{"session_compact", 0},
		},
		Exec: true,
		Renamed: [][2]string{
			{"session_start", "SessionStart"}, {"session_shutdown", "SessionEnd"}, {"before_agent_start", "UserPromptSubmit"},
			{"tool_execution_start", "PreToolUse"}, {"tool_execution_end", "PostToolUse"}, {"agent_settled", "Stop"},
		},
		Since: "1.6.0", Before: "aburn was not tried with it",
	},
	Resume:  "pi --session",
	Session: Session{ID: "PI_SESSION_ID"},
	Store:   Store{Var: "PI_CODING_AGENT_SESSION_DIR", Sessions: "sessions/*/*.jsonl"},
	Traits:  Traits{TellsInterrupts: true},
}

// Aider is aider, as of 0.86. It has neither hooks nor a store that is read.
var Aider = Agent{Name: "aider", Title: "aider", Program: "aider"}

// Own is the source of the sessions in aburn's own log. It is no agent, but a reader reads it like one.
var Own = Agent{Name: "own", Title: "via hooks", Traits: Traits{Recorded: true}}

// WorkerLedgers is the source of what the ledgers of aburn's workers say. It is no agent, but a reader reads it like one.
var WorkerLedgers = Agent{Name: "worker", Title: "aburn's workers", Traits: Traits{Recorded: true}}
