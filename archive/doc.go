// Package archive keeps the traces of all sessions in one derived SQLite store of the user, so that they outlive the
// agents' own files.
//
// Invariants:
//   - The body of a trace (packed; package packed) is the only truth in here. Everything else in sessions,
//     calls, relations and spawns is worked out from it, in the transaction that writes it, and can be worked out again. What
//     a parent's spawn tells of a sub-agent stands in relations alone; Trace puts it into the trace.
//   - What was read from a store and the cursor for going on with it are committed together, or the cursor says that
//     the store is to be read from its start. A process that is killed at any moment loses what was not committed,
//     and the next run reads exactly that again.
//   - A session is named by (source, id), and has one trace. When its source is gone, the trace stays and is marked.
//   - Nothing is stored that was not scrubbed by the rules of this executable (Pack refuses it).
//   - user_version is the number of the schema. Any other is refused, and nothing in that file changes: it may hold the only
//     copy of sessions whose sources are gone.
//
// One process writes at a time: who writes holds the lock of package ingest. Any number read. Digests are kept beside that
// (Keeper): they are dropped in the transaction that changes what they were made from.
package archive
