// Package trace is the waist of the house: what a session of any coding agent is, whichever agent it was. Readers, one
// package an agent (trace/claude, trace/codex, …), bring what the agents have written to disk to SessionTraces;
// everything above asks only this package and never which agent a session came from.
//
// A trace says what the source says. What is worked out instead says so (Inferred, Provenance), and what the source does
// not tell stays unknown: a missing exit code is not 0, a missing time is the zero time, a call without a result has no
// status. Nothing in it is content: sizes, hashes, paths, ids, and a few short heads that were scrubbed.
//
// Invariants that Validate holds:
//   - Events are numbered from 1 without a gap, in the order in which the source holds them. Clocks order nothing.
//   - Each event names the place that it was read from.
//   - A tool_result event points at its ToolResultEvent and back; both name a call, and a call that the trace holds comes
//     before them.
//   - What was copied from another session (Copied) is in the trace, for its story, and in no count.
//
// The package is pure: no files, no clock, no environment.
package trace
