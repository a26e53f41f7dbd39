package search

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"aburn/archive"
	"aburn/archive/lines"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

// firstLines is the index of first lines.
type firstLines struct {
	mu       sync.Mutex // held while the index is asked
	index    *lines.Index
	updating sync.Mutex
	state    archive.State // that the index was brought up to date with
	progress [2]int        // while it is
}

// indexPatience is how long a page waits for the index.
const indexPatience = 1500 * time.Millisecond

// update brings the index up to date with the archive, in the background where that takes long. It says how far it is, or
// what is wrong, "" if all is well.
func (s *firstLines) update(ctx context.Context, dir string, changed func()) string {
	done := make(chan error, 1)
	go func() { done <- s.updateNow(dir, changed) }()
	select {
	case err := <-done:
		if err != nil {
			return " " + plain.Line(fault.Of(err).Msg)
		}
		return ""
	case <-ctx.Done():
		return ""
	case <-time.After(indexPatience):
		s.mu.Lock()
		p := s.progress
		s.mu.Unlock()
		return fmt.Sprintf(" aburn is making the index: %s of %s sessions so far. The page shows more when it is done.", plain.Count(int64(p[0])),
			plain.Count(int64(p[1])))
	}
}

// updateNow is one update. While one runs, others wait for it. It writes through a connection of its own, so that what is there
// can be searched meanwhile.
func (s *firstLines) updateNow(dir string, report func()) error {
	s.updating.Lock()
	defer s.updating.Unlock()
	state := archive.StateOf(dir)
	s.mu.Lock()
	current := s.index != nil && state == s.state
	s.mu.Unlock()
	if current {
		return nil
	}
	ctx := context.Background()
	arch, err := archive.View(ctx, dir)
	if err != nil {
		return err
	}
	defer arch.Close()
	to, err := lines.Open(dir)
	if err != nil {
		return err
	}
	defer to.Close()
	s.mu.Lock()
	if s.index == nil {
		s.index, err = lines.Open(dir)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	changed := false
	err = to.Update(ctx, arch, func(done, total int) {
		changed = true
		s.mu.Lock()
		s.progress = [2]int{done, total}
		s.mu.Unlock()
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.state = state
	s.mu.Unlock()
	if changed {
		report()
	}
	return nil
}

// searches are those of conversations that run, by name.
type searches struct {
	mu      sync.Mutex
	running map[string]context.CancelFunc
	names   int
}

// begin names a search, so that it can be stopped.
func (f *searches) begin(cancel context.CancelFunc) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running == nil {
		f.running = map[string]context.CancelFunc{}
	}
	f.names++
	name := strconv.Itoa(f.names)
	f.running[name] = cancel
	return name
}

func (f *searches) end(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, name)
}

// Stop ends the search that ?name= names, or all.
func (f *searches) Stop(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	f.mu.Lock()
	defer f.mu.Unlock()
	for one, cancel := range f.running {
		if name == "" || name == one {
			cancel()
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
