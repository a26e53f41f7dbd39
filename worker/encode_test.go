package worker

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is encoded is read again as it was, whatever kind of fact.
func TestEncode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		for _, f := range draw(r, 20) {
			b, err := Encode(f)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Parse(b, f.File)
			if err != nil || !reflect.DeepEqual(got, f) {
				t.Fatalf("%s: %v\n got %+v\nwant %+v", b, err, got, f)
			}
		}
	}
	f := Fact{
		Seq: 7, At: noon.In(time.FixedZone("", 3600)), Kind: Probed, Gen: 2, Up: 90 * time.Second, Boot: "b", Host: "h",
		Proc: &Process{10, 100}, Runtime: Dead, Process: Dead, Holder: Dead,
	}
	b, err := Encode(f)
	want := `{"seq":7,"kind":"probe","gen":2,"boot":"b","host":"h","proc":{"pid":10,"start":100},"runtime":"dead","process":"dead","holder":"dead",` +
		`"at":"2026-11-22T12:00:00.000Z","up_ms":90000}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v\nwant %s", b, err, want)
	}
}

// TestProbesAreReadAsJSON compares the quick way of reading probes with encoding/json, on whole lines and on changed ones.
func TestProbesAreReadAsJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	pieces := []string{`"`, `\`, `,`, `:`, `{`, `}`, ` `, `0`, `-1`, `1.5`, `1e3`, `é`, "\x00", `"kind":"ask"`, `"seq":2`, `"Gen":3`, `"gen":"x"`, `null`,
		`"boot":null`, `"holder":"maybe"`, `"mass":true`}
	quick := 0
	for range 8000 {
		f := Fact{Seq: r.Uint64N(1 << 40), At: noon, Kind: Probed, Gen: r.IntN(3), Boot: "b-1", Host: "h", Up: time.Duration(r.IntN(90)) * time.Second,
			Runtime: Alive, Process: Dead, Holder: Alive}
		b, _ := json.Marshal(line{Fact: f, At: f.At.Format(timeLayout), Up: f.Up.Milliseconds()})
		if r.IntN(3) > 0 {
			at := r.IntN(len(b))
			b = slices.Concat(b[:at], []byte(pieces[r.IntN(len(pieces))]), b[at+r.IntN(len(b)-at):])
		}
		var got, want line
		if !got.probe(b) {
			continue
		}
		quick++
		if err := json.Unmarshal(b, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %v\n got %+v\nwant %+v", b, err, got, want)
		}
	}
	if quick < 2000 {
		t.Errorf("only %d of 8000 lines were read the quick way", quick)
	}
}

func TestParseRefuses(t *testing.T) {
	const rest = `"at":"2026-11-22T12:00:00Z"}`
	for text, want := range map[string]string{
		``:                                       "not a fact",
		`{"seq":1,"kind":"pro`:                   "not a fact",
		`[]`:                                     "not a fact",
		`{"kind":"probe",` + rest:                "no seq",
		`{"seq":1,` + rest:                       "no kind",
		`{"seq":1,"kind":"probe"}`:               "no time",
		`{"seq":-1,"kind":"x",` + rest:           "not a fact",
		`{"seq":1,"kind":"x","gen":-1,` + rest:   "negative",
		`{"seq":1,"kind":"x","up_ms":-1,` + rest: "no uptime",
		`{"seq":1,"kind":"x","up_ms":1e300,` + rest:                  "not a fact",
		`{"seq":1,"kind":"` + strings.Repeat("x", 300) + `",` + rest: "300 bytes",
		strings.Repeat(" ", MaxFact) + `{}`:                          "bytes",
	} {
		if _, err := Parse([]byte(text), Ledger); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
	f, err := Parse([]byte(`{"seq":1,"kind":"of_tomorrow","new":[1],`+rest), Ledger)
	if err != nil {
		t.Fatal(err)
	}
	if w := Reduce([]Fact{f}); w.State != NotStarted || w.Reason != NothingKnown {
		t.Errorf("an unknown kind leads to %v %s", w.State, w.Reason)
	}
}

// Whatever a ledger holds, reading it does not panic, and what was read can be written and read again.
func FuzzParse(f *testing.F) {
	for _, fact := range draw(rand.New(rand.NewPCG(2, 2)), 60) {
		b, err := Encode(fact)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		fact, err := Parse(b, Ledger)
		if err != nil {
			return
		}
		Reduce([]Fact{fact})
		again, err := Encode(fact)
		if err != nil {
			if !strings.Contains(err.Error(), "bytes") { // escapes may make a line longer
				t.Fatal(err)
			}
			return
		}
		got, err := Parse(again, Ledger)
		if err != nil || !reflect.DeepEqual(got, fact) {
			t.Fatalf("%s: %v\n got %+v\nwant %+v", again, err, got, fact)
		}
		if !json.Valid(again) || strings.Contains(string(again), "\n") {
			t.Fatalf("%q is no line", again)
		}
	})
}
