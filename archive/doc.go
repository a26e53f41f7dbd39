// Package archive keeps the trace of every session in one SQLite store of the user, which outlives the agents' own
// files. It knows neither agents nor the formats of their files: readers lie above it, and package ingest hands it
// traces.
//
// Invariants:
//
//   - The body of a trace (packed; package packed) is the only truth. All else in sessions, calls, relations and spawns
//     is derived from it in the transaction that writes it, and can be derived again. The exception: what a parent's
//     spawn says about a sub-agent stands in relations alone; Trace puts it into the trace.
//   - What was read from a store and the cursor after it are committed together; otherwise the cursor says that the
//     store is to be read from its start. A process that is killed at any moment loses what was not committed, and the
//     next run reads exactly that again.
//   - (source, id) names a session, which has one trace. When its source is gone, the trace stays and is marked.
//   - Pack refuses traces that the rules of this executable did not scrub, so that nothing else is stored.
//   - user_version is the number of the schema. Any other is refused, and nothing in that file changes: it may hold the
//     only copy of sessions whose sources are gone. Renew makes a new file of an older one, which it keeps.
//
// One process writes at a time, under the lock of package ingest; any number read. Digests are kept without that lock
// (Keeper): the transaction that changes what a digest was made from drops it.
//
// # Where to begin
//
// It may import trace and what is beside its readers, insight, and plumbing; never a reader or a command. Begin with
// Archive.Write and Archive.Trace. Package ingest fills it, digests keeps digests, kept copies transcripts, lines makes
// first lines, tried keeps what was tried.
package archive
