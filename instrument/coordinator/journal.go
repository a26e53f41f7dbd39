package coordinator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"aburn/instrument"
	"aburn/instrument/jsproject"
	"aburn/instrument/provider"
	"aburn/internal/atomicfile"
)

// JournalFile is the run's own journal, in its folder: one JSON object a line, synced
// before what it tells of counts.
const JournalFile = "run.jsonl"

// maxJournal bounds a journal that is read, in bytes.
const maxJournal = 256 << 20

// entry is one line. Kind says which of the members are there.
type entry struct {
	Kind    string     `json:"kind"`
	At      time.Time  `json:"at"`
	Begin   *Beginning `json:"begin,omitempty"`
	Ceiling *Ceiling   `json:"ceiling,omitempty"`
	Branch  string     `json:"branch,omitempty"`
	Path    string     `json:"path,omitempty"`
	Attempt int        `json:"attempt,omitempty"`
	Answer  *Answer    `json:"answer,omitempty"`
	File    *File      `json:"file,omitempty"`
	// Registry are the registry's files that the accepted file extends, with the SHA-256 of their new text.
	Registry map[string]string `json:"registry,omitempty"`
	Check    *Checkpoint       `json:"checkpoint,omitempty"`
	Tests    *Tests            `json:"tests,omitempty"`
	Supply   *Supply           `json:"supply,omitempty"`
	Files    []string          `json:"files,omitempty"`
	Phase    Phase             `json:"phase,omitempty"`
	Commit   string            `json:"commit,omitempty"`
	Text     string            `json:"text,omitempty"`
}

const (
	kBegin     = "begin"
	kBaseline  = "baseline"
	kCeiling   = "ceiling" // it was accepted
	kBranch    = "branch"
	kAsked     = "asked"    // a question is about to be sent; several may be out
	kAnswer    = "answer"   // it was paid for
	kAccepted  = "accepted" // the file passed all rules and is about to be written
	kFile      = "file"     // the file is done, and committed if it changed
	kRevert    = "revert"
	kCheck     = "checkpoint"
	kSupplying = "supplying" // packages are about to be installed, and the set-up extended: Files can change
	kSupply    = "supply"    // that is committed
	kPhase     = "phase"
	kWarning   = "warning"
	kPR        = "pr"
	kEnd       = "end" // done, stopped or aborted
)

// Beginning is what a run starts from.
type Beginning struct {
	Run      string `json:"run"`
	Version  string `json:"version"`
	Config   string `json:"config"` // SHA-256 of the configuration
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Mode     string `json:"mode"`
	Dry      bool   `json:"dry,omitempty"`
	// What a person did not want holds for who goes on, too.
	NoTests   bool                 `json:"noTests,omitempty"`
	NoInstall bool                 `json:"noInstall,omitempty"`
	NoPR      bool                 `json:"noPR,omitempty"`
	Named     string               `json:"named,omitempty"` // the branch that --branch wanted
	Base      string               `json:"base"`            // branch, or commit, before
	Commit    string               `json:"commit"`          // of that
	Order     []string             `json:"order"`
	Idle      []instrument.Skipped `json:"idle"`
	Hash      string               `json:"schemaHash,omitempty"`
}

// Supply is what one look at what the spans need led to.
type Supply struct {
	Installed []string             `json:"installed"` // name@range
	Failed    []string             `json:"failed"`    // name@range: why
	SetUp     *jsproject.SetUpEdit `json:"setUp,omitempty"`
}

// Answer is what a provider gave for a question, or why it gave nothing.
type Answer struct {
	Source string          `json:"source"` // SHA-256 of the file that was asked about
	JSON   json.RawMessage `json:"json,omitempty"`
	Usage  provider.Usage  `json:"usage"`
	USD    *float64        `json:"usd"`
	Err    string          `json:"err,omitempty"`
	Why    string          `json:"why,omitempty"` // auth, refused, truncated, schema; "" for another error
}

// State is what a run's journal tells.
type State struct {
	Beginning
	Began       bool
	Accepted    *Ceiling
	Branch      string
	Baseline    *Tests
	Files       []*File // that are done, in their order
	Checkpoints []Checkpoint
	Good        int // of Files: those before the last good checkpoint
	Warnings    []string
	Supplies    []Supply
	PR          string
	Phase       Phase  // the last that began
	End         string // "" while it can go on
	Last        time.Time
	supplying   []string // files of an installation that is not committed
	answers     map[string]map[int]*Answer
	pending     map[string]*File // accepted, and not known to be committed
}

