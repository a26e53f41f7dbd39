//go:build !unix

package doctor

// mayWrite cannot be told here without writing.
func mayWrite(string) error { return nil }
