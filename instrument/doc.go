// Package instrument puts OpenTelemetry into JavaScript against a contract, and
// proves that nothing else changed. It starts here with the proof: [Check] judges
// two files that somebody else wrote.
//
// # Where to begin
//
// The room imports plumbing and trace/export, and only cmd/aburn-instrument imports the room. Begin with edit, whose
// Undo and Apply decide what counts as instrumentation; coordinator runs a whole project, rules judges, registry reads
// contracts.
package instrument
