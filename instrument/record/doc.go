// Package record runs a command, most often a project's tests, and tells which
// OpenTelemetry spans it made, by test and by file. It judges them against a
// registry, where there is one.
//
// The default is the recorder: a file that node loads before anything else and that
// stands in for an SDK. So no SDK, no network and no change of the project is
// needed, and spans survive process.exit and SIGKILL. A [Tap] listens to the
// project's own SDK instead, and [OTLP] is a receiver for programs of any kind.
//
// Invariants:
//   - No file of the project is changed. Sources are read to tell the line of a span.
//   - All that is written lies in one folder of the system's temporary ones, readable
//     by this user only. It is gone when Run returns. The next run removes those of
//     runs that were killed.
//   - The command gets none of the person's keys: it sees the variables that any
//     program may see, those that node and package managers need, and those that the
//     caller names. It sees no variable of OpenTelemetry but our own.
//   - The receiver listens on 127.0.0.1 only.
package record
