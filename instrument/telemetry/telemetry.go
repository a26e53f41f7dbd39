// Package telemetry makes spans of aburn's own work on a project: names, counts and rule ids, never source. It is off
// unless the user's own settings name an endpoint; nothing of a repository can turn it on or say where they go. What
// cannot be sent changes nothing else.
package telemetry

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"aburn/internal/plain"
	"aburn/trace/export"
)

// Names of spans.
const (
	Run    = "aburn.instrument.run"
	File   = "aburn.instrument.file"
	Plan   = "aburn.instrument.plan" // a question to a model
	Check  = "aburn.instrument.check"
	Record = "aburn.instrument.record"
)

// Service is what the spans say that they come from.
const Service = "aburn-instrument"

// Bounds: a receiver that does not answer holds nobody up for long.
const (
	maxSpans = 20_000
	sendTime = 5 * time.Second
	maxText  = 200 // bytes of an attribute
)

// Tracer collects spans until Close. A nil one makes none: all of its methods, and those of its spans, do nothing.
type Tracer struct {
	to    export.Endpoint
	now   func() time.Time
	mu    sync.Mutex
	spans []export.Work
	left  int // spans that did not fit
}

// New gives a tracer that sends to an endpoint; nil for "". It reads no environment. The error says why the endpoint is
// none.
func New(endpoint string, now func() time.Time) (*Tracer, error) {
	if endpoint == "" {
		return nil, nil
	}
	to, err := export.Resolve(endpoint, func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	to.Timeout = sendTime
	return &Tracer{to: to, now: now}, nil
}

// Span is one that has begun.
type Span struct {
	t    *Tracer
	mu   sync.Mutex
	work export.Work
	done bool
}

type key struct{}

// Start begins a span below the one of ctx.
func (t *Tracer) Start(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	s := &Span{t: t, work: export.Work{Name: name, ID: random(8), Start: t.now(), Client: name == Plan}}
	if parent, ok := ctx.Value(key{}).(*Span); ok && parent != nil {
		s.work.Trace, s.work.Parent = parent.work.Trace, parent.work.ID
	} else {
		s.work.Trace = random(16)
	}
	return context.WithValue(ctx, key{}, s), s
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// Text sets an attribute. What a repository says is cut and cleaned.
func (s *Span) Text(name, value string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.work.Texts = append(s.work.Texts, export.Text{Key: name, Value: plain.OneLine(value, maxText)})
}

// Number sets an attribute.
func (s *Span) Number(name string, n int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.work.Numbers = append(s.work.Numbers, export.Number{Key: name, Value: int64(n)})
}

// Model says what was asked of a model, by the semantic conventions.
func (s *Span) Model(provider, model string, input, output int) {
	s.Text("gen_ai.operation.name", "chat")
	s.Text("gen_ai.provider.name", provider)
	if model != "" { // the provider's own
		s.Text("gen_ai.request.model", model)
	}
	s.Number("gen_ai.usage.input_tokens", input)
	s.Number("gen_ai.usage.output_tokens", output)
}

// End ends a span, once. Of an error only its type is told: its text may hold source.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.Text("error.type", fmt.Sprintf("%T", err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	s.done, s.work.End, s.work.Failed = true, s.t.now(), err != nil
	s.t.add(s.work)
}

func (t *Tracer) add(w export.Work) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.spans) >= maxSpans {
		t.left++
		return
	}
	w.Texts, w.Numbers = slices.Clone(w.Texts), slices.Clone(w.Numbers)
	t.spans = append(t.spans, w)
}

// Close sends what ended, within a few seconds. The error is for a warning.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	spans := t.spans
	t.spans = nil
	t.mu.Unlock()
	if len(spans) == 0 {
		return nil
	}
	// A run that was stopped tells of itself too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	sender := export.NewSender(t.to)
	if err := sender.Add(ctx, export.WorkResource(Service, spans)); err != nil {
		return err
	}
	if err := sender.Flush(ctx); err != nil {
		return err
	}
	if sender.Rejected > 0 {
		return fmt.Errorf("the receiver refused %d of %d spans: %s", sender.Rejected, len(spans), plain.OneLine(sender.Why, maxText))
	}
	return nil
}
