// Package insight makes the digest of one session: how it ended, which errors it had and how
// often, what it changed, and under which keys other sessions are comparable. It reads a trace and
// nothing else: no files, no clock, no environment, no agent's name. So a digest can always be made
// again; Version numbers the rules. Package failure judges error texts, internal/wire encodes the
// stored form, internal/plain quotes names for models.
//
// # Where to begin
//
// The room may import trace and plumbing; insight/cost also the archive and settings. Begin with Make and Digest.
// Packages lesson, remedy, replay and report answer from digests, cost knows prices.
package insight

// Version is the number of the rules. Raise it with every change that can give a session another
// digest: stored digests of other versions are made again when next asked for.
const Version = 13
