// Package coordinator runs aburn instrument: it asks a model for plans, or for whole
// files, has them applied and judged one after the other, and leaves a branch. It prints
// nothing.
//
// Promises.
//   - No model is asked before the ceiling was accepted, and none beyond the budgets.
//   - At each moment each file is as it was, or a form that passed all blocking rules.
//   - What was paid is in the run's journal before it is used: a run that goes on after
//     a kill asks for no answer that it has.
package coordinator
