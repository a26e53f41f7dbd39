package workers

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// hesitant is a screen whose first Settle knows the size of before Fit, and lets any other come first that can.
type hesitant struct {
	io.ReadWriteCloser
	mu     sync.Mutex
	calls  int
	size   [2]int
	begun  chan struct{}
	fitted chan struct{}
	second chan struct{}
}

func (h *hesitant) Fit(cols, rows int) {
	h.mu.Lock()
	h.size = [2]int{cols, rows}
	h.mu.Unlock()
	close(h.fitted)
}

func (h *hesitant) Settle(_ context.Context, say func(cols, rows int) error) error {
	h.mu.Lock()
	size := h.size
	h.calls++
	call := h.calls
	h.mu.Unlock()
	switch call {
	case 1:
		close(h.begun)
		<-h.fitted
		select {
		case <-h.second:
		case <-time.After(200 * time.Millisecond): // nobody can
		}
	case 2:
		defer close(h.second)
	}
	return say(size[0], size[1])
}

// The size that a page asked for is not followed by the one of before, which was being found out at that moment.
func TestSizesInOrder(t *testing.T) {
	h := &hesitant{size: [2]int{200, 50}, begun: make(chan struct{}), fitted: make(chan struct{}), second: make(chan struct{})}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		ctx, stop := context.WithCancel(r.Context())
		page := &terminal{conn: conn, screen: h, told: make(chan struct{}, 1)}
		var all sync.WaitGroup
		all.Go(func() { page.keepSize(ctx) })
		page.listen(ctx)
		stop()
		all.Wait()
	}))
	defer site.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, site.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	<-h.begun
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"size":[90,31]}`)); err != nil {
		t.Fatal(err)
	}
	var last struct{ Size [2]int }
	for range 2 {
		_, text, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		json.Unmarshal(text, &last)
	}
	if last.Size != [2]int{90, 31} {
		t.Errorf("the page has %v", last.Size)
	}
}
