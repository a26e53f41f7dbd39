package workers

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"aburn/internal/fault"
	"aburn/internal/peer"
	"aburn/web/show"
	"aburn/worker/board"
	"aburn/worker/manager"
)

// sureFor is how long a person may think about what cannot be taken back. What was said about it may not hold any more then.
const sureFor = 2 * time.Minute

// promises are wishes that a person was shown the consequences of. Each word works once, for exactly that wish.
type promises struct {
	mu sync.Mutex
	of map[string]promise
}

type promise struct {
	wish  board.Wish
	seen  manager.Seen
	until time.Time
}

func (p *promises) give(w board.Wish, seen manager.Seen, now time.Time) (word string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]promise{}
	}
	for old, one := range p.of {
		if now.After(one.until) {
			delete(p.of, old)
		}
	}
	word = rand.Text()
	p.of[word] = promise{w, seen, now.Add(sureFor)}
	return word
}

func (p *promises) take(word string, w board.Wish, now time.Time) (seen manager.Seen, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, ok := p.of[word]
	delete(p.of, word)
	return one.seen, ok && one.wish == w && now.Before(one.until)
}

// Do is POST /do: a person pressed a button of a worker's page. It goes on when the tab is closed, and ends with the server.
func (s *Pages) Do(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		board.Wish
		Sure string `json:"sure"`
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if d.Decode(&asked) != nil {
		http.Error(w, "this aburn doesn't know what the page asks for: reload the page", http.StatusBadRequest)
		return
	}
	if agent := peer.OfRequest(r); agent != "" {
		s.tellDeed(w, board.Deed{Text: "Only people can press buttons, and " + agent + " started the program that pressed this one."}, "")
		return
	}
	seen, sure := s.promised.take(asked.Sure, asked.Wish, s.o.Now())
	if asked.Sure != "" && !sure {
		s.tellDeed(w, board.Deed{Text: "That question is too old, or it was about something else: press the button again."}, "")
		return
	}
	deed, err := s.o.Board.Do(s.o.Life(), asked.Wish, sure, seen)
	if err != nil {
		if errors.Is(err, board.ErrNoWorker) {
			err = errors.New("this worker no longer exists")
		}
		f := fault.Of(err)
		deed = board.Deed{Text: f.Msg, Lines: append(f.Hints, deed.Lines...)}
	}
	word := ""
	if deed.Ask {
		word = s.promised.give(asked.Wish, deed.Seen, s.o.Now())
	}
	go func() {
		if s.o.Board.Refresh(s.o.Life(), false) {
			s.o.Changed()
		}
	}()
	s.tellDeed(w, deed, word)
}

func (s *Pages) tellDeed(w http.ResponseWriter, d board.Deed, word string) {
	d.Text = show.Scrubbed(d.Text)
	for i := range d.Lines {
		d.Lines[i] = show.Scrubbed(d.Lines[i])
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(struct {
		board.Deed
		Sure string `json:"sure,omitempty"`
	}{d, word})
}
