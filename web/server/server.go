// Package server lets one person's browser on this machine, and nothing else, read what a handler answers. It listens on
// loopback only, and keeps whatever opens it in memory. It knows nothing of the pages that it protects.
//
// Invariants:
//   - A request is answered only if its Host is one of ours (another name that resolves to this machine is not), if its Origin,
//     if sent, is that host, and if the browser does not say that another site made it.
//   - Only a cookie opens a page. It is given for a code, which is in the fragment of a link, works once and for a minute.
//   - Browsers send cookies to every port of a host. So a cookie only reads: a POST or a WebSocket needs the token of its tab, too,
//     which no page, address or file ever holds.
//   - No connection waits for ever for a peer that sends or reads nothing. Connections that never brought a cookie of ours have a
//     ceiling, and the newest takes the place of the oldest.
package server

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How long a link and a cookie work, and the longest body and header that are read, in bytes.
const (
	LinkLife   = time.Minute
	CookieLife = 12 * time.Hour
	maxBody    = 16 << 10
	maxHeader  = 16 << 10
)

// Name is the host in links. Browsers resolve it to this machine by themselves (RFC 6761), and cookies of it are not sent to
// other servers on 127.0.0.1.
const Name = "aburn.localhost"

// TokenHeader has the tab's token in a POST.
const TokenHeader = "Aburn-Token"

// A WebSocket of a page speaks Protocol, and offers TokenProtocol with the tab's token behind it: a browser lets it set no header.
const (
	Protocol      = "aburn"
	TokenProtocol = "aburn.token."
)

// Policy is the Content-Security-Policy of every answer. A form may ask this server, which answers no POST of a form.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types aburn"

// TerminalPolicy is that of a page with a terminal, and of no other: xterm.js puts its sizes and colours into a style element.
func TerminalPolicy() string {
	return strings.Replace(Policy, "style-src 'self'", "style-src 'self' 'unsafe-inline'", 1)
}

// Server guards a handler.
type Server struct {
	port  int
	pages http.Handler
	// posts are the paths that take a POST, by path.
	posts   map[string]http.Handler
	sockets http.Handler
	files   map[string]File
	door    Page
	now     func() time.Time
	conns   *conns

	mu      sync.Mutex
	codes   map[string]time.Time // until when each works
	cookies map[string]opened
}

// opened is what a cookie opens.
type opened struct {
	token string
	until time.Time
}

// File is a file that every browser may load: it says nothing about anybody.
type File struct{ Type, Text string }

// Page writes the page for somebody whom nothing else is shown. link is the address to go on with, "" if only a new link helps.
type Page func(w io.Writer, link string) error

// Options says what a Server guards.
type Options struct {
	Port    int
	Pages   http.Handler            // answers GET, also of streams
	Posts   map[string]http.Handler // by path
	Sockets http.Handler            // answers what asks for a WebSocket; nil refuses it
	Files   map[string]File         // by path
	Door    Page
	Now     func() time.Time // nil is the clock
}

// New returns a server for the port that its listeners have.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Server{port: o.Port, pages: o.Pages, posts: o.Posts, sockets: o.Sockets, files: o.Files, door: o.Door, now: o.Now, conns: newConns(seconds),
		codes: map[string]time.Time{}, cookies: map[string]opened{}}
}

// Link returns an address that opens the pages once, within LinkLife. at is the path on the page's host.
func (s *Server) Link(host, at string) string {
	code := random()
	s.mu.Lock()
	defer s.mu.Unlock()
	for old, until := range s.codes {
		if s.now().After(until) {
			delete(s.codes, old)
		}
	}
	s.codes[code] = s.now().Add(LinkLife)
	return "http://" + net.JoinHostPort(host, strconv.Itoa(s.port)) + at + "#k=" + code
}

// random is 128 random bits in hexadecimal digits.
func random() string {
	var b [16]byte
	rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// cookie is the cookie's name. It has the port, so that two servers of one host do not overwrite one another's.
func (s *Server) cookie() string { return "aburn-" + strconv.Itoa(s.port) }

// ServeHTTP answers a request, or refuses it. An answer may take its time: a deadline for reading would end it, so it holds only
// until the request is complete.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if r.Body == http.NoBody {
		http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	switch refusal := s.refusal(r); {
	case refusal == http.StatusForbidden && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Origin") == "":
		// A link in another page, or in a file. The reader goes on with a click of their own, which is then ours.
		s.shut(w, r, refusal, r.URL.RequestURI())
	case refusal != 0:
		http.Error(w, http.StatusText(refusal), refusal)
	case r.Method == http.MethodPost:
		s.post(w, r)
	case r.Header.Get("Upgrade") != "":
		s.socket(w, r)
	default:
		s.get(w, r)
	}
}

// protect sets the headers of every answer.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

// refusal is the status with which a request is refused before anything else is looked at, 0 for none.
func (s *Server) refusal(r *http.Request) int {
	if !s.ours(r.Host) {
		return http.StatusMisdirectedRequest
	}
	origin := r.Header.Values("Origin")
	if len(origin) > 1 || len(origin) == 1 && origin[0] != "http://"+r.Host {
		return http.StatusForbidden
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return http.StatusForbidden
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		return http.StatusMethodNotAllowed
	}
	if p := r.URL.Path; p != path.Clean(p) || strings.ContainsAny(p, "\\\x00") {
		return http.StatusNotFound
	}
	return 0
}

