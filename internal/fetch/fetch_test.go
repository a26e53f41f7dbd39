package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answers is a server that gives one answer after the other, the last one for ever.
func answers(t *testing.T, list ...http.HandlerFunc) (url string, asked *int) {
	t.Helper()
	asked = new(int)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := min(*asked, len(list)-1)
		*asked++
		list[n](w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/secret-path?key=hidden", asked
}

func code(n int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(n)
		fmt.Fprint(w, "body")
	}
}

func fine(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fine") }

// half promises more than it sends.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	fmt.Fprint(w, `{"title":"`)
}

func long(w http.ResponseWriter, _ *http.Request) { w.Write(bytes.Repeat([]byte("x"), 10<<20)) }

func TestFaults(t *testing.T) {
	now := time.Date(2026, 11, 23, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		r      Request
		list   []http.HandlerFunc
		asked  int
		waits  []time.Duration
		want   string // of the answer, or of the error
		status int
	}{
		{"fine", Request{}, []http.HandlerFunc{fine}, 1, nil, "fine", 0},
		{"unauthorised", Request{}, []http.HandlerFunc{code(401)}, 1, nil, "answers with 401 Unauthorized", 401},
		{"not there", Request{}, []http.HandlerFunc{code(404)}, 1, nil, "answers with 404 Not Found", 404},
		{"too many, then fine", Request{}, []http.HandlerFunc{code(429, "Retry-After", "7"), fine}, 2, []time.Duration{7 * time.Second}, "fine", 0},
		{"too many until a date", Request{}, []http.HandlerFunc{code(429, "Retry-After", now.Add(9*time.Second).Format(http.TimeFormat)), fine}, 2,
			[]time.Duration{9 * time.Second}, "fine", 0},
		{"too many for long", Request{}, []http.HandlerFunc{code(429, "Retry-After", "3600")}, 1, nil, "429 Too Many Requests, and asks to try again in 1h0m0s",
			429},
		{"too many for ever", Request{}, []http.HandlerFunc{code(429)}, 3, []time.Duration{defaults.FirstWait, 2 * defaults.FirstWait}, "429", 429},
		{"a post that was not taken", Request{Method: "POST"}, []http.HandlerFunc{code(429, "Retry-After", "1"), fine}, 2, []time.Duration{time.Second}, "fine", 0},
		{"broken, then fine", Request{}, []http.HandlerFunc{code(500), code(502), fine}, 3, []time.Duration{defaults.FirstWait, 2 * defaults.FirstWait}, "fine", 0},
		{"a post that may have been done", Request{Method: "POST"}, []http.HandlerFunc{code(500), fine}, 1, nil, "500", 500},
		{"a post that may be done twice", Request{Method: "POST", Repeat: true}, []http.HandlerFunc{code(500), fine}, 2, []time.Duration{defaults.FirstWait}, "fine",
			0},
		{"half an answer, then fine", Request{}, []http.HandlerFunc{half, fine}, 2, []time.Duration{defaults.FirstWait}, "fine", 0},
		{"half an answer to a post", Request{Method: "POST"}, []http.HandlerFunc{half}, 1, nil, "its answer ends in the middle", 0},
		{"ten megabytes", Request{}, []http.HandlerFunc{long}, 1, nil, "its answer is too long", 0},
		{"redirected within", Request{}, []http.HandlerFunc{code(302, "Location", "/other"), fine}, 2, nil, "fine", 0},
		{"redirected away", Request{}, []http.HandlerFunc{code(302, "Location", "http://127.0.0.1:1/x")}, 1, nil, "redirects", 0},
		{"a post redirected within", Request{Method: "POST"}, []http.HandlerFunc{code(307, "Location", "/other"), fine}, 1, nil, "redirects", 0},
		{"redirected in circles", Request{}, []http.HandlerFunc{code(302, "Location", "/again")}, 4, nil, "redirects", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, asked := answers(t, c.list...)
			var waits []time.Duration
			client := &Client{Now: func() time.Time { return now }, Wait: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }}
			c.r.URL = url
			body, err := client.Do(context.Background(), c.r)
			got := string(body)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || strings.Contains(got, "secret-path") || strings.Contains(got, "hidden") {
				t.Errorf("got %q, not %q", got, c.want)
			}
			if *asked != c.asked || fmt.Sprint(waits) != fmt.Sprint(c.waits) {
				t.Errorf("asked %d times, waited %v", *asked, waits)
			}
			var s *Status
			if errors.As(err, &s) != (c.status != 0) || s != nil && s.Code != c.status {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestKeyStaysWithItsHost(t *testing.T) {
	seen := ""
	away := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Get("Authorization") + "!" }))
	defer away.Close()
	url, _ := answers(t, code(302, "Location", away.URL))
	_, err := new(Client).Do(context.Background(), Request{URL: url, Header: map[string]string{"Authorization": "k"}})
	if err == nil || seen != "" {
		t.Errorf("%v: the other host got %q", err, seen)
	}
}

func TestNobodyListens(t *testing.T) {
	url, _ := answers(t, fine)
	closed := httptest.NewServer(nil)
	closed.Close()
	n := 0
	c := &Client{Wait: func(context.Context, time.Duration) error { n++; return nil }}
	_, err := c.Do(context.Background(), Request{URL: closed.URL + "/secret", Method: "POST"})
	if err == nil || strings.Contains(err.Error(), "secret") || n != defaults.Tries-1 {
		t.Errorf("%v after %d waits", err, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := new(Client).Do(ctx, Request{URL: url}); err == nil {
		t.Error("a cancelled request has an answer")
	}
}

func TestCheck(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/x": "", "http://127.0.0.1:8080/x": "", "http://localhost/x": "", "http://[::1]:1/": "",
		"http://example.com/x": "begins with http://", "ftp://example.com": "does not begin", "https://": "is no web address", "": "is no web address",
		"https://u:p@example.com/": "has a name or password", "https://exa mple.com": "is no web address", "javascript:alert(1)": "is no web address",
		"https://:443/": "is no web address",
	} {
		err := Check(address)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || err != nil && len(address) > 8 &&
			strings.Contains(err.Error(), address) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestHeadersAndBody(t *testing.T) {
	url, _ := answers(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("X-Key"), r.Header.Get("User-Agent"), b)
	})
	got, err := new(Client).Do(context.Background(), Request{Method: "POST", URL: url, Header: map[string]string{"X-Key": "k"}, Body: []byte("b")})
	if string(got) != "POST k aburn b" || err != nil {
		t.Errorf("%s %v", got, err)
	}
}
