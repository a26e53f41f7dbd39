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
	return []Body{new(UserMessage), new(AgentMessage), new(ToolCall), new(ToolResult), new(FileChange), new(Error), new(Interrupt), new(SubagentSpawn),
		new(Session)}
}

var nasty = []string{"", "plain", "\"quoted\"\\", "<html>&", "a\u2028b\u2029", "bad\xffutf\xc3", "\x00\x01\x1f\x7f\n\r\t\b\f", "日本語 😀", "\ufffd",
	strings.Repeat("long ", 50)}

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

// The encoder writes what encoding/json writes, to the byte.
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
	}
}

// Every string is written as encoding/json writes it.
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
	})
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
			e.Body = &ToolCall{Call: call, Index: i/3 + 1, Tool: "Bash", Type: ShellTool, Input: Digest{80, "0123456789abcdef"}, Key: "01234567", Head: "go test ./...",
				Response: "msg_01"}
		case 2:
			e.Body = &ToolResult{Call: call, Result: len(tr.Results)}
			tr.Results = append(tr.Results, ToolResultEvent{V: 1, Source: "claude", Session: tr.ID, Call: call, CallIndex: i/3 + 1, EventIndex: i + 1,
				Time: at, Status: StatusCompleted, From: FromToolResult, Content: Digest{2048, "0123456789abcdef"}, ExitCode: new(0), IsError: new(false)})
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
