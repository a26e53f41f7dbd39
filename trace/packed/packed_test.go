package packed

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"aburn/trace"
)

var texts = []string{
	"", "a", "ab", "plain", "two\nlines", "日本語 😀", "bad\xffutf", strings.Repeat("long ", 500), "0123456789abcdef", "0123456789abcdeF", "0123456789abcdeg",
	"2ecdfaff-1e2d-48be-b8f6-45002987e7dc", "2ecdfaff-1e2d-48be-b8f6-45002987e7dC", "2ecdfaff-1e2d-48be-b8f6-45002987e7d-", "2ecdfaff-1e2d-48be-b8f6+45002987e7dc",
	"toolu_01dwyIgufMOAiSag3pKuIEVP", "another_dwyIgufMOAiSag3pKuIEVP", "Bash", "hsaB",
}

var numbers = []int64{0, 1, -1, 63, 64, -64, -65, 1 << 20, math.MaxInt64, math.MinInt64}

var times = []time.Time{
	{}, time.UnixMilli(0).UTC(), time.UnixMilli(-1).UTC(), time.UnixMilli(1795300538123).UTC(), time.Unix(1795300538, 123456789).UTC(),
	time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC),
}

var kinds = []trace.Body{
	new(trace.UserMessage), new(trace.AgentMessage), new(trace.ToolCall), new(trace.ToolResult), new(trace.FileChange), new(trace.Error),
	new(trace.Interrupt), new(trace.SubagentSpawn), new(trace.Session),
}

// draw sets every field of v, by its type and not by its name, so that a field that is new is drawn too.
func draw(r *rand.Rand, v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(times[r.IntN(len(times))]))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf([]json.RawMessage{nil, json.RawMessage(`{"a":[1,"<x>",null]}`)}[r.IntN(2)]))
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		b := reflect.New(reflect.TypeOf(kinds[r.IntN(len(kinds))]).Elem())
		draw(r, b.Elem())
		v.Set(b)
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Int, reflect.Int64:
		v.SetInt(numbers[r.IntN(len(numbers))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.1, -1e-9, 1e300}[r.IntN(4)])
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			draw(r, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(5), 5))
		for i := range v.Len() {
			draw(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			draw(r, v.Field(i))
		}
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

func drawn(r *rand.Rand) *trace.SessionTrace {
	t := new(trace.SessionTrace)
	draw(r, reflect.ValueOf(t).Elem())
	if len(t.Damaged) == 0 {
		t.Damaged = nil
	}
	if len(t.Limits) == 0 {
		t.Limits = nil
	}
	return t
}

// Whatever stands in whichever field is read as it was written.
func TestEveryField(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		want := drawn(r)
		data, err := Append([]byte("before"), want)
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := bytes.CutPrefix(data, []byte("before"))
		if !ok || rest[0] != version {
			t.Fatalf("it was not appended: %q", data[:10])
		}
		got, err := read(rest)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, want)
		}
		if again, err := Append(nil, got); err != nil || !bytes.Equal(again, rest) {
			t.Fatalf("written again it is something else: %v", err)
		}
	}
}

// What an earlier version wrote is read, without what it did not know.
func TestEarlierVersions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		want := drawn(r)
		data, err := write(nil, want, 1)
		if err != nil || data[0] != 1 {
			t.Fatal(err)
		}
		got, err := read(data)
		if err != nil {
			t.Fatal(err)
		}
		if want.Limits = nil; !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, want)
		}
		for _, other := range []byte{0, version + 1} {
			if _, err := read(append([]byte{other}, data[1:]...)); err == nil {
				t.Fatalf("version %d is read", other)
			}
		}
	}
}

// A time that JSON could not tell is an error, not another time.
func TestYears(t *testing.T) {
	for _, year := range []int{-1, 10000} {
		tr := &trace.SessionTrace{Start: time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC)}
		if _, err := Append(nil, tr); err == nil {
			t.Errorf("the year %d is written", year)
		}
	}
	if _, err := Append(nil, &trace.SessionTrace{Events: make([]trace.Event, 1)}); err == nil {
		t.Error("an event without a body is written")
	}
}

func FuzzParse(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		data, err := Append(nil, drawn(r))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := read(data)
		if err != nil {
			return
		}
		again, err := Append(nil, got)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := read(again); err != nil || !reflect.DeepEqual(second, got) && !hasNaN(got) {
			t.Fatalf("%v: written again it is another trace", err)
		}
	})
}

// hasNaN says whether a cost is not a number, which equals nothing, itself included.
func hasNaN(t *trace.SessionTrace) bool {
	odd := math.IsNaN(t.Usage.CostUSD)
	for i := range t.Responses {
		odd = odd || math.IsNaN(t.Responses[i].Usage.CostUSD)
	}
	return odd
}
