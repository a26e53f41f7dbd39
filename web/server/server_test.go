package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// world is a server that runs on a real port, with a page that holds a secret and a button.
type world struct {
	*testing.T
	*Server
	events *Events
	clock  atomic.Int64 // seconds that have gone by
	pushed atomic.Int64 // how often somebody pressed the button
	stop   context.CancelFunc
	ended  chan error
}

const secret = "what nobody else may read"

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldWith(t, seconds)
}

func newWorldWith(t *testing.T, b bounds) *world {
	t.Helper()
	list, port, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, events: NewEvents(time.Minute), ended: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.Handle("GET /events", w.events)
	mux.HandleFunc("GET /raw", raw)
	mux.HandleFunc("GET /", func(out http.ResponseWriter, r *http.Request) { io.WriteString(out, secret) })
	button := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { w.pushed.Add(1) })
	start := time.Now()
	w.Server = New(Options{Port: port, Pages: mux, Sockets: mux, Posts: map[string]http.Handler{"/button": button},
		Files: map[string]File{"/page.js": {"text/javascript", "1"}},
		Door:  func(out io.Writer, link string) error { _, err := fmt.Fprintf(out, "the door %q", link); return err },
		Now:   func() time.Time { return start.Add(time.Duration(w.clock.Load()) * time.Second) }})
	w.conns = newConns(b)
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go func() { w.ended <- w.Serve(ctx, list) }()
	t.Cleanup(func() {
		stop()
		<-w.ended
	})
	return w
}

// answer is what a request got.
type answer struct {
	code   int
	body   string
	header http.Header
}

