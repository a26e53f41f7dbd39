package export

import (
	"strings"
	"time"

	"aburn/internal/otlp"
)

// Resource is the spans of one session, with their origin.
type Resource struct {
	attributes attributes
	scope      string // version of aburn
	Spans      []Span
}

// Span is an OpenTelemetry span, with the fields used here.
type Span struct {
	Name              string
	trace, id, parent []byte
	client            bool
	start, end        time.Time
	attributes        attributes
	events            []event
	links             []link
	failed            bool
	message           string // of its status
}

type event struct {
	name       string
	time       time.Time
	attributes attributes
}

type link struct {
	trace, id  []byte
	attributes attributes
}

// The numbers of OTLP's enums.
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
)

// addAttributes writes key-value pairs. Field numbers, here and below, are those of
// opentelemetry/proto/{trace,common,resource}/v1 in opentelemetry-proto 1.x; the tests decode with the generated
// types.
func addAttributes(m *otlp.Message, n uint64, list attributes) {
	for _, a := range list {
		var kv otlp.Message
		kv.Str(1, a.key)
		kv.Sub(2, a.value)
		m.Sub(n, kv)
	}
}

// request is an ExportTraceServiceRequest, which equals TracesData.
func request(list []*Resource) []byte {
	var m otlp.Message
	for _, r := range list {
		m.Sub(1, r.wire())
	}
	return m
}

func (r *Resource) wire() otlp.Message {
	var resource, scope, spans, m otlp.Message
	addAttributes(&resource, 1, r.attributes)
	scope.Str(1, "aburn")
	scope.Str(2, r.scope)
	spans.Sub(1, scope)
	for i := range r.Spans {
		spans.Sub(2, r.Spans[i].wire())
	}
	spans.Str(3, SchemaURL)
	m.Sub(1, resource)
	m.Sub(2, spans)
	m.Str(3, SchemaURL)
	return m
}

func (s *Span) wire() otlp.Message {
	var m otlp.Message
	m.Bytes(1, s.trace)
	m.Bytes(2, s.id)
	m.Bytes(4, s.parent)
	m.Str(5, s.Name)
	kind := uint64(kindInternal)
	if s.client {
		kind = kindClient
	}
	m.Num(6, kind)
	m.Time(7, s.start)
	m.Time(8, s.end)
	addAttributes(&m, 9, s.attributes)
	for _, e := range s.events {
		var in otlp.Message
		in.Time(1, e.time)
		in.Str(2, e.name)
		addAttributes(&in, 3, e.attributes)
		m.Sub(11, in)
	}
	for _, l := range s.links {
		var in otlp.Message
		in.Bytes(1, l.trace)
		in.Bytes(2, l.id)
		addAttributes(&in, 4, l.attributes)
		m.Sub(13, in)
	}
	if s.failed {
		var status otlp.Message
		status.Str(2, s.message)
		status.Num(3, statusError)
		m.Sub(15, status)
	}
	return m
}

// SchemaURL is the version of the semantic conventions in use. Their GenAI names are still in development.
const SchemaURL = "https://opentelemetry.io/schemas/1.41.0"

// attributes are keys with values. A value is an AnyValue in wire form.
type attributes []attribute

type attribute struct {
	key   string
	value otlp.Message
}

func (a *attributes) str(key, value string) {
	if value != "" {
		var v otlp.Message
		v.Str(1, value)
		*a = append(*a, attribute{key, v})
	}
}

func (a *attributes) num(key string, value int64) {
	var v otlp.Message
	v.Num(3, uint64(value))
	*a = append(*a, attribute{key, v})
}

func (a *attributes) yes(key string) {
	var v otlp.Message
	v.Num(2, 1)
	*a = append(*a, attribute{key, v})
}

// list adds a list of one text.
func (a *attributes) list(key, value string) {
	if value != "" {
		var item, values, v otlp.Message
		item.Str(1, value)
		values.Sub(1, item)
		v.Sub(5, values)
		*a = append(*a, attribute{key, v})
	}
}

// provider returns the well-known name of a model's provider for gen_ai.provider.name, by the model's name, because
// transcripts name only the model. It returns "" for an unknown model.
func provider(model string) string {
	for _, p := range []struct{ prefix, name string }{
		{"claude-", "anthropic"}, {"gpt-", "openai"}, {"codex-", "openai"}, {"o1", "openai"}, {"o3",
			"openai"}, {"o4", "openai"},
		{"gemini-", "gcp.gemini"}, {"mistral-", "mistral_ai"}, {"deepseek-", "deepseek"}, {"grok-", "x_ai"},
	} {
		if strings.HasPrefix(model, p.prefix) {
			return p.name
		}
	}
	return ""
}
