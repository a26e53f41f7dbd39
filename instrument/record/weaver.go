package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/instrument/registry"
	"aburn/internal/run"
	"aburn/internal/scrub"
)

// LiveCheck replays recorded spans to Weaver's live check, so that its verdict needs
// no second run of the tests.
type LiveCheck struct {
	Path, Version string // of the binary
	Registry      string // folder
	Dir           string // that a dependency's relative path counts from
	Environ       []string
	Timeout       time.Duration // of all of it; 0 is two minutes
}

// Bounds of the talk with Weaver.
const (
	maxVerdict = 64 << 20 // bytes
	batch      = 200      // spans a request
)

// Judge replaces those findings that Weaver makes too by Weaver's own.
func (l *LiveCheck) Judge(ctx context.Context, r *Recording, native []Finding) ([]Finding, error) {
	theirs, err := l.ask(ctx, r.Spans)
	if err != nil {
		return native, fmt.Errorf("weaver %s: %w", l.Version, err)
	}
	all := slices.DeleteFunc(slices.Clone(native), func(f Finding) bool { return !strings.HasPrefix(f.ID, "aburn.") })
	return sorted(append(all, theirs...)), nil
}

func (l *LiveCheck) ask(ctx context.Context, spans []Span) ([]Finding, error) {
	ended := slices.DeleteFunc(slices.Clone(spans), func(s Span) bool { return !s.Ended })
	if len(ended) == 0 {
		return nil, nil // nothing received is no verdict
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(l.Timeout, 2*time.Minute))
	defer cancel()
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	type end struct {
		result run.Result
		err    error
	}
	done := make(chan end, 1)
	process, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		result, err := run.Do(process, l.program(ports))
		done <- end{result, err}
	}()
	body, err := l.talk(process, ports, ended, func() bool { return len(done) > 0 })
	if err != nil {
		stop()
		e := <-done
		if said := firstLine(e.result.Stderr); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return nil, err
	}
	var e end
	select {
	case e = <-done:
	case <-time.After(10 * time.Second): // it was asked to stop
		stop()
		e = <-done
	}
	if findings, ok := verdict(body, ended); ok {
		return findings, nil
	}
	if findings, ok := verdict(e.result.Stdout, ended); ok && !e.result.Cut {
		return findings, nil
	}
	return nil, errors.New("gave no report")
}

func (l *LiveCheck) program(ports []string) run.Program {
	dir := l.Registry
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs // so that none reads as a flag
	}
	argv := []string{l.Path, "registry", "live-check", "-r", dir, "--format", "json", "--otlp-grpc-port", ports[0], "--admin-port", ports[1],
		"--inactivity-timeout", "60"}
	if registry.Usable(l.Version, "0.22.0") == nil {
		argv = append(argv, "--output=http")
	}
	return run.Program{Argv: argv, Dir: l.Dir, Output: maxVerdict,
		Env: append(run.Clean(l.Environ, "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"), "NO_COLOR=1")}
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if len(line) > 300 {
		line = line[:300]
	}
	return line
}

