package archived

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Session is what a digest of one session or sub-agent must say.
type Session struct {
	Source   string    `json:"source"`
	ID       string    `json:"id"`
	Agent    string    `json:"agent"`
	Subagent bool      `json:"subagent,omitempty"`
	Scenario string    `json:"plot"`
	Project  string    `json:"project"`
	Start    time.Time `json:"start,omitzero"`
	End      time.Time `json:"end,omitzero"`
	Live     bool      `json:"live,omitempty"`
	Hooked   bool      `json:"hooked,omitempty"`

	// Outcome is how the session ended, or how a live one stands. Refined: only hooks record the outcome.
	Outcome string `json:"outcome"`
	Refined bool   `json:"refined,omitempty"`

	Calls    int             `json:"calls"`
	NoResult int             `json:"no_result"`
	Tokens   int64           `json:"tokens"`
	Spent    Spent           `json:"spent"`
	Tools    map[string]Tool `json:"tools"`
	Errors   []Error         `json:"errors"` // one by one, in their order
	GotOver  []string        `json:"got_over,omitempty"`
	Loops    []Loop          `json:"loops"`
	Slow     []int64         `json:"slow"` // milliseconds of the five longest calls, the longest first
	Phases   []Phase         `json:"phases"`
}

// Spent is tokens of responses with calls: of all of them, of failed calls, and of calls that repeat a failed one and
// succeed.
type Spent struct {
	Calls   int64 `json:"calls"`
	Failed  int64 `json:"failed"`
	Retries int64 `json:"retries"`
}

// Tool is the calls of one type.
type Tool struct {
	Calls   int   `json:"calls"`
	Ended   int   `json:"ended"`
	Failed  int   `json:"failed"`
	Denied  int   `json:"denied"`
	Retries int   `json:"retries"`
	Timed   int   `json:"timed"`
	TimedMS int64 `json:"timed_ms"`
	Spent   int64 `json:"spent_failed"`
}

func (t *Tool) add(o Tool) {
	t.Calls += o.Calls
	t.Ended += o.Ended
	t.Failed += o.Failed
	t.Denied += o.Denied
	t.Retries += o.Retries
	t.Timed += o.Timed
	t.TimedMS += o.TimedMS
	t.Spent += o.Spent
}

// Error is one error. Equal errors have equal names.
type Error struct {
	Name  string `json:"name"`
	Class string `json:"class"`
}

// Loop is a file that changed more than three times or got an earlier content again.
type Loop struct {
	Path      string `json:"path"`
	Edits     int    `json:"edits"`
	Identical int    `json:"identical"`
}

// Phase is one run of a phase, or of a command without any.
type Phase struct {
	Command string         `json:"command"`
	Phase   string         `json:"phase"`
	Result  string         `json:"result"`
	MS      int64          `json:"ms"`
	Tokens  int64          `json:"tokens"`
	Calls   int            `json:"calls"`
	Failed  int            `json:"failed"`
	Tools   map[string]int `json:"tools,omitempty"` // that failed
}

// Failing says whether the session ended and failed.
func (s *Session) Failing() bool {
	return !s.Live && (s.Outcome == "errored" || s.Outcome == "gave_up" || s.Outcome == "crashed")
}

// Classes counts the errors by class.
func (s *Session) Classes() map[string]int {
	all := map[string]int{}
	for _, e := range s.Errors {
		all[e.Class]++
	}
	return all
}

// ranked lists the classes with most errors first, and equal ones by the alphabet.
func (s *Session) ranked() []string {
	counts := s.Classes()
	var all []string
	for c := range counts {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return all
}

// Bucket spells out the coarse fingerprint: "claude errored build+test mid loops".
func (s *Session) Bucket() string {
	outcome := s.Outcome
	if s.Live {
		outcome = "running"
	}
	top := s.ranked()
	top = top[:min(3, len(top))]
	slices.Sort(top)
	words := []string{s.Agent, outcome, strings.Join(top, "+"), s.rate()}
	if len(s.Loops) > 0 {
		words = append(words, "loops")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// rate is the bucket of the failure rate among ended calls.
func (s *Session) rate() string {
	var all Tool
	for _, t := range s.Tools {
		all.add(t)
	}
	switch {
	case all.Failed == 0:
		return "none"
	case 5*all.Failed < all.Ended:
		return "low"
	case 5*all.Failed < 3*all.Ended:
		return "mid"
	}
	return "high"
}

// Sub spells out the sub-signature; "" without errors, or if all are of the class other.
func (s *Session) Sub() string {
	all := s.ranked()
	slices.Sort(all)
	if joined := strings.Join(all, "+"); joined == "" || joined == "other" {
		return ""
	}
	return s.Agent + " " + strings.Join(all, "+")
}

// Decisive is the name of the main error: of the open ones the first in the class with most, or in the earliest of equal
// classes; "" without errors.
func (s *Session) Decisive() string {
	list := s.open()
	counts, most := (&Session{Errors: list}).Classes(), 0
	for _, n := range counts {
		most = max(most, n)
	}
	for _, e := range list {
		if counts[e.Class] == most {
			return e.Name
		}
	}
	return ""
}

// open is the errors that the session did not get over, or all if it got over all.
func (s *Session) open() []Error {
	list := slices.DeleteFunc(slices.Clone(s.Errors), func(e Error) bool { return slices.Contains(s.GotOver, e.Name) })
	if len(list) == 0 {
		return s.Errors
	}
	return list
}
