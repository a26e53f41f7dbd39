package journal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// The kinds of findings. logfmt/SPEC.md, section 9, says what they mean and which are damage.
const (
	BadLine   = "bad line"
	TornTail  = "torn tail"
	Gap       = "gap"
	Duplicate = "duplicate"
	Edited    = "edited"
	NoFile    = "no file"
	Missing   = "missing"
	Changed   = "changed"
	Lost      = "unwritten"

	Orphan = "orphan"
	Repeat = "repeat"
	Newer  = "newer"
	Unread = "unreadable"
)

// maxFindings bounds each list of a Report, so that a log of junk does not become a report of a
// gigabyte.
const maxFindings = 1000

// Report is the result of Verify.
type Report struct {
	Anchored  bool      // the log has an anchor, so that a missing beginning or end shows
	Why       string    // the reason if it has none
	NoAnchor  bool      // that reason is that nobody has made one
	BadAnchor bool      // that reason is that it is damaged; Accept makes it anew
	Begun     time.Time // when the anchor was made

	Entries    int // own ones: without carried lines, with repeats
	Unnumbered int // of those, the ones without seq
	// Uncovered are entries that the anchor does not cover, because no writer with lock and anchor has
	// followed them: that they are all there is not known.
	Uncovered int
	Segments  []Segment
	First     logfmt.Seq // first and last seq found; 0 = none
	Last      logfmt.Seq
	Damage    []Finding // something is missing, changed, doubled or unreadable; 1,000 at most
	Notes     []Finding // worth knowing, nothing lost, or accepted damage; 1,000 at most
	Left      int       // findings beyond the bounds

	accepted logfmt.AcceptedData // what Accept accepts
}

// Whole reports whether the log was shown to be whole.
func (r *Report) Whole() bool { return r.Anchored && len(r.Damage) == 0 }

// Finding is a place in the log.
type Finding struct {
	Segment string
	Offset  int64
	Line    int // counted from 1 within the segment; 0 = about the whole segment
	Kind    string
	Text    string
	// The times of the entries around it: the damage was done after Since and before Until. Zero =
	// unknown.
	Since, Until time.Time
}

// Verify reads the whole log and checks everything that SPEC.md promises. The error is about
// reading; damage is in the report.
func (j *Journal) Verify(ctx context.Context) (r Report, err error) {
	for range 8 {
		if r, err = j.verify(ctx); err != errDropped {
			break
		}
	}
	return r, err
}

func (j *Journal) verify(ctx context.Context) (Report, error) {
	all, newest, a, err := j.snapshot()
	if err != nil {
		return Report{}, err
	}
	if newest != nil {
		defer newest.Close()
	}
	v := verifier{
		report: Report{Segments: all}, anchor: a.anchor, ids: make(map[string]logfmt.Seq), originals: make(map[lineKey]bool),
	}
	if a.err == nil {
		v.report.Anchored, v.report.Begun = true, a.time(begunField)
	} else {
		v.report.Why = whyNot(a.err)
		v.report.NoAnchor = errors.Is(a.err, fs.ErrNotExist) || errors.Is(a.err, errNoAnchor)
		v.report.BadAnchor = errors.Is(a.err, errBadAnchor)
	}
	if err := v.seals(j, all, newest); err != nil {
		return v.report, err
	}
	for i, s := range all {
		f := newest
		if s.Name != Name {
			f, err = j.open(s.Name, readFlags)
			if errors.Is(err, fs.ErrNotExist) {
				return v.report, errDropped
			}
			if err != nil {
				return v.report, err
			}
		}
		err = v.segment(ctx, f, s, &v.covers[i])
		if f != newest {
			f.Close()
		}
		if err != nil {
			return v.report, err
		}
	}
	v.lines = len(v.found) + v.more
	last := v.before
	if err := v.irregular(j); err != nil {
		return v.report, err
	}
	v.before = last
	v.judge()
	return v.report, nil
}

// errDropped says that a rotation dropped a segment meanwhile, which a CHECKPOINT names that the
// snapshot does not have.
var errDropped = errors.New("segments were dropped during each of 8 attempts to verify")

// snapshot lists the segments, opens the newest one and reads the anchor while nobody writes, so
// that a writer at work does not look like a torn end, or like a missing one. Without the lock it
// goes ahead, with the anchor first.
func (j *Journal) snapshot() ([]Segment, *segmentFile, *anchored, error) {
	if lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait); err == nil {
		defer lock.Release()
	}
	a := j.openAnchor()
	a.close()
	for {
		all, err := j.Segments()
		if err != nil || len(all) == 0 || all[len(all)-1].Name != Name {
			return all, nil, a, err
		}
		f, err := j.open(Name, readFlags)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			all[len(all)-1].Size = f.size()
		}
		return all, f, a, err
	}
}

// verifier walks over the segments in order.
type verifier struct {
	report  Report
	name    string
	line    int
	block   logfmt.Block
	parser  logfmt.Parser
	parsed  logfmt.Entry
	paired  bool // the previous line was an entry, so a comment may follow
	ids     map[string]logfmt.Seq
	ring    [4096]string
	next    int
	gaps    []gap
	drops   []drop
	dropped []logfmt.Range // of the drops that count

	before time.Time // of the entry before
	found  []Finding // damage other than gaps
	more   int       // of that, beyond maxFindings
	lines  int       // of found and more, those in the log itself

	// of the segment
	segmentBefore string
	segmentFirst  logfmt.Seq // its first own seq
	cover         *cover

	covers  []cover  // by segment
	gone    []string // segments that are sealed and not there
	changed []changed

	sum       logfmt.BlockSum
	complete  bool             // originals begins with a block that holds
	known     bool             // originals has all that the open block may carry
	originals map[lineKey]bool // lines that a rotation may carry, since the last block that holds
	mine      []lineKey        // of those, the segment's own
	copies    []lineKey        // the carried lines of the open block

	anchor   anchor
	same     bool                 // the anchor's entry is there
	other    *Finding             // another entry has its number
	accepted *logfmt.AcceptedData // of the entry that the anchor names
	mark     int                  // of found and more, what stands before that entry
}

