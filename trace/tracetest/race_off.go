//go:build !race

package tracetest

// underRace is whether the race detector watches, which makes cutting take minutes.
const underRace = false
