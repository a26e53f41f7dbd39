package hooks

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"
)

func resultOf(t *testing.T, key, answer string) string {
	t.Helper()
	p := &Payload{Response: JSON(answer)}
	return ResultKey([]byte(key), p)
}

// Two answers are equal if only times, durations, process ids and addresses differ. Every other number may be progress.
func TestResultKey(t *testing.T) {
	for _, c := range []struct {
		one, other string
		equal      bool
	}{
		{`"ok  \taburn/logfmt\t0.012s"`, `"ok  \taburn/logfmt\t1.5s"`, true},
		{`"3 passed in 0.04 seconds"`, `"3 passed in 12 seconds"`, true},
		{`"3 passed in 0.04s"`, `"4 passed in 0.04s"`, false},
		{`"real\t0m1.234s"`, `"real\t2m0.001s"`, true},
		{`"took 1h2m3s"`, `"took 4m"`, true},
		{`"12 µs"`, `"907 µs"`, true},
		{`"progress: 11"`, `"progress: 22"`, false},
		{`"{\"progress\":11,\"state\":\"running\"}"`, `"{\"progress\":33,\"state\":\"running\"}"`, false},
		{`"11% of 5 items"`, `"12% of 5 items"`, false},
		{`"5 m of cable"`, `"6 m of cable"`, false},
		{`"5 modules"`, `"6 modules"`, false},
		{`"\n12 failed"`, `"\n13 failed"`, false},
		{`"2026-11-29T06:04:27.123Z started"`, `"2026-11-30T07:00:00Z started"`, true},
		{`"2026-11-29 06:04 x"`, `"2026-11-29 07:05 x"`, true},
		{`"2026/11/29 06:04:27 x"`, `"2026/11/29 06:05:00 x"`, true},
		{`"at 06:04:27+0100"`, `"at 23:00:01+0100"`, true},
		{`"Start at  06:04:27"`, `"Start at  10:14:02"`, true},
		{`"a.go:12:10: undefined"`, `"a.go:13:10: undefined"`, false},
		{`"a.go:12:10: undefined"`, `"a.go:12:11: undefined"`, false},
		{`"seen at 1795932267 or 1795932267123"`, `"seen at 1795932270 or 1795932299999"`, true},
		{`"pid 4711"`, `"pid 4812"`, true},
		{`"{\"pid\": 4711}"`, `"{\"pid\": 12}"`, true},
		{`"out\n<shellId: 3 completed with exit code 7>"`, `"out\n<shellId: 14 completed with exit code 7>"`, true},
		{`"out\n<shellId: 3 completed with exit code 7>"`, `"out\n<shellId: 3 completed with exit code 8>"`, false},
		{`"PID: 4711"`, `"PID: 12"`, true},
		{`{"stdout":"x","durationMs":12}`, `{"stdout":"x","durationMs":3}`, true},
		{`"items: 12"`, `"items: 3"`, false},
		{`"panic at 0x7ffe12ab"`, `"panic at 0xc000012ab8"`, true},
		{`"exit 0x1"`, `"exit 0x2"`, false},
		{`"http://127.0.0.1:43567/ refused"`, `"http://127.0.0.1:51022/ refused"`, true},
		{`"http://127.0.0.1:3000/ refused"`, `"http://127.0.0.1:3001/ refused"`, false},
		{`"/tmp/go-build2384723/b001/x"`, `"/tmp/go-build9923411/b001/x"`, true},
		{`"sha256 of v2"`, `"sha256 of v3"`, false},
		{`""`, `"x"`, false},
	} {
		if got := resultOf(t, "k", c.one) == resultOf(t, "k", c.other); got != c.equal {
			t.Errorf("%s and %s: equal %t, want %t", c.one, c.other, got, c.equal)
		}
	}
}

// The hash is of the project: another key gives another one, and without a key or an answer there is none. Of a long
// answer both ends count.
func TestResultKeyBounds(t *testing.T) {
	if resultOf(t, "k", `"x"`) == resultOf(t, "l", `"x"`) {
		t.Error("the key does not count")
	}
	for _, none := range []string{resultOf(t, "", `"x"`), resultOf(t, "k", ""), resultOf(t, "k", "null")} {
		if none != "" {
			t.Errorf("%q of nothing", none)
		}
	}
	failed := &Payload{rest: []field{{"error", `"Exit code 1\nno"`}}}
	if key := ResultKey([]byte("k"), failed); len(key) != 8 {
		t.Errorf("%q of an error", key)
	}
	long := strings.Repeat("x", maxResult)
	if resultOf(t, "k", `"a`+long+`1"`) == resultOf(t, "k", `"a`+long+`2"`) || resultOf(t, "k", `"a`+long+`"`) == resultOf(t, "k", `"b`+long+`"`) {
		t.Error("an end of a long answer does not count")
	}
}

func FuzzResultKey(f *testing.F) {
	for _, s := range []string{"", "1", "1.", "0x", "10:00:", "2026-11-", "12 ", "12 m", "pid 1", ":12345", "1s2", "µ1µs"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, again := resultOf(t, "k", s+"x"), resultOf(t, "k", s+"x")
		if a != again || len(a) != 8 {
			t.Errorf("%q: %q and %q", s, a, again)
		}
	})
}

// BenchmarkResultKey compares the hash of an answer of 10 KB with SHA-256 of it alone: "x-sha256" is the ratio.
func BenchmarkResultKey(b *testing.B) {
	answer := JSON(`"` + strings.Repeat(`ok  \taburn/logfmt\t0.012s\n`, 10<<10/28) + `"`)
	p := &Payload{Response: answer}
	plain := []byte(answer)
	begin := time.Now()
	for range 1000 {
		sha256.Sum256(plain)
	}
	alone := float64(time.Since(begin).Nanoseconds()) / 1000
	for b.Loop() {
		ResultKey([]byte("k"), p)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/alone, "x-sha256")
}