// gap is a hole in the numbers: damage, unless a CHECKPOINT names it.
type gap struct {
	missing logfmt.Range
	at      Finding
}

// segment checks f's bytes up to the size in s.
func (v *verifier) segment(ctx context.Context, f *segmentFile, s Segment, c *cover) error {
	v.segmentBefore, v.segmentFirst, v.mine, v.cover = v.name, 0, nil, c
	v.name, v.line, v.block, v.paired, v.sum = s.Name, 0, logfmt.Block{}, false, logfmt.BlockSum{}
	h := &hashing{r: io.NewSectionReader(f, 0, s.Size), marks: []*mark{&c.end, &c.place}}
	defer func() {
		c.whole = logfmt.Seal{Segment: s.Name, Bytes: h.lines.Size, Hash: h.lines.Hash}
		v.sealed(c)
	}()
	scan := newForeScan(h, 0, maxLine)
	for {
		line, off, err := scan.line()
		if scan.damage > 0 {
			scan.damage = 0
			v.tooLong(scan.gaveUp)
		}
		if errors.Is(err, io.EOF) {
			if scan.offset() < s.Size && !scan.skip {
				v.line++
				v.damage(scan.offset(), TornTail, strconv.FormatInt(s.Size-scan.offset(), 10)+" bytes after the last newline")
			}
			return nil
		}
		if err != nil {
			return err
		}
		v.line++
		v.check(line, off)
		if v.line&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (v *verifier) tooLong(off int64) {
	v.line++
	v.paired = false
	v.block.Step([]byte{0})
	v.damage(off, BadLine, "longer than any entry")
}

func (v *verifier) check(line []byte, off int64) {
	carried := v.block.Step(line)
	switch logfmt.Classify(line) {
	case logfmt.Blank:
		v.paired = false
	case logfmt.Comment:
		v.comment(line, off)
		v.paired = false
	case logfmt.Damage:
		v.paired = false
		v.damage(off, BadLine, "neither entry nor comment")
	case logfmt.EntryLine:
		err := v.parser.Parse(line, &v.parsed)
		if err == nil {
			err = logfmt.Check(line) // the parser trusts a line's crc
		}
		v.paired = err == nil
		switch {
		case err != nil:
			v.damage(off, BadLine, err.Error())
		case !carried:
			v.entry(&v.parsed, line, off)
			v.before = v.parsed.Time
		}
		if carried {
			v.carriedLine(line, off)
		} else {
			v.original(line)
		}
	}
}

func (v *verifier) comment(line []byte, off int64) {
	if off == 0 {
		if version(line) > 1 {
			v.note(off, Newer, "written by a newer aburn: "+string(line[:min(len(line), 40)]))
		}
		return
	}
	if !v.paired {
		v.note(off, Orphan, "comment without an entry before it")
	}
}

// version is the format's version in a file's first line; 1 if it names none.
func version(line []byte) int {
	rest, ok := bytes.CutPrefix(line, []byte("# aburn workflow log v"))
	if !ok {
		return 1
	}
	n := 0
	for _, c := range rest {
		if c < '0' || c > '9' || n > 1<<20 {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}

func (v *verifier) entry(e *logfmt.Entry, line []byte, off int64) {
	v.report.Entries++
	if e.Edited {
		v.damage(off, Edited, "its crc does not match")
	}
	if e.Event == logfmt.Unwritten {
		_, told, _ := strings.Cut(e.Human(), " - ")
		v.damage(off, Lost, told)
	}
	if e.Event == logfmt.Unreadable {
		v.note(off, Unread, "a hook could not read what the agent sent, so that is not in the log")
	}
	if e.Seq == 0 {
		v.report.Unnumbered++
	} else if v.segmentFirst == 0 {
		v.segmentFirst = e.Seq
	}
	v.blocks(e, off)
	v.compare(e, line, off)
	before, again := v.remember(e)
	if again && (e.Seq == 0 || e.Seq != before) {
		v.note(off, Repeat, "id "+e.ID+" was there before")
	}
	if !again {
		v.cover.count(off)
	}
	if e.Seq > 0 {
		v.number(e.Seq, off)
	}
}

// remember returns the seq of the entry with the same id among the last 4,096.
func (v *verifier) remember(e *logfmt.Entry) (logfmt.Seq, bool) {
	if e.ID == "" {
		return 0, false
	}
	if seq, ok := v.ids[e.ID]; ok {
		return seq, true
	}
	delete(v.ids, v.ring[v.next])
	v.ring[v.next] = e.ID
	v.next = (v.next + 1) % len(v.ring)
	v.ids[e.ID] = e.Seq
	return 0, false
}

func (v *verifier) finding(off int64, kind, text string) Finding {
	return Finding{Segment: v.name, Offset: off, Line: v.line, Kind: kind, Text: text, Since: v.before}
}

func (v *verifier) damage(off int64, kind, text string) { v.add(v.finding(off, kind, text)) }

func (v *verifier) add(f Finding) {
	if len(v.found) == maxFindings {
		v.more++
		return
	}
	v.found = append(v.found, f)
}

func (v *verifier) note(off int64, kind, text string) {
	v.keep(&v.report.Notes, v.finding(off, kind, text))
}

func (v *verifier) keep(list *[]Finding, f Finding) {
	if len(*list) == maxFindings {
		v.report.Left++
		return
	}
	*list = append(*list, f)
}
