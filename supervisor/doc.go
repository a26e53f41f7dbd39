// Package supervisor judges what is wrong with a workflow, and which entries prove it. It is a pure
// function of a State, observations, the time, the model and the limits: it reads no file, no
// clock, no environment, and calls no AI model. Hooks run it, so it imports
// nothing that does input or output.
//
// Invariants:
//   - What one session does answers, excuses and accuses nothing in another; the
//     chain alone is the project's. An entry that names no session may belong to any
//     of them: it may excuse, and never accuses.
//   - What lies before the first entry is unknown, never missing.
//   - Verdicts (waiting, gone, stuck) are derived from a State when somebody asks,
//     with the time of the question.
//
// # Where to begin
//
// Package state folds entries into a State, limits holds the numbers: these three import logfmt, workflow and little
// else. The rest of the room does input and output: look reads the log and queues advice, watch follows it, backtest
// replays logs. Begin with Judge, then limits/types.go and the detector of one type.
package supervisor
