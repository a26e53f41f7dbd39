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

// Endpoint says where spans are sent.
type Endpoint struct {
	URL     string // with the path, usually /v1/traces
	Headers http.Header
	Timeout time.Duration // of one request
}

// The defaults of the OTLP exporter specification.
const (
	defaultEndpoint = "http://localhost:4318"
	tracesPath      = "/v1/traces"
	defaultTimeout  = 10 * time.Second
)

// Resolve finds the endpoint from a flag ("" for none) and the OTEL_EXPORTER_OTLP_* variables, as the OpenTelemetry
// specification says: the variable for traces overrides the general one, which gets the path appended. A flag without
// a path gets it too.
func Resolve(flag string, env func(string) string) (Endpoint, error) {
	if p := first(env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), env("OTEL_EXPORTER_OTLP_PROTOCOL")); p != "" &&
		p != "http/protobuf" {
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

// AddHeader adds a header from a flag: name=value.
func (e *Endpoint) AddHeader(pair string) error { return addHeader(e.Headers, pair, false) }

// addHeaders reads a variable's list: name=value,name=value, percent-encoded.
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

// addHeader adds one header. Its errors never hold the value, nor anything of a pair without a name: headers are
// mostly secrets.
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
