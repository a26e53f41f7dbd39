// Package fetch asks web services that a person named: one request, bounded in time, bytes and tries.
//
// # Invariants
//
//   - A key travels over TLS or stays on this machine, and no redirect takes it to another host.
//   - A request is repeated only where that does no harm: the server did not take it, or the caller says that doing it twice
//     is the same as once.
//   - An error names the host, never the rest of the address nor a header: the address itself may be the key.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bounds of a request. Each zero stands for the value of defaults.
type Bounds struct {
	Tries     int
	OneTry    time.Duration
	FirstWait time.Duration // before the second try; it doubles
	MaxWait   time.Duration // a server that wants more is asked another time
	MaxAnswer int64         // bytes
}

var defaults = Bounds{Tries: 3, OneTry: 10 * time.Second, FirstWait: time.Second, MaxWait: 20 * time.Second, MaxAnswer: 2 << 20}

func (b Bounds) filled() Bounds {
	return Bounds{
		cmp.Or(b.Tries, defaults.Tries), cmp.Or(b.OneTry, defaults.OneTry), cmp.Or(b.FirstWait, defaults.FirstWait),
		cmp.Or(b.MaxWait, defaults.MaxWait), cmp.Or(b.MaxAnswer, defaults.MaxAnswer),
	}
}

const (
	maxHead   = 4 << 10 // bytes of an answer that is an error
	redirects = 3
)

// Request is what is asked.
type Request struct {
	Method string // GET where it is empty
	URL    string
	Header map[string]string
	Body   []byte
	// Repeat says that doing it twice is the same as doing it once.
	Repeat bool
}

// Status is an answer that is no success.
type Status struct {
	Host string
	Code int
	Body []byte // its beginning
	// After is how long the server wants to be left alone; 0 if it does not say.
	After time.Duration
}

func (s *Status) Error() string {
	text := fmt.Sprintf("%s answers with %d", s.Host, s.Code)
	if words := http.StatusText(s.Code); words != "" {
		text += " " + words
	}
	if s.After > 0 {
		text += fmt.Sprintf(", and asks to try again in %s", s.After.Round(time.Second))
	}
	return text
}

// ErrLong says that an answer has more bytes than anybody needs.
var ErrLong = errors.New("its answer is too long")

// Check says what is wrong with an address that a person gave, nil if nothing is. The error does not contain it.
func Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return errors.New("is no web address such as https://host/path")
	case u.User != nil:
		return errors.New("has a name or password in it, which would end up in messages")
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return errors.New("does not begin with https://")
	case !local(u.Hostname()):
		return errors.New("begins with http://, so everybody on the way could read the key; only this machine may use http://")
	}
	return nil
}

func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Client asks. The zero Client is ready.
type Client struct {
	Bounds Bounds
	// Wait replaces waiting between tries, for tests.
	Wait func(context.Context, time.Duration) error
	Now  func() time.Time
	once sync.Once
	http *http.Client
}

// Do asks until there is an answer, a refusal, or all tries are used up. An answer other than 2xx is a *Status.
func (c *Client) Do(ctx context.Context, r Request) ([]byte, error) {
	if err := Check(r.URL); err != nil {
		return nil, fmt.Errorf("the address %w", err)
	}
	c.once.Do(func() { c.http = &http.Client{CheckRedirect: sameHost} })
	bounds := c.Bounds.filled()
	wait := bounds.FirstWait
	for try := 1; ; try++ {
		answer, err := c.try(ctx, r, bounds)
		pause, again := after(r, err, wait, bounds.MaxWait)
		if err == nil || !again || try == bounds.Tries || ctx.Err() != nil {
			return answer, err
		}
		if c.pause(ctx, pause) != nil {
			return nil, err
		}
		wait *= 2
	}
}

// after says whether a failed request may be tried again, and when.
func after(r Request, err error, wait, maxWait time.Duration) (time.Duration, bool) {
	var s *Status
	if !errors.As(err, &s) {
		untaken := errors.Is(err, syscall.ECONNREFUSED) // nobody read it
		return wait, err != nil && (r.repeats() || untaken) && !errors.Is(err, ErrLong) && !errors.Is(err, errElsewhere)
	}
	untaken := s.Code == http.StatusTooManyRequests || s.Code == http.StatusServiceUnavailable && s.After > 0
	if !untaken && !(s.Code >= 500 && r.repeats()) || s.After > maxWait {
		return 0, false
	}
	return max(wait, s.After), true
}

func (r *Request) repeats() bool { return r.Repeat || r.Method == "" || r.Method == http.MethodGet }

func (c *Client) pause(ctx context.Context, d time.Duration) error {
	if c.Wait != nil {
		return c.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

var errElsewhere = errors.New("redirects: name the address that it redirects to")

// sameHost follows a GET that stays where it was.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0]
	if len(before) > redirects || first.Method != http.MethodGet || next.Method != http.MethodGet || next.URL.Host != first.URL.Host ||
		next.URL.Scheme != first.URL.Scheme {
		return errElsewhere
	}
	return nil
}

func (c *Client) try(ctx context.Context, r Request, bounds Bounds) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, bounds.OneTry)
	defer cancel()
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	q, err := http.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, errors.New("the request cannot be made") // its text has the address
	}
	q.Header.Set("User-Agent", "aburn")
	for name, value := range r.Header {
		q.Header.Set(name, value)
	}
	resp, err := c.http.Do(q)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.URL.Host, bare(ctx, err))
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		head, _ := io.ReadAll(io.LimitReader(resp.Body, maxHead))
		return nil, &Status{Host: q.URL.Host, Code: resp.StatusCode, Body: head, After: c.retryAfter(resp.Header.Get("Retry-After"))}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, bounds.MaxAnswer+1))
	if err == nil && int64(len(body)) > bounds.MaxAnswer {
		err = ErrLong
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.URL.Host, bare(ctx, err))
	}
	return body, nil
}

// bare is an error without the address.
func bare(ctx context.Context, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("no answer in time")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("its answer ends in the middle")
	}
	return err
}

// retryAfter is seconds or a date.
func (c *Client) retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
		return time.Duration(min(max(n, 0), 24*3600)) * time.Second
	}
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now()))
	}
	return 0
}
