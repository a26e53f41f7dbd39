package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// API is Anthropic's Messages API with a key.
type API struct {
	URL string // https://api.anthropic.com, or a server on this machine
	Key string
	// Sleep waits; nil is the clock. Tries is how often a question is asked at most; 0 is 4.
	Sleep  func(context.Context, time.Duration) error
	Tries  int
	Client *http.Client // nil is one that follows no redirect
}

const (
	defaultURL = "https://api.anthropic.com"
	apiVersion = "2023-06-01"
	apiTimeout = 10 * time.Minute
	maxBody    = 8 << 20
	maxWait    = 2 * time.Minute // a longer wait is the caller's to decide
	answerTool = "answer"
)

func (a *API) Name() string { return "api" }

// NeedsModel is true: the API has no model of its own.
func (a *API) NeedsModel() bool { return true }

// Ready says whether there is a key and an address that may have it.
func (a *API) Ready(context.Context) error {
	if a.Key == "" {
		return fmt.Errorf("%w: there is no key", ErrAuth)
	}
	_, err := a.address("/")
	return err
}

// address refuses what would carry the key in clear over a network.
func (a *API) address(path string) (string, error) {
	u, err := url.Parse(cmp.Or(a.URL, defaultURL))
	if err != nil || u.Host == "" {
		return "", errors.New("the provider's address is none")
	}
	local := u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
	if u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return "", errors.New("the provider's address is neither https nor on this machine")
	}
	return u.JoinPath(path).String(), nil
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type block struct {
	Type  string            `json:"type"`
	Text  string            `json:"text"`
	Cache map[string]string `json:"cache_control,omitempty"`
}

type question struct {
	Model     string            `json:"model"`
	MaxTokens int               `json:"max_tokens,omitempty"`
	System    []block           `json:"system,omitempty"`
	Messages  []message         `json:"messages"`
	Tools     []map[string]any  `json:"tools,omitempty"`
	Choice    map[string]string `json:"tool_choice,omitempty"`
	Output    map[string]string `json:"output_config,omitempty"`
}

// questionOf asks for the answer as the input of a tool, which models of all ages know.
func questionOf(r Request) question {
	q := question{Model: r.Model, MaxTokens: r.MaxOutput}
	if r.System != "" {
		q.System = []block{{Type: "text", Text: r.System, Cache: map[string]string{"type": "ephemeral"}}}
	}
	for _, t := range r.Turns {
		q.Messages = append(q.Messages, message{t.Role, t.Text})
	}
	q.Tools = []map[string]any{{"name": answerTool, "description": "Gives the answer.", "input_schema": r.Schema}}
	q.Choice = map[string]string{"type": "tool", "name": answerTool}
	if r.Effort != "" {
		q.Output = map[string]string{"effort": r.Effort}
	}
	return q
}

// Complete asks, and waits and asks again where the service is busy.
func (a *API) Complete(ctx context.Context, r Request) (Response, error) {
	q := questionOf(r)
	body, err := a.post(ctx, "/v1/messages", q)
	var refused *ServiceError
	if q.Output != nil && errors.As(err, &refused) && refused.Status == http.StatusBadRequest && (strings.Contains(refused.Text, "effort") || strings.Contains(refused.Text, "output_config")) {
		q.Output = nil // an older model
		body, err = a.post(ctx, "/v1/messages", q)
	}
	if err != nil {
		return Response{}, err
	}
	return answerOf(body)
}

