// Package edit puts spans into a JavaScript module and takes them out again. It
// writes the one canonical form, and proves what else differs between two files.
//
// Promises.
//   - [Undo] takes out of a later file only what is listed at [Undone]: code that
//     makes spans. It compares the rest with the earlier file, comments included.
//     What the earlier file holds already is never taken out, spans included.
//   - Where [Undo] finds no difference and no capture, and what was taken out has
//     neither a flaw nor an effect, the later file does what the earlier did: the
//     same statements run in the same order on the same variables.
//   - [Apply] changes nothing but what [Undo] takes out. A choice that it cannot
//     make so is dropped with a reason. Applied to its own output it changes nothing.
//
// What Undo takes out and the original did not have may still be wrong: a span
// that never ends, an error that is swallowed, an expression with an effect. It is
// reported in [Undone] for instrument/rules to judge. Of these, each
// [Flaw] and all that [Undone.Refused] gives break the second promise, so the rules
// on them block.
package edit
