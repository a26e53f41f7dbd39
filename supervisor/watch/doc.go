// Package watch follows a project's log and the clock, makes a look when either may have changed a verdict, and says
// what is new. It decides nothing: the look does, and writes, so that hooks, commands and the watcher keep one set of
// rules.
//
// Invariants:
//   - One watcher per project: it holds the lock watch.lock in .oss for as long as it lives.
//   - What a look told is in the log before anybody hears of it. A watcher that was killed and started again repeats
//     nothing; killed in between it has told too little, and `aburn supervisor` shows it.
//   - A hook that writes an entry looks before the watcher does, which waits a moment: at a prompt, the queue is the
//     hook's.
//   - Looks are spaced: a storm of entries costs a look every spacing, not one an entry.
//   - While nothing lives nothing is judged: there is only the wait for an entry, and for the end.
//   - A machine that slept makes no session silent.
//
// Races: the log may seem new for an entry that the last look has read already, or that it wrote itself. Such a look
// finds nothing new and writes nothing.
package watch
