package backtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

// Kind is what a label says about a type of issue in a session.
type Kind string

// The kinds. An alert that is neither expected nor allowed is false; Never marks a false alert that the log was made to
// provoke.
const (
	Expect Kind = "expect"
	Allow  Kind = "allow"
	Never  Kind = "never"
)

// Chain is the session of labels about the chain, AnySession that of labels about all sessions and the chain.
const (
	Chain      logfmt.SessionID = "-"
	AnySession logfmt.SessionID = "*"
)

// Label is one judgement of a person about a log.
type Label struct {
	Kind    Kind
	Type    supervisor.Type
	Session logfmt.SessionID // Chain, AnySession (not with Expect), or a session
	Entry   logfmt.Seq       // the entry from which it is true, 0: the beginning; counted from 1 if entries have no numbers
	From    uint64           // Entry counted from 1; 0: the replay finds it
	High    bool             // clear enough to reach the queue
}

func (l *Label) about(a *Alert) bool {
	if l.Type != a.Type {
		return false
	}
	return l.Session == AnySession || l.Session == a.Session || l.Session == Chain && a.Session == ""
}

// Verdict is the labels' verdict on an alert.
type Verdict string

// The verdicts. A Repeat is a further alert about an issue that another alert has found: neither true nor false.
const (
	Unjudged Verdict = ""
	True     Verdict = "true"
	Repeat   Verdict = "repeat"
	Allowed  Verdict = "allowed"
	False    Verdict = "false"
)

// Finding is an Expect label with the alert that found it.
type Finding struct {
	Label
	By    *Alert        // nil: missed
	Above bool          // an alert that reached the queue found it
	Delay time.Duration // from the beginning to the alert; negative: unknown
}

// judgement compares a replay with its labels.
type judgement struct {
	labels   []Label
	since    map[uint64]state.Mark // by Label.From
	findings []Finding
	numbered bool // an entry had a number
}

func newJudgement(labels []Label) judgement {
	return judgement{labels: slices.Clone(labels), since: map[uint64]state.Mark{}}
}

// entry finds the entries that labels name.
func (j *judgement) entry(m state.Mark) {
	j.numbered = j.numbered || m.Seq > 0
	for i := range j.labels {
		l := &j.labels[i]
		if l.From == 0 && l.Entry > 0 && (l.Entry == m.Seq || !j.numbered && uint64(l.Entry) == m.Ord) {
			l.From = m.Ord
		}
		if l.From == m.Ord {
			j.since[m.Ord] = m
		}
	}
}

// Lost reports whether a label names an entry that the log does not have.
func (l *Label) Lost() bool { return l.From == 0 && l.Entry > 0 }

// judge gives each alert its verdict, in the order in which they were raised. An alert belongs to the newest label that
// was true then and that no other alert has found, else to the newest true label. An alert before its issue is false;
// if it is still open when the issue begins, it has found that too.
func (j *judgement) judge(alerts []*Alert) {
	if j.labels == nil {
		return
	}
	for _, l := range j.labels {
		if l.Kind == Expect {
			j.findings = append(j.findings, Finding{Label: l, Delay: -1})
		}
	}
	for _, a := range alerts {
		a.Verdict = j.verdict(a)
	}
}

func (j *judgement) verdict(a *Alert) Verdict {
	var free, taken, later *Finding
	for i := range j.findings {
		f := &j.findings[i]
		switch {
		case !f.about(a), f.Lost():
		case f.From > a.Entry.Ord:
			if later == nil || f.From < later.From {
				later = f
			}
		case f.By == nil && (free == nil || f.From >= free.From):
			free = f
		case f.By != nil && (taken == nil || f.From >= taken.From):
			taken = f
		}
	}
	switch {
	case free != nil:
		j.found(free, a)
		return True
	case taken != nil:
		taken.Above = taken.Above || a.Above()
		return Repeat
	}
	for i := range j.labels {
		if j.labels[i].Kind == Allow && j.labels[i].about(a) {
			return Allowed
		}
	}
	if later != nil && later.By == nil && a.openAt(later.From) {
		j.found(later, a)
	}
	return False
}

func (j *judgement) found(f *Finding, by *Alert) {
	f.By, f.Above = by, by.Above()
	since := by.Since
	if m := j.since[f.From]; m.Is() {
		since = m
	}
	if d, ok := delay(since, by.At); ok {
		f.Delay = d
	}
}

func isSprung(l *Label, alerts []*Alert) bool {
	for _, a := range alerts {
		if a.Verdict == False && l.about(a) {
			return true
		}
	}
	return false
}

// openAt reports whether the alert was open at an entry.
func (a *Alert) openAt(entry uint64) bool { return a.Gone.IsZero() || a.GoneAt.Ord >= entry }

// Labels holds the labels of logs by the log's name.
type Labels map[string][]Label

// labelLine is one line of a file of labels; docs/reference/supervising.md describes it.
type labelLine struct {
	Log     string `json:"log"`
	Label   Kind   `json:"label"`
	Type    string `json:"type"`
	Session string `json:"session"`
	Entry   uint64 `json:"entry"`
	High    bool   `json:"high"`
	Why     string `json:"why"`
}

// healthy marks a log in which nothing is wrong; it has no type.
const healthy Kind = "healthy"

// ReadLabels reads labels, one JSON object a line. Errors name the line.
func ReadLabels(r io.Reader) (Labels, error) {
	all := Labels{}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := all.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return all, in.Err()
}

func (all Labels) line(line []byte) error {
	var l labelLine
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if all[l.Log] == nil {
		all[l.Log] = []Label{} // labelled, possibly as healthy
	}
	switch {
	case l.Label == healthy && l.Type == "":
		return nil
	case l.Label != Expect && l.Label != Allow && l.Label != Never:
		return fmt.Errorf("label %q is none of expect, allow, never, healthy (which has no type)", l.Label)
	case !slices.Contains(supervisor.Types(), supervisor.Type(l.Type)):
		return fmt.Errorf("there is no type %q", l.Type)
	case l.Label == Expect && l.Session == string(AnySession):
		return errors.New("an expected issue is of one session")
	}
	session := logfmt.SessionID(l.Session)
	if session == "" {
		session = Chain
	}
	all[l.Log] = append(all[l.Log], Label{Kind: l.Label, Type: supervisor.Type(l.Type), Session: session, Entry: logfmt.Seq(l.Entry), High: l.High})
	return nil
}

// Of returns the labels under a log's name, else under the longest end of its path, else under "", which are every
// log's; nil if there are none.
func (all Labels) Of(log string) []Label {
	for name := log; ; {
		if labels, ok := all[name]; ok {
			return labels
		}
		_, rest, more := strings.Cut(name, "/")
		if !more {
			break
		}
		name = rest
	}
	return all[""]
}
