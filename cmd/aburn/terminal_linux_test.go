package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/creack/pty"

	"aburn/internal/lab/browser"
	"aburn/internal/lab/world"
)

// typed is a scripted agent at a terminal. It says what it is told, and prints much when it is told so.
const typed = `#!/bin/sh
here=$(pwd)
hook() { printf '{"session_id":"5b0c2f91","cwd":"%s",%s}' "$here" "$1" | aburn-hook claude; }
hook '"hook_event_name":"SessionStart","source":"startup"'
hook '"hook_event_name":"UserPromptSubmit","prompt":"x"'
hook '"hook_event_name":"Stop"'
printf 'I am at the terminal <img src=x onerror=pwned=1>\n'
while IFS= read -r line; do
	case $line in
	much) i=0; while [ $i -lt 20000 ]; do echo "line $i of very much text that nobody reads so fast"; i=$((i+1)); done; echo "that was much" ;;
	*) echo "you said $line." ;;
	esac
done
`

// newTerminal is a worker in tmux, and an aburn web that shows it.
func newTerminal(t *testing.T) (*site, *webWorld) {
	s, w := newBoard(t)
	s.shim("claude", typed)
	s.ok("aburn", "spawn", "--name", "talker", "talk")
	s.until("its turn is over", s.is("talker", "idle"))
	w.serve("--no-ingest")
	w.moved(t, "talker", "ready")
	return s, w
}

// window is the size of the worker's window.
func (s *site) window() string {
	s.Helper()
	return strings.TrimSpace(s.ok("tmux", "-L", "aburn", "list-windows", "-a", "-F", "#{window_width}x#{window_height}"))
}

// looker is a page's socket.
type looker struct {
	*testing.T
	conn *websocket.Conn
	mu   sync.Mutex
	text strings.Builder
	size [2]int
	n    int // bytes that were not acknowledged
	ack  bool
	over bool
}

// dial opens a worker's terminal; change may break what makes the request one of ours.
func (p *presses) dial(query string, change func(*http.Header)) (*websocket.Conn, *http.Response, error) {
	p.Helper()
	header := http.Header{"Origin": {p.at("")}}
	r, _ := http.NewRequest("GET", p.at("/"), nil)
	for _, c := range p.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	header.Set("Cookie", r.Header.Get("Cookie"))
	header.Set("Sec-WebSocket-Protocol", "aburn, aburn.token."+p.token)
	if change != nil {
		change(&header)
	}
	protocols := strings.Split(header.Get("Sec-WebSocket-Protocol"), ", ")
	return websocket.Dial(p.Context(), p.at("/w/"+p.key()+"/talker/socket"+query), &websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols})
}

