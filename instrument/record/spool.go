package record

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/proc"
)

//go:embed preload.cjs
var preload []byte

// Bounds of what a command may write.
const (
	maxSpool = 256 << 20 // bytes of all files
	maxLine  = 1 << 20
	maxSpans = 100_000
)

const spoolPrefix = "aburn-record-"

// spool is the folder of one recording: the preload, a node that loads it, and a file
// for each thread.
type spool struct {
	dir  string
	name string // of the preload: recorder.cjs or tap.cjs
}

// newSpool makes the folder, and first removes those of recordings that were killed.
func newSpool(temp string, mode Mode, node string) (*spool, error) {
	sweep(temp)
	dir, err := os.MkdirTemp(temp, spoolPrefix)
	if err != nil {
		return nil, err
	}
	s := &spool{dir, "recorder.cjs"}
	if mode == Tap {
		s.name = "tap.cjs"
	}
	self, _ := proc.Self()
	owner, err := json.Marshal(spoolOwner{self.PID, self.Start, proc.Host()})
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "owner"), owner, 0o600), os.WriteFile(s.preload(), preload, 0o600))
	}
	if err == nil && node != "" && runtime.GOOS != "windows" {
		err = s.shim(node)
	}
	if err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

type spoolOwner struct {
	PID   int    `json:"pid"`
	Start int64  `json:"start"`
	Host  string `json:"host"`
}

func (s *spool) preload() string { return filepath.Join(s.dir, s.name) }
func (s *spool) bin() string     { return filepath.Join(s.dir, "bin") }

// shim puts a node before the real one. Scripts such as "NODE_OPTIONS=… jest" replace
// the variable that loads the preload; this puts it back.
func (s *spool) shim(node string) error {
	if err := os.Mkdir(s.bin(), 0o700); err != nil {
		return err
	}
	script := "#!/bin/sh\ncase \"$NODE_OPTIONS\" in\n*" + shellQuote(s.preload()) + "*) ;;\n*) NODE_OPTIONS=\"${NODE_OPTIONS:-} \"" + shellQuote(s.nodeOption()) +
		"; export NODE_OPTIONS ;;\nesac\nexec " + shellQuote(node) + " \"$@\"\n"
	path := filepath.Join(s.bin(), "node")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		return err
	}
	if _, err := exec.LookPath(path); err != nil { // the folder is mounted noexec: go without
		return os.RemoveAll(s.bin())
	}
	return nil
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// nodeOption is the preload as NODE_OPTIONS names it.
func (s *spool) nodeOption() string { return "--require " + optionQuote(s.preload()) }

// optionQuote quotes a path as node reads NODE_OPTIONS.
func optionQuote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

