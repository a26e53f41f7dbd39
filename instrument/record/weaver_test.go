package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// standIn is a Weaver of these tests: this binary, started as weaver. It takes spans by
// gRPC and answers by a script: how is "http" (the report is the answer of /stop),
// "lines" (JSON lines on stdout), or one that fails.
func standIn(how string) {
	port := func(flag string) string { return os.Args[slices.Index(os.Args, flag)+1] }
	var got []*tracepb.Span
	var dir = port("-r")
	if how == "dies" || !filepath.IsAbs(dir) {
		fmt.Fprintln(os.Stderr, "no such registry")
		os.Exit(1)
	}
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	grpc := &http.Server{Protocols: protocols, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Trailer", "Grpc-Status")
		w.Header().Set("Content-Type", "application/grpc")
		data, err := io.ReadAll(q.Body)
		var request tracepb.TracesData
		status := "0"
		if err != nil || q.URL.Path != "/opentelemetry.proto.collector.trace.v1.TraceService/Export" || q.ProtoMajor != 2 || len(data) < 5 ||
			int(binary.BigEndian.Uint32(data[1:])) != len(data)-5 ||
			proto.Unmarshal(data[5:], &request) != nil || how == "refuses" {
			status = "3"
		}
		for _, r := range request.ResourceSpans {
			for _, s := range r.ScopeSpans {
				got = append(got, s.Spans...)
			}
		}
		w.Write([]byte{0, 0, 0, 0, 0})
		w.Header().Set("Grpc-Status", status)
	})}
	stopped := make(chan struct{})
	admin := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodPost || q.URL.Path != "/stop" {
			http.NotFound(w, q)
			return
		}
		if how == "http" {
			io.WriteString(w, report(got))
		} else {
			io.WriteString(w, "OK")
		}
		close(stopped)
	})}
	for flag, server := range map[string]*http.Server{"--otlp-grpc-port": grpc, "--admin-port": admin} {
		l, err := net.Listen("tcp4", "127.0.0.1:"+port(flag))
		if err != nil {
			os.Exit(2)
		}
		go server.Serve(l)
	}
	<-stopped
	switch how {
	case "lines":
		for _, s := range got {
			fmt.Printf(`{"span":{"name":%q,"live_check_result":{"all_advice":[]},"attributes":[{"name":%q,`+
				`"live_check_result":{"all_advice":[{"id":"missing_attribute","level":"violation","message":"not there"}]}}]}}`+"\n", s.Name, s.Attributes[0].Key)
		}
		fmt.Printf(`{"total_entities":%d}`+"\n", len(got))
	case "prose":
		fmt.Println("all is well")
	}
	grpc.Shutdown(context.Background())
	admin.Shutdown(context.Background())
}

// report has one finding for each attribute, in the older names, and one for each span.
func report(got []*tracepb.Span) string {
	var samples []string
	for _, s := range got {
		var attributes []string
		for _, a := range s.Attributes {
			attributes = append(attributes,
				fmt.Sprintf(`{"name":%q,"live_check_result":{"all_advice":[{"advice_type":"type_mismatch","advice_level":"violation","message":"%v"}]}}`, a.Key, a.Value))
		}
		samples = append(samples,
			fmt.Sprintf(`{"span":{"name":%q,"live_check_result":{"all_advice":[{"id":"extends_namespace","level":"information","message":"m",`+
				`"context":{"attribute_key":"k"}}]},"attributes":[%s]}}`, s.Name, strings.Join(attributes, ",")))
	}
	return fmt.Sprintf(`{"samples":[%s],"statistics":{"total_entities":%d}}`, strings.Join(samples, ","), len(got))
}

func live(t *testing.T, how string) *LiveCheck {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	return &LiveCheck{Path: self, Version: "0.25.1", Registry: t.TempDir(), Dir: t.TempDir(), Environ: []string{"XDG_ABURN_TEST_WEAVER=" + how},
		Timeout: 2 * time.Minute}
}

