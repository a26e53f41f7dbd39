// Package hooks turns one payload of a coding agent into entries of the project's log
// and hands the agent the advice that waits for it. It is linked into aburn-hook, which
// runs on every tool call, so it imports only what a run needs.
//
// One run is one process and one event. Invariants:
//   - It ends within Deadline of its payload, for which it waits as long as that is coming, and the caller exits 0 whatever happens.
//   - Nothing is printed unless the whole answer is one JSON object of the shape
//     that this agent accepts.
//   - The environment is read for switches and folders, never recorded.
//   - One append writes all entries of a run about the event. Foreign files
//     (transcripts, edited files) are read before the log is locked.
//   - A text reaches an agent only at a prompt of the session itself or, if the user
//     wants that, after a tool call or at the end of its turn, in a project that this
//     user trusts.
//   - A tool call costs a look only if its end and the newest entries before it could
//     be part of a trouble that the user wants to be told inside of a turn.
//   - A task is claimed on disk before it is printed, and noted as delivered after
//     that. A failure in between changes neither exit code nor the shape of stdout.
//
// Race: two hooks of one session may run at once, in any order. Each sees the
// log under the lock, so both attribute by what is on disk before them, and a
// tool event that arrives twice has the same id and is written once.
//
// # Where to begin
//
// An agent's own package (hooks/claude, …) may import hooks, internal/agentcli, internal/project and logfmt, and never
// another agent's. Begin with Run; hooks/claude shows what an agent adds.
package hooks
