package export

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
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

// message is a protobuf message in wire form. As in proto3, empty fields are left out. Field numbers are those of
// opentelemetry/proto/{trace,common,resource}/v1 in opentelemetry-proto 1.x; the tests decode with the generated
// types. The product links neither those nor google.golang.org/protobuf, which reads its own executable at init.
type message []byte

// The wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

func (m *message) tag(n, wire uint64) { *m = binary.AppendUvarint(*m, n<<3|wire) }

func (m *message) bytes(n uint64, b []byte) {
	if len(b) > 0 {
		m.sub(n, b)
	}
}

func (m *message) str(n uint64, s string) {
	if s != "" {
		m.tag(n, wireBytes)
		*m = append(binary.AppendUvarint(*m, uint64(len(s))), s...)
	}
}

// num writes zeros, too: for required numbers, and for members of a oneof.
func (m *message) num(n, v uint64) {
	m.tag(n, wireVarint)
	*m = binary.AppendUvarint(*m, v)
}

func (m *message) time(n uint64, t time.Time) {
	m.tag(n, wireFixed64)
	*m = binary.LittleEndian.AppendUint64(*m, uint64(t.UnixNano()))
}

// sub writes a nested message, even an empty one.
func (m *message) sub(n uint64, inner message) {
	m.tag(n, wireBytes)
	*m = append(binary.AppendUvarint(*m, uint64(len(inner))), inner...)
}

func (m *message) attributes(n uint64, list attributes) {
	for _, a := range list {
		var kv message
		kv.str(1, a.key)
		kv.sub(2, a.value)
		m.sub(n, kv)
	}
}

// request is an ExportTraceServiceRequest, which equals TracesData.
func request(list []*Resource) []byte {
	var m message
	for _, r := range list {
		m.sub(1, r.wire())
	}
	return m
}

func (r *Resource) wire() message {
	var resource, scope, spans, m message
	resource.attributes(1, r.attributes)
	scope.str(1, "aburn")
	scope.str(2, r.scope)
	spans.sub(1, scope)
	for i := range r.Spans {
		spans.sub(2, r.Spans[i].wire())
	}
	spans.str(3, SchemaURL)
	m.sub(1, resource)
	m.sub(2, spans)
	m.str(3, SchemaURL)
	return m
}

func (s *Span) wire() message {
	var m message
	m.bytes(1, s.trace)
	m.bytes(2, s.id)
	m.bytes(4, s.parent)
	m.str(5, s.Name)
	kind := uint64(kindInternal)
	if s.client {
		kind = kindClient
	}
	m.num(6, kind)
	m.time(7, s.start)
	m.time(8, s.end)
	m.attributes(9, s.attributes)
	for _, e := range s.events {
		var in message
		in.time(1, e.time)
		in.str(2, e.name)
		in.attributes(3, e.attributes)
		m.sub(11, in)
	}
	for _, l := range s.links {
		var in message
		in.bytes(1, l.trace)
		in.bytes(2, l.id)
		in.attributes(4, l.attributes)
		m.sub(13, in)
	}
	if s.failed {
		var status message
		status.str(2, s.message)
		status.num(3, statusError)
		m.sub(15, status)
	}
	return m
}

var errWire = errors.New("no protobuf message")

// fields calls each for the numbers and bytes of a message, and fails where it is malformed.
func fields(msg []byte, each func(n, v uint64, data []byte)) error {
	for len(msg) > 0 {
		tag, size := binary.Uvarint(msg)
		if size <= 0 {
			return errWire
		}
		msg = msg[size:]
		var skip uint64
		switch tag & 7 {
		case wireVarint:
			v, size := binary.Uvarint(msg)
			if size <= 0 {
				return errWire
			}
			each(tag>>3, v, nil)
			skip = uint64(size)
		case wireBytes:
			length, size := binary.Uvarint(msg)
			if size <= 0 || length > uint64(len(msg)-size) {
				return errWire
			}
			skip = uint64(size) + length
			each(tag>>3, 0, msg[size:skip])
		case wireFixed64:
			skip = 8
		case wireFixed32:
			skip = 4
		default:
			return errWire
		}
		if skip > uint64(len(msg)) {
			return errWire
		}
		msg = msg[skip:]
	}
	return nil
}

// SchemaURL is the version of the semantic conventions in use. Their GenAI names are still in development.
const SchemaURL = "https://opentelemetry.io/schemas/1.41.0"

// attributes are keys with values. A value is an AnyValue in wire form.
type attributes []attribute

type attribute struct {
	key   string
	value message
}

func (a *attributes) str(key, value string) {
	if value != "" {
		var v message
		v.str(1, value)
		*a = append(*a, attribute{key, v})
	}
}

func (a *attributes) num(key string, value int64) {
	var v message
	v.num(3, uint64(value))
	*a = append(*a, attribute{key, v})
}

func (a *attributes) yes(key string) {
	var v message
	v.num(2, 1)
	*a = append(*a, attribute{key, v})
}

// list adds a list of one text.
func (a *attributes) list(key, value string) {
	if value != "" {
		var item, values, v message
		item.str(1, value)
		values.sub(1, item)
		v.sub(5, values)
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
