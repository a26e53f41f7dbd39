package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// wire is an event as encoding/json writes it: the kind, and the body under the kind's name.
type wire struct {
	*head
	Kind          string         `json:"kind"`
	UserMessage   *UserMessage   `json:"user_message,omitempty"`
	AgentMessage  *AgentMessage  `json:"agent_message,omitempty"`
	ToolCall      *ToolCall      `json:"tool_call,omitempty"`
	ToolResult    *ToolResult    `json:"tool_result,omitempty"`
	FileChange    *FileChange    `json:"file_change,omitempty"`
	Error         *Error         `json:"error,omitempty"`
	Interrupt     *Interrupt     `json:"interrupt,omitempty"`
	SubagentSpawn *SubagentSpawn `json:"subagent_spawn,omitempty"`
	Session       *Session       `json:"session,omitempty"`
}

// head is Event without its methods.
type head Event

func wireOf(e *Event) wire {
	w := wire{head: (*head)(e), Kind: e.Body.Kind()}
	fields := reflect.ValueOf(&w).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Type() == reflect.TypeOf(e.Body) {
			f.Set(reflect.ValueOf(e.Body))
		}
	}
	return w
}

// reference is the trace as encoding/json writes it: the same members in the same order, with wires for events.
func reference(t testing.TB, tr *SessionTrace) []byte {
	t.Helper()
	from := reflect.ValueOf(tr).Elem()
	var fields []reflect.StructField
	for i := range from.NumField() {
		f := from.Type().Field(i)
		if f.Name == "Events" {
			f.Type = reflect.TypeFor[[]wire]()
		}
		fields = append(fields, f)
	}
	to := reflect.New(reflect.StructOf(fields)).Elem()
	for i := range from.NumField() {
		if fields[i].Name != "Events" {
			to.Field(i).Set(from.Field(i))
			continue
		}
		wires := []wire{}
		for k := range tr.Events {
			wires = append(wires, wireOf(&tr.Events[k]))
		}
		to.Field(i).Set(reflect.ValueOf(wires))
	}
	data, err := json.Marshal(to.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bodies has one of each kind.
func bodies() []Body {
	return []Body{new(UserMessage), new(AgentMessage), new(ToolCall), new(ToolResult), new(FileChange), new(Error), new(Interrupt), new(SubagentSpawn), new(Session)}
}

var nasty = []string{"", "plain", "\"quoted\"\\", "<html>&", "a\u2028b\u2029", "bad\xffutf\xc3", "\x00\x01\x1f\x7f\n\r\t\b\f", "日本語 😀", "\ufffd", strings.Repeat("long ", 50)}

// fill sets every field that v has to something, zero now and then.
func fill(r *rand.Rand, v reflect.Value) {
	if r.IntN(6) == 0 {
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(r.Int64N(4e12)).UTC()))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"a":[1,"<x>",null]}`))
		return
	case Body:
		b := bodies()[r.IntN(9)]
		fill(r, reflect.ValueOf(b).Elem())
		v.Set(reflect.ValueOf(b))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(nasty[r.IntN(len(nasty))])
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1<<uint(r.IntN(60)+1)) - 5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat([]float64{0.1, 1e-9, 123456.789, 1e22, 3}[r.IntN(5)])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	}
}

// random is a trace of anything, valid or not.
func random(r *rand.Rand) *SessionTrace {
	t := new(SessionTrace)
	fill(r, reflect.ValueOf(t).Elem())
	for i := range t.Events {
		if t.Events[i].Body == nil {
			t.Events[i].Body = &Interrupt{}
		}
	}
	// What is empty is [] in the form, and so in what is read from it.
	for _, list := range []any{&t.Events, &t.Results, &t.Responses, &t.Relationships, &t.Sources} {
		if v := reflect.ValueOf(list).Elem(); v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
	}
	if len(t.Damaged) == 0 {
		t.Damaged = nil
	}
	return t
}

// The encoder writes what encoding/json writes, to the byte, and the decoder reads it back.
func TestCodecIsEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		tr := random(r)
		got, err := tr.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		want := reference(t, tr)
		if !bytes.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		if indirect, err := json.Marshal(tr); err != nil || !bytes.Equal(indirect, want) {
			t.Fatalf("through encoding/json %s, not %s: %v", indirect, want, err)
		}
		again := new(SessionTrace)
		if err := json.Unmarshal(got, again); err != nil {
			t.Fatalf("%v in\n%s", err, got)
		}
		// Broken UTF-8 was written as an escape, and is the rune itself now.
		want = bytes.ReplaceAll(want, []byte(`\ufffd`), []byte("\ufffd"))
		if second := reference(t, again); !bytes.Equal(second, want) {
			t.Fatalf("read back\n%s\nnot\n%s", second, want)
		}
	}
}

// Every string is written as encoding/json writes it, and read as it reads it.
func FuzzString(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendString(nil, s); !bytes.Equal(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		for _, literal := range []string{string(want), `"` + s + `"`} {
			d := decoder{text: literal}
			got := d.string()
			d.end()
			var read string
			if err := json.Unmarshal([]byte(literal), &read); (err == nil) != (d.err == nil) || err == nil && got != read {
				t.Errorf("%s is %q, %v, and for encoding/json %q, %v", literal, got, d.err, read, err)
			}
		}
	})
}

// The decoder takes nothing that encoding/json would not, and what it takes it writes again.
func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		data, err := random(r).AppendJSON(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := decoder{text: string(data)}
		tr := new(SessionTrace)
		d.trace(tr)
		if d.end(); d.err != nil {
			return
		}
		var any map[string]any
		if err := json.Unmarshal(data, &any); err != nil {
			t.Fatalf("it took %s: %v", data, err)
		}
		for i := range tr.Events {
			if tr.Events[i].Body == nil {
				t.Fatalf("event %d has no body", i)
			}
		}
		if _, err := tr.AppendJSON(nil); err != nil {
			t.Fatal(err)
		}
	})
}

// What is not of the form is refused, with the place.
func TestStrict(t *testing.T) {
	for text, want := range map[string]string{
		``:                                      "byte 0: it is not an object",
		`[]`:                                    "it is not an object",
		`null`:                                  "it is not an object",
		`{"v":1}x`:                              "byte 7: more than one value",
		`{"v":1,}`:                              "it is not a string",
		`{"v":1`:                                "a comma is missing",
		`{"v" 1}`:                               "a colon is missing",
		`{"new":1}`:                             `byte 1: unknown member "new"`,
		`{"V":1}`:                               `unknown member "V"`,
		`{"v":"1"}`:                             "is not a whole number",
		`{"v":1.5}`:                             "is not a whole number",
		`{"v":01}`:                              "is not a whole number",
		`{"v":+1}`:                              "is not a whole number",
		`{"v":-01}`:                             "is not a whole number",
		`{"v":99999999999999999999}`:            "is not a whole number",
		`{"v":null}`:                            "is not a whole number",
		`{"id":1}`:                              "it is not a string",
		`{"id":null}`:                           "it is not a string",
		"{\"id\":\"a\nb\"}":                     "a control character in a string",
		`{"id":"a`:                              "a string does not end",
		`{"id":"\x"}`:                           "invalid character",
		`{"start":"yesterday"}`:                 "is not a time in UTC",
		`{"start":"2026-11-21T10:00:00+01:00"}`: "is not a time in UTC",
		`{"events":{}}`:                         "it is not an array",
		`{"events":null}`:                       "it is not an array",
		`{"events":[{"seq":1}]}`:                `event 1: kind "" with 0 bodies`,
		`{"events":[{"kind":"error"}]}`:         `kind "error" with 0 bodies`,
		`{"events":[{"kind":"error","interrupt":{}}]}`:                          `kind "error" with 1 bodies`,
		`{"events":[{"kind":"interrupt","interrupt":{},"error":{"length":1}}]}`: `with 2 bodies`,
		`{"events":[{"kind":"interrupt","interrupt":{},"interrupt":{}}]}`:       `with 2 bodies`,
		`{"events":[{"kind":"party","party":{}}]}`:                              `unknown member "party"`,
		`{"events":[{"kind":"error","error":{"length":1,"text":"x"}}]}`:         `unknown member "text"`,
		`{"usage":{"input":1,"cost_usd":"1"}}`:                                  "is not a number",
		`{"results":[{"is_error":1}]}`:                                          "neither true nor false",
		`{"extra":{"a":}}`:                                                      "invalid character",
		`{"extra":`:                                                             "EOF",
	} {
		_, err := Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "parse trace: byte ") {
			t.Errorf("%s: %v, not %s", text, err, want)
		}
	}
}

