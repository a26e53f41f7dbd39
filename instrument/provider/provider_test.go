package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"aburn/instrument/provider"
)

// key is shaped like nothing real.
const key = "not-a-key"

const good = `{"id":"msg_1","content":[{"type":"text","text":"so"},{"type":"tool_use","name":"answer","input":{"functions":[]}}],"stop_reason":"tool_use",` +
	`"usage":{"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":2}}`

// reply is one answer of the stand-in.
type reply struct {
	status int
	body   string
	header map[string]string
}

// standIn answers in turn; the last answer again and again.
func standIn(t *testing.T, replies ...reply) (api *provider.API, asked *[]map[string]any, waits *[]time.Duration) {
	asked, waits = &[]map[string]any{}, &[]time.Duration{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var q map[string]any
		if err := json.Unmarshal(body, &q); err != nil || r.Header.Get("x-api-key") != key || r.Header.Get("anthropic-version") == "" || r.Method != http.MethodPost {
			t.Errorf("question %s %v %v", body, r.Header, err)
		}
		q["path"] = r.URL.Path
		*asked = append(*asked, q)
		a := replies[min(len(*asked), len(replies))-1]
		for name, value := range a.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
	}))
	t.Cleanup(s.Close)
	return &provider.API{URL: s.URL, Key: key, Wait: func(_ context.Context, d time.Duration) error { *waits = append(*waits, d); return nil }}, asked, waits
}

var request = provider.Request{System: "be brief", Turns: []provider.Turn{{Role: "user", Text: "plan"}}, Schema: json.RawMessage(`{"type":"object"}`),
	Model: "m", Effort: "low", MaxOutput: 100}

func TestAnAnswerWithItsUsage(t *testing.T) {
	api, asked, _ := standIn(t, reply{200, good, nil})
	got, err := api.Complete(t.Context(), request)
	if err != nil || string(got.JSON) != `{"functions":[]}` || got.Usage != (provider.Usage{Input: 10, Output: 5, CacheWrite: 3, CacheRead: 2}) ||
		got.Stop != "tool_use" || got.Session != "msg_1" {
		t.Errorf("%+v %v", got, err)
	}
	q := (*asked)[0]
	data, _ := json.Marshal(q)
	for _, want := range []string{`"path":"/v1/messages"`, `"max_tokens":100`, `"cache_control":{"type":"ephemeral"}`,
		`"tool_choice":{"name":"answer","type":"tool"}`, `"output_config":{"effort":"low"}`, `"input_schema":{"type":"object"}`, `"content":"plan"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the question lacks %s: %s", want, data)
		}
	}
}

// TestWhatComesInsteadOfAnAnswer, how often it was asked for, and how long was waited.
func TestWhatComesInsteadOfAnAnswer(t *testing.T) {
	var rate *provider.RateError
	var service *provider.ServiceError
	is := func(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }
	for _, tt := range []struct {
		name    string
		replies []reply
		want    func(error) bool
		asked   int
		waits   []time.Duration
	}{
		{"busy, then an answer", []reply{{429, "", map[string]string{"retry-after": "7"}}, {529, "", nil}, {200, good, nil}}, is(nil), 3,
			[]time.Duration{7 * time.Second, 2 * time.Second}},
		{"busy for ever", []reply{{429, "", nil}}, func(err error) bool { return errors.As(err, &rate) }, 4,
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{"busy for an hour", []reply{{429, "", map[string]string{"retry-after": "3600"}}},
			func(err error) bool { return errors.As(err, &rate) && rate.After == time.Hour }, 1, nil},
		{"a broken service", []reply{{500, "oops", nil}}, func(err error) bool { return errors.As(err, &service) && service.Status == 500 }, 4,
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second}},
		{"a wrong key", []reply{{401, key + " is wrong", nil}}, is(provider.ErrAuth), 1, nil},
		{"a wrong question", []reply{{400, `{"error":{"message":"no model ` + key + `"}}`, nil}},
			func(err error) bool { return errors.As(err, &service) && service.Text == "no model …" }, 1, nil},
		{"an older model", []reply{{400, `{"error":{"message":"output_config: not permitted"}}`, nil}, {200, good, nil}}, is(nil), 2, nil},
		{"a refusal", []reply{{200, `{"stop_reason":"refusal"}`, nil}}, is(provider.ErrRefused), 1, nil},
		{"cut off", []reply{{200, strings.Replace(good, `"stop_reason":"tool_use"`, `"stop_reason":"max_tokens"`, 1), nil}}, is(provider.ErrTruncated), 1, nil},
		{"only text", []reply{{200, `{"content":[{"type":"text","text":"{}"}],"stop_reason":"end_turn"}`, nil}}, is(provider.ErrSchema), 1, nil},
		{"no JSON", []reply{{200, "<html>", nil}}, is(provider.ErrSchema), 1, nil},
		{"another address", []reply{{307, "", map[string]string{"location": "http://127.0.0.1:1/"}}},
			func(err error) bool { return strings.Contains(err.Error(), "redirects") }, 1, nil},
		{"endless", []reply{{200, strings.Repeat("a", 9<<20), nil}}, func(err error) bool { return strings.Contains(err.Error(), "too long") }, 1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api, asked, waits := standIn(t, tt.replies...)
			_, err := api.Complete(t.Context(), request)
			if !tt.want(err) || err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("error %v", err)
			}
			if len(*asked) != tt.asked || len(*waits) != len(tt.waits) {
				t.Fatalf("asked %d times, waited %v", len(*asked), *waits)
			}
			for i, w := range tt.waits {
				if (*waits)[i] != w {
					t.Errorf("waited %v, want %v", *waits, tt.waits)
				}
			}
		})
	}
}

func TestTokensAreCounted(t *testing.T) {
	api, asked, _ := standIn(t, reply{200, `{"input_tokens":42}`, nil})
	n, err := api.CountTokens(t.Context(), request)
	if n != 42 || err != nil || (*asked)[0]["path"] != "/v1/messages/count_tokens" || (*asked)[0]["max_tokens"] != nil {
		t.Errorf("%d %v %v", n, err, *asked)
	}
}

// TestAKeyGoesToNobodyElse: not over a network in clear, and nowhere without one.
func TestAKeyGoesToNobodyElse(t *testing.T) {
	for address, ok := range map[string]bool{"": true, "https://example.com": true, "http://127.0.0.1:1": true, "http://localhost:1": true, "http://[::1]:1": true,
		"http://example.com": false, "ftp://example.com": false, "x": false} {
		if err := (&provider.API{URL: address, Key: key}).Ready(t.Context()); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if err := (&provider.API{}).Ready(t.Context()); !errors.Is(err, provider.ErrAuth) {
		t.Error(err)
	}
}

// TestAPersonCanStop a question that waits.
func TestAPersonCanStop(t *testing.T) {
	api, _, _ := standIn(t, reply{429, "", nil})
	ctx, stop := context.WithCancel(t.Context())
	api.Wait = func(context.Context, time.Duration) error { stop(); return ctx.Err() }
	if _, err := api.Complete(ctx, request); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestScriptAnswersInOrder(t *testing.T) {
	s := &provider.Script{Answers: []provider.Answer{{Response: provider.Response{Stop: "a"}}, {Err: provider.ErrRefused}}}
	if got, err := s.Complete(t.Context(), request); err != nil || got.Stop != "a" {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := s.Complete(t.Context(), request); !errors.Is(err, provider.ErrRefused) {
		t.Error(err)
	}
	if _, err := s.Complete(t.Context(), request); err == nil || len(s.Asked()) != 3 {
		t.Errorf("%v after %d questions", err, len(s.Asked()))
	}
}
