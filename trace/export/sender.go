package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"aburn/internal/otlp"
)

// maxSpans bounds the spans of one request, maxTries the tries of one. The first pause is firstWait, and each pause
// doubles up to maxWait.
const (
	maxSpans  = 1000
	maxTries  = 5
	firstWait = 500 * time.Millisecond
	maxWait   = 30 * time.Second
)

// Sender sends spans over OTLP/HTTP in protobuf. It is not safe for concurrent use.
//
// It replaces OpenTelemetry's exporter, which links gRPC. Even the generated types of OTLP would cost every start of
// `aburn`, which prompts call (docs/guide/export.md).
type Sender struct {
	to     Endpoint
	client *http.Client
	queue  []*Resource
	queued int
	// Sent counts the spans that the receiver took, Rejected those that it says it did not take. Why is the last
	// reason it gave.
	Sent, Rejected int64
	Why            string
	wait           time.Duration
}

// NewSender returns a Sender to e.
func NewSender(e Endpoint) *Sender {
	// A redirect would hand the headers, and with them the key, to somebody else.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{to: e, client: &http.Client{Timeout: e.Timeout, CheckRedirect: refuse}, wait: firstWait}
}

// Add queues spans, and sends them when there are enough for a request.
func (s *Sender) Add(ctx context.Context, r *Resource) error {
	for rest := r.Spans; len(rest) > 0; {
		n := min(len(rest), maxSpans-s.queued)
		part := &Resource{r.attributes, r.scope, rest[:n]}
		s.queue, s.queued, rest = append(s.queue, part), s.queued+n, rest[n:]
		if s.queued == maxSpans {
			if err := s.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush sends what is queued.
func (s *Sender) Flush(ctx context.Context) error {
	if s.queued == 0 {
		return nil
	}
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	if _, err := z.Write(request(s.queue)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	answer, err := s.post(ctx, body.Bytes())
	if err != nil {
		return err
	}
	rejected, why := partial(answer)
	rejected = min(max(rejected, 0), int64(s.queued))
	s.Sent += int64(s.queued) - rejected
	s.Rejected += rejected
	if why != "" {
		s.Why = why
	}
	s.queue, s.queued = nil, 0
	return nil
}

// post tries until the receiver takes the request, refuses it for good, or maxTries is reached.
func (s *Sender) post(ctx context.Context, body []byte) ([]byte, error) {
	wait := s.wait
	for try := 1; ; try++ {
		answer, after, err := s.once(ctx, body)
		if err == nil {
			return answer, nil
		}
		if after < 0 || try == maxTries || errors.Is(err, syscall.ECONNREFUSED) && s.Sent == 0 {
			return nil, err
		}
		select {
		case <-time.After(max(wait, min(after, maxWait))):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		wait *= 2
	}
}

// maxAnswer exceeds the length of any answer, in bytes.
const maxAnswer = 64 << 10

// once makes one request. after is the pause that the receiver asks for, negative if another try is useless.
func (s *Sender) once(ctx context.Context, body []byte) (answer []byte, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, -1, err
	}
	for name, values := range s.to.Headers {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("User-Agent", "aburn")
	resp, err := s.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, -1, ctx.Err()
		}
		return nil, 0, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case resp.StatusCode/100 == 2:
		return answer, 0, err
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusBadGateway,
		resp.StatusCode == http.StatusServiceUnavailable, resp.StatusCode == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		after = time.Duration(max(seconds, 0)) * time.Second
	default:
		after = -1
	}
	return nil, after, fmt.Errorf("%s answers %s%s", s.to.URL, resp.Status, reason(resp, answer))
}

// reason returns the receiver's message, if it is text.
func reason(resp *http.Response, answer []byte) string {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		_, text := status(answer)
		answer = []byte(text)
	}
	if text := strings.Join(strings.Fields(string(answer)), " "); text != "" {
		return ": " + text[:min(len(text), 200)]
	}
	return ""
}

// partial reads an ExportTraceServiceResponse: partial_success = 1 {rejected_spans = 1, error_message = 2}. A
// malformed answer means that the request was taken.
func partial(answer []byte) (rejected int64, why string) {
	_ = otlp.Each(answer, func(f otlp.Field) error {
		if f.N == 1 {
			rejected, why = status(f.Data)
		}
		return nil
	})
	return rejected, why
}

// status reads a number 1 and a text 2: an ExportTracePartialSuccess, or a google.rpc.Status.
func status(data []byte) (number int64, text string) {
	_ = otlp.Each(data, func(f otlp.Field) error {
		switch f.N {
		case 1:
			number = int64(f.V)
		case 2:
			text = string(f.Data)
		}
		return nil
	})
	return number, text
}
