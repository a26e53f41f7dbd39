// Package insight says what one session amounts to: how it ended, what went wrong in it and how often, what it changed,
// and under which keys other sessions are comparable. A Digest is worked out from a trace and from nothing else, so it
// can always be made again; Version says by which rules. It is pure: no files, clock or environment.
package insight

// Version is the number of the rules below. Raise it with every change that can give a session another digest: those
// made by other rules are then made again when they are next asked for.
const Version = 10
