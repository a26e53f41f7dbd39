package search

import (
	"context"
	"net/http/httptest"
	"testing"
)

// Stopping a search by its name ends this one, without a name all.
func TestSearchIsStopped(t *testing.T) {
	s := &searches{}
	begin := func() (string, context.Context) {
		ctx, cancel := context.WithCancel(t.Context())
		return s.begin(cancel), ctx
	}
	one, first := begin()
	_, second := begin()
	stop := func(at string) { s.Stop(httptest.NewRecorder(), httptest.NewRequest("POST", at, nil)) }
	stop("/search/stop?name=none")
	if first.Err() != nil || second.Err() != nil {
		t.Error("a name that nobody has stops something")
	}
	if stop("/search/stop?name=" + one); first.Err() == nil || second.Err() != nil {
		t.Error("not the one that was named")
	}
	if stop("/search/stop"); second.Err() == nil {
		t.Error("not all")
	}
	s.end(one)
	if len(s.running) != 1 {
		t.Errorf("%d searches are left", len(s.running))
	}
}
