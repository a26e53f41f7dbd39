// Package supervisor judges the life of a workflow: it folds the entries of a log
// into a State and says what is wrong with it, and with which evidence, as a pure
// function of (entries, observations, now, model). It reads no file, no clock, no
// environment, and calls no model.
//
// Invariants:
//   - Folding a prefix, storing the State, loading it and folding the rest gives
//     the State that folding everything gives, byte for byte.
//   - The State is bounded, however long the log is: every list in it has a
//     maximum, the oldest fall out, and where a verdict depends on how many there
//     were in all, they are counted.
//   - What one session does answers, excuses and accuses nothing in another; the
//     chain alone is the project's. An entry that names no session may be any
//     one's: it may excuse, and never accuses.
//   - What lies before the first entry is unknown, never missing.
//   - A State holds facts. Verdicts (waiting, gone, stuck) are derived from it
//     when somebody asks, with the time of the question.
//   - Order is the order of entries; clocks measure how long something took, and
//     steps backwards or of more than 24 hours measure nothing.
package supervisor
