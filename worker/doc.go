// Package worker says where each spawned agent stands: facts in, status out, pure. It reads no file, no clock and no
// environment, and starts nothing.
//
// # Promise
//
// Reduce brings the facts of one worker to a Worker: its state, the reason, since when, and the facts that prove it. The
// same facts give the same Worker, in whatever order they were read and however often one was repeated.
//
//   - T (terminated) is only said of an end that was seen: a certificate of the holder, a failed launch, another boot,
//     a removed tree, the user's word (kill --forget), or the same death in three rounds at least ten seconds apart with
//     the holder gone. Life that is seen later lifts it.
//   - S (stuck) is only said after a verdict of no progress, or after rounds that could not see the worker.
//   - "Not seen" is D (detecting). D is left by the agent's next fact or by a clean probe, never by waiting.
//   - No state depends on a wall clock. Only Fact.Up, the uptime of the host, measures how long something lasted.
//     Fact.At says when for people, and merges the files.
//
// # Data flow
//
// Facts stand in three append-only files. The project's log and the agent's own store say what the agent did; the ledger
// says what aburn did and saw. Merge keeps the order inside each file and merges the files by time, then file, then Seq.
// Worker.Apply takes one fact: it drops repeats and facts of an older generation, notes what the fact carries (process,
// pull request, message), asks the table which cell the fact's event has in the present state, and moves there.
// Status, Activity, Flags, Zone and Delivery are derived from a Worker when somebody asks.
//
// Apply assumes the order of Merge. Who follows two files and gets an earlier fact late folds again from the start.
//
// # Failure modes
//
//   - An unknown kind, a fact without meaning in the present state, a torn ledger: the fact changes nothing.
//   - A lost `restored`: the first launch fact of a newer generation restores too.
//   - A lost certificate: probes prove the death, or the worker stays D.
//   - A clock that jumps: times of states are wrong, states are not. Facts of two files may merge in another order.
//   - A host without uptime (Up is 0): nothing lasts, so neither three rounds nor five minutes ever pass.
//   - Many workers of one server look dead at once: Mass finds it, and probes that it holds back prove no death.
//   - Too many calls, messages, processes or keys: the bounds below drop the oldest; a dropped permission keeps the
//     worker in N until its next prompt or turn's end, and a full list of messages takes no other.
package worker
