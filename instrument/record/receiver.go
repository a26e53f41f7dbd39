package record

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Bounds of what an exporter may send.
const (
	maxRequest  = 16 << 20 // bytes of a body, unpacked too
	maxRequests = 10_000
	maxReasons  = 10
)

// receiver takes OTLP/HTTP on a free port of 127.0.0.1.
type receiver struct {
	listener net.Listener
	server   *http.Server
	keep     bool // else it is a sink: what comes is dropped
	stop     sync.Once

	mu       sync.Mutex
	spans    []Span
	requests int
	rejected []string
	cut      bool
}

func newReceiver(keep bool) (*receiver, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{listener: l, keep: keep}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", r.traces)
	for _, other := range []string{"POST /v1/metrics", "POST /v1/logs"} {
		mux.HandleFunc(other, func(w http.ResponseWriter, q *http.Request) { // taken, so that no exporter tries again
			io.Copy(io.Discard, io.LimitReader(q.Body, maxRequest))
			answer(w, q)
		})
	}
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		MaxHeaderBytes: 64 << 10}
	go r.server.Serve(l)
	return r, nil
}

// environ tells exporters where to send. Spans leave as soon as they end: a test's
// process does not wait for them.
func (r *receiver) environ() []string {
	return []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + r.listener.Addr().String(), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_TRACES_EXPORTER=otlp",
		"OTEL_METRICS_EXPORTER=none", "OTEL_LOGS_EXPORTER=none", "OTEL_TRACES_SAMPLER=always_on", "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_EXPORTER_OTLP_TIMEOUT=2000",
	}
}

// close lets requests that are under way end.
func (r *receiver) close() {
	r.stop.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if r.server.Shutdown(ctx) != nil {
			r.server.Close()
		}
	})
}

func (r *receiver) into(to *Recording) {
	r.mu.Lock()
	defer r.mu.Unlock()
	to.Spans, to.Requests, to.Rejected, to.Cut = r.spans, r.requests, r.rejected, r.cut
	slices.SortStableFunc(to.Spans, func(a, b Span) int { return a.Start.Compare(b.Start) })
}

func (r *receiver) traces(w http.ResponseWriter, q *http.Request) {
	spans, code, err := readRequest(w, q)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if why := err.Error(); len(r.rejected) < maxReasons && !slices.Contains(r.rejected, why) {
			r.rejected = append(r.rejected, why)
		}
		http.Error(w, err.Error(), code)
		return
	}
	r.requests++
	if r.keep {
		room := max(maxSpans-len(r.spans), 0)
		if r.requests > maxRequests {
			room = 0
		}
		if len(spans) > room {
			spans, r.cut = spans[:room], true
		}
		r.spans = append(r.spans, spans...)
	}
	answer(w, q)
}

// answer is an empty ExportTraceServiceResponse in the form of the request.
func answer(w http.ResponseWriter, q *http.Request) {
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	w.Header().Set("Content-Type", kind)
	if kind == "application/json" {
		io.WriteString(w, "{}")
	}
}

func readRequest(w http.ResponseWriter, q *http.Request) (spans []Span, code int, err error) {
	kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-protobuf" && kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType, errors.New("its content type is neither application/x-protobuf nor application/json")
	}
	var body io.Reader = http.MaxBytesReader(w, q.Body, maxRequest)
	switch encoding := q.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		zip, err := gzip.NewReader(body)
		if err != nil {
			return nil, http.StatusBadRequest, errors.New("its body is no gzip")
		}
		body = zip
	default:
		return nil, http.StatusUnsupportedMediaType, errors.New("its content encoding is not gzip")
	}
	data, err := io.ReadAll(io.LimitReader(body, maxRequest+1))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) || len(data) > maxRequest:
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("it is longer than %d MB", maxRequest>>20)
	case err != nil:
		return nil, http.StatusBadRequest, errors.New("its body cannot be read")
	}
	if kind == "application/json" {
		spans, err = decodeJSON(data)
	} else {
		spans, err = decodeProtobuf(data)
	}
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	return spans, http.StatusOK, nil
}
