package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server plays one script on a loopback port.
type Server struct {
	http     *http.Server
	listener net.Listener

	mu       sync.Mutex
	script   Script
	requests []*Request
	log      *os.File
}

// Start listens on a free loopback port and plays script. logPath, if not empty, gets every request as a JSON line.
func Start(script Script, logPath string) (*Server, error) {
	s := &Server{script: script}
	for _, c := range script {
		c.next = map[string]int{}
	}
	if logPath != "" {
		f, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		s.log = f
	}
	l, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.listener = l
	s.http = &http.Server{Handler: s}
	go s.http.Serve(l) // ends with Close
	return s, nil
}

// listenLoopback refuses every address that another machine could reach.
func listenLoopback(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		l.Close()
		return nil, fmt.Errorf("listen on %s: not a loopback address", addr)
	}
	return l, nil
}

// URL is the base that Claude Code wants: no path.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Port is the port as text, for normalising recorded requests.
func (s *Server) Port() string {
	_, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return port
}

// Close ends the server and its open answers.
func (s *Server) Close() error {
	err := s.http.Close()
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	return err
}

// Requests are all requests so far, in order of arrival.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// Asked are the requests that wanted an answer of the model, in order of arrival.
func (s *Server) Asked() []*Request {
	var asked []*Request
	for _, r := range s.Requests() {
		if r.Protocol != "" {
			asked = append(asked, r)
		}
	}
	return asked
}

// ServeHTTP routes by path; a client may ask for anything, and is told 404 in a shape it can read.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	path := r.URL.Path
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/v1/messages"):
		s.answer(w, r, body, Messages)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		s.answer(w, r, body, Responses)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/chat/completions"):
		s.answer(w, r, body, Chat)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "enerateContent"):
		s.answer(w, r, body, Generate)
	case strings.HasSuffix(path, ":countTokens"):
		s.note(r, body)
		writeJSON(w, http.StatusOK, map[string]int{"totalTokens": len(body) / 4})
	case strings.HasSuffix(path, "/count_tokens"):
		s.note(r, body)
		writeJSON(w, http.StatusOK, map[string]int{"input_tokens": len(body) / 4})
	case strings.HasSuffix(path, "/models"):
		s.note(r, body) // Codex reads "models", Claude Code "data"
		writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{}, "models": []any{}, "has_more": false})
	case path == "/":
		s.note(r, body)
		w.WriteHeader(http.StatusOK)
	default:
		s.note(r, body)
		writeFailure(w, Messages, &Failure{Status: http.StatusNotFound, Type: "not_found_error", Message: "the scripted model does not serve " + path})
	}
}

// answer plays the next turn for a request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, body []byte, protocol Protocol) {
	request := newRequest(r, body)
	if err := request.parse(protocol); err != nil {
		s.keep(request)
		writeFailure(w, protocol, &Failure{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()})
		return
	}
	turn := s.take(request)
	if turn.Before != nil {
		turn.Before(r.Context())
	}
	if turn.Failure != nil {
		writeFailure(w, protocol, turn.Failure)
		return
	}
	stream := &stream{w: w, ctx: r.Context(), request: request, turn: turn}
	switch protocol {
	case Messages:
		stream.messages()
	case Responses:
		stream.responses()
	case Chat:
		stream.chat()
	case Generate:
		stream.generate()
	}
}

// take numbers a request, gives it its turn and keeps it.
func (s *Server) take(request *Request) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	turn := Turn{Text: "(scripted model: no conversation matches)"}
	for _, c := range s.script {
		if c.When != nil && !c.When(request) {
			continue
		}
		turn = c.take(request)
		break
	}
	s.keepLocked(request)
	return turn
}

// take fills in where a request stands in the conversation and returns its turn.
func (c *Conversation) take(request *Request) Turn {
	thread := ""
	if c.PerThread {
		thread = request.Thread()
	}
	request.Conversation, request.Turn = c.Name, c.next[thread]
	if request.Turn == 0 {
		c.seen = append(c.seen, thread)
	}
	request.ordinal = slices.Index(c.seen, thread)
	c.next[thread]++
	i := request.Turn
	if c.Repeat && len(c.Turns) > 0 {
		i %= len(c.Turns)
	}
	if i >= len(c.Turns) {
		return Text("(scripted model: the turns of " + c.Name + " are used up)")
	}
	return c.Turns[i]
}

func (s *Server) note(r *http.Request, body []byte) { s.keep(newRequest(r, body)) }

func (s *Server) keep(request *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepLocked(request)
}

func (s *Server) keepLocked(request *Request) {
	request.N = len(s.requests) + 1
	s.requests = append(s.requests, request)
	if s.log == nil {
		return
	}
	record := struct {
		*Request
		Body json.RawMessage `json:"body,omitempty"`
	}{request, request.Body}
	if !json.Valid(request.Body) {
		record.Body, _ = json.Marshal(string(request.Body))
	}
	if line, err := json.Marshal(record); err == nil {
		s.log.Write(append(line, '\n'))
	}
}

// newRequest copies what is kept of a request; keys are masked before anything is kept.
func newRequest(r *http.Request, body []byte) *Request {
	header := r.Header.Clone()
	for _, name := range []string{"X-Api-Key", "Authorization"} {
		if header.Get(name) != "" {
			header.Set(name, "(present)")
		}
	}
	return &Request{Time: time.Now().UTC(), Method: r.Method, Path: r.URL.RequestURI(), Header: header, Body: body}
}

func (r *Request) parse(protocol Protocol) error {
	r.Protocol = protocol
	switch protocol {
	case Messages:
		return r.parseMessages()
	case Chat:
		return r.parseChat()
	case Generate:
		return r.parseGenerate()
	}
	return r.parseResponses()
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value) // an error means that the client went away
}

// writeFailure sends an error in the protocol's own shape.
func writeFailure(w http.ResponseWriter, protocol Protocol, f *Failure) {
	for name, values := range f.Header {
		w.Header()[name] = values
	}
	body := map[string]any{"error": map[string]string{"type": f.Type, "message": f.Message}}
	if protocol == Messages {
		body["type"] = "error"
	}
	writeJSON(w, f.Status, body)
}
