package notify

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// soon is how long a test waits for what has to come: a hang, not a slow machine.
const soon = 2 * time.Minute

// reports collects what went wrong.
type reports struct {
	mu   sync.Mutex
	list []string
	came chan struct{}
}

func newReports() *reports { return &reports{came: make(chan struct{}, 100)} }

func (r *reports) add(channel string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, channel+": "+err.Error())
	r.came <- struct{}{}
}

func (r *reports) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

// within fails the test if done is not closed soon.
func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(soon):
		t.Fatalf("%s did not come", what)
	}
}

// terminal is written to by the bell; it can be held.
type terminal struct {
	mu    sync.Mutex
	text  strings.Builder
	held  chan struct{} // a write waits until it is closed
	wrote chan struct{}
	err   error
}

func (w *terminal) Write(p []byte) (int, error) {
	w.wrote <- struct{}{}
	if w.held != nil {
		<-w.held
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	return len(p), w.err
}

func TestBell(t *testing.T) {
	w := &terminal{wrote: make(chan struct{}, 10)}
	n := New(Options{Bell: w})
	n.Tell(Notice{Key: "a"})
	n.Close(soon)
	if got := w.text.String(); got != "\a" {
		t.Errorf("the terminal got %q, want a bell", got)
	}
}

// While one bell hangs, many issues come: they ring once.
func TestBellOnceForABatch(t *testing.T) {
	w := &terminal{held: make(chan struct{}), wrote: make(chan struct{}, 100)}
	n := New(Options{Bell: w})
	n.Tell(Notice{Key: "first"})
	<-w.wrote
	for i := range 20 {
		n.Tell(Notice{Key: fmt.Sprint(i)})
	}
	close(w.held)
	n.Close(soon)
	if got := w.text.String(); got != "\a\a" {
		t.Errorf("the terminal got %q, want two bells: one, and one for all that waited", got)
	}
}

func TestNoDuplicates(t *testing.T) {
	w := &terminal{wrote: make(chan struct{}, 100)}
	n := New(Options{Bell: w})
	tell := func(key string, want bool) {
		t.Helper()
		if got := n.Tell(Notice{Key: key}); got != want {
			t.Errorf("Tell(%s) is %v", key, got)
		}
	}
	tell("a", true)
	tell("a", false)
	tell("b", true)
	tell("a", false)
	n.Forget("a")
	tell("a", true)
	tell("b", false)
	n.Close(soon)
	tell("c", false)
}

// What is remembered is bounded, and the newest are remembered, also those that were forgotten in between.
func TestRememberedKeysAreBounded(t *testing.T) {
	n := New(Options{})
	defer n.Close(0)
	for i := range 3 * maxKeys {
		n.Tell(Notice{Key: fmt.Sprint(i)})
		n.Forget("again")
		n.Tell(Notice{Key: "again"})
	}
	if len(n.seen) > maxKeys || len(n.order) > maxKeys {
		t.Errorf("%d keys are remembered, in a list of %d; at most %d should be", len(n.seen), len(n.order), maxKeys)
	}
	if n.Tell(Notice{Key: "again"}) || n.Tell(Notice{Key: fmt.Sprint(3*maxKeys - 1)}) {
		t.Error("the newest keys are not remembered")
	}
}

// A channel that hangs keeps neither the caller nor the others waiting, and says that it lost something.
func TestHangingChannelHurtsNobody(t *testing.T) {
	hung := &terminal{held: make(chan struct{}), wrote: make(chan struct{}, 1000)}
	r := newReports()
	n := New(Options{Bell: hung, Report: r.add})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 10 * maxWaiting {
			if !n.Tell(Notice{Key: fmt.Sprint(i)}) {
				t.Errorf("notice %d was not taken", i)
			}
		}
	}()
	within(t, "the end of Tell while the bell hangs", done)
	close(hung.held)
	n.Close(soon)
	if got := r.all(); len(got) != 1 || got[0] != "notify.bell: "+ErrDropped.Error() {
		t.Errorf("reported: %q, want that notices were dropped", got)
	}
}

func TestFailureIsReportedOnce(t *testing.T) {
	w := &terminal{wrote: make(chan struct{}, 100), err: errors.New("no such terminal")}
	r := newReports()
	n := New(Options{Bell: w, Report: r.add})
	n.Tell(Notice{Key: "a"})
	<-w.wrote
	within(t, "the report", r.came)
	n.Tell(Notice{Key: "b"})
	n.Close(soon)
	if got := r.all(); len(got) != 1 || got[0] != "notify.bell: no such terminal" {
		t.Errorf("reported: %q", got)
	}
	if len(w.wrote) != 1 {
		t.Error("the second notice was not tried")
	}
}

func TestCondense(t *testing.T) {
	batch := func(words string) (b []Notice) {
		for _, w := range strings.Fields(words) {
			b = append(b, Notice{Title: w, Urgent: w[0] >= 'A' && w[0] <= 'Z'})
		}
		return b
	}
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"a b C d", "a b C d"},
		{"a b c D e", "D a b aburn: 2 more"},
		{"A b C D E F", "A C D aburn: 3 more"},
	} {
		var got []string
		for _, notice := range condense(batch(c.in), 4) {
			got = append(got, notice.Title)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("condense(%s) is %s, want %s", c.in, got, c.want)
		}
	}
}
