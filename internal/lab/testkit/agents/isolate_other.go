//go:build !linux

package agents

// Isolate does nothing where there are no network namespaces: the agents still get no key and no other address than
// loopback.
func Isolate(extra ...string) (code int, done bool, err error) { return 0, false, nil }

// Isolated reports whether nothing but loopback can be reached.
func Isolated() bool { return false }
