package coordinator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"aburn/instrument"
	"aburn/instrument/provider"
	"aburn/instrument/record"
	"aburn/instrument/telemetry"
)

// Phase is a part of a run, as the workflow log names it.
type Phase string

// The phases, in their order.
const (
	Prepare    Phase = "PREPARE"
	Scanning   Phase = "SCAN"
	Accepting  Phase = "CEILING"
	Branching  Phase = "BRANCH"
	Files      Phase = "FILES"
	Checking   Phase = "CHECKPOINT"
	Libraries  Phase = "LIBRARIES"
	Recording  Phase = "RECORD"
	Requesting Phase = "PR"
	Done       Phase = "DONE"
)

// Event is what happened to a phase.
type Event string

const (
	Started   Event = "START"
	Completed Event = "COMPLETE"
	Went      Event = "FAILED"
)

// Data is counts, hashes and rule ids of a phase. Source is never in it.
type Data map[string]any

// Callbacks tell a caller how a run goes on. Each may be nil.
type Callbacks struct {
	// OnCeiling says whether the ceiling is accepted; nil declines.
	OnCeiling   func(Ceiling) bool
	OnFileStart func(path string, i, n int)
	OnFile      func(f *File, i, n int)
	// OnCheckpoint says whether a run goes on after a checkpoint that failed; nil stops it.
	OnCheckpoint func(Checkpoint) bool
	OnPhase      func(Phase, Event, Data)
	OnWait       func(why string)
	// OnAsk: a question is about to be sent, which can take so many tokens. attempt is from 1.
	OnAsk func(path string, attempt, tokens int)
	// OnAttempt: the answer was judged. Attempts of a file come in their order.
	OnAttempt func(Attempt)
}

// Attempt is one question about a file, what was answered, and what was wrong with that.
// It is told in memory only: it holds source.
type Attempt struct {
	Path    string
	N       int              // from 1
	Request provider.Request // empty where the journal had the answer, and nobody was asked
	Answer  *Answer
	Facts   []string // what the next question would say, as far as there is one
}

// File is what became of one file.
type File struct {
	*instrument.FileResult
	Strategy         string         `json:"strategy"` // plan, rewrite
	Calls            int            `json:"calls"`
	Usage            provider.Usage `json:"usage"`
	CostUSD          *float64       `json:"costUSD"`          // null where it is not known
	ErrorProgression []string       `json:"errorProgression"` // how many mistakes each attempt had
	LastError        string         `json:"lastError,omitempty"`
	Agent            string         `json:"agentVersion"` // provider and model
	Libraries        []string       `json:"libraries"`    // that the plan asks for
	Categories       *Categories    `json:"spanCategories,omitempty"`
	Functions        []Function     `json:"functions"` // that got a span
	Commit           string         `json:"commit,omitempty"`
	Reverted         string         `json:"reverted,omitempty"` // the commit that took it back, after a test failed
	SourceHash       string         `json:"sourceHash"`
	ResultHash       string         `json:"resultHash,omitempty"` // of the file as it was written
	// extended are the registry's files that got something for it, with the SHA-256 of their new text.
	extended map[string]string
}

// Function is one that got a span.
type Function struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Span       string   `json:"span"`
	Tier       int      `json:"tier"`
	Reason     string   `json:"reason"`
	Attributes []string `json:"attributes"`
}

// Categories counts a file's functions by why they got a span.
type Categories struct {
	ExternalCalls      int `json:"externalCalls"`
	SchemaDefined      int `json:"schemaDefined"`
	ServiceEntryPoints int `json:"serviceEntryPoints"`
	Total              int `json:"totalFunctionsInFile"`
}

// Checkpoint is a look at what stands by then.
type Checkpoint struct {
	After    int      `json:"after"` // files by then
	Passed   bool     `json:"passed"`
	Registry string   `json:"registry"` // "" is valid, and only added to
	Tests    *Tests   `json:"tests"`    // null where none ran
	Reverted []string `json:"reverted"` // files that were taken back
	Radius   []string `json:"radius"`   // files since the last good checkpoint, where it failed
}

// Tests is one run of the project's tests.
type Tests struct {
	Exit     int      `json:"exitCode"`
	Failed   []string `json:"failed"` // names, where the runner's output tells them
	Millis   int64    `json:"milliseconds"`
	Repeated bool     `json:"repeated"` // it failed, and ran once more
}

