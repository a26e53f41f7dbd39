//go:build !race

package ingest_test

const smaller = 1
