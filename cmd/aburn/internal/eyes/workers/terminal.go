package workers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"aburn/internal/fault"
	"aburn/internal/peer"
	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/server"
	"aburn/web/show"
	"aburn/worker/board"
)

// terminalOf is the page of a worker's terminal.
func (s *Pages) terminalOf(ctx context.Context, v Known, w board.Standing) (*show.Page, error) {
	body := &pages.Terminal{Project: w.Key, Name: w.Worker, Crumbs: s.crumbsOf(&w), Parts: s.partsOf(&w, "/terminal"),
		Worker: s.workerCard(v, &w), CanType: s.o.Act}
	lines, err := s.o.Board.Shows(ctx, w.Key, w.Worker)
	if err != nil {
		f := fault.Of(err)
		body.Note = plain.Line(f.Msg)
	} else {
		body.Socket, body.Text = workerPath(w.Key, w.Worker)+"/socket", show.ScrubbedText(strings.Join(lines, "\n"))
	}
	return &show.Page{Frame: s.workerFrame(w.Worker, ""), Body: body, Policy: server.TerminalPolicy()}, nil
}

// Bounds of a terminal on a page.
const (
	mostAhead   = 256 << 10 // bytes that were sent and not yet shown
	chunk       = 16 << 10
	mostKeys    = 64 << 10 // of one message from the page
	settleEvery = 2 * time.Second
	mostScreens = 16 // at once
)

// Socket brings a worker's terminal to a page: its output in binary messages, its size in text ones. The page says in text ones how many
// bytes it has shown and how much room it has, and types in binary ones.
func (s *Pages) Socket(w http.ResponseWriter, r *http.Request) {
	key, name, elsewhere, err := s.named(r)
	if err != nil || elsewhere != "" {
		http.Error(w, "no such worker", http.StatusNotFound)
		return
	}
	keys := r.FormValue("keys") == "1" && s.o.Act
	if keys && peer.OfRequest(r) != "" {
		http.Error(w, "only people can type here", http.StatusForbidden)
		return
	}
	if s.screens.Add(1) > mostScreens {
		s.screens.Add(-1)
		http.Error(w, "too many terminals are open", http.StatusTooManyRequests)
		return
	}
	defer s.screens.Add(-1)
	screen, err := s.o.Board.Screen(r.Context(), key, name, keys)
	if err != nil {
		http.Error(w, plain.Line(fault.Of(err).Msg), http.StatusConflict)
		return
	}
	defer screen.Close()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{server.Protocol}, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // it has answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(mostKeys)
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	t := &terminal{conn: conn, screen: screen, told: make(chan struct{}, 1)}
	if t.settle(ctx) != nil { // before anything is drawn
		return
	}
	var all sync.WaitGroup
	all.Go(func() { defer stop(); t.show(ctx) })
	all.Go(func() { defer stop(); t.keepSize(ctx) })
	t.listen(ctx)
	stop()
	screen.Close() // ends the reading of it
	all.Wait()
	conn.Close(websocket.StatusNormalClosure, "the terminal has ended")
}

// terminal is one open page of a terminal.
type terminal struct {
	conn   *websocket.Conn
	screen board.Screen

	settling sync.Mutex

	mu    sync.Mutex
	ahead int // bytes that were sent and not shown yet
	told  chan struct{}
}

// show sends what the terminal prints, no faster than the page shows it. tmux leaves out what nobody read, and paints anew.
func (t *terminal) show(ctx context.Context) {
	buf := make([]byte, chunk)
	for {
		n, err := t.screen.Read(buf)
		if n > 0 {
			t.mu.Lock()
			t.ahead += n
			t.mu.Unlock()
			if t.conn.Write(ctx, websocket.MessageBinary, buf[:n]) != nil {
				return
			}
		}
		if err != nil {
			return
		}
		for t.behind() {
			select {
			case <-ctx.Done():
				return
			case <-t.told:
			}
		}
	}
}

func (t *terminal) behind() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ahead > mostAhead
}

// said is what a page says of itself.
type said struct {
	Shown int    `json:"shown"` // bytes since it last said so
	Size  [2]int `json:"size"`  // columns and rows that it has room for
}

// listen takes what the page says and types until it goes.
func (t *terminal) listen(ctx context.Context) {
	for {
		kind, data, err := t.conn.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageBinary {
			if _, err := t.screen.Write(data); err != nil {
				return
			}
			continue
		}
		var page said
		if json.Unmarshal(data, &page) != nil {
			t.conn.Close(websocket.StatusInvalidFramePayloadData, "not understood")
			return
		}
		t.mu.Lock()
		t.ahead = max(0, t.ahead-max(0, page.Shown))
		t.mu.Unlock()
		if page.Size[0] > 0 && page.Size[1] > 0 {
			t.screen.Fit(page.Size[0], page.Size[1])
			t.settle(ctx)
		}
		select {
		case t.told <- struct{}{}:
		default:
		}
	}
}

// keepSize follows the size of the window, which others who look at it decide.
func (t *terminal) keepSize(ctx context.Context) {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	for t.settle(ctx) == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// settle is called by who listens and by who keeps the size. One at a time, or the older size may be said last.
func (t *terminal) settle(ctx context.Context) error {
	t.settling.Lock()
	defer t.settling.Unlock()
	return t.screen.Settle(ctx, func(cols, rows int) error {
		text, err := json.Marshal(map[string][2]int{"size": {cols, rows}})
		return errors.Join(err, t.conn.Write(ctx, websocket.MessageText, text))
	})
}
