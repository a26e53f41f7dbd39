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

	"aburn/logfmt"
	"aburn/supervisor"
)

// Labels are those of a number of logs, by the log's name.
type Labels map[string][]Label

// labelLine is one line of a file of labels; docs/guide/supervising.md describes it.
type labelLine struct {
	Log     string `json:"log"`
	Label   Kind   `json:"label"`
	Type    string `json:"type"`
	Session string `json:"session"`
	Entry   uint64 `json:"entry"`
	High    bool   `json:"high"`
	Why     string `json:"why"`
}

// healthy is the label of a log in which nothing is wrong; it has no type.
const healthy Kind = "healthy"

// ReadLabels reads JSON lines; errors name the line.
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
		all[l.Log] = []Label{} // labelled, perhaps as healthy
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

// Of are the labels of a log: those under its name, else those under the end of it, else those under no name, which are
// every log's. nil: it has none.
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
