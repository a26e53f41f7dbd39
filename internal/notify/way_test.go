package notify

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"aburn/internal/fetch"
)

// receiver is a web service that keeps what it got, and answers with one code after the other, the last one for ever.
type receiver struct {
	mu     sync.Mutex
	bodies []string
	codes  []int
	after  string
	url    string
}

func newReceiver(t *testing.T, codes ...int) *receiver {
	r := &receiver{codes: codes}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		n := min(len(r.bodies), len(r.codes)-1)
		r.bodies = append(r.bodies, q.Method+" "+q.Header.Get("Content-Type")+" "+q.Header.Get("X-Auth")+" "+string(body))
		switch code := r.codes[n]; {
		case code == 0: // half an answer
			w.Header().Set("Content-Length", "50")
			fmt.Fprint(w, "o")
		case code == 302:
			http.Redirect(w, q, "http://127.0.0.1:1/", code)
		case code == 1: // ten megabytes
			w.Write(make([]byte, 10<<20))
		default:
			w.Header().Set("Retry-After", r.after)
			w.WriteHeader(code)
		}
	}))
	t.Cleanup(s.Close)
	r.url = s.URL + "/hidden/path"
	return r
}

func (r *receiver) got() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bodies
}

func TestWebServicesHear(t *testing.T) {
	notice := Notice{Key: "k", Title: "w needs <you> & me", Text: "it asks: <!channel> rm", Urgent: true, JSON: []byte("here"), Away: []byte(`{"worker":"w"}`)}
	slack := `POST application/json  {"mrkdwn":false,"text":":warning: w needs \u0026lt;you\u0026gt; \u0026amp; me\nit asks: \u0026lt;!channel\u0026gt; rm"}`
	for _, c := range []struct {
		name  string
		codes []int
		after string
		want  string // what the report says
		times int
	}{
		{"fine", []int{200}, "", "", 1},
		{"too many, then fine", []int{429, 200}, "3", "", 2},
		{"too many for an hour", []int{429}, "3600", "429", 1},
		{"broken, then fine", []int{500, 503, 200}, "", "", 3},
		{"broken for ever", []int{500}, "", "500", 3},
		{"key refused", []int{401}, "", "401", 1},
		{"half an answer", []int{0, 200}, "", "", 2},
		{"elsewhere", []int{302}, "", "redirects", 1},
		{"ten megabytes", []int{1}, "", "too long", 1},
	} {
		for _, isSlack := range []bool{true, false} {
			r := newReceiver(t, c.codes...)
			r.after = c.after
			said := newReports()
			way := Way{Name: "notifiers.x", URL: r.url, Slack: isSlack, Header: map[string]string{"X-Auth": "a"}}
			want := `POST application/json a {"worker":"w"}`
			if isSlack {
				way.Header, want = nil, slack
			}
			if err := way.Check(); err != nil {
				t.Error(err)
			}
			n := New(Options{Ways: []Way{way}, Report: said.add, Fetch: &fetch.Client{Wait: func(context.Context, time.Duration) error { return nil }}})
			n.Tell(notice)
			n.Close(soon)
			got := r.got()
			if len(got) != c.times {
				t.Errorf("%s: %d requests", c.name, len(got))
			}
			for _, body := range got {
				if body != want {
					t.Errorf("%s: %s", c.name, body)
				}
			}
			all := strings.Join(said.all(), "\n")
			if (all == "") != (c.want == "") || !strings.Contains(all, c.want) || strings.Contains(all, "hidden") {
				t.Errorf("%s: reported %q", c.name, all)
			}
		}
	}
}

// TestDeafServiceHoldsNobody: a service that never answers keeps neither Tell nor the other ways, and Close ends it.
func TestDeafServiceHoldsNobody(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	r := newReceiver(t, 200)
	n := New(Options{Ways: []Way{{Name: "deaf", URL: s.URL}, {Name: "fine", URL: r.url}}})
	for i := range 3 {
		n.Tell(Notice{Key: fmt.Sprint(i), Away: []byte("{}")})
	}
	for deadline := time.Now().Add(soon); len(r.got()) < 3 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	if len(r.got()) != 3 {
		t.Errorf("the other way got %d", len(r.got()))
	}
	ended := make(chan struct{})
	go func() { n.Close(0); close(ended) }()
	within(t, "the end", ended)
}

func TestWaysAreChecked(t *testing.T) {
	for _, c := range []struct {
		w    Way
		want string
	}{
		{Way{}, "no address and no program"}, {Way{URL: "http://example.com/x"}, "its address begins with http://"},
		{Way{URL: "https://e.example", Header: map[string]string{"A": "b\r\nC: d"}}, "headers"},
		{Way{URL: "https://e.example", Header: map[string]string{"A b": "c"}}, "headers"}, {Way{URL: "https://e.example"}, ""}, {Way{Command: []string{"x"}}, ""},
		{Way{Command: []string{"x"}, URL: "nothing"}, "its address"},
	} {
		if err := c.w.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.w, err)
		}
	}
}