// Result is what became of a run.
type Result struct {
	*instrument.RunResult
	Run         string               `json:"run"`
	Provider    string               `json:"provider"`
	Model       string               `json:"model"`
	Branch      string               `json:"branch"` // "" where none was made
	Base        string               `json:"base"`   // the branch, or commit, that it begins at
	Ceiling     Ceiling              `json:"ceiling"`
	Usage       provider.Usage       `json:"usage"`
	CostUSD     *float64             `json:"costUSD"` // null where it is not known
	Calls       int                  `json:"calls"`
	Files       []*File              `json:"files"`
	Idle        []instrument.Skipped `json:"idle"` // files that needed no model
	Checkpoints []Checkpoint         `json:"checkpoints"`
	Baseline    *Tests               `json:"baseline"`            // before anything changed; null where none ran
	Tests       *Tests               `json:"tests"`               // at the end; null where none ran
	Record      *record.Report       `json:"record"`              // null where nothing was recorded
	PullRequest string               `json:"pr"`                  // its address; "" where none was made
	Command     string               `json:"prCommand,omitempty"` // that makes one, where aburn could not
	Stopped     string               `json:"stopped"`             // why it ended early; "" where it did not
	Plan        *instrument.Plan     `json:"-"`                   // what the model chose, as a plan to apply
	Weaver      string               `json:"weaver,omitempty"`    // that judged the registry beside aburn, with its version
	WeaverDiff  string               `json:"weaverDiff,omitempty"`
	HashStart   string               `json:"schemaHashStart,omitempty"`
	HashEnd     string               `json:"schemaHashEnd,omitempty"`
}

// Abort says why a run ended before it wrote anything.
type Abort struct {
	Phase Phase
	Msg   string
	Hint  string
}

func (a *Abort) Error() string { return a.Msg }

func abort(p Phase, hint, format string, args ...any) *Abort {
	return &Abort{p, fmt.Sprintf(format, args...), hint}
}

// Declined says that nobody accepted the ceiling.
type Declined struct{ Ceiling Ceiling }

func (*Declined) Error() string { return "the ceiling was not accepted" }

// supplied sums up what was installed. What failed once and was installed later did not fail.
func (r *Result) supplied(list []Supply) {
	r.LibrariesInstalled, r.LibraryFailures, r.SDKInit = []string{}, []string{}, nil
	for _, s := range list {
		r.LibrariesInstalled = append(r.LibrariesInstalled, s.Installed...)
		if r.SDKInit == nil || s.SetUp != nil && len(s.SetUp.Added) > 0 {
			r.SDKInit = cmp.Or(s.SetUp, r.SDKInit)
		}
	}
	for _, s := range list {
		for _, f := range s.Failed {
			name, _, _ := strings.Cut(f, ": ")
			if !slices.Contains(r.LibrariesInstalled, name) && !slices.Contains(r.LibraryFailures, f) {
				r.LibraryFailures = append(r.LibraryFailures, f)
			}
		}
	}
}

// tell puts into a run's span what became of it: counts, and whether the tests passed.
func (r *Result) tell(s *telemetry.Span) {
	spans, used, created := 0, 0, 0
	for _, f := range r.Files {
		spans, used, created = spans+f.SpansAdded, used+f.AttributesUsed, created+f.AttributesCreated
	}
	for _, n := range []struct {
		name string
		n    int
	}{
		{"files", r.Processed}, {"files.succeeded", r.Succeeded}, {"files.failed", r.Failed}, {"files.skipped", r.Skipped}, {"files.needs_human", r.NeedsHuman},
		{"files.idle", len(r.Idle)},
		{"spans", spans}, {"attributes", used}, {"attributes.created", created}, {"calls", r.Calls}, {"tokens", r.Usage.Total()},
	} {
		s.Number("aburn.instrument."+n.name, n.n)
	}
	if r.Tests != nil {
		s.Number("aburn.instrument.tests.exit_code", r.Tests.Exit)
		s.Number("aburn.instrument.tests.failed", len(r.Tests.Failed))
	}
}

// count fills the numbers of the result from its files.
func (r *Result) count() {
	r.Processed, r.Succeeded, r.Failed, r.Skipped, r.NeedsHuman = len(r.Files), 0, 0, 0, 0
	for _, f := range r.Files {
		switch f.Status {
		case instrument.Success:
			r.Succeeded++
		case instrument.Failed:
			r.Failed++
		case instrument.Unchanged:
			r.Skipped++
		case instrument.NeedsHuman:
			r.NeedsHuman++
		}
	}
}