// ask makes a request; each of with is "Header: value". Host replaces the address's.
func (w *world) ask(method, path, body string, with ...string) answer {
	w.Helper()
	r, err := http.NewRequest(method, w.at(path), strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	for _, h := range with {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Add(name, value); name == "Host" {
			r.Host = value
		}
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		w.Fatal(err)
	}
	return answer{got.StatusCode, string(text), got.Header}
}

func (w *world) at(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", w.port, path) }

// own are the headers of a browser's POST from a page of ours.
func (w *world) own() []string {
	return []string{"Content-Type: application/json", "Origin: " + w.at(""), "Sec-Fetch-Site: same-origin"}
}

// come uses a link and returns the cookie and the token.
func (w *world) come() (cookie, token string) {
	w.Helper()
	_, code, _ := strings.Cut(w.Link("127.0.0.1", "/"), "#k=")
	got := w.ask("POST", "/auth", `{"code":"`+code+`"}`, w.own()...)
	set := got.header.Get("Set-Cookie")
	for _, part := range []string{fmt.Sprintf("aburn-%d=", w.port), "; Path=/", "; Max-Age=43200", "; HttpOnly", "; SameSite=Strict"} {
		if !strings.Contains(set, part) {
			w.Fatalf("the cookie %q lacks %q", set, part)
		}
	}
	cookie, _, _ = strings.Cut(set, ";")
	token, _, _ = strings.Cut(strings.TrimPrefix(got.body, `{"token":"`), `"`)
	return "Cookie: " + cookie, TokenHeader + ": " + token
}

func TestOwnBrowserComesIn(t *testing.T) {
	w := newWorld(t)
	cookie, token := w.come()
	if got := w.ask("GET", "/", "", cookie, "Sec-Fetch-Site: none"); got.code != 200 || got.body != secret {
		t.Errorf("the page: %+v", got)
	}
	if got := w.ask("POST", "/button", "{}", append(w.own(), cookie, token)...); got.code != 200 || w.pushed.Load() != 1 {
		t.Errorf("the button: %+v, pressed %d times", got, w.pushed.Load())
	}
	for header, want := range map[string]string{
		"Content-Security-Policy": Policy, "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "",
	} {
		if got := w.ask("GET", "/", "", cookie).header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	w.clock.Add(int64(CookieLife.Seconds()) + 1)
	if got := w.ask("GET", "/", "", cookie); got.code != 401 {
		t.Errorf("an old cookie: %+v", got)
	}
}

// Nobody without a cookie of ours reads a page, and nobody without the token of a tab presses a button. Nothing that is refused
// says what the pages hold.
func TestNobodyElseComesIn(t *testing.T) {
	w := newWorld(t)
	cookie, token := w.come()
	other, otherToken := w.come()
	port := func(host string) string { return fmt.Sprintf("%s:%d", host, w.port) }
	page := func(with ...string) func() answer {
		return func() answer { return w.ask("GET", "/", "", with...) }
	}
	press := func(with ...string) func() answer {
		return func() answer { return w.ask("POST", "/button", "{}", with...) }
	}
	own := w.own()
	without := func(i int) []string { return append(append([]string{cookie, token}, own[:i]...), own[i+1:]...) }
	for name, c := range map[string]struct {
		do   func() answer
		code int
	}{
		"no cookie":                             {page(), 401},
		"a made-up cookie":                      {page(fmt.Sprintf("Cookie: aburn-%d=0123456789abcdef0123456789abcdef", w.port)), 401},
		"the cookie under another port's name":  {page(strings.Replace(cookie, "aburn-", "aburn-1", 1)), 401},
		"another name of this machine":          {page(cookie, "Host: "+port("rebound.example")), 421},
		"a name that ends like ours":            {page(cookie, "Host: "+port("evil.aburn.localhost")), 421},
		"an address in another form":            {page(cookie, "Host: "+port("127.1")), 421},
		"no port":                               {page(cookie, "Host: 127.0.0.1"), 421},
		"another port":                          {page(cookie, "Host: 127.0.0.1:1"), 421},
		"a user in the host":                    {page(cookie, "Host: x@"+port("127.0.0.1")), 421},
		"a null origin":                         {page(cookie, "Origin: null"), 403},
		"a foreign origin":                      {page(cookie, "Origin: https://evil.example"), 403},
		"the origin of another local port":      {page(cookie, "Origin: http://127.0.0.1:1"), 403},
		"our origin under another of our names": {page(cookie, "Origin: http://"+port("localhost")), 403},
		"two origins":                           {page(cookie, "Origin: "+w.at(""), "Origin: null"), 403},
		"a script of another site":              {page(cookie, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"), 403},
		"a script of another local port":        {page(cookie, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"), 403},
		"a link of another site":                {page(cookie, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Accept: text/html"), 403},
		"a path that climbs":                    {func() answer { return w.ask("GET", "/a/%2e%2e/b", "", cookie) }, 404},
		"a path with two slashes":               {func() answer { return w.ask("GET", "//evil.example", "", cookie) }, 404},
		"a backslash":                           {func() answer { return w.ask("GET", "/a%5cb", "", cookie) }, 404},
		"1 MB of query":                         {func() answer { return w.ask("GET", "/?q="+strings.Repeat("a", 1<<20), "", cookie) }, 431},
		"PUT":                                   {func() answer { return w.ask("PUT", "/button", "{}", append(own, cookie, token)...) }, 405},
		"OPTIONS":                               {func() answer { return w.ask("OPTIONS", "/button", "", append(own, cookie, token)...) }, 405},
		"a button without a cookie":             {press(append(own, token)...), 403},
		"a button without a token":              {press(append(own, cookie)...), 403},
		"a button with another tab's token":     {press(append(own, cookie, otherToken)...), 403},
		"a button with two tokens":              {press(append(own, cookie, token, otherToken)...), 403},
		"a button without an origin":            {press(without(1)...), 403},
		"a form":                                {press(cookie, token, own[1], "Content-Type: application/x-www-form-urlencoded"), 415},
		"a form of plain text":                  {press(cookie, token, own[1], "Content-Type: text/plain"), 415},
		"a button by GET":                       {func() answer { return w.ask("GET", "/button", "", cookie, "Accept: nothing") }, 200}, // a page like any other
		"a socket without a cookie":             {func() answer { return w.ask("GET", "/ws", "", append(socket(token), own[1])...) }, 403},
		"a socket without a token":              {func() answer { return w.ask("GET", "/ws", "", cookie, own[1], "Upgrade: websocket") }, 403},
		"a socket with an empty token":          {func() answer { return w.ask("GET", "/ws", "", append(socket("x: "), cookie, own[1])...) }, 403},
		"a socket with another tab's token":     {func() answer { return w.ask("GET", "/ws", "", append(socket(otherToken), cookie, own[1])...) }, 403},
		"a socket with two tokens": {func() answer {
			return w.ask("GET", "/ws", "", append(append(socket(token), socket(token)...), cookie, own[1])...)
		}, 403},
		"a socket with its token in a header": {func() answer { return w.ask("GET", "/ws", "", cookie, token, own[1], "Upgrade: websocket") }, 403},
		"a socket without an origin":          {func() answer { return w.ask("GET", "/ws", "", append(socket(token), cookie)...) }, 403},
		"a socket of another site": {func() answer {
			return w.ask("GET", "/ws", "", append(socket(token), cookie, "Origin: https://evil.example")...)
		}, 403},
		"a socket of another port": {func() answer {
			return w.ask("GET", "/ws", "", append(socket(token), cookie, "Origin: http://127.0.0.1:1")...)
		}, 403},
		"a socket of a sandboxed page": {func() answer { return w.ask("GET", "/ws", "", append(socket(token), cookie, "Origin: null")...) }, 403},
		"a socket by a rebound name": {func() answer {
			return w.ask("GET", "/ws", "", append(socket(token), cookie, own[1], "Host: "+port("rebound.example"))...)
		}, 421},
		"an upgrade to something else": {func() answer { return w.ask("GET", "/ws", "", cookie, own[1], "Upgrade: h2c") }, 404},
		"a page by POST":               {func() answer { return w.ask("POST", "/", "{}", append(own, cookie, token)...) }, 405},
	} {
		got := c.do()
		if got.code != c.code || c.code != 200 && strings.Contains(got.body, secret) {
			t.Errorf("%s: %d %q, want %d", name, got.code, got.body, c.code)
		}
	}
	if n := w.pushed.Load(); n != 0 {
		t.Errorf("the button was pressed %d times", n)
	}
	if got := w.ask("GET", "/", "", other); got.code != 200 {
		t.Errorf("then its owner: %+v", got)
	}
}

// socket are the headers of a tab's WebSocket.
func socket(token string) []string {
	_, token, _ = strings.Cut(token, ": ")
	return []string{"Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Protocol: " + Protocol + ", " + TokenProtocol + token}
}

// A tab's own socket comes through, with nothing but its cookie, its origin and its token.
func TestOwnSocketComesIn(t *testing.T) {
	w := newWorld(t)
	cookie, token := w.come()
	if got := w.ask("GET", "/ws", "", append(socket(token), cookie, "Origin: "+w.at(""))...); got.code != 200 || got.body != secret {
		t.Errorf("%+v", got)
	}
}

// What a link from another page leads to is a door with a link to go on with.
func TestDoor(t *testing.T) {
	w := newWorld(t)
	cookie, _ := w.come()
	got := w.ask("GET", "/s/claude/1?at=2", "", cookie, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Accept: text/html")
	if got.code != 403 || got.body != `the door "/s/claude/1?at=2"` {
		t.Errorf("a link: %+v", got)
	}
	if got = w.ask("GET", "/s/claude/1", "", "Accept: text/html"); got.code != 401 || got.body != `the door ""` {
		t.Errorf("a bookmark: %+v", got)
	}
	if got = w.ask("GET", "/page.js", ""); got.code != 200 || got.body != "1" {
		t.Errorf("the door's script: %+v", got)
	}
}

func TestCodesWorkOnceAndForAMinute(t *testing.T) {
	w := newWorld(t)
	try := func(link string) int {
		_, code, _ := strings.Cut(link, "#k=")
		return w.ask("POST", "/auth", `{"code":"`+code+`"}`, w.own()...).code
	}
	link := w.Link(Name, "/cost")
	if want := fmt.Sprintf("http://aburn.localhost:%d/cost#k=", w.port); !strings.HasPrefix(link, want) || len(link) != len(want)+32 {
		t.Errorf("the link is %s", link)
	}
	if got := try(link); got != 200 {
		t.Errorf("first: %d", got)
	}
	if got := try(link); got != 403 {
		t.Errorf("again: %d", got)
	}
	late := w.Link(Name, "/")
	w.clock.Add(61)
	if got := try(late); got != 403 {
		t.Errorf("after a minute: %d", got)
	}
	for body, want := range map[string]int{"": 403, "{}": 403, "[]": 403, `{"code":""}`: 403, `{"code":"` + strings.Repeat("0", 1<<20) + `"}`: 413} {
		if got := w.ask("POST", "/auth", body, w.own()...); got.code != want {
			t.Errorf("%.20s: %d", body, got.code)
		}
	}
}

// Two servers start on neighbouring ports, and neither answers anywhere but on loopback.
func TestListen(t *testing.T) {
	first, port, err := Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	second, next, err := Listen(port)
	if err != nil || next <= port {
		t.Fatalf("beside %d: %d %v", port, next, err)
	}
	for _, l := range append(first, second...) {
		if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
			t.Errorf("it listens on %s", l.Addr())
		}
		l.Close()
	}
}

// stream reads the data of a stream's events.
func (w *world) stream(cookie, path string) func() string {
	w.Helper()
	r, err := http.NewRequest("GET", w.at(path), nil)
	if err != nil {
		w.Fatal(err)
	}
	name, value, _ := strings.Cut(cookie, ": ")
	r.Header.Set(name, value)
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { got.Body.Close() })
	lines := bufio.NewScanner(got.Body)
	return func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
}

// No event is lost between the making of a page and its stream, nor while a reader is away; who missed too many is told so, and
// who reads when the server ends is told that, too.
func TestEvents(t *testing.T) {
	w := newWorld(t)
	cookie, _ := w.come()
	at := w.events.At()
	w.events.Say("now")
	w.events.Say("cost")
	w.events.Say("now")
	next := w.stream(cookie, "/events?since="+at)
	if a, b := next(), next(); a != "now" || b != "cost" {
		t.Errorf("what came before the stream: %q %q", a, b)
	}
	w.events.Say("session")
	if got := next(); got != "session" {
		t.Errorf("then %q", got)
	}
	for range keptEvents + 1 {
		w.events.Say("now")
	}
	for _, since := range []string{at, "other.3", "nonsense"} {
		if got := w.stream(cookie, "/events?since="+since)(); got != Everything {
			t.Errorf("since %s: %q", since, got)
		}
	}
	last := w.stream(cookie, "/events")
	w.stop()
	if got := last(); got != Over {
		t.Errorf("at the end: %q", got)
	}
	if err := <-w.ended; err != nil {
		t.Error(err)
	}
	w.ended <- nil // for the clean-up
}
