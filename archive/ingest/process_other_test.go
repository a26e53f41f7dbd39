//go:build !unix

package ingest_test

func limitFileSize(uint64) {}