func answerOf(body []byte) (Response, error) {
	var m struct {
		ID      string `json:"id"`
		Content []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Stop  string `json:"stop_reason"`
		Usage struct {
			Input      int `json:"input_tokens"`
			Output     int `json:"output_tokens"`
			CacheWrite int `json:"cache_creation_input_tokens"`
			CacheRead  int `json:"cache_read_input_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return Response{}, fmt.Errorf("%w: %.80s", ErrSchema, err)
	}
	out := Response{Stop: m.Stop, Session: m.ID, Usage: Usage(m.Usage)}
	switch m.Stop {
	case "refusal":
		return out, ErrRefused
	case "max_tokens", "model_context_window_exceeded":
		return out, ErrTruncated
	}
	for _, c := range m.Content {
		if c.Type == "tool_use" && c.Name == answerTool && len(c.Input) > 0 && c.Input[0] == '{' {
			out.JSON = c.Input
			return out, nil
		}
	}
	return out, ErrSchema
}

// CountTokens asks how long a question is; that costs nothing.
func (a *API) CountTokens(ctx context.Context, r Request) (int, error) {
	q := questionOf(r)
	q.MaxTokens, q.Output = 0, nil
	body, err := a.post(ctx, "/v1/messages/count_tokens", q)
	if err != nil {
		return 0, err
	}
	var m struct {
		Input int `json:"input_tokens"`
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Input <= 0 {
		return 0, ErrSchema
	}
	return m.Input, nil
}

// post sends a question until somebody answers, at most a.Tries times.
func (a *API) post(ctx context.Context, path string, q question) ([]byte, error) {
	if err := a.Ready(ctx); err != nil {
		return nil, err
	}
	data, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	tries := cmp.Or(a.Tries, 4)
	for i := 0; ; i++ {
		body, wait, err := a.once(ctx, path, data, i)
		if wait <= 0 || err == nil || i == tries-1 || wait > maxWait {
			return body, err
		}
		if err := a.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (a *API) sleep(ctx context.Context, d time.Duration) error {
	if a.Sleep != nil {
		return a.Sleep(ctx, d)
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

// once sends a question. wait is how long to wait before it may be sent again; 0 where
// that would not help.
func (a *API) once(ctx context.Context, path string, data []byte, try int) (body []byte, wait time.Duration, err error) {
	address, err := a.address(path)
	if err != nil {
		return nil, 0, err
	}
	within, cancel := context.WithTimeout(ctx, apiTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodPost, address, bytes.NewReader(data))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("content-type", "application/json")
	req.Header.Set("anthropic-version", apiVersion)
	req.Header.Set("x-api-key", a.Key)
	res, err := a.client().Do(req)
	backoff := time.Second << min(try, 5)
	if err != nil {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		return nil, backoff, errors.New(a.clean(err.Error()))
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case err != nil:
		return nil, backoff, fmt.Errorf("the answer broke off: %s", a.clean(err.Error()))
	case len(body) > maxBody:
		return nil, 0, fmt.Errorf("the provider answered with more than %d MB", maxBody>>20)
	}
	return a.judge(res, body, backoff)
}

func (a *API) judge(res *http.Response, body []byte, backoff time.Duration) ([]byte, time.Duration, error) {
	switch status := res.StatusCode; {
	case status == http.StatusOK:
		return body, 0, nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return nil, 0, ErrAuth
	case status == http.StatusTooManyRequests:
		wait := backoff
		if s, err := strconv.Atoi(res.Header.Get("retry-after")); err == nil && s > 0 {
			wait = time.Duration(min(s, 24*3600)) * time.Second
		}
		return nil, wait, &RateError{wait}
	case status >= 500:
		return nil, backoff, &ServiceError{status, a.said(body)}
	default:
		return nil, 0, &ServiceError{status, a.said(body)}
	}
}

func (a *API) client() *http.Client {
	if a.Client != nil {
		return a.Client
	}
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// said is the message of an error's body.
func (a *API) said(body []byte) string {
	var e struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	text := string(body)
	if json.Unmarshal(body, &e) == nil && e.Error.Message != "" {
		text = e.Error.Message
	}
	return a.clean(text)
}

func (a *API) clean(text string) string {
	if a.Key != "" {
		text = strings.ReplaceAll(text, a.Key, "…")
	}
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return string(r)
}
