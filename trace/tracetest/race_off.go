//go:build !race

package tracetest

// Race is whether the race detector watches, under which a test may well look at less.
const Race = false
