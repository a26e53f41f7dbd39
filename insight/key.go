package insight

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"aburn/insight/failure"
)

// Keys make sessions comparable. Each is a letter with the number of its rules, a dash, and the
// first 12 hex digits of a SHA-256 over what it stands for. Equal keys therefore mean equal
// shapes on every machine:
//
//	f1-…  coarse: agent, outcome, the three classes with most errors in alphabetical order, bucket of the failure rate, edit loops or not
//	s1-…  sub-signature: agent and all classes of errors, sorted; independent of the outcome
//	e1-…  fine: type of tool, class, exit code and normalised head of the main error
//
// A session without errors has no sub-signature and no fine key. If all its errors are of class
// other, it has no sub-signature either: two unknowns are not equal.
type Keys struct {
	Coarse string `json:"fingerprint"`
	Sub    string `json:"sub_signature,omitempty"`
	Fine   string `json:"error_key,omitempty"`
}

// Has reports whether key is one of the three.
func (k Keys) Has(key string) bool {
	return key != "" && (key == k.Coarse || key == k.Sub || key == k.Fine)
}

// keyDigits is the number of hex digits in a key.
const keyDigits = 12

// key hashes the parts, one a line. No part holds a line break, because heads are on one line.
func key(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return prefix + "-" + hex.EncodeToString(sum[:keyDigits/2])
}

func (d *Digest) keys() {
	d.Keys = Keys{Coarse: key("f1", d.Agent.Name, string(d.Outcome()), joined(d.topClasses(), ","), string(d.FailureRate()), d.loops())}
	if sub := d.errorClasses(); len(sub) > 1 || len(sub) == 1 && sub[0] != failure.Other {
		d.Keys.Sub = key("s1", d.Agent.Name, joined(sub, ","))
	}
	if d.Decisive >= 0 {
		d.Keys.Fine = d.Errors[d.Decisive].Key()
	}
}

// Key is the error's fine key (Keys): equal errors have equal ones on every machine.
func (e *ErrorGroup) Key() string {
	exit := ""
	if e.Exit != nil {
		exit = strconv.Itoa(*e.Exit)
	}
	return key("e1", string(e.Type), string(e.Class), exit, e.Hash)
}

// errorClasses lists the classes of the session's errors in alphabetical order.
func (d *Digest) errorClasses() []failure.Class {
	all := make([]failure.Class, 0, len(d.Classes))
	for _, c := range d.Classes {
		if c.Class != failure.Cancelled && c.Count > 0 {
			all = append(all, c.Class)
		}
	}
	return all
}

// topClasses lists the three classes with most errors in alphabetical order. Equally frequent classes
// rank alphabetically.
func (d *Digest) topClasses() []failure.Class {
	const most = 3
	all := d.errorClasses()
	if len(all) <= most {
		return all
	}
	count := func(c failure.Class) int {
		i := slices.IndexFunc(d.Classes, func(have ClassCount) bool { return have.Class == c })
		return d.Classes[i].Count
	}
	slices.SortStableFunc(all, func(a, b failure.Class) int { return cmp.Compare(count(b), count(a)) })
	all = all[:most]
	slices.Sort(all)
	return all
}

func joined(all []failure.Class, by string) string {
	var b strings.Builder
	for i, c := range all {
		if i > 0 {
			b.WriteString(by)
		}
		b.WriteString(string(c))
	}
	return b.String()
}

func (d *Digest) loops() string {
	if len(d.Loops) > 0 {
		return "loops"
	}
	return ""
}

// Shape puts the coarse key into words for people: "claude errored build+test mid loops".
func (d *Digest) Shape() string {
	parts := []string{d.Agent.Name, string(d.Outcome())}
	if top := joined(d.topClasses(), "+"); top != "" {
		parts = append(parts, top)
	}
	parts = append(parts, string(d.FailureRate()))
	if l := d.loops(); l != "" {
		parts = append(parts, l)
	}
	return strings.Join(parts, " ")
}

// Rate is the bucket of a failure rate.
type Rate string

// The buckets: no failure, under 20 %, under 60 %, 60 % or more. Without an ended call: none.
const (
	RateNone Rate = "none"
	RateLow  Rate = "low"
	RateMid  Rate = "mid"
	RateHigh Rate = "high"
)

// FailureRate buckets the share of failed calls among those that have an end.
func (d *Digest) FailureRate() Rate {
	ended, failed := d.Counts.Calls-d.Counts.NoResult, d.Counts.Failed
	switch {
	case failed == 0 || ended <= 0:
		return RateNone
	case failed*100 < ended*20:
		return RateLow
	case failed*100 < ended*60:
		return RateMid
	}
	return RateHigh
}
