//go:build race

package tracetest

// Race reports whether the race detector is on, under which a test may check less.
const Race = true
