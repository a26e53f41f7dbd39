// Package provider asks a model one question and gets one JSON answer. It knows
// neither prompts nor budgets, and tries again only where the service asks for it.
//
// Promises.
//   - A key stands in no error, and goes to no other address than the one it is for:
//     redirects are not followed.
//   - An answer is bounded, and is JSON, or the error says why there is none.
//   - What an answer says is data. Nothing of it is run here.
package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Request is one question.
type Request struct {
	System    string // stands first and stays the same over a run, so that caches hit
	Turns     []Turn
	Schema    json.RawMessage // of the answer
	Model     string
	Effort    string // "", low, medium, high; left out for models that do not know it
	MaxOutput int    // tokens
}

// Turn is what one side said.
type Turn struct {
	Role string // user, assistant
	Text string
}

// Response is an answer with what it cost.
type Response struct {
	JSON    json.RawMessage
	Usage   Usage
	CostUSD *float64 // nil where the price is not known
	Stop    string   // why the model stopped, as the provider says it
	Session string
}

// Usage is tokens.
type Usage struct {
	Input      int `json:"input"` // neither read from a cache nor written to one
	Output     int `json:"output"`
	CacheWrite int `json:"cacheWrite"`
	CacheRead  int `json:"cacheRead"`
}

// Total is all tokens, in and out.
func (u Usage) Total() int { return u.Input + u.Output + u.CacheWrite + u.CacheRead }

// Add adds o to u.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.Output += o.Output
	u.CacheWrite += o.CacheWrite
	u.CacheRead += o.CacheRead
}

// Provider answers questions.
type Provider interface {
	Name() string
	// Ready says whether the provider can be asked, without asking it anything that costs.
	Ready(ctx context.Context) error
	Complete(ctx context.Context, r Request) (Response, error)
}

// TokenCounter is a provider that counts a question's tokens for nothing.
type TokenCounter interface {
	CountTokens(ctx context.Context, r Request) (int, error)
}

// ModelNeeder is a provider that may have to be told a model.
type ModelNeeder interface{ NeedsModel() bool }

// Why there is no answer. The usage of a Response beside such an error is what it cost.
var (
	ErrAuth      = errors.New("the provider does not accept the key or the login")
	ErrRefused   = errors.New("the model refused to answer")
	ErrTruncated = errors.New("the answer was cut off at its bound")
	ErrSchema    = errors.New("the model's answer doesn't match the schema")
)

// RateError says that the provider wants no more questions for a while; 0 where it does not say for how long.
type RateError struct{ After time.Duration }

func (e *RateError) Error() string {
	if e.After == 0 {
		return "the provider takes no more questions for now"
	}
	return fmt.Sprintf("the provider takes no more questions for %v", e.After.Round(time.Second))
}

// ServiceError is any other answer than one to the question.
type ServiceError struct {
	Status int
	Text   string // what the service said, cut, without the key
}

func (e *ServiceError) Error() string {
	return fmt.Sprintf("the provider answered with status %d: %s", e.Status, e.Text)
}
