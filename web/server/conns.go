package server

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Listen opens the first free port from port on, on loopback only. Both families have to be free: whoever else had one would be
// shown the links of browsers that try it first.
func Listen(port int) (list []net.Listener, at int, err error) {
	for at = port; at < port+50 && at < 1<<16; at++ {
		if list, err = listen(at); err == nil {
			return list, list[0].Addr().(*net.TCPAddr).Port, nil
		}
		if port == 0 || !inUse(err) {
			return nil, 0, err
		}
	}
	return nil, 0, err
}

func listen(port int) ([]net.Listener, error) {
	four, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	six, err := net.Listen("tcp6", net.JoinHostPort("::1", strconv.Itoa(four.Addr().(*net.TCPAddr).Port)))
	switch {
	case err == nil:
		return []net.Listener{four, six}, nil
	case inUse(err):
		four.Close()
		return nil, err
	}
	return []net.Listener{four}, nil // this system has no ::1
}

// inUse reports whether another process has the port.
func inUse(err error) bool {
	const windows = syscall.Errno(10048) // WSAEADDRINUSE, which syscall.EADDRINUSE does not stand for
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windows)
}

// bounds says how long a connection waits for its peer, and how many connections strangers hold at once.
type bounds struct {
	header    time.Duration // until a request's header is complete
	body      time.Duration // until its body is
	idle      time.Duration // from an answer to the next request
	write     time.Duration // until the peer has read another writeStep
	strangers int
}

// seconds are the bounds of a server. A browser needs a few milliseconds; the rest is room for a tunnel through a slow network.
var seconds = bounds{header: 5 * time.Second, body: 5 * time.Second, idle: 30 * time.Second, write: 20 * time.Second, strangers: 128}

// writeStep is how many bytes have to be read within bounds.write.
const writeStep = 64 << 10

// conns are the open connections. One is a stranger's until a request on it brings a cookie of ours. The newest stranger takes the
// place of the oldest: so nobody keeps the owner's browser out by holding connections, and a connection that is the owner's stays.
type conns struct {
	bounds
	mu        sync.Mutex
	strangers []*conn // oldest first
	known     int
}

func newConns(b bounds) *conns { return &conns{bounds: b} }

// open is how many connections there are.
func (s *conns) open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.strangers) + s.known
}

// listener counts the connections of a listener.
type listener struct {
	net.Listener
	of *conns
}

func (l listener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.of.add(raw), nil
}

func (s *conns) add(raw net.Conn) *conn {
	c := &conn{Conn: raw, of: s}
	s.mu.Lock()
	s.strangers = append(s.strangers, c)
	var oldest *conn
	if len(s.strangers) > s.bounds.strangers {
		oldest = s.strangers[0]
	}
	s.mu.Unlock()
	if oldest != nil {
		oldest.Close()
	}
	return c
}

// conn is a connection that its owner's browser or a stranger holds.
type conn struct {
	net.Conn
	of    *conns
	known bool // under of.mu, as is gone
	gone  bool
}

// Write gives up on a peer that does not read. A stream may take as long as it likes, as long as it moves.
func (c *conn) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		step := p[n:min(len(p), n+writeStep)]
		c.Conn.SetWriteDeadline(time.Now().Add(c.of.write))
		var wrote int
		wrote, err = c.Conn.Write(step)
		n += wrote
	}
	return n, err
}

// CloseWrite lets net/http say that it is done before it closes, so that a peer that still writes reads the answer.
func (c *conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// Close closes the connection, and forgets it.
func (c *conn) Close() error {
	c.of.mu.Lock()
	switch {
	case c.gone:
	case c.known:
		c.of.known--
	default:
		c.of.forget(c)
	}
	c.gone = true
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// forget takes a connection from the strangers'. The caller holds mu.
func (s *conns) forget(c *conn) {
	if at := slices.Index(s.strangers, c); at >= 0 {
		s.strangers = slices.Delete(s.strangers, at, at+1)
	}
}

type connKey struct{}

// in puts a connection into its requests' contexts, as http.Server.ConnContext.
func in(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }

// recognize says that the connection of a request is the owner's.
func recognize(ctx context.Context) {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if !c.known && !c.gone {
		c.of.forget(c)
		c.known = true
		c.of.known++
	}
}
