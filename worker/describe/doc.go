// Package describe puts workers into words: where one stands and why, what a merge or a cleanup did, why something failed. The
// command line and the board say the same because both ask here.
//
// Summary is the facts of one worker, as `aburn ps --json` has them; functions ending in Text are sentences for a person.
// Nothing here changes a worker.
//
// Begin in summary.go and state.go. It may import worker/manager and the rooms below it; no command line and no archive, so what
// a worker costs is added by those who know it.
package describe