// freePorts are ports of 127.0.0.1 that nobody uses. They are of those that no system gives to a connection by itself: until
// Weaver listens, nothing takes them by chance.
func freePorts(n int) (ports []string, err error) {
	for range 100 * n {
		port := strconv.Itoa(12_000 + rand.IntN(18_000))
		var l net.Listener
		if l, err = net.Listen("tcp4", "127.0.0.1:"+port); err != nil {
			continue
		}
		defer l.Close() // all at the end, so that they differ
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, err
}

// talk waits until Weaver listens, sends the spans and asks it to stop. The body is
// its answer, which newer versions put the report into.
func (l *LiveCheck) talk(ctx context.Context, ports []string, spans []Span, gone func() bool) ([]byte, error) {
	for !listens(ctx, ports[0]) || !listens(ctx, ports[1]) {
		switch {
		case gone():
			return nil, errors.New("ended before it listened")
		case ctx.Err() != nil:
			return nil, errors.New("did not listen in time")
		}
		time.Sleep(50 * time.Millisecond)
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	for part := range slices.Chunk(spans, batch) {
		if err := export(ctx, client, "http://127.0.0.1:"+ports[0], part); err != nil {
			return nil, err
		}
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1:"+ports[1]+"/stop", nil) // a GET is not taken
	if err != nil {
		return nil, err
	}
	plain := &http.Client{Transport: &http.Transport{}} // no proxy of the environment
	defer plain.CloseIdleConnections()
	a, err := plain.Do(q)
	if err != nil {
		return nil, fmt.Errorf("did not stop: %w", err)
	}
	defer a.Body.Close()
	return io.ReadAll(io.LimitReader(a.Body, maxVerdict))
}

func listens(ctx context.Context, port string) bool {
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp4", "127.0.0.1:"+port)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// advice is what Weaver says of one thing.
type advice struct {
	ID      string                     `json:"id"`
	Type    string                     `json:"advice_type"` // the older name
	Level   string                     `json:"level"`
	Older   string                     `json:"advice_level"`
	Message string                     `json:"message"`
	Context map[string]json.RawMessage `json:"context"`
}

type checked struct {
	All []advice `json:"all_advice"`
}

type liveSample struct {
	Span *struct {
		Name       string `json:"name"`
		Attributes []struct {
			Name   string  `json:"name"`
			Result checked `json:"live_check_result"`
		} `json:"attributes"`
		Result checked `json:"live_check_result"`
		Events []struct {
			Attributes []struct {
				Name   string  `json:"name"`
				Result checked `json:"live_check_result"`
			} `json:"attributes"`
			Result checked `json:"live_check_result"`
		} `json:"span_events"`
	} `json:"span"`
}

// verdict reads a report: one object, or JSON lines of samples with the statistics as
// the last. ok is false where it is none.
func verdict(data []byte, spans []Span) (list []Finding, ok bool) {
	j := &judge{at: map[Finding]int{}}
	at := map[string]*Span{}
	for i := range spans {
		if at[spans[i].Name] == nil {
			at[spans[i].Name] = &spans[i]
		}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	received := 0
	for {
		var part struct {
			liveSample
			Samples    []liveSample `json:"samples"`
			Statistics *struct {
				Total int `json:"total_entities"`
			} `json:"statistics"`
			Total *int `json:"total_entities"`
		}
		err := dec.Decode(&part)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false
		}
		switch {
		case part.Statistics != nil:
			received, ok = received+part.Statistics.Total, true
		case part.Total != nil:
			received, ok = received+*part.Total, true
		}
		for _, s := range append(part.Samples, part.liveSample) {
			s.into(j, at)
		}
	}
	if ok && received == 0 {
		j.add(Finding{ID: "aburn.weaver_received_nothing", Level: NotJudged, Message: "Weaver counted no telemetry, so it judged nothing"})
	}
	return j.list, ok
}

func (s liveSample) into(j *judge, at map[string]*Span) {
	if s.Span == nil {
		return
	}
	span := at[s.Span.Name]
	if span == nil {
		span = &Span{Name: s.Span.Name}
	}
	s.Span.Result.into(j, span, "")
	for _, a := range s.Span.Attributes {
		a.Result.into(j, span, a.Name)
	}
	for _, e := range s.Span.Events {
		e.Result.into(j, span, "")
		for _, a := range e.Attributes {
			a.Result.into(j, span, a.Name)
		}
	}
}

// into adds what Weaver found. Its messages may repeat values, so secrets are taken out.
func (c checked) into(j *judge, s *Span, attribute string) {
	for _, a := range c.All {
		level := Level(cmp.Or(a.Level, a.Older))
		if level != Violation && level != Improvement {
			level = Information
		}
		var key string
		for _, name := range []string{"attribute_key", "attribute_name"} {
			if json.Unmarshal(a.Context[name], &key) == nil && key != "" {
				break
			}
		}
		message, _ := scrub.Text(a.Message)
		if len(message) > 500 {
			message = strings.ToValidUTF8(message[:500], "") + "…"
		}
		j.about(s, cmp.Or(a.ID, a.Type, "weaver"), level, cmp.Or(attribute, key), "%s", message)
	}
}

// NewLiveCheck finds the weaver on PATH.
func NewLiveCheck(ctx context.Context, dir, project, minimum string) (*LiveCheck, error) {
	b, err := registry.FindWeaver(ctx, minimum)
	if err != nil {
		return nil, err
	}
	return &LiveCheck{Path: b.Path, Version: b.Version, Registry: dir, Dir: project, Environ: os.Environ()}, nil
}
