package record

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"aburn/logfmt"
)

// The quick way of finding a line's costs is only a way: it never differs from
// reading the whole JSON, whatever stands in strings, objects and other tools' lines.
func TestQuickCostsAreTheCosts(t *testing.T) {
	lines := []string{
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"tool":"x","hook_us":12,"lock_us":3},"crc":"00000000"}`,
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"hook_us":12},"crc":"00000000"}`,
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"hook_us":12,"x":1,"lock_us":3}}`,
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"proc":{"hook_us":7,"lock_us":8},"hook_us":12,"lock_us":3}}`,
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"proc":{"hook_us":7}}}`,
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"head":"\"hook_us\":9,","hook_us":12,"lock_us":3}}`,
		`{"ts":"t","cmd":"c","event":"TOOL","source":"claude","wt":"","data":{"head":"a { b","hook_us":12,"lock_us":3}}`,
		`{"ts":"t","cmd":"c","event":"TOOL","agent":{"type":"x,\"source\":\"y\""},"source":"codex","data":{"hook_us":1,"lock_us":0}}`,
		`{"ts":"t","cmd":"c","event":"SESSION_START","source":"claude","data":{"source":"startup","hook_us":900,"lock_us":1}}`,
		`{"ts":"t","cmd":"c","event":"SESSION_START","data":{"source":"startup","hook_us":900,"lock_us":1}}`,
		`{"ts":"t","cmd":"c","event":"X","data":{"a":1},"source":"late"}`,
		`{"ts":"t","cmd":"c","event":"X","source":"s\"q"}`,
		`{"ts":"t","cmd":"c","event":"X"}`,
		`{ "ts": "t", "cmd": "c", "event": "X", "source": "spaced", "data": { "hook_us": 5, "lock_us": 6 } }`,
		`{"ts":"t","cmd":"c","event":"X","source":"x","data":{"hook_us":"12"}}`,
		`{"ts":"t","cmd":"c","event":"X","source":"`,
	}
	for range 500 {
		lines = append(lines, drawnLine(t))
	}
	for _, line := range lines {
		var h logfmt.Header
		h.Read([]byte(line)) // also where it is no entry
		source, hook, lock := costsOf([]byte(line), &h)
		wantSource, wantHook, wantLock := slowCostsOf([]byte(line))
		if string(source) != string(wantSource) || hook != wantHook || lock != wantLock {
			t.Errorf("%s\ngot  %q %d %d\nwant %q %d %d", line, source, hook, lock, wantSource, wantHook, wantLock)
		}
	}
}

// drawnLine is an entry as aburn writes it, with something odd in it.
func drawnLine(t *testing.T) string {
	t.Helper()
	maybe := func(f func()) {
		if rand.IntN(3) == 0 {
			f()
		}
	}
	var o logfmt.Object
	maybe(func() {
		o.Str("head", []string{"go test", `"hook_us":9,"lock_us":8},"crc":"00000000"}`, "a {b} c", "日本"}[rand.IntN(4)])
	})
	maybe(func() { o.Raw("proc", []byte(`{"pid":1,"hook_us":7,"lock_us":6}`)) })
	if rand.IntN(4) > 0 {
		o.Int("hook_us", rand.Int64N(100000)).Int("lock_us", rand.Int64N(1000))
	}
	maybe(func() { o.Raw("last", []byte(`{"hook_us":5,"lock_us":4}`)) })
	e := logfmt.Entry{
		Time: time.Now(), Cmd: "build", Event: logfmt.Tool, Session: "s", Seq: 7, ID: "0123456789abcdef",
		Source: []string{"claude", "codex", "", `q"t`}[rand.IntN(4)], Wt: []string{"", "trees/a", `odd","wt":"`}[rand.IntN(3)], Data: o.Bytes(),
	}
	if rand.IntN(4) == 0 {
		e.Agent = &logfmt.Agent{Type: `x","source":"y`, ID: "1"}
	}
	if rand.IntN(6) == 0 {
		e.Extra = []logfmt.Member{{Key: "more", Raw: []byte(`{"hook_us":3,"lock_us":2}`)}}
	}
	line, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestPercentilesAreExact(t *testing.T) {
	for range 200 {
		var c cost
		values := make([]int64, 1+rand.IntN(300))
		for i := range values {
			values[i] = rand.Int64N([]int64{5, 3000, exactBelow * 3}[rand.IntN(3)])
			c.add(values[i])
		}
		c.add(-1) // an entry without the value
		slices.Sort(values)
		for _, p := range percentiles {
			want := values[(len(values)*int(p)+99)/100-1]
			if got := c.percentile(p); got != want {
				t.Fatalf("p%d of %v: got %d, want %d", p, values, got, want)
			}
		}
		if c.n != int64(len(values)) || c.max != values[len(values)-1] {
			t.Fatalf("n %d, max %d of %v", c.n, c.max, values)
		}
	}
}

// Numbers of entries count from the routing fields alone; repeats count once.
func TestTallyCountsSessionsAndSegments(t *testing.T) {
	tally := newTally()
	for i, seq := range []logfmt.Seq{4, 5, 0, 6} {
		tally.addSegment([]string{"workflow.log.4", "workflow.log.4", "workflow.log", "workflow.log"}[i], seq)
	}
	tally.segments[tally.segment] = tally.inSegment
	if got := tally.segments["workflow.log.4"]; got != (segmentTally{2, 4, 5}) {
		t.Errorf("old segment: %+v", got)
	}
	if got := tally.segments["workflow.log"]; got != (segmentTally{2, 6, 6}) {
		t.Errorf("new segment: %+v", got)
	}
}
