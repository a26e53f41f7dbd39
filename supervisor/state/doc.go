// Package state folds the entries of a log into a State: facts about every session and the chain,
// bounded however long the log is, pure, and the same after a store and a load.
//
// Invariants:
//   - Folding a prefix, storing the State, loading it and folding the rest gives
//     the State that folding everything gives, byte for byte.
//   - Every list in a State has a maximum, and the oldest fall out. Where a verdict
//     depends on how many there were in all, they are counted.
//   - A State holds facts, never verdicts.
//   - Order is the order of entries. Clocks measure how long something took; steps
//     backwards or of more than 24 hours measure nothing.
package state
