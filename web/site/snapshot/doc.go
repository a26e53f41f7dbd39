// Package snapshot is what the pages show of the archive at one time: sessions of trusted projects with their verdicts, relations and
// costs, and the filters that choose among them.
//
// A View is worked out once for each state of the archive, and nobody changes it afterwards: pages read it without a lock. Views keeps
// the newest one. What a View keeps of a digest or of an answer must not keep their shared memory: a home has ten thousand sessions.
//
// Begin with view.go. The room reads the archive, prices and the projects' marks; it knows nothing of logs, workers or HTTP.
package snapshot
