package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/otlp"
)

// export is one call of gRPC: a length before the message, the status behind it.
func export(ctx context.Context, client *http.Client, base string, spans []Span) error {
	message := encode(spans)
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
		bytes.NewReader(append(frame, message...)))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/grpc")
	q.Header.Set("TE", "trailers")
	a, err := client.Do(q)
	if err != nil {
		return fmt.Errorf("took no spans: %w", err)
	}
	defer a.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(a.Body, 1<<20)); err != nil {
		return fmt.Errorf("took no spans: %w", err)
	}
	if status := cmp.Or(a.Trailer.Get("Grpc-Status"), a.Header.Get("Grpc-Status")); a.StatusCode != http.StatusOK || status != "0" {
		return fmt.Errorf("refused the spans: HTTP %d, gRPC status %.20q", a.StatusCode, status)
	}
	return nil
}

func addAttributes(m *otlp.Message, n uint64, list []Attribute) {
	for _, a := range list {
		var value, kv otlp.Message
		if !a.encode(&value) {
			continue // no exporter sends it
		}
		kv.Str(1, a.Key)
		kv.Sub(2, value)
		m.Sub(n, kv)
	}
}

// encode writes an AnyValue. Of lists only the type was recorded: they have one item.
func (a Attribute) encode(to *otlp.Message) bool {
	if kind, ok := strings.CutSuffix(a.Kind, "[]"); ok {
		var item, values otlp.Message
		if kind != "array" && !(Attribute{Kind: kind}).encode(&item) {
			return false
		}
		if kind != "array" {
			values.Sub(1, item)
		}
		to.Sub(5, values)
		return true
	}
	switch a.Kind {
	case "string":
		to.Sub(1, []byte(a.Value))
	case "boolean":
		to.Num(2, uint64(one(a.Value == "true")))
	case "int":
		n, err := strconv.ParseInt(a.Value, 10, 64)
		if err != nil { // beyond 64 bits, as JavaScript prints it
			f, _ := strconv.ParseFloat(a.Value, 64)
			to.Fixed(4, math.Float64bits(f))
			return true
		}
		to.Num(3, uint64(n))
	case "double":
		f, _ := strconv.ParseFloat(a.Value, 64)
		to.Fixed(4, math.Float64bits(f))
	default:
		return false
	}
	return true
}

// encode makes an ExportTraceServiceRequest.
func encode(spans []Span) []byte {
	var request otlp.Message
	for i := range spans {
		var scope, inScope, resource, inResource otlp.Message
		scope.Str(1, spans[i].Scope)
		inScope.Sub(1, scope)
		inScope.Sub(2, spans[i].encode())
		addAttributes(&resource, 1, spans[i].Resource)
		inResource.Sub(1, resource)
		inResource.Sub(2, inScope)
		request.Sub(1, inResource)
	}
	return request
}

func (s *Span) encode() (m otlp.Message) {
	for n, id := range map[uint64]string{1: s.Trace, 2: s.ID, 4: s.Parent} {
		if b, err := hex.DecodeString(id); err == nil && len(b) > 0 {
			m.Sub(n, b)
		}
	}
	m.Str(5, s.Name)
	m.Num(6, uint64(slices.Index(kinds[:], s.Kind)+1))
	m.Fixed(7, uint64(s.Start.UnixNano()))
	m.Fixed(8, uint64(s.End.UnixNano()))
	addAttributes(&m, 9, s.Attributes)
	for _, e := range s.Events {
		var event otlp.Message
		event.Fixed(1, uint64(s.End.UnixNano()))
		event.Str(2, e.Name)
		addAttributes(&event, 3, e.Attributes)
		m.Sub(11, event)
	}
	if s.Failed {
		var status otlp.Message
		status.Num(3, 2)
		m.Sub(15, status)
	}
	return m
}