// ReadState reads the journal in a run's folder. A last line that was not written whole
// does not count.
func ReadState(folder *os.Root) (*State, error) {
	s := &State{answers: map[string]map[int]*Answer{}, pending: map[string]*File{}}
	f, err := folder.Open(JournalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxJournal+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxJournal {
		return nil, fmt.Errorf("%s has more than %d MB", JournalFile, maxJournal>>20)
	}
	for line := range bytes.Lines(data) {
		var e entry
		if json.Unmarshal(line, &e) == nil {
			s.apply(&e)
		}
	}
	return s, nil
}

func (s *State) apply(e *entry) {
	s.Last = e.At
	switch e.Kind {
	case kBegin:
		s.Beginning, s.Began = *e.Begin, true
	case kBaseline:
		s.Baseline = e.Tests
	case kCeiling:
		s.Accepted = e.Ceiling
	case kBranch:
		s.Branch = e.Branch
	case kAnswer:
		if s.answers[e.Path] == nil {
			s.answers[e.Path] = map[int]*Answer{}
		}
		s.answers[e.Path][e.Attempt] = e.Answer
	case kAccepted:
		e.File.extended = e.Registry
		s.pending[e.Path] = e.File
	case kFile:
		delete(s.pending, e.Path)
		s.Files = append(s.Files, e.File)
	case kRevert:
		for _, f := range s.Files {
			if f.Path == e.Path {
				f.Status, f.Reason, f.Reverted = instrument.Failed, e.Text, e.Commit
			}
		}
	case kCheck:
		s.Checkpoints = append(s.Checkpoints, *e.Check)
		if e.Check.Passed {
			s.Good = len(s.Files)
		}
	case kSupplying:
		s.supplying = append(s.supplying, e.Files...)
	case kSupply:
		s.supplying = nil
		s.Supplies = append(s.Supplies, *e.Supply)
	case kPhase:
		s.Phase = e.Phase
	case kWarning:
		s.Warnings = append(s.Warnings, e.Text)
	case kPR:
		s.PR = e.Text
	case kEnd:
		s.End = e.Text
	}
}

// Usage is what all answers took.
func (s *State) Usage() (u provider.Usage, usd *float64, calls int) {
	known, sum := true, 0.0
	for _, byAttempt := range s.answers {
		for _, a := range byAttempt {
			u.Add(a.Usage)
			calls++
			if a.USD == nil {
				known = false
			} else {
				sum += *a.USD
			}
		}
	}
	if known && calls > 0 {
		usd = &sum
	}
	return u, usd, calls
}

// all are the files of the run, those that needed no model too.
func (s *State) all() []string {
	list := slices.Clone(s.Order)
	for _, i := range s.Idle {
		list = append(list, i.Path)
	}
	return list
}

// Remaining are files of which nothing is known yet.
func (s *State) Remaining() (list []string) {
	done := map[string]bool{}
	for _, f := range s.Files {
		done[f.Path] = true
	}
	for _, path := range s.Order {
		if !done[path] {
			list = append(list, path)
		}
	}
	return list
}

// book appends to a journal. Without a folder it only keeps the state. Answers may come
// from several goroutines; all else of the state belongs to the run's own.
type book struct {
	folder   *os.Root
	now      func() time.Time
	step     func(kind string) // of tests: they kill here
	mu       sync.Mutex        // of the file, the state's answers, and reserved
	state    *State
	reserved int // tokens that questions which are out can take
}

// known is an answer that was paid for; nil for none.
func (b *book) known(path string, attempt int, source string) *Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	if had := b.state.answers[path][attempt]; had != nil && had.Source == source && (had.JSON != nil || had.Usage.Total() > 0) {
		return had
	}
	return nil
}

// spent is how many tokens all answers took, and how many the questions that are out can take.
func (b *book) spent() (used, reserved int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	usage, _, _ := b.state.Usage()
	return usage.Total(), b.reserved
}

// reserve keeps tokens for a question, if they are within the limit.
func (b *book) reserve(tokens, limit int) bool {
	used, reserved := b.spent()
	if used+reserved+tokens > limit {
		return false
	}
	b.release(-tokens)
	return true
}

func (b *book) release(tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= tokens
}

// write syncs a line to disk, and then makes it count.
func (b *book) write(e entry) error {
	if err := b.append(e); err != nil {
		return err
	}
	b.at(e.Kind)
	return nil
}

func (b *book) append(e entry) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.At = b.now().UTC()
	if b.folder != nil {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if err := appendLine(b.folder, line); err != nil {
			return err
		}
	}
	b.state.apply(&e)
	return nil
}

func (b *book) at(kind string) {
	if b.step != nil {
		b.step(kind)
	}
}

func appendLine(folder *os.Root, line []byte) error {
	f, err := folder.OpenFile(JournalFile, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() == 0 {
		if err := atomicfile.SyncDir(folder); err != nil {
			return err
		}
	} else {
		var last [1]byte
		if _, err := f.ReadAt(last[:], st.Size()-1); err != nil {
			return err
		}
		if last[0] != '\n' { // a line that a kill cut off
			line = append([]byte("\n"), line...)
		}
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.Sync()
}