// ours reports whether a request's Host is one of the names of this server, with its port.
func (s *Server) ours(host string) bool {
	name, port, err := net.SplitHostPort(host)
	return err == nil && port == strconv.Itoa(s.port) && (name == "127.0.0.1" || name == "localhost" || name == Name)
}

func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	_, known := s.opened(r)
	if f, ok := s.files[r.URL.Path]; ok {
		w.Header().Set("Content-Type", f.Type)
		io.WriteString(w, f.Text)
		return
	}
	if !known {
		s.shut(w, r, http.StatusUnauthorized, "")
		return
	}
	s.pages.ServeHTTP(w, r)
}

// shut shows the door. Whoever does not ask for a page gets a word.
func (s *Server) shut(w http.ResponseWriter, r *http.Request, status int, link string) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, http.StatusText(status), status)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	s.door(w, link)
}

// opened is what the request's cookie opens. It makes the connection the owner's.
func (s *Server) opened(r *http.Request) (o opened, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range r.CookiesNamed(s.cookie()) {
		if o, ok = s.cookies[c.Value]; ok && s.now().Before(o.until) {
			recognize(r.Context())
			return o, true
		}
	}
	return opened{}, false
}

func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	handler := s.posts[r.URL.Path]
	switch {
	case r.URL.Path != "/auth" && handler == nil:
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	case len(r.Header.Values("Origin")) != 1:
		http.Error(w, "no origin", http.StatusForbidden)
		return
	case r.Header.Get("Content-Type") != "application/json":
		http.Error(w, http.StatusText(http.StatusUnsupportedMediaType), http.StatusUnsupportedMediaType)
		return
	}
	if r.URL.Path == "/auth" {
		if complete(w, r) {
			s.auth(w, r)
		}
		return
	}
	o, ok := s.opened(r)
	if tokens := r.Header.Values(TokenHeader); !ok || len(tokens) != 1 || subtle.ConstantTimeCompare([]byte(tokens[0]), []byte(o.token)) != 1 {
		http.Error(w, "no token", http.StatusForbidden)
		return
	}
	if complete(w, r) {
		handler.ServeHTTP(w, r)
	}
}

// complete reads the whole body, so that no handler begins with half of one, or waits for the rest.
func complete(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, http.StatusText(http.StatusRequestEntityTooLarge), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, http.StatusText(http.StatusRequestTimeout), http.StatusRequestTimeout)
	default:
		r.Body = io.NopCloser(bytes.NewReader(body))
		http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return err == nil
}

// socket answers what asks for a WebSocket. Browsers let a page of any site ask for one, and send the cookie along: so it needs all that
// a POST needs.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	o, ok := s.opened(r)
	switch {
	case s.sockets == nil || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		http.Error(w, http.StatusText(http.StatusNotFound), http.StatusNotFound)
	case len(r.Header.Values("Origin")) != 1:
		http.Error(w, "no origin", http.StatusForbidden)
	case !ok || subtle.ConstantTimeCompare([]byte(tokenOf(r)), []byte(o.token)) != 1:
		http.Error(w, "no token", http.StatusForbidden)
	default:
		s.sockets.ServeHTTP(w, r)
	}
}

// tokenOf is the token that a WebSocket offers, "" unless it offers exactly one.
func tokenOf(r *http.Request) (token string) {
	for _, header := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(header, ",") {
			t, ok := strings.CutPrefix(strings.TrimSpace(name), TokenProtocol)
			switch {
			case ok && token != "":
				return ""
			case ok:
				token = t
			}
		}
	}
	return token
}

// auth gives a cookie and a token for a code.
func (s *Server) auth(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Code string `json:"code"`
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil || !s.take(asked.Code) {
		http.Error(w, "this link was used, or is older than a minute", http.StatusForbidden)
		return
	}
	id, o := random(), opened{random(), s.now().Add(CookieLife)}
	s.mu.Lock()
	for old, c := range s.cookies {
		if s.now().After(c.until) {
			delete(s.cookies, old)
		}
	}
	s.cookies[id] = o
	s.mu.Unlock()
	recognize(r.Context())
	http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: id, Path: "/", MaxAge: int(CookieLife.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"token": o.token})
}

// take uses a code up.
func (s *Server) take(code string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.codes[code]
	delete(s.codes, code)
	return ok && s.now().Before(until)
}

// nowhere takes net/http's notes about broken requests: they hold what strangers wrote.
var nowhere = log.New(io.Discard, "", 0)

// Serve answers until ctx ends. Streams end with it, as their requests' contexts do.
func (s *Server) Serve(ctx context.Context, list []net.Listener) error {
	b := s.conns.bounds
	served := &http.Server{Handler: s, ReadHeaderTimeout: b.header, ReadTimeout: b.header + b.body, IdleTimeout: b.idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx }, ConnContext: in, ErrorLog: nowhere}
	failed := make(chan error, len(list))
	for _, l := range list {
		go func() { failed <- served.Serve(listener{l, s.conns}) }()
	}
	select {
	case err := <-failed:
		served.Close()
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := served.Shutdown(last); err != nil {
		served.Close()
	}
	return nil
}
