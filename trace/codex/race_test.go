//go:build race

package codex_test

// everyNth: of the cuts, which take ten times as long under the race detector and run in one goroutine each, it sees some.
const everyNth = 6
