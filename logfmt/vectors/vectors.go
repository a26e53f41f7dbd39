// Package vectors holds classified example logs, one file a case, for the tests
// of every package that reads logs; only tests import it.
package vectors

// Vector is one example: the bytes of a log and what a reader must say of it.
type Vector struct {
	Name    string
	Expect  []string // "ok", or the findings, as SPEC.md names them
	Entries int      // entries that a reader yields
	Comment string
	Raw     []byte // the file
}

// All returns every vector, ordered by name.
func All() ([]Vector, error) { return nil, nil }
