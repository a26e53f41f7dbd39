//go:build race

package ingest_test

// smaller is by how much homes are smaller, and kills fewer, under the race detector, where all takes ten times as long:
// every kind of session is in the small ones too.
const smaller = 3
