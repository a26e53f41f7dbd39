package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// hold opens a connection, writes text and keeps it open.
func (w *world) hold(text string) net.Conn {
	w.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", w.port))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { conn.Close() })
	io.WriteString(conn, text)
	return conn
}

// ends reads until the server closes the connection; what it read is the answer. The limit only ends a test that fails.
func (w *world) ends(name string, conn net.Conn) string {
	w.Helper()
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	text, err := io.ReadAll(conn)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		w.Errorf("%s: the connection is still held", name)
	}
	return string(text)
}

// A connection that waits for a stranger ends by itself: before a header, in one, in a body that never comes, and after an answer.
func TestNothingIsHeldForEver(t *testing.T) {
	w := newWorldWith(t, bounds{header: 50 * time.Millisecond, body: 50 * time.Millisecond, idle: 50 * time.Millisecond, write: 50 * time.Millisecond,
		strangers: 100})
	cookie, token := w.come()
	host := fmt.Sprintf("Host: 127.0.0.1:%d\r\n", w.port)
	origin := "Origin: " + w.at("") + "\r\nContent-Type: application/json\r\n"
	for name, text := range map[string]string{
		"nothing":                       "",
		"half a header":                 "GET / HTTP/1.1\r\n" + host,
		"a file, then nothing":          "GET /page.js HTTP/1.1\r\n" + host + "\r\n",
		"a page with a body":            "GET / HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\n",
		"a file with a body":            "GET /page.js HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\n",
		"a foreign host with a body":    "POST /auth HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100\r\n\r\n",
		"a code that never comes":       "POST /auth HTTP/1.1\r\n" + host + origin + "Content-Length: 100\r\n\r\n{",
		"a code in chunks":              "POST /auth HTTP/1.1\r\n" + host + origin + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"an expected 100":               "POST /auth HTTP/1.1\r\n" + host + origin + "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n",
		"a button without a right":      "POST /button HTTP/1.1\r\n" + host + origin + "Content-Length: 100\r\n\r\n",
		"a button that nobody presses":  "POST /nothing HTTP/1.1\r\n" + host + origin + "Content-Length: 100\r\n\r\n",
		"the owner's button, half sent": "POST /button HTTP/1.1\r\n" + host + origin + cookie + "\r\n" + token + "\r\nContent-Length: 100\r\n\r\n{",
		"a socket with a body":          "GET /ws HTTP/1.1\r\n" + host + "Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 100\r\n\r\n",
	} {
		if got := w.ends(name, w.hold(text)); strings.Contains(got, secret) {
			t.Errorf("%s: the answer is %q", name, got)
		}
	}
	if n := w.pushed.Load(); n != 0 {
		t.Errorf("half a body pressed the button %d times", n)
	}
}

// Whoever asks for much and reads none of it holds no connection, either.
func TestNobodyHoldsByNotReading(t *testing.T) {
	b := seconds
	b.write = 50 * time.Millisecond
	w := newWorldWith(t, b)
	w.files["/large.js"] = File{"text/javascript", strings.Repeat("x", 64<<20)}
	conn := w.hold(fmt.Sprintf("GET /large.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", w.port))
	w.await("the file's connection is closed", func() bool { return w.conns.open() == 0 })
	if text := w.ends("a file that nobody reads", conn); len(text) >= 64<<20 {
		t.Error("all of it was kept for somebody who read none")
	}
}

// However many connections strangers hold, and with whatever they wrote, the owner's browser gets in each time, its stream lives, and
// strangers hold no more than their share.
func TestOwnerComesInBesideStrangers(t *testing.T) {
	b := bounds{header: time.Hour, body: time.Hour, idle: time.Hour, write: time.Hour, strangers: 16}
	w := newWorldWith(t, b)
	cookie, token := w.come()
	next := w.stream(cookie, "/events")
	w.await("the stream is open", func() bool { return w.events.Readers() == 1 })
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	host := fmt.Sprintf("Host: 127.0.0.1:%d\r\n", w.port)
	for i := range 20 * b.strangers {
		w.hold([]string{"", "GET / HTTP/1.1\r\n" + host, "POST /auth HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\n",
			"GET /page.js HTTP/1.1\r\n" + host + "\r\n"}[i%4])
		if i%b.strangers != 0 {
			continue
		}
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		if got := w.ask("GET", "/", "", cookie); got.code != 200 || got.body != secret {
			t.Fatalf("beside %d strangers: %+v", i, got)
		}
		if got := w.ask("POST", "/button", "{}", append(w.own(), cookie, token)...); got.code != 200 {
			t.Fatalf("a button beside %d strangers: %+v", i, got)
		}
	}
	if again, _ := w.come(); again == cookie {
		t.Error("a new link gives an old cookie")
	}
	if open := w.conns.open(); open > b.strangers+4 { // the stream, and what the owner's browser keeps
		t.Errorf("%d connections are open", open)
	}
	w.events.Say("session")
	if got := next(); got != "session" {
		t.Errorf("the stream beside strangers says %q", got)
	}
}

// The owner's streams live longer than every bound: nothing is asked of them for hours.
func TestOwnStreamsLive(t *testing.T) {
	b := bounds{header: 50 * time.Millisecond, body: 50 * time.Millisecond, idle: 50 * time.Millisecond, write: time.Minute, strangers: 4}
	w := newWorldWith(t, b)
	cookie, token := w.come()
	next := w.stream(cookie, "/events")
	ws := w.hold(fmt.Sprintf("GET /raw HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: %s\r\n%s\r\n%s\r\n\r\n", w.port, w.at(""), cookie,
		strings.Join(socket(token), "\r\n")))
	echo := bufio.NewReader(ws)
	if line, err := echo.ReadString('\n'); line != "open\n" {
		t.Fatalf("the socket: %q %v", line, err)
	}
	for range 3 * b.strangers { // each ends by its deadline, so three bounds have gone by then
		w.ends("a stranger", w.hold(""))
	}
	w.events.Say("now")
	if got := next(); got != "now" {
		t.Errorf("the stream says %q", got)
	}
	io.WriteString(ws, "hello\n")
	if line, err := echo.ReadString('\n'); line != "hello\n" {
		t.Errorf("the socket says %q %v", line, err)
	}
}

// raw takes a connection over as a WebSocket does, and returns each line.
func raw(out http.ResponseWriter, _ *http.Request) {
	conn, lines, err := http.NewResponseController(out).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	io.WriteString(conn, "open\n")
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		io.WriteString(conn, line)
	}
}

// await waits for an event that no channel reports.
func (w *world) await(what string, is func() bool) {
	w.Helper()
	ctx, stop := context.WithTimeout(w.Context(), 20*time.Second)
	defer stop()
	for !is() {
		select {
		case <-ctx.Done():
			w.Fatalf("it never came: %s", what)
		case <-time.After(time.Millisecond):
		}
	}
}
