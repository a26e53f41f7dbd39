package server

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Events is a stream of server-sent events. An event says what changed, and never how: the page asks for that.
type Events struct {
	boot  string // names this process in the ids of events
	alive time.Duration
	mu    sync.Mutex
	seq   int
	kept  []event
	open  int           // readers
	wake  chan struct{} // closed and replaced with every event
}

type event struct {
	seq  int
	what string
}

// keptEvents is how many events a reader can miss and still be told. Whoever missed more is told to load everything again.
const keptEvents = 256

// What every reader has to understand: load everything again, and that no event follows.
const (
	Everything = "everything"
	Over       = "over"
)

// NewEvents returns a stream without events. It says every so often that it is alive.
func NewEvents(alive time.Duration) *Events {
	return &Events{boot: random()[:8], alive: alive, wake: make(chan struct{})}
}

// Say tells all readers that something changed. Equal words that nobody has read yet are one event.
func (e *Events) Say(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seq++
	e.kept = append(e.kept, event{e.seq, what})
	if len(e.kept) > keptEvents {
		e.kept = slices.Delete(e.kept, 0, len(e.kept)-keptEvents)
	}
	close(e.wake)
	e.wake = make(chan struct{})
}

// since are the events after number seq, each word once, and where the stream is. Without all of them the one is Everything.
func (e *Events) since(seq int) (words []string, now int, wake chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if seq < e.seq && (len(e.kept) == 0 || e.kept[0].seq > seq+1) {
		return []string{Everything}, e.seq, e.wake
	}
	for _, one := range e.kept {
		if one.seq > seq && !slices.Contains(words, one.what) {
			words = append(words, one.what)
		}
	}
	return words, e.seq, e.wake
}

// begin is after which event a reader goes on. A reader of another process's stream starts with Everything.
func (e *Events) begin(last string) (seq int, stranger bool) {
	boot, number, _ := strings.Cut(last, ".")
	seq, err := strconv.Atoi(number)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case last == "":
		return e.seq, false
	case boot != e.boot || err != nil || seq < 0 || seq > e.seq:
		return e.seq, true
	}
	return seq, false
}

// At is where the stream is: what a page that is made now has to hand to its reader as ?since=, so that no event is lost before the
// stream is open.
func (e *Events) At() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.boot + "." + strconv.Itoa(e.seq)
}

// Readers is how many streams are open.
func (e *Events) Readers() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open
}

func (e *Events) count(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open += n
}

// ServeHTTP streams until the reader or the server goes.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && out.Flush() == nil
	}
	e.count(1)
	defer e.count(-1)
	seq, stranger := e.begin(cmp.Or(r.Header.Get("Last-Event-ID"), r.FormValue("since")))
	if !send("retry: 1000\nid: %s.%d\n\n", e.boot, seq) || stranger && !send("data: %s\n\n", Everything) {
		return
	}
	tick := time.NewTicker(e.alive)
	defer tick.Stop()
	for {
		words, now, wake := e.since(seq)
		for _, word := range words {
			if !send("id: %s.%d\ndata: %s\n\n", e.boot, now, word) {
				return
			}
		}
		seq = now
		select {
		case <-r.Context().Done():
			send("data: %s\n\n", Over)
			return
		case <-wake:
		case <-tick.C:
			if !send(":\n\n") {
				return
			}
		}
	}
}
