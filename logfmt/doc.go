// Package logfmt is the format of .oss/workflow.log (not the key=value "logfmt"): what an entry
// is and which bytes it has.
//
// It is pure: no files, no clock, no environment. SPEC.md beside this file is the contract; the
// vectors in logfmt/vectors are classified examples.
//
// Invariants:
//   - Parse reads back what AppendTo wrote, unchanged (times to the millisecond).
//   - Both lines of an entry contain no control and no bidi character, end with a newline, and
//     are together at most MaxEntry bytes.
//   - The human line is derived from the JSON line, never the other way.
//
// # Where to begin
//
// It imports nothing of this module. Begin with Entry, its AppendTo, and Parse; SPEC.md says why each byte is there.
package logfmt
