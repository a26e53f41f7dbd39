package record

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"aburn/internal/lab/world"
)

func text(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func list(values ...*commonpb.AnyValue) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: values}}}
}

func number(n int64) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}
}

// sample is a request with one of everything, by the generated types; TracesData equals an ExportTraceServiceRequest.
func sample() *tracepb.TracesData {
	span := &tracepb.Span{
		TraceId: bytes.Repeat([]byte{0xa1}, 16), SpanId: bytes.Repeat([]byte{0xb2}, 8), ParentSpanId: bytes.Repeat([]byte{0xc3}, 8), Name: "shop.order.place",
		Kind:              tracepb.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: 1_700_000_000_000_000_001, EndTimeUnixNano: 1_700_000_000_000_000_002, TraceState: "a=b", Flags: 257, DroppedAttributesCount: 1,
		Attributes: []*commonpb.KeyValue{
			{Key: "s", Value: text("x")}, {Key: "i", Value: number(-5)}, {Key: "b", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}}},
			{Key: "d", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: 1.5}}}, {Key: "l", Value: list(text("x"), text("y"))},
			{Key: "m", Value: list(text("x"), number(1))},
			{Key: "e", Value: list()}, {Key: "o", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{}}}}, {Key: "n"},
		},
		Events: []*tracepb.Span_Event{{Name: "exception", TimeUnixNano: 5, Attributes: []*commonpb.KeyValue{{Key: "exception.type", Value: text("E")}}}},
		Links:  []*tracepb.Span_Link{{TraceId: bytes.Repeat([]byte{1}, 16), SpanId: bytes.Repeat([]byte{2}, 8)}},
		Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "no"},
	}
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: []*commonpb.KeyValue{{Key: "service.name", Value: text("shop")}}},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "tracer", Version: "1"}, Spans: []*tracepb.Span{span}, SchemaUrl: "x"}},
		SchemaUrl:  "y",
	}}}
}

func encoded(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inJSON is OTLP's JSON: that of protobuf, but ids in hex and enums as numbers.
func inJSON(t testing.TB, m proto.Message) []byte {
	t.Helper()
	data, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer("oaGhoaGhoaGhoaGhoaGhoQ==", strings.Repeat("a1", 16), "srKysrKysrI=", strings.Repeat("b2", 8), "w8PDw8PDw8M=",
		strings.Repeat("c3", 8)).Replace(string(data)))
}

func TestDecode(t *testing.T) {
	want := Span{Trace: strings.Repeat("a1", 16), ID: strings.Repeat("b2", 8), Parent: strings.Repeat("c3", 8), Name: "shop.order.place", Scope: "tracer",
		Kind: "server", Failed: true, Ended: true, Links: 1,
		Start: time.Unix(0, 1_700_000_000_000_000_001), End: time.Unix(0, 1_700_000_000_000_000_002),
		Attributes: []Attribute{{"s", "string", "x"}, {"i", "int", "-5"}, {"b", "boolean", "true"}, {"d", "double", "1.5"}, {"l", "string[]", ""},
			{"m", "mixed[]", ""}, {"e", "array[]", ""}, {"o", "object", ""}, {"n", "null", ""}},
		Events: []Event{{"exception", []Attribute{{"exception.type", "string", "E"}}}}, Resource: []Attribute{{"service.name", "string", "shop"}}}
	for name, decode := range map[string]func() ([]Span, error){
		"protobuf": func() ([]Span, error) { return decodeProtobuf(encoded(t, sample())) },
		"JSON":     func() ([]Span, error) { return decodeJSON(inJSON(t, sample())) },
	} {
		got, err := decode()
		if err != nil || len(got) != 1 || fmt.Sprintf("%+v", got[0]) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", name, err, got, want)
		}
	}
}

