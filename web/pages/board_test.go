package pages

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"aburn/internal/lab/browser"
)

// twenty is a board with so many workers as a person may have: each zone has some, and four ask.
func twenty() *Now {
	at := time.Now().Add(-17 * time.Minute).UnixMilli()
	zones := []Zone{{ID: "needs", Name: "Needs you", Says: "asks, is stuck, or failed"}, {ID: "works", Name: "Working", Says: "its agent is at it"},
		{ID: "review", Name: "In review", Says: "its pull request is open"}, {ID: "ready", Name: "Ready", Says: "for you to review and merge"},
		{ID: "done", Name: "Done", Says: "its tree is still there"}}
	for i := range 20 {
		z := &zones[[]int{0, 1, 1, 2, 3}[i%5]]
		w := Worker{ID: "w-k-" + strconv.Itoa(i), Key: "k", Name: fmt.Sprintf("fix-the-rounding-of-totals-%d", i), Href: "/w/k/" + strconv.Itoa(i), Mark: "●",
			Class: "works", Words: "working", Project: "shop",
			SinceMS: at, Since: "14:02", Task: "Fix the rounding of totals in the cart, and add a test that fails without it; then look at the export too",
			Agent: "Claude Code", Branch: "aburn/fix-the-rounding",
			Stat: "3 files +41 −12", Doing: "Bash go test ./cart/... -run TestRounding -count=1", Says: "I changed cart.go"}
		switch z.ID {
		case "needs":
			w.Class, w.Mark, w.Words, w.What, w.Quoted, w.Proof = "asks", "◆", "needs you: asks", "Permission for Bash",
				"psql \"$DATABASE_URL\" -c \"ALTER TABLE carts ADD COLUMN total numeric\"\n-- and then\nSELECT 1;", "entry 412 of the log"
		case "review":
			w.Class, w.Mark, w.Words = "review", "◐", "in review: ci failed"
			w.Pull = Pull{Number: "#31", URL: "https://github.com/o/shop/pull/31", Says: "open · checks failing", Failed: []string{"test (ubuntu-24.04)", "lint"}}
		case "ready":
			w.Class, w.Mark, w.Words, w.Clash, w.Conflict = "ready", "✓", "idle", "conflict with fix-the-rounding-of-totals-3", true
		}
		z.Workers = append(z.Workers, w)
	}
	return &Now{Board: Board{Zones: zones, Count: 20, Shown: 20, Compact: true, Act: true, Cards: Link{Text: "Full cards", Href: "/?cards=full"},
		Filters: []Select{{Name: "zone", Label: "State", Options: []Option{{Text: "any state"}}},
			{Name: "agent", Label: "Agent", Options: []Option{{Text: "any agent"}}}}}}
}

// Twenty workers fit on two screens of a phone, and on about one of a desk, each with its state and, if it asks, what.
func TestTwentyWorkersFit(t *testing.T) {
	b := browser.Start(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f, ok := Files()[r.URL.Path]; ok {
			w.Header().Set("Content-Type", f[0])
			io.WriteString(w, f[1])
			return
		}
		if r.URL.Path == "/events" {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		body := twenty()
		body.Board.Compact = r.FormValue("cards") != "full"
		if err := body.Write(w, &Frame{Title: "Now", Page: "now", Heading: "Now", Sub: "1 project", Total: 4}); err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	defer s.CloseClientConnections() // the stream
	b.Open(s.URL + "/")
	for _, screen := range []struct {
		width, height int
		screens       float64
	}{{1280, 900, 1.2}, {390, 844, 2}, {360, 800, 2}} {
		b.Resize(screen.width, screen.height)
		b.Go(s.URL + "/")
		if n := b.Value(`String([...document.querySelectorAll('.worker')].filter((w) => w.querySelector('.state').getClientRects().length && w.querySelector('h3 ` +
			`a').getClientRects().length).length)`); n != "20" {
			t.Errorf("%d wide: %s workers with their state are to be seen", screen.width, n)
		}
		if n := b.Value(`String([...document.querySelectorAll('.worker.asks pre')].filter((p) => p.getClientRects().length && p.textContent.includes('ALTER ` +
			`TABLE')).length)`); n != "4" {
			t.Errorf("%d wide: what is asked is to be seen %s times", screen.width, n)
		}
		bottom, err := strconv.ParseFloat(b.Value(`String((document.querySelector('.board').getBoundingClientRect().bottom + scrollY) / innerHeight)`), 64)
		if err != nil || bottom > screen.screens {
			t.Errorf("%d wide: the board ends after %.2f screens, want %.0f: %v", screen.width, bottom, screen.screens, err)
		}
		t.Logf("%d×%d: %.2f screens", screen.width, screen.height, bottom)
		if wide := b.Value(`String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`); wide != "0" {
			t.Errorf("%d wide: the page is wider by %s", screen.width, wide)
		}
		if browser.Keeping() {
			b.Screenshot(filepath.Join(browser.Folder(t), fmt.Sprintf("twenty-%d.png", screen.width)))
			b.Go(s.URL + "/?cards=full")
			b.Screenshot(filepath.Join(browser.Folder(t), fmt.Sprintf("twenty-full-%d.png", screen.width)))
		}
	}
	b.Go(s.URL + "/")
	link := b.Value(`(() => { const a = document.querySelector('.pull a'); return [a.href, a.rel, a.target, a.closest('.pull').textContent].join('|'); })()`)
	if want := "https://github.com/o/shop/pull/31|noopener noreferrer|_blank|#31 open · checks failing: test (ubuntu-24.04), lint"; link != want {
		t.Errorf("the pull request is %s, want %s", link, want)
	}
	if b.Value(`String([...document.querySelectorAll('.pick, #bulk')].filter((e) => e.getClientRects().length).length)`) != "0" {
		t.Error("a tab without a token can tick")
	}
}
