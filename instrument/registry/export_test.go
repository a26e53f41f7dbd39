package registry

import "testing"

// ResolveAgain resolves a registry whose groups are resolved already.
func ResolveAgain(t *testing.T, done *Resolved) *Resolved {
	t.Helper()
	r := &Registry{Manifest: Manifest{SchemaURL: done.URL, Name: done.Name, Version: done.Version}}
	for _, g := range done.Groups {
		r.Groups = append(r.Groups, &g)
	}
	again, list, err := r.Resolve()
	if err != nil || len(list) > 0 {
		t.Fatal(list, err)
	}
	return again
}