func (s *spool) remove() error {
	var err error
	for range 5 { // a process that is just ending may write one more file
		if err = os.RemoveAll(s.dir); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// sweep removes folders whose owner does not run any more. What it cannot judge stays.
func sweep(temp string) {
	dirs, _ := filepath.Glob(filepath.Join(temp, spoolPrefix+"*"))
	for _, dir := range dirs {
		st, err := os.Lstat(dir)
		if err != nil || !st.IsDir() || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
			continue
		}
		var owner spoolOwner
		data, err := os.ReadFile(filepath.Join(dir, "owner"))
		if err == nil && json.Unmarshal(data, &owner) == nil && proc.Of(proc.Process{PID: owner.PID, Start: owner.Start}, owner.Host) == proc.Gone {
			os.RemoveAll(dir)
		}
	}
}

// fact is a line of a spool's file.
type fact struct {
	Kind     string     `json:"k"` // start, begin, span, twice, refused, provider, exit, cut
	ID       string     `json:"s"`
	Trace    string     `json:"t"`
	Parent   string     `json:"p"`
	Remote   bool       `json:"r"`
	Name     string     `json:"n"`
	Scope    string     `json:"sc"`
	SpanKind int        `json:"kind"`
	Begun    string     `json:"b"` // nanoseconds
	End      string     `json:"e"`
	Attrs    [][]string `json:"a"`
	Events   []struct {
		Name  string     `json:"n"`
		Attrs [][]string `json:"a"`
	} `json:"ev"`
	Links    int        `json:"ln"`
	Status   int        `json:"st"`
	At       *place     `json:"at"`
	Test     *Test      `json:"test"`
	Resource [][]string `json:"res"`
	PID      int        `json:"pid"`
	Thread   int        `json:"thread"`
	Node     string     `json:"node"`
	Script   string     `json:"script"`
}

type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// read gives what all threads wrote, in the order in which spans began.
func (s *spool) read(r *Recording) error {
	names, err := filepath.Glob(filepath.Join(s.dir, "*.jsonl"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	left := int64(maxSpool)
	for _, name := range names {
		n, err := s.readThread(name, left, r)
		if err != nil {
			return err
		}
		if left -= n; left <= 0 {
			r.Cut = true
			break
		}
	}
	slices.SortStableFunc(r.Spans, func(a, b Span) int { return a.Start.Compare(b.Start) })
	return nil
}

func (s *spool) readThread(name string, left int64, r *Recording) (n int64, err error) {
	st, err := os.Lstat(name)
	if err != nil || !st.Mode().IsRegular() {
		return 0, nil // a test's joke
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	t := &thread{recording: r, open: map[string]*Span{}, done: map[string]int{}}
	scan := bufio.NewScanner(io.LimitReader(f, left))
	scan.Buffer(make([]byte, 64<<10), maxLine)
	for scan.Scan() {
		n += int64(len(scan.Bytes())) + 1
		var line fact
		if json.Unmarshal(scan.Bytes(), &line) != nil {
			r.Broken++ // the process was killed as it wrote
			continue
		}
		t.add(line)
	}
	if scan.Err() != nil {
		r.Broken++
	}
	t.close()
	return max(n, st.Size()), nil
}

// thread collects what one thread wrote.
type thread struct {
	recording *Recording
	process   Process
	open      map[string]*Span // began and not ended, by id
	done      map[string]int   // place in the recording's spans
}

func (t *thread) add(f fact) {
	r := t.recording
	switch f.Kind {
	case "start":
		t.process = Process{PID: f.PID, Thread: f.Thread, Node: f.Node, Script: f.Script}
	case "begin":
		if len(r.Spans)+len(t.open) >= maxSpans {
			r.Cut = true
			return
		}
		s := f.span()
		t.open[f.ID] = &s
	case "span":
		if t.open[f.ID] == nil {
			return // cut above
		}
		delete(t.open, f.ID)
		s := f.span()
		s.Ended = true
		t.done[f.ID] = len(r.Spans)
		r.Spans = append(r.Spans, s)
		t.process.Spans++
	case "twice":
		if i, ok := t.done[f.ID]; ok {
			r.Spans[i].EndedAgain++
		}
	case "refused":
		r.Refused = append(r.Refused, f.span())
	case "provider":
		r.Providers++
	case "cut":
		r.Cut = true
	}
}

func (t *thread) close() {
	for _, s := range t.open {
		t.recording.Spans = append(t.recording.Spans, *s)
		t.process.Spans++
	}
	if t.process.PID != 0 {
		t.recording.Processes = append(t.recording.Processes, t.process)
	}
}

func (f *fact) span() Span {
	s := Span{Trace: f.Trace, ID: f.ID, Parent: f.Parent, Remote: f.Remote, Name: f.Name, Scope: f.Scope, Kind: kindName(f.SpanKind), Start: nanos(f.Begun),
		End:        nanos(f.End),
		Attributes: attributesOf(f.Attrs), Links: f.Links, Failed: f.Status == 2, Resource: attributesOf(f.Resource)}
	for _, e := range f.Events {
		s.Events = append(s.Events, Event{e.Name, attributesOf(e.Attrs)})
	}
	if f.At != nil {
		s.File, s.Line = f.At.File, f.At.Line
	}
	if f.Test != nil {
		s.Test = *f.Test
	}
	return s
}

func nanos(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

func attributesOf(list [][]string) (out []Attribute) {
	for _, a := range list {
		switch len(a) {
		case 2:
			out = append(out, Attribute{Key: a[0], Kind: a[1]})
		case 3:
			out = append(out, Attribute{a[0], a[1], a[2]})
		}
	}
	return out
}

func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func (p Process) String() string { return fmt.Sprintf("%s (process %d)", p.Script, p.PID) }
