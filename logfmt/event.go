package logfmt

// Event is what an entry is about. Unknown events are valid: kept and shown.
type Event string

// The events, by who writes them: prompts (lifecycle), hooks, agents that are workers, aburn itself.
const (
	Start         Event = "START"
	PhaseStart    Event = "PHASE_START"
	PhaseComplete Event = "PHASE_COMPLETE"
	Milestone     Event = "MILESTONE"
	AgentSpawn    Event = "AGENT_SPAWN"
	AgentComplete Event = "AGENT_COMPLETE"
	Complete      Event = "COMPLETE"
	Failed        Event = "FAILED"

	SessionStart Event = "SESSION_START"
	SessionEnd   Event = "SESSION_END"
	Prompt       Event = "PROMPT"
	Command      Event = "COMMAND"
	ToolStart    Event = "TOOL_START"
	Tool         Event = "TOOL"
	ToolFailed   Event = "TOOL_FAILED"
	ToolDenied   Event = "TOOL_DENIED"
	Permission   Event = "PERMISSION"
	Notify       Event = "NOTIFY"
	Stop         Event = "STOP"
	TurnFailed   Event = "TURN_FAILED"
	Interrupt    Event = "INTERRUPT"
	Compact      Event = "COMPACT"
	Unreadable   Event = "UNREADABLE"

	WorkerDone Event = "WORKER_DONE"
	WorkerAsk  Event = "WORKER_ASK"

	Intervention Event = "INTERVENTION"
	Delivered    Event = "DELIVERED"
	Resolved     Event = "RESOLVED"
	Checkpoint   Event = "CHECKPOINT"
	Unwritten    Event = "UNWRITTEN"
	Accepted     Event = "ACCEPTED"
	Snapshot     Event = "SNAPSHOT"
	Undo         Event = "UNDO"
)

// Events lists the known events in the order of SPEC.md.
func Events() []Event {
	return []Event{
		Start, PhaseStart, PhaseComplete, Milestone, AgentSpawn, AgentComplete, Complete, Failed,
		SessionStart, SessionEnd, Prompt, Command, ToolStart, Tool, ToolFailed, ToolDenied,
		Permission, Notify, Stop, TurnFailed, Interrupt, Compact, Unreadable,
		WorkerDone, WorkerAsk,
		Intervention, Delivered, Resolved, Checkpoint, Unwritten, Accepted, Snapshot, Undo,
	}
}

// Known reports whether SPEC.md names ev.
func (ev Event) Known() bool {
	for _, k := range Events() {
		if k == ev {
			return true
		}
	}
	return false
}

// Lifecycle reports whether ev is about the life of a command, phase or agent.
func (ev Event) Lifecycle() bool {
	switch ev {
	case Start, PhaseStart, PhaseComplete, Milestone, AgentSpawn, AgentComplete, Complete, Failed:
		return true
	}
	return false
}

// OfWorker reports whether a worker's agent says ev of itself, with aburn done and aburn ask.
func (ev Event) OfWorker() bool { return ev == WorkerDone || ev == WorkerAsk }

// Durable reports whether an entry with ev is synced to disk before it is acknowledged.
func (ev Event) Durable() bool {
	switch ev {
	case Complete, Failed, PhaseStart, PhaseComplete, WorkerDone, WorkerAsk, Checkpoint, Accepted, Undo:
		return true
	}
	return false
}
