// Package trace is the waist of the house: it says what a session of any coding agent is. Readers, one package per
// agent (trace/claude, trace/codex, …), turn what the agents have written to disk into SessionTraces. Everything above
// asks only this package, and never which agent a session came from.
//
// A trace says what the source says. Inferred and Provenance mark what was worked out instead. What the source does
// not say stays unknown: a missing exit code is not 0, a missing time is the zero time, a call without a result has no
// status. A trace holds no content: only sizes, hashes, paths, ids, and a few short, scrubbed heads.
//
// Validate checks these invariants:
//
//   - Events are numbered from 1 without a gap, in the source's order. Clocks order nothing.
//   - Each event names the place that it was read from.
//   - A tool_result event and its ToolResultEvent point at each other. Both name a call; if the trace holds the call, it
//     comes before them.
//   - What was copied from another session (Copied) stays in the trace, and is in no count.
//
// The package is pure: no files, no clock, no environment, so that any room may use it.
//
// # Where to begin
//
// It imports internal/plain only. A reader may import trace/draft, trace,
// internal/{agentcli,jsonl,sqlite,project,journal} and logfmt, and never another reader. Begin with SessionTrace and
// Reader; trace/claude is the reader to copy from. Packages beside the readers: draft brings what sources say into a
// trace's bounds, packed is its stored form, contents finds a text in an agent's own file, export writes OTLP, graph
// and join relate sessions.
package trace
