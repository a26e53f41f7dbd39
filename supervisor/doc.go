// Package supervisor says what is wrong with a workflow, and which entries prove it: a pure
// function of a State, observations, the time, the model and the limits. It reads no file, no
// clock, no environment, and calls no model; hooks run it at prompts and stops.
//
// Invariants:
//   - What one session does answers, excuses and accuses nothing in another; the
//     chain alone is the project's. An entry that names no session may belong to any
//     of them: it may excuse, and never accuses.
//   - What lies before the first entry is unknown, never missing.
//   - Verdicts (waiting, gone, stuck) are derived from a State when somebody asks,
//     with the time of the question.
package supervisor