func (p *presses) view(query string, ack bool) *looker {
	p.Helper()
	conn, r, err := p.dial(query, nil)
	if err != nil && r != nil {
		why, _ := io.ReadAll(r.Body)
		p.Fatalf("%v: %s", err, why)
	}
	if err != nil {
		p.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	v := &looker{T: p.T, conn: conn, ack: ack}
	p.Cleanup(func() { conn.CloseNow() })
	go v.read()
	return v
}

func (v *looker) read() {
	for {
		kind, data, err := v.conn.Read(context.Background())
		v.mu.Lock()
		switch {
		case err != nil:
			v.over = true
		case kind == websocket.MessageText:
			var said struct{ Size [2]int }
			json.Unmarshal(data, &said)
			v.size = said.Size
		default:
			v.text.Write(data)
			v.n += len(data)
		}
		n, ack := v.n, v.ack
		v.mu.Unlock()
		if err != nil {
			return
		}
		if ack && n > 0 {
			v.say(map[string]any{"shown": n})
			v.mu.Lock()
			v.n -= n
			v.mu.Unlock()
		}
	}
}

func (v *looker) say(what any) {
	text, _ := json.Marshal(what)
	v.conn.Write(context.Background(), websocket.MessageText, text)
}

func (v *looker) until(what string, ok func(text string, size [2]int) bool) {
	v.Helper()
	for until := time.Now().Add(longWait); time.Now().Before(until); nap() {
		v.mu.Lock()
		done := ok(v.text.String(), v.size)
		v.mu.Unlock()
		if done {
			return
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Fatalf("never: %s; the size is %v, the text\n%q", what, v.size, v.text.String()[max(0, v.text.Len()-2000):])
}

func (v *looker) shows(text string) {
	v.Helper()
	v.until("it shows "+text, func(all string, _ [2]int) bool { return strings.Contains(all, text) })
}

// Who looks sees the terminal, and nothing of what they send reaches it. Who has the keyboard types. The window keeps its size while
// somebody looks from a terminal of their own; alone with the keyboard a page has it as large as itself.
func TestTerminalOnAPage(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newTerminal(t)
	p := w.tab()
	before := s.window()
	look := p.view("", true)
	look.shows("I am at the terminal")
	look.say(map[string]any{"size": [2]int{30, 10}})
	look.conn.Write(t.Context(), websocket.MessageBinary, []byte("secretly\r"))
	look.until("its size", func(_ string, size [2]int) bool { return size[0] == 200 })
	keys := p.view("?keys=1", true)
	keys.shows("I am at the terminal")
	keys.conn.Write(t.Context(), websocket.MessageBinary, []byte("hello\r"))
	look.shows("you said hello.")
	look.mu.Lock()
	if strings.Contains(look.text.String(), "secretly") {
		t.Error("who only looks has typed")
	}
	look.mu.Unlock()
	if got := s.window(); got != before {
		t.Errorf("looking made the window %s, it was %s", got, before)
	}
	keys.say(map[string]any{"size": [2]int{90, 31}})
	keys.until("it has the page's size", func(_ string, size [2]int) bool { return size == [2]int{90, 31} })
	s.until("the window follows", func() bool { return strings.HasPrefix(s.window(), "90x3") })
	look.until("who looks follows", func(_ string, size [2]int) bool { return size[0] == 90 })

	tty := s.attached(t, 120, 40)
	s.until("the window is the terminal's", func() bool { return strings.HasPrefix(s.window(), "120x") })
	keys.until("the page takes the terminal's size", func(_ string, size [2]int) bool { return size[0] == 120 })
	keys.say(map[string]any{"size": [2]int{40, 12}})
	keys.conn.Write(t.Context(), websocket.MessageBinary, []byte("again\r"))
	look.shows("you said again.")
	if got := s.window(); !strings.HasPrefix(got, "120x") {
		t.Errorf("a page made the window of a terminal %s", got)
	}
	// While the window is wide: alone, it takes the page's size, and the first line is broken and goes up.
	if code, page := w.page("/w/" + w.key() + "/talker/terminal"); code != 200 || !strings.Contains(page, "I am at the terminal &lt;img") {
		t.Errorf("without script: %d\n%s", code, mainOf(page))
	}
	tty()
	s.ok("aburn", "kill", "talker")
	keys.until("it ends", func(string, [2]int) bool { return keys.over })
	if _, r, err := p.dial("", nil); err == nil || r == nil || r.StatusCode != 409 {
		t.Errorf("one that has ended: %v", err)
	}
}

// A terminal that a holder gives, here, in a clone or on another machine, is seen on a page, takes keys from whoever has the keyboard,
// and ends with its agent.
func TestHeldTerminalOnAPage(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for via, flags := range map[string][]string{"pty": {"--runtime", "pty"}, "clone": {"--workspace", "clone"}, "ssh": {"--runtime", "ssh:box"}} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			var s *site
			if via == "ssh" {
				s = newFarSite(t, typed).site
			} else {
				s = newSite(t)
				s.shim("claude", typed)
			}
			t.Cleanup(func() { s.command("aburn", "kill", "talker").Run() })
			w := &webWorld{T: t, dir: filepath.Dir(s.home), shop: s.project,
				extra: append([]string{"PATH=" + s.shims + ":" + os.Getenv("PATH"), "CLAUDE_PROJECT_DIR=", "ABURN_HOME="}, s.more...)}
			s.ok("aburn", append(append([]string{"spawn"}, flags...), "--name", "talker", "talk")...)
			s.until("its turn is over", s.is("talker", "idle"))
			w.serve("--no-ingest")
			w.moved(t, "talker", "ready")
			p := w.tab()
			look := p.view("", true)
			look.shows("I am at the terminal")
			look.say(map[string]any{"size": [2]int{30, 10}})
			look.conn.Write(t.Context(), websocket.MessageBinary, []byte("secretly\r"))
			look.until("its size", func(_ string, size [2]int) bool { return size == [2]int{200, 50} })
			keys := p.view("?keys=1", true)
			keys.say(map[string]any{"size": [2]int{90, 31}})
			keys.until("it has the page's size", func(_ string, size [2]int) bool { return size == [2]int{90, 31} })
			keys.conn.Write(t.Context(), websocket.MessageBinary, []byte("hello\r"))
			look.shows("you said hello.")
			if code, page := w.page("/w/" + w.key() + "/talker/terminal"); code != 200 || !strings.Contains(page, "you said hello.") ||
				strings.Contains(page, "secretly") {
				t.Errorf("without script: %d\n%s", code, mainOf(page))
			}
			s.ok("aburn", "kill", "talker")
			keys.until("it ends", func(string, [2]int) bool { return keys.over })
			if _, r, err := p.dial("", nil); err == nil || r == nil || r.StatusCode != 409 {
				t.Errorf("one that has ended: %v", err)
			}
		})
	}
}