// Half a message is an error or fewer spans, and never a panic.
func TestDecodeCutMessages(t *testing.T) {
	data, asJSON := encoded(t, sample()), inJSON(t, sample())
	for i := range data {
		decodeProtobuf(data[:i])
		if _, err := decodeProtobuf(data[i:]); err == nil && i > 0 && i < 4 {
			t.Errorf("from byte %d on it is taken", i)
		}
	}
	for i := range asJSON[1:] {
		if _, err := decodeJSON(asJSON[:i]); err == nil {
			t.Errorf("%s is taken", asJSON[:i])
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, sample()))
	f.Add(inJSON(f, sample()))
	f.Fuzz(func(t *testing.T, data []byte) {
		decodeJSON(data)
		spans, err := decodeProtobuf(data)
		var theirs tracepb.TracesData
		if e := proto.Unmarshal(data, &theirs); err == nil && e == nil {
			n := 0
			for _, r := range theirs.ResourceSpans {
				for _, s := range r.ScopeSpans {
					n += len(s.Spans)
				}
			}
			if n != len(spans) {
				t.Errorf("%d spans, the generated types read %d", len(spans), n)
			}
		}
		Judge(&Recording{Mode: OTLP, Spans: spans}, nil)
	})
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func TestReceiver(t *testing.T) {
	r, err := newReceiver(true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	host, _, _ := net.SplitHostPort(r.listener.Addr().String())
	if host != "127.0.0.1" {
		t.Errorf("it listens on %s", host)
	}
	deep := `{"resourceSpans":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}"
	nested := text("x")
	for range maxDepth + 2 {
		nested = list(nested)
	}
	tooDeep := sample()
	tooDeep.ResourceSpans[0].ScopeSpans[0].Spans[0].Attributes[0].Value = nested
	noIDs := sample()
	noIDs.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId = []byte{1}
	const protobuf, jsonType = "application/x-protobuf", "application/json"
	for _, x := range []struct {
		name, method, path, kind, encoding string
		body                               []byte
		want                               int
	}{
		{"protobuf", "POST", "/v1/traces", protobuf, "", encoded(t, sample()), 200},
		{"JSON", "POST", "/v1/traces", jsonType + "; charset=utf-8", "", inJSON(t, sample()), 200},
		{"gzip", "POST", "/v1/traces", protobuf, "gzip", packed(encoded(t, sample())), 200},
		{"gzip of JSON", "POST", "/v1/traces", jsonType, "gzip", packed(inJSON(t, sample())), 200},
		{"empty", "POST", "/v1/traces", protobuf, "", nil, 200},
		{"metrics", "POST", "/v1/metrics", protobuf, "", []byte("anything"), 200},
		{"no protobuf", "POST", "/v1/traces", protobuf, "", []byte("hello"), 400},
		{"no JSON", "POST", "/v1/traces", jsonType, "", []byte(`{"resourceSpans": 7}`), 400},
		{"deep JSON", "POST", "/v1/traces", jsonType, "", []byte(deep), 400},
		{"deep value", "POST", "/v1/traces", protobuf, "", encoded(t, tooDeep), 400},
		{"ids", "POST", "/v1/traces", protobuf, "", encoded(t, noIDs), 400},
		{"ids in JSON", "POST", "/v1/traces", jsonType, "", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x","traceId":"zz"}]}]}]}`), 400},
		{"no gzip", "POST", "/v1/traces", protobuf, "gzip", encoded(t, sample()), 400},
		{"cut gzip", "POST", "/v1/traces", protobuf, "gzip", packed(encoded(t, sample()))[:40], 400},
		{"bomb", "POST", "/v1/traces", protobuf, "gzip", packed(make([]byte, maxRequest+10)), 413},
		{"long", "POST", "/v1/traces", protobuf, "", make([]byte, maxRequest+10), 413},
		{"other encoding", "POST", "/v1/traces", protobuf, "br", nil, 415},
		{"other type", "POST", "/v1/traces", "text/plain", "", nil, 415},
		{"no type", "POST", "/v1/traces", "", "", nil, 415},
		{"GET", "GET", "/v1/traces", protobuf, "", nil, 405},
		{"other path", "POST", "/", protobuf, "", nil, 404},
	} {
		q, err := http.NewRequest(x.method, "http://"+r.listener.Addr().String()+x.path, bytes.NewReader(x.body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", x.kind)
		if x.encoding != "" {
			q.Header.Set("Content-Encoding", x.encoding)
		}
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		body, _ := io.ReadAll(a.Body)
		a.Body.Close()
		if a.StatusCode != x.want {
			t.Errorf("%s: %d, want %d: %s", x.name, a.StatusCode, x.want, body)
		}
	}
	r.close()
	var got Recording
	if r.into(&got); len(got.Spans) != 4 || got.Requests != 5 || len(got.Rejected) < 6 || len(got.Rejected) > maxReasons {
		t.Errorf("%d spans, %d requests, rejected %q", len(got.Spans), got.Requests, got.Rejected)
	}
	if list := Judge(&got, nil); !has(list, "aburn.request_refused", Violation) {
		t.Errorf("%+v", list)
	}
}

// What any program sends is recorded, with the place of the only file that has the name.
func TestRecordOTLP(t *testing.T) {
	world.Slow(t)
	needNode(t)
	dir := project(t, map[string]string{"send.js": `const url = process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces'
if (!url.startsWith('http://127.0.0.1:') || process.env.OTEL_EXPORTER_OTLP_PROTOCOL !== 'http/protobuf') process.exit(3)
fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: require('fs').readFileSync('sample.json') })`,
		"sample.json": string(inJSON(t, sample())), "silent.js": ""})
	r := recorded(t, dir, OTLP, "node", "send.js")
	FindPlaces(r, dir)
	if r.Exit != 0 || len(r.Spans) != 1 || r.Spans[0].File != "src/shop.js" || r.Spans[0].Line != 3 {
		t.Errorf("%+v", r)
	}
	if list := Judge(recorded(t, dir, OTLP, "node", "silent.js"), nil); !has(list, "aburn.no_span", Violation) {
		t.Errorf("%+v", list)
	}
}

// sdk is as much of an SDK as the tap has to know: a provider whose tracers make spans
// that can be read.
const sdk = `const { trace, context } = require('@opentelemetry/api')
let n = 0
class Span {
  constructor (name, options) { Object.assign(this, { name, kind: options.kind || 0, attributes: { ...options.attributes }, events: [], links: [], status: { code: 0 }, startTime: [1700000000, 1], resource: { attributes: { 'service.name': 'shop' } }, instrumentationScope: { name: 'shop' } }); this.ids = { traceId: 'a'.repeat(32), spanId: String(++n).padStart(16, '0') } }
  spanContext () { return this.ids }
  isRecording () { return true }
  setAttribute (k, v) { this.attributes[k] = v; return this }
  recordException () {}
  setStatus (s) { this.status = s }
  end () { this.endTime = [1700000000, 9] }
}
class Tracer {
  startSpan (name, options = {}) { return new Span(name, options) }
  startActiveSpan (name, ...rest) { const f = rest.pop(); return f(this.startSpan(name, rest[0])) }
}
class TracerProvider { getTracer () { return this.tracer ??= new Tracer() } }
trace.setGlobalTracerProvider(new TracerProvider())
`

func TestTap(t *testing.T) {
	world.Slow(t)
	needNode(t)
	dir := project(t, map[string]string{"node_modules/sdk/index.js": sdk, "sdk.cjs": "require('sdk')",
		"own.js":   "require('sdk'); require('./src/shop.js').place({ id: 1, ok: true })",
		"plain.js": "require('./src/shop.js').place({ id: 1, ok: true })",
		"again.js": "require('sdk')\nrequire('@opentelemetry/api').trace.disable()\ndelete require.cache[require.resolve('sdk')]; " +
			"require('sdk')\nrequire('./src/shop.js').place({ id: 1, ok: true })"})
	for _, script := range []string{"own.js", "again.js"} {
		r := recorded(t, dir, Tap, "node", script)
		same(t, lines(r), " |  | src/shop.js:3 shop.order.place", " |  | src/shop.js:16 shop.order.save")
		if s := r.Spans[slices.IndexFunc(r.Spans, func(s Span) bool { return s.Name == "shop.order.place" })]; len(s.Resource) != 1 ||
			s.Resource[0].Key != "service.name" || s.Kind != "server" || r.Providers == 0 || s.End.UnixNano() != 1_700_000_000_000_000_009 {
			t.Errorf("%+v", s)
		}
	}
	r, err := Run(t.Context(), Options{Argv: []string{"node", "plain.js"}, Dir: dir, Mode: Tap, Environ: os.Environ(), Temp: t.TempDir(), Setup: dir + "/sdk.cjs"})
	if err != nil || len(r.Spans) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if list := Judge(recorded(t, dir, Tap, "node", "plain.js"), nil); !has(list, "aburn.no_provider", Violation) {
		t.Errorf("%+v", list)
	}
}

// A sink is where an SDK sends that asks the environment: no test's span leaves the machine.
func TestTapSendsIntoASink(t *testing.T) {
	needNode(t)
	dir := project(t, map[string]string{"send.js": `const url = process.env.OTEL_EXPORTER_OTLP_ENDPOINT
fetch(url + '/v1/traces', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((a) => process.exit(url.startsWith('http://127.0.0.1:') && a.ok ? 0 : 3))`})
	if r := recorded(t, dir, Tap, "node", "send.js"); r.Exit != 0 || len(r.Spans) != 0 {
		t.Errorf("%+v", r)
	}
}
