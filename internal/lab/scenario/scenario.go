// Package scenario reads logs with labels: which issues a supervisor must raise for each, and which it must not. Only
// tests import it. It does not import the supervisor's rules, because it serves to judge them.
//
// A scenario is one text file in a txtar archive: a header of lines "key: value", a blank line, a body. Lines that begin with # are
// comments.
//
//	why: REFACTOR breaks a test that had passed, and the command gives up
//	origin: drawn
//	after: 30m
//	expect: regression A @failed high
//	expect: explicit_failure A @failed high
//	never: out_of_order A
//
//	@A PROMPT/build build> build:RED> …
//
// Keys; those marked + may come more than once, an unknown one is an error:
//
//	why      what the scenario tries, in one line (required)
//	origin   drawn, or: recorded NAME NAME… (files in the folder recordings beside the archive; required)
//	after    how long to judge beyond the last entry, as if live; default 0
//	expect+  TYPE SESSION [@ENTRY] [high]: must be raised at some moment of an as-if-live replay. @ENTRY is the entry from which
//	         it is true, an alert before that is false; high: clear enough to reach the queue
//	never+   TYPE SESSION: the trap that this scenario is about (whatever is not expected or allowed is a false alarm anyway)
//	allow+   TYPE SESSION because REASON: debatable, so it counts neither way
//	open+    TYPE SESSION: open at the end; cleared+: raised, and not open at the end
//	observe+ alive|gone SESSION [@ENTRY], missing|exists PATH [@ENTRY], seen TASK [@ENTRY]: what a look observes outside the log, from
//	         that entry on (default: from the beginning); everything else is unknown
//	model    settings as a JSON object: keys workflow.*, timeouts.*, supervisor.*
//
// SESSION is a session, - (the chain, which is the project's) or, in never and allow, * (any). ENTRY is the name of a
// mark or a number, counted from 1. PATH is relative to the project. The body of a drawn scenario is a drawing of
// internal/lab/drawn; that of a recorded one is operations, one a line, see editor.go. A signature "$TYPE" in an entry of
// the supervisor stands for the signature of the engine's issue of that type and session: see Sign.
package scenario

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"aburn/internal/lab/drawn"
	"aburn/logfmt"
	"aburn/supervisor/limits"
)

// Scenario is one log with its labels.
type Scenario struct {
	Name       string // of the file, without .txt
	Frozen     bool   // it lies in frozen.txtar
	Why        string
	Recordings []string // none: it was drawn
	After      time.Duration
	Expect     []Claim
	Never      []Claim
	Allow      []Claim
	Open       []Claim // at the end
	Cleared    []Claim // at the end
	Observe    []Observation
	Model      []byte // settings as a JSON object; nil: the defaults

	Lines []drawn.Line
}

// Claim is a label about one type of issue in one session.
type Claim struct {
	Type    string
	Session logfmt.SessionID // Chain, Any (never, allow), or a session
	Entry   int              // from which it is true, counted from 1; 0: not given
	High    bool
	Because string // of an allowed one
}

// Younger are the types that came after the labels of tuned.txtar, frozen.txtar and the later examinations, which say nothing about
// them. proof.txtar knows the first of them, young.txtar all.
var Younger = []string{limits.UnprovedDone, limits.BlockedByService, limits.AgentHangs, limits.Overwritten, limits.CompactionChurn}

// Unlabelled are the types that the scenario's labels say nothing about.
func (s *Scenario) Unlabelled() []string {
	switch {
	case strings.HasPrefix(s.Name, "young-"):
		return nil
	case strings.HasPrefix(s.Name, "proof-"):
		return Younger[1:]
	}
	return Younger
}

// Chain is the session of issues of the chain. Any stands for every session and the chain.
const (
	Chain logfmt.SessionID = "-"
	Any   logfmt.SessionID = "*"
)

// About reports whether the claim is about an issue of this type and session; "" is the chain's.
func (c *Claim) About(typ string, session logfmt.SessionID) bool {
	if session == "" {
		session = Chain
	}
	return c.Type == typ && (c.Session == Any || c.Session == session)
}

// Observation is a fact that a look observes outside the log.
type Observation struct {
	Fact    string // alive, gone, missing, exists, seen
	Subject string // a session, a path, a task
	Entry   int    // from which it holds, counted from 1; 0: from the beginning
}

// Healthy reports whether nothing is wrong in the log, so that every alert is false.
func (s *Scenario) Healthy() bool { return len(s.Expect) == 0 }

// Entries are the log's, in order; the entry number n of the labels is Entries()[n-1].
func (s *Scenario) Entries() []*logfmt.Entry {
	var entries []*logfmt.Entry
	for _, l := range s.Lines {
		if l.Entry != nil {
			entries = append(entries, l.Entry)
		}
	}
	return entries
}

// Log returns the scenario as the bytes of a log.
func (s *Scenario) Log() ([]byte, error) {
	d := drawn.Drawing{Lines: s.Lines}
	return d.Bytes()
}

// Load reads all scenarios of an archive of files NAME.txt, sorted by name. Their recordings lie in the folder
// recordings beside the archive. The error names everything wrong with any of them.
func Load(file string) ([]*Scenario, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	if len(archive.Files) == 0 {
		return nil, fmt.Errorf("%s: no scenario there", file)
	}
	var all []*Scenario
	var bad []error
	known := recordings{dir: filepath.Join(filepath.Dir(file), "recordings")}
	for _, f := range archive.Files {
		s := &Scenario{Name: strings.TrimSuffix(f.Name, ".txt"), Frozen: filepath.Base(file) == "frozen.txtar"}
		if err := s.parse(string(f.Data), &known); err != nil {
			bad = append(bad, fmt.Errorf("%s: %s: %w", file, f.Name, err))
			continue
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Scenario) int { return strings.Compare(a.Name, b.Name) })
	return all, errors.Join(bad...)
}

// Sign replaces "$TYPE" in an entry of the supervisor by a signature. find returns the signature of the engine's
// present issue of a type and session, "" if there is none. Sign returns other entries unchanged.
func Sign(e *logfmt.Entry, find func(typ string, session logfmt.SessionID) string) *logfmt.Entry {
	typ, ok := strings.CutPrefix(gjson.GetBytes(e.Data, "signature").Str, "$")
	if e.Cmd != logfmt.SupervisorCmd || !ok {
		return e
	}
	signature := find(typ, e.Session)
	if signature == "" {
		return e
	}
	signed := *e
	signed.Data = member(e.Data, "signature", strconv.Quote(signature))
	return &signed
}