// What a page does not read is not kept for it: the worker goes on, the server keeps little, and what came last is shown in the end.
func TestTerminalThatNobodyReads(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newTerminal(t)
	p := w.tab()
	slow := p.view("", false)
	slow.shows("I am at the terminal")
	keys := p.view("?keys=1", true)
	keys.shows("I am at the terminal")
	keys.conn.Write(t.Context(), websocket.MessageBinary, []byte("much\r"))
	keys.shows("that was much")
	slow.mu.Lock()
	n := slow.n
	slow.mu.Unlock()
	if n > 300<<10 {
		t.Errorf("%d bytes were sent to a page that showed none of them", n)
	}
	slow.mu.Lock()
	slow.ack, slow.n = true, 0
	slow.mu.Unlock()
	slow.say(map[string]any{"shown": n})
	keys.conn.Write(t.Context(), websocket.MessageBinary, []byte("end\r"))
	slow.shows("you said end.")
	if !s.is("talker", "idle")() {
		t.Error("its state changed")
	}
}

// No page of another site, and nobody without a token, opens a terminal.
func TestNobodyElseOpensATerminal(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	_, w := newTerminal(t)
	p := w.tab()
	for name, change := range map[string]func(*http.Header){
		"a page of another site":        func(h *http.Header) { h.Set("Origin", "https://evil.example") },
		"a page of another port":        func(h *http.Header) { h.Set("Origin", "http://127.0.0.1:1") },
		"a sandboxed page":              func(h *http.Header) { h.Set("Origin", "null") },
		"no origin":                     func(h *http.Header) { h.Del("Origin") },
		"no cookie":                     func(h *http.Header) { h.Del("Cookie") },
		"another port's cookie":         func(h *http.Header) { h.Set("Cookie", strings.Replace(h.Get("Cookie"), "aburn-", "aburn-1", 1)) },
		"no token":                      func(h *http.Header) { h.Set("Sec-WebSocket-Protocol", "aburn") },
		"another token":                 func(h *http.Header) { h.Set("Sec-WebSocket-Protocol", "aburn, aburn.token."+strings.Repeat("0", 32)) },
		"the token where a POST has it": func(h *http.Header) { h.Set("Sec-WebSocket-Protocol", "aburn"); h.Set("Aburn-Token", p.token) },
		"a script of another site":      func(h *http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
	} {
		for _, query := range []string{"", "?keys=1", "?keys=1&token=" + p.token} {
			conn, r, err := p.dial(query, change)
			if err == nil {
				conn.CloseNow()
				t.Errorf("%s came in", name)
			} else if r == nil || r.StatusCode != 403 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if conn, _, err := p.dial("", nil); err != nil {
		t.Errorf("then its person: %v", err)
	} else {
		conn.CloseNow()
	}
}

// In a browser: the terminal is drawn under its policy, keys reach the agent only with the keyboard, and Shift Esc gives it back.
func TestTerminalInABrowser(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	_, w := newTerminal(t)
	b.Open(w.link())
	b.Until(`String(document.querySelectorAll('.worker').length)`, "1")
	path := "/w/" + w.key() + "/talker/terminal"
	b.Open(strings.Replace(w.at(path), "127.0.0.1", "aburn.localhost", 1))
	text := `(document.querySelector('.xterm-rows') || {}).textContent || ''`
	has := func(what string) { t.Helper(); b.Until(`String((`+text+`).includes('`+what+`'))`, "true") }
	has("I am at the terminal")
	w.looks(b, "terminal")
	b.Resize(1280, 900)
	b.Value(`document.querySelector('#take').click()`)
	b.Until(`document.querySelector('#take').getAttribute('aria-pressed') + document.activeElement.className`, "truexterm-helper-textarea")
	has("I am at the terminal")
	b.Type("hello\r")
	has("you said hello.")
	b.Value(`document.querySelector('#take').click()`)
	b.Until(`document.querySelector('#take').getAttribute('aria-pressed')`, "false")
	if got := b.Value(`String(window.pwned)`); got != "undefined" {
		t.Error("a terminal's text became a script")
	}
	w.alone(b)
	if got := filepath.Base(b.Value(`performance.getEntriesByType('resource').map((e) => e.name).filter((n) => n.includes('token')).join(' ')`)); got != "." {
		t.Errorf("an address holds the token: %s", got)
	}
}

// attached looks at the worker from a terminal of its own, until the returned function is called.
func (s *site) attached(t *testing.T, cols, rows int) (leave func()) {
	t.Helper()
	cmd := s.command("tmux", "-L", "aburn", "attach-session")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	s.must(err)
	go func() {
		buf := make([]byte, 4096)
		for {
			if _, err := f.Read(buf); err != nil {
				return
			}
		}
	}()
	var once sync.Once
	leave = func() { once.Do(func() { f.Close(); cmd.Wait() }) }
	t.Cleanup(leave)
	return leave
}