// No connection that a system opens by itself takes one of them before Weaver listens.
func TestFreePorts(t *testing.T) {
	for range 20 {
		ports, err := freePorts(2)
		if err != nil || len(ports) != 2 || ports[0] == ports[1] {
			t.Fatal(ports, err)
		}
		for _, port := range ports {
			if n, err := strconv.Atoi(port); err != nil || n < 1024 || n >= 32_768 { // Linux begins there, others higher
				t.Errorf("port %s", port)
			}
		}
	}
}

func TestWeaverJudges(t *testing.T) {
	world.Slow(t)
	end := time.Unix(2, 0)
	span := Span{Trace: strings.Repeat("a1", 16), ID: strings.Repeat("b2", 8), Name: "shop.order.place", Kind: "server", Ended: true, File: "src/shop.js", Line: 3,
		Start: time.Unix(1, 0), End: end, Failed: true,
		Attributes: []Attribute{{"n", "int", "7"}, {"u", "undefined", ""}}, Events: []Event{{Name: "exception"}}}
	r := &Recording{Mode: Recorder, Spans: []Span{span, span, {Name: "open"}}}
	native := []Finding{{ID: "missing_attribute", Level: Violation}, {ID: "aburn.undefined_value", Level: Violation}}
	for how, want := range map[string]string{
		"http":  "aburn.undefined_value violation  ×0, type_mismatch violation n ×2 src/shop.js:3, extends_namespace information k ×2 src/shop.js:3",
		"lines": "aburn.undefined_value violation  ×0, missing_attribute violation n ×2 src/shop.js:3",
	} {
		list, err := live(t, how).Judge(t.Context(), r, native)
		var got []string
		for _, f := range list {
			text := fmt.Sprintf("%s %s %s ×%d", f.ID, f.Level, f.Attribute, f.Count)
			if f.File != "" {
				text += " " + Place(f.File, f.Line)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); err != nil || text != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", how, err, text, want)
		}
	}
	for how, want := range map[string]string{"dies": "weaver 0.25.1: ended before it listened: no such registry", "refuses": "weaver 0.25.1: refused the spans",
		"prose": "weaver 0.25.1: gave no report"} {
		list, err := live(t, how).Judge(t.Context(), r, native)
		if err == nil || !strings.HasPrefix(err.Error(), want) || len(list) != len(native) {
			t.Errorf("%s: %v, %+v", how, err, list)
		}
	}
	if list, err := live(t, "dies").Judge(t.Context(), &Recording{}, nil); err != nil || len(list) != 0 {
		t.Errorf("without spans it is asked: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := live(t, "http").Judge(ctx, r, nil); err == nil {
		t.Error("it goes on when it is told to stop")
	}
}

// Weaver that received nothing is no judge.
func TestWeaverReceivedNothing(t *testing.T) {
	list, ok := verdict([]byte(`{"samples":[],"statistics":{"total_entities":0}}`), nil)
	if !ok || len(list) != 1 || list[0].Level != NotJudged {
		t.Errorf("%v %+v", ok, list)
	}
	for _, text := range []string{"", "OK", `{"samples":[`, `{"other":1}`} {
		if _, ok := verdict([]byte(text), nil); ok {
			t.Errorf("%q is a report", text)
		}
	}
}

// What goes to Weaver is what the generated types read.
func TestEncode(t *testing.T) {
	want, err := decodeProtobuf(encoded(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	want[0].Links = 0
	want[0].Attributes = slices.DeleteFunc(want[0].Attributes, func(a Attribute) bool { return a.Kind == "mixed[]" || a.Kind == "object" || a.Kind == "null" })
	data := encode(want)
	var request tracepb.TracesData
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, &request); err != nil || proto.Size(&request) != len(data) {
		t.Fatalf("%v, %d of %d bytes are known", err, proto.Size(&request), len(data))
	}
	if got, err := decodeProtobuf(data); err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	if bytes.Contains(data, []byte("mixed")) {
		t.Error("a type is sent as text")
	}
}
