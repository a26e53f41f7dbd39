package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"aburn/internal/fetch"
)

// API is Anthropic's Messages API with a key.
type API struct {
	URL string // https://api.anthropic.com, or a server on this machine
	Key string
	// Wait replaces waiting between tries, for tests.
	Wait func(context.Context, time.Duration) error
}

const (
	defaultURL = "https://api.anthropic.com"
	apiVersion = "2023-06-01"
	answerTool = "answer"
)

// bounds: a model may think for minutes. A wait above MaxWait is the caller's to decide.
var bounds = fetch.Bounds{Tries: 4, OneTry: 10 * time.Minute, FirstWait: time.Second, MaxWait: 2 * time.Minute, MaxAnswer: 8 << 20}

func (a *API) Name() string { return "api" }

// NeedsModel is true: the API has no model of its own.
func (a *API) NeedsModel() bool { return true }

// Ready says whether there is a key and an address that may have it.
func (a *API) Ready(context.Context) error {
	if a.Key == "" {
		return fmt.Errorf("%w: there is no key", ErrAuth)
	}
	if err := fetch.Check(cmp.Or(a.URL, defaultURL)); err != nil {
		return fmt.Errorf("the provider's address %w", err)
	}
	return nil
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
	if q.Output != nil && errors.As(err, &refused) && refused.Status == http.StatusBadRequest &&
		(strings.Contains(refused.Text, "effort") || strings.Contains(refused.Text, "output_config")) {
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

// post sends a question until somebody answers, or all tries are used up. A question that is asked twice costs twice, and
// changes nothing.
func (a *API) post(ctx context.Context, path string, q question) ([]byte, error) {
	if err := a.Ready(ctx); err != nil {
		return nil, err
	}
	data, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	client := fetch.Client{Bounds: bounds, Wait: a.Wait}
	body, err := client.Do(ctx, fetch.Request{
		Method: http.MethodPost, URL: strings.TrimSuffix(cmp.Or(a.URL, defaultURL), "/") + path, Body: data, Repeat: true,
		Header: map[string]string{"content-type": "application/json", "anthropic-version": apiVersion, "x-api-key": a.Key},
	})
	var status *fetch.Status
	switch {
	case err == nil:
		return body, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !errors.As(err, &status):
		return nil, err
	case status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden:
		return nil, ErrAuth
	case status.Code == http.StatusTooManyRequests:
		return nil, &RateError{status.After}
	}
	return nil, &ServiceError{status.Code, a.said(status.Body)}
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