// What can not be said is an error, not something else.
func TestNotWritten(t *testing.T) {
	for name, tr := range map[string]*SessionTrace{
		"an event without a body": {Events: []Event{{}}},
		"a year of five digits":   {Start: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"extra that is no JSON":   {Extra: json.RawMessage(`{`)},
	} {
		if data, err := tr.AppendJSON(nil); err == nil {
			t.Errorf("%s: %s", name, data)
		}
	}
}

// long is a trace as sessions are: prompts, calls and results in turn, n events.
func long(n int) *SessionTrace {
	tr := &SessionTrace{V: Version, Source: "claude", ID: "5b0c2f6e-0000-4000-8000-000000000001", Agent: Agent{Name: "claude-code"}}
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for i := range n {
		at = at.Add(1234 * time.Millisecond)
		e := Event{Seq: i + 1, Time: at, Ref: Ref{Line: int64(i + 1), Offset: int64(i * 900)}, Record: fmt.Sprintf("11111111-2222-4333-8444-%012d", i), Turn: "p1"}
		switch call := fmt.Sprintf("toolu_%020d", i/3); i % 3 {
		case 0:
			e.Body = &AgentMessage{Digest: Digest{512, "0123456789abcdef"}, Response: "msg_01"}
		case 1:
			e.Body = &ToolCall{Call: call, Index: i/3 + 1, Tool: "Bash", Type: ShellTool, Input: Digest{80, "0123456789abcdef"}, Key: "01234567", Head: "go test ./...", Response: "msg_01"}
		case 2:
			e.Body = &ToolResult{Call: call, Result: len(tr.Results)}
			tr.Results = append(tr.Results, ToolResultEvent{V: 1, Source: "claude", Session: tr.ID, Call: call, CallIndex: i/3 + 1, EventIndex: i + 1,
				Time: at, Status: StatusCompleted, From: FromToolResult, Content: Digest{2048, "0123456789abcdef"}, ExitCode: pointer(0), IsError: pointer(false)})
		}
		tr.Events = append(tr.Events, e)
	}
	return tr
}

func BenchmarkEncode(b *testing.B) {
	tr := long(10_000)
	buf, err := tr.AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		buf, _ = tr.AppendJSON(buf[:0])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}

func BenchmarkDecode(b *testing.B) {
	data, err := long(10_000).AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		d := decoder{text: string(data)}
		if d.trace(new(SessionTrace)); d.err != nil {
			b.Fatal(d.err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/event")
}
