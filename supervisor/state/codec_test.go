package state

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"aburn/internal/lab/drawn"
	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// fill sets every member of a struct to something, so that none is forgotten.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Repeat("x", *n%7) + "é\"\\\n" + string(rune('a'+*n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n) - 500)
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Uint32:
		v.SetUint(uint64(1<<32 - *n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(f, n)
			}
		}
	}
}

// Every member of every struct is stored: who adds one and not to the codec fails here.
func TestCodecForgetsNothing(t *testing.T) {
	model := workflow.Default()
	s := New(&model, limits.Default())
	n := 0
	fill(reflect.ValueOf(s).Elem(), &n)
	got, err := Load(s.AppendJSON(nil), &model, limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	got.fold, got.model = s.fold, s.model
	if !reflect.DeepEqual(got, s) {
		t.Errorf("stored and loaded\n%s\nwas\n%s", got.AppendJSON(nil), s.AppendJSON(nil))
	}
}

func TestCodec(t *testing.T) {
	s, _ := fold(t, scenario.Everything)
	stored := s.AppendJSON([]byte("before "))[len("before "):]
	if !logfmt.Valid(stored) {
		t.Fatalf("no JSON: %s", stored)
	}
	got, err := Load(stored, s.model, s.limits)
	if err != nil {
		t.Fatal(err)
	}
	if again := got.AppendJSON(nil); !bytes.Equal(again, stored) {
		t.Errorf("is\n%s\nnot\n%s", again, stored)
	}
	got.fold, s.fold = nil, nil
	bare(reflect.ValueOf(s))
	if !reflect.DeepEqual(got, s) {
		t.Error("the bytes are the same, the States are not")
	}
}

// bare makes empty lists nil: there is no difference.
func bare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			bare(v.Elem())
		}
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			bare(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			bare(v.Field(i))
		}
	}
}

func TestCodecOfNothing(t *testing.T) {
	model := workflow.Default()
	s, err := Load(New(&model, limits.Default()).AppendJSON(nil), &model, limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := drawn.Entries("@A PROMPT")
	if s.Apply(entries[0], false); s.Entries != 1 {
		t.Error("a loaded State does not fold")
	}
}

// Nothing but what was written is taken, and nothing of it is used then.
func TestLoadRefuses(t *testing.T) {
	world.Slow(t)
	s, _ := fold(t, scenario.Everything)
	stored := string(s.AppendJSON(nil))
	other := workflow.Default()
	other.Phases = other.Phases[:1]
	if _, err := Load([]byte(stored), &other, limits.Default()); !errors.Is(err, ErrState) {
		t.Errorf("of another model: %v", err)
	}
	streaks := *s.limits
	streaks.ToolFailureRunFailures++
	if _, err := Load([]byte(stored), s.model, &streaks); !errors.Is(err, ErrState) {
		t.Errorf("of another limit of failures: %v", err)
	}
	version := fmt.Sprintf(`"version":%d`, stateVersion)
	for name, text := range map[string]string{
		"empty":              "",
		"null":               "null",
		"an object":          "{}",
		"a newline behind":   stored + "\n",
		"blanks":             strings.Replace(stored, ":", ": ", 1),
		"another version":    strings.Replace(stored, version, fmt.Sprintf(`"version":%d`, stateVersion+1), 1),
		"no version":         strings.Replace(stored, version+",", ``, 1),
		"an unknown member":  strings.Replace(stored, `"entries"`, `"later":1,"entries"`, 1),
		"another order":      strings.Replace(stored, `"repeats":1,`, ``, 1)[:1] + `"repeats":1,` + strings.Replace(stored, `"repeats":1,`, ``, 1)[1:],
		"a text as a number": strings.Replace(stored, `"entries":`, `"entries":"x`, 1),
		"a huge number":      strings.Replace(stored, `"entries":`, `"entries":99999999999999999999`, 1),
		"a leading zero":     strings.Replace(stored, `"entries":`, `"entries":0`, 1),
		"a fraction":         strings.Replace(stored, `,"repeats"`, `.5,"repeats"`, 1),
		"an unknown text":    strings.Replace(stored, `"source":"claude"`, `"source":77`, 1),
		"false":              strings.Replace(stored, `true`, `false`, 1),
		"deep nesting":       strings.Replace(stored, `"sessions":[`, `"sessions":[`+strings.Repeat("[", 100_000), 1),
		"too many":           strings.Replace(stored, `"told":[`, `"told":[`+strings.Repeat(`{},`, 100), 1),
		"broken ids":         strings.Replace(stored, `"seen":"`, `"seen":"!`, 1),
	} {
		if text == stored {
			t.Errorf("%s: the test changes nothing", name)
		}
		if got, err := Load([]byte(text), s.model, s.limits); !errors.Is(err, ErrState) || got != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range len(stored) {
		if _, err := Load([]byte(stored[:n]), s.model, s.limits); !errors.Is(err, ErrState) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
	}
}
