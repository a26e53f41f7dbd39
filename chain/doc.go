// Package chain answers "what did the commands before me produce?" from a log: the last
// COMPLETE of a command in the caller's worktree, and whether it still holds. It knows no agent.
//
// Invariants:
//   - Only a COMPLETE without a phase and without a sub-agent counts. Order is file order; no
//     clock decides it.
//   - Work does not grow with the log. The search reads back to the hit, then at most one more
//     MiB for the predecessor. A miss ends with the newest segment, which carries the last lines
//     of every command, or after 64 MiB of a file that was never rotated. What lies beyond is
//     unknown, and the answer says nothing about it.
//   - The log may have been written by somebody hostile. A file that it names is examined only
//     inside the worktree that it names, which must be one of this project. It is hashed only if
//     it is regular and at most 64 MiB.
//
// # Where to begin
//
// It may import the journal, logfmt, workflow and plumbing. Begin with Open, Query and Log.Last.
package chain
