package export

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Endpoint is where spans are sent.
type Endpoint struct {
	URL     string // with the path, as a rule /v1/traces
	Headers http.Header
	Timeout time.Duration // of one request
}

// The defaults of the OTLP exporter's specification.
const (
	defaultEndpoint = "http://localhost:4318"
	tracesPath      = "/v1/traces"
	defaultTimeout  = 10 * time.Second
)

// Resolve works out the endpoint from a flag (empty: none) and the OTEL_EXPORTER_OTLP_* variables, as the OpenTelemetry
// specification has them: the variable of the traces goes before the general one, to which the path is added. A flag
// that names no path gets it too.
func Resolve(flag string, env func(string) string) (Endpoint, error) {
	if p := first(env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), env("OTEL_EXPORTER_OTLP_PROTOCOL")); p != "" && p != "http/protobuf" {
		return Endpoint{}, fmt.Errorf("protocol %q: only http/protobuf is spoken", p)
	}
	e := Endpoint{Timeout: defaultTimeout, Headers: http.Header{}}
	raw, whole := flag, false
	if raw == "" {
		raw = env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
		whole = raw != ""
	}
	if raw == "" {
		raw = first(env("OTEL_EXPORTER_OTLP_ENDPOINT"), defaultEndpoint)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Endpoint{}, fmt.Errorf("endpoint %q: an http:// or https:// address is needed", raw)
	}
	if !whole && (flag == "" || strings.Trim(u.Path, "/") == "") {
		u = u.JoinPath(tracesPath)
	}
	e.URL = u.String()
	for _, list := range []string{env("OTEL_EXPORTER_OTLP_HEADERS"), env("OTEL_EXPORTER_OTLP_TRACES_HEADERS")} {
		if err := addHeaders(e.Headers, list); err != nil {
			return Endpoint{}, err
		}
	}
	if ms := first(env("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"), env("OTEL_EXPORTER_OTLP_TIMEOUT")); ms != "" {
		n, err := strconv.Atoi(ms)
		if err != nil || n <= 0 {
			return Endpoint{}, fmt.Errorf("timeout %q: milliseconds are needed", ms)
		}
		e.Timeout = time.Duration(n) * time.Millisecond
	}
	return e, nil
}

// AddHeader adds a header as a flag has it: name=value.
func (e *Endpoint) AddHeader(pair string) error { return addHeader(e.Headers, pair, false) }

// addHeaders reads the list of a variable: name=value,name=value, percent-encoded.
func addHeaders(h http.Header, list string) error {
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		if err := addHeader(h, pair, true); err != nil {
			return err
		}
	}
	return nil
}

// addHeader says nothing of the value in its errors, and nothing at all of what has no name: it is a secret as a rule.
func addHeader(h http.Header, pair string, encoded bool) error {
	name, value, ok := strings.Cut(pair, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if encoded {
		if v, err := url.PathUnescape(value); err == nil {
			value = v
		}
	}
	if !ok {
		return errors.New("header: name=value is needed")
	}
	if name == "" || strings.ContainsAny(name, " \t\r\n:") || strings.ContainsAny(value, "\r\n") {
		return fmt.Errorf("header %q: name=value is needed", name)
	}
	h.Set(name, value)
	return nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
