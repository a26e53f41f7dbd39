// Package workflow is the model of commands and phases: their order, the outputs expected of a
// command, and how long a phase may take. It knows nothing of logs, verdicts or the supervisor's
// limits. The default is Go data, so that a hook parses nothing; internal/shell splits command
// lines.
//
// Invariants:
//   - Only the functions of default.go name a command, a phase, a tool or a language; everything
//     else reads the model.
//   - Models with equal Hash are equal. A state that was folded with another model must be
//     rebuilt.
//   - What a model does not name is never wrong: an unknown phase has no order, an unknown
//     command no chain.
//
// # Where to begin
//
// Of this module it imports internal/shell only. Begin with Model and Default.
package workflow
