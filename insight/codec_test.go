package insight_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// full is a digest in which nothing is zero that is kept.
// decode reads a stored form by itself.
func decode(form []byte) (*insight.Digest, error) { return new(insight.Decoder).Decode(string(form)) }

func full() *insight.Digest {
	one, two, three := 1, 2, -3
	return &insight.Digest{
		Source: "claude", ID: "s1", Agent: trace.Agent{Name: "claude", Version: "2.1"}, Project: trace.Project{Path: "/p/w", Key: "/p"},
		Relation: trace.Fork, Parent: "p", Start: time.UnixMilli(1_700_000_000_123).UTC(), End: time.UnixMilli(1_700_000_900_456).UTC(), ActiveMS: 7,
		Verdict: insight.Verdict{Outcome: insight.Errored, Rule: insight.RuleFailingTail, Events: []int{3, 400, 70000},
			Refined: "completed → errored: FAILED of build at 2026-11-21 10:31:07 UTC",
			Reason:  "interrupted 11 times, then FAILED of build at 2026-11-21 10:31:07 UTC"},
		Keys: insight.Keys{Coarse: "f1-000000000001", Sub: "s1-000000000002", Fine: "e1-000000000003"},
		Counts: trace.Counts{Events: 1, Prompts: 2, Responses: 3, Calls: 4, Failed: 5, Denied: 6, NoResult: 7, Subagents: 8, Changes: 9, Errors: 10,
			Interrupts: 11, Compacted: 12},
		Usage:   trace.Usage{Input: 1 << 40, CacheRead: 2, CacheWrite: 3, CacheWrite5m: 1, CacheWrite1h: 2, Output: 4, Reasoning: 5, Searches: 6, CostUSD: 0.25},
		Spent:   insight.Spent{Calls: 9, Failed: 4, Retries: 2},
		Classes: []insight.ClassCount{{Class: failure.Build, Count: 2}, {Class: failure.Test, Count: 1}},
		Errors: []insight.ErrorGroup{{Class: failure.Build, Type: trace.ShellTool, Tool: "Bash", Exit: &three, Code: "c", Status: 500, Head: "h", Hash: "abc",
			Text: "t", Count: 2, First: 3, Last: 5, Solved: 8}, {Class: failure.Test, Head: "ü"}},
		Tools:   []insight.ToolUse{{Type: trace.ShellTool, Calls: 1, Ended: 2, Failed: 3, Denied: 4, Retries: 5, TimedMS: 6, Timed: 7, SpentAll: 8, Gaps: 9}},
		Slow:    []insight.SlowCall{{Event: 1, Tool: "Bash", Type: trace.ShellTool, What: "make", MS: 9000, Gap: true, Failed: true}},
		Loops:   []insight.EditLoop{{Path: "a.go", Edits: 4, Identical: 1, First: 2, Last: 9}},
		Changes: []insight.Change{{Path: "a.go", Action: "modified", Times: 4, Added: &one, Removed: &two, Hash: "ff", Event: 9}, {Path: "b.go"}},
		Phases: []insight.PhaseUse{{Command: "build", Phase: "RED", Result: "open", ActiveMS: 1, Tokens: 2, Calls: 3, Failed: 4,
			Tools: []insight.ToolFailed{{Tool: "Bash", Failed: 4}}, First: 5, Last: 6}},
		Ask: "do it", AskEvent: 1, Decisive: 1, Hooked: true, More: insight.More{Errors: 1, Changes: 2, Phases: 3, Loops: 4},
	}
}

// Every field survives being stored: full has no zero in any, which is checked by reflection.
func TestCodec(t *testing.T) {
	d := full()
	zeros(t, reflect.ValueOf(*d), "Digest")
	got, err := decode(insight.Append(nil, d))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, d) {
		t.Errorf("stored and read again it is\n%+v\nnot\n%+v", got, d)
	}
}

// zeros complains about fields of v that are zero; of lists, of the first entry.
func zeros(t *testing.T, v reflect.Value, where string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			break
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); where != "Digest" || f.Name != "Live" { // Live is not stored
				zeros(t, v.Field(i), where+"."+f.Name)
			}
		}
		return
	case reflect.Slice:
		if v.Len() > 0 {
			zeros(t, v.Index(0), where+"[0]")
			return
		}
	}
	if v.IsZero() {
		t.Errorf("%s is zero: the test does not see whether it is stored", where)
	}
}

// Digests that share memory are what each is by itself, also behind one that is refused, and what is appended to one is in no other.
func TestDecodeMany(t *testing.T) {
	var forms [][]byte
	for i := range 300 {
		d := full()
		d.ID, d.Source, d.Tools[0].Calls = fmt.Sprint("s", i), fmt.Sprint("source", i%7), i
		*d.Errors[0].Exit = i
		forms = append(forms, insight.Append(nil, d))
	}
	var decoder insight.Decoder
	var got []*insight.Digest
	for i, form := range forms {
		if _, err := decoder.Decode(string(form[:len(form)*(i%10)/10])); err == nil {
			t.Fatal("a part decodes")
		}
		d, err := decoder.Decode(string(form))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, d)
	}
	for _, d := range got {
		_ = append(d.Errors, insight.ErrorGroup{Tool: "spoiled"})
		_ = append(d.Tools, insight.ToolUse{Type: "spoiled"})
		_ = append(d.Verdict.Events, -1)
	}
	for i, form := range forms {
		if want, err := decode(form); err != nil || !reflect.DeepEqual(got[i], want) {
			t.Fatalf("%v: number %d of many is\n%+v\nnot\n%+v", err, i, got[i], want)
		}
	}
}

// Each form that is cut short, has more behind it, or is of other rules is an error.
func TestDecodeRefuses(t *testing.T) {
	form := insight.Append(nil, full())
	for n := range form {
		if _, err := decode(form[:n]); err == nil {
			t.Errorf("its first %d of %d bytes decode", n, len(form))
		}
	}
	if _, err := decode(append(form, 0)); err == nil {
		t.Error("with a byte behind it, it decodes")
	}
	for what, spoil := range map[string]func(*insight.Digest){
		"a negative count": func(d *insight.Digest) { d.Counts.Calls = -1 },
		"negative tokens":  func(d *insight.Digest) { d.Usage.Output = -1 },
		"a cost of NaN":    func(d *insight.Digest) { d.Usage.CostUSD = math.NaN() },
		"an endless cost":  func(d *insight.Digest) { d.Usage.CostUSD = math.Inf(1) },
	} {
		d := full()
		spoil(d)
		if _, err := decode(insight.Append(nil, d)); err == nil {
			t.Errorf("%s decodes", what)
		}
	}
	form[1] += 2 // the version, as a signed varint
	if _, err := decode(form); err == nil {
		t.Error("a form of another version decodes")
	}
}

// Whatever the bytes, they are refused or are a digest that is the same when it is stored again.
func FuzzDecode(f *testing.F) {
	f.Add(insight.Append(nil, full()))
	f.Add(insight.Append(nil, &insight.Digest{Decisive: -1}))
	f.Fuzz(func(t *testing.T, form []byte) {
		d, err := decode(form)
		if err != nil {
			return
		}
		stored := insight.Append(nil, d)
		again, err := decode(stored)
		if err != nil {
			t.Fatalf("stored again it is refused: %v", err)
		}
		if twice := insight.Append(nil, again); !bytes.Equal(twice, stored) {
			t.Errorf("%x is stored again as %x", stored, twice)
		}
	})
}
