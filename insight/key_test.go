package insight_test

import (
	"strings"
	"testing"

	"aburn/insight"
	"aburn/trace"
)

// The keys of two sessions, worked out with printf and sha256sum: they are the same on every machine and in every process.
func TestKeys(t *testing.T) {
	d := insight.Make(drawn(t, "p:hi c1:Read=a ok say"), false)
	if want := (insight.Keys{Coarse: "f1-3a7a0b30f918"}); d.Keys != want || d.Shape() != "claude completed none" {
		t.Errorf("%+v, not %+v: %s", d.Keys, want, d.Shape())
	}
	d = insight.Make(drawn(t, "p:hi c0:Read=z stopped file:f file:f file:f file:f "+
		"c1:Bash=go_test bad:1:---_FAIL:_TestA_(0.1s) c2:Bash=go_test_-v bad:1:---_FAIL:_TestA_(7s) "+
		"c3:Bash=golangci-lint bad:1:x.go:1:2:_ugly c4:Bash=x bad:3 c5:Bash=cat bad:1:Permission_denied c6:Bash=y bad:4"), false)
	if want := (insight.Keys{Coarse: "f1-02bd97ab4b4c", Sub: "s1-5f43c28ddf08", Fine: "e1-6c117e6cf34c"}); d.Keys != want {
		t.Errorf("%+v, not %+v", d.Keys, want)
	}
	// Of lint and permission, which have one error each, the first in the alphabet is among the top three.
	if got := d.Shape(); got != "claude errored lint+other+test high loops" {
		t.Error(got)
	}
	if k := d.Keys; !k.Has(k.Coarse) || !k.Has(k.Sub) || !k.Has(k.Fine) || k.Has("") || k.Has("f1-000000000000") {
		t.Errorf("%+v does not know its own", k)
	}
}

// Errors of no known class make nothing comparable, unless there are others beside them.
func TestNoSubSignature(t *testing.T) {
	for line, want := range map[string]bool{
		"p:hi c1:Read=a ok":                                              false,
		"p:hi c1:Bash=x bad:3 c2:Bash=y bad:4:boom say":                  false,
		"p:hi c1:Bash=x bad:3 c2:Bash=y stopped":                         false,
		"p:hi c1:Bash=x bad:3 c2:Bash=y bad:1:cat:_x:_Permission_denied": true,
		"p:hi err:ECONNRESET say":                                        true,
	} {
		if d := insight.Make(drawn(t, line), false); (d.Keys.Sub != "") != want {
			t.Errorf("%q has the sub-signature %q", line, d.Keys.Sub)
		}
	}
}

// The buckets at their edges: under 20 %, under 60 %, of the calls that ended.
func TestFailureRate(t *testing.T) {
	for _, c := range []struct {
		calls, noResult, failed int
		want                    insight.Rate
	}{
		{0, 0, 0, insight.RateNone}, {10, 0, 0, insight.RateNone}, {3, 3, 0, insight.RateNone},
		{100, 0, 1, insight.RateLow}, {100, 0, 19, insight.RateLow}, {100, 0, 20, insight.RateMid}, {10, 5, 1, insight.RateMid},
		{100, 0, 59, insight.RateMid}, {100, 0, 60, insight.RateHigh}, {1, 0, 1, insight.RateHigh},
	} {
		d := insight.Digest{Counts: trace.Counts{Calls: c.calls, NoResult: c.noResult, Failed: c.failed}}
		if got := d.FailureRate(); got != c.want {
			t.Errorf("%d of %d, %d open: %s, not %s", c.failed, c.calls, c.noResult, got, c.want)
		}
	}
}

// Sessions differ in a key exactly if they differ in what it stands for.
func TestKeysApart(t *testing.T) {
	keys := func(line string) insight.Keys { return insight.Make(drawn(t, line), false).Keys }
	base := "p:hi c1:Bash=go_test bad:1:---_FAIL:_TestA_(1s) c2:Read=a ok c3:Read=b ok say"
	a := keys(base)
	for change, want := range map[string][3]bool{ // which of the keys stay
		"TestA_(1s) → TestA_(2s)":                        {true, true, true},
		"TestA_(1s) → TestB_(1s)":                        {true, true, false},
		"bad:1: → bad:2:":                                {true, true, false},
		"go_test → go_test_./...":                        {true, true, true},
		"c1:Bash → c1:Task":                              {true, true, false},
		"ok say → ok intr":                               {false, true, true},
		"c2:Read=a ok → c2:Read=a bad:1:---_FAIL:_TestZ": {false, true, true}, // another bucket
		"ok say → ok err:ECONNRESET say":                 {false, false, true},
		"say → file:x file:x file:x file:x":              {false, true, true},
	} {
		from, to, _ := strings.Cut(change, " → ")
		b := keys(strings.Replace(base, from, to, 1))
		if got := [3]bool{a.Coarse == b.Coarse, a.Sub == b.Sub, a.Fine == b.Fine}; got != want {
			t.Errorf("%s: equal keys %v, not %v", change, got, want)
		}
	}
}
