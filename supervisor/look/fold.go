package look

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/atomicfile"
	"aburn/internal/journal"
	"aburn/logfmt"
	"aburn/supervisor/state"
)

const (
	hookReads = 1 << 20  // bytes of the log that a look of a hook reads, at most
	slowReads = 64 << 10 // bytes after which reading counts as slow
	fewReads  = 8 << 10  // bytes: folding fewer again is quicker than replacing a file
	markSize  = 64       // bytes before a position, kept to recognise the log
)

// folded is the log up to a position.
type folded struct {
	state *state.State // nil: nothing yet
	at    journal.Position
	tail  []byte // the bytes before the position
	new   int64  // bytes folded since the state was stored
	size  int    // of the stored file, in bytes
}

// read folds new entries, or the whole newest segment if there is no state. It sets
// r.Complete if it reached the log's end.
func (l *Look) read(ctx context.Context, until time.Time, r *Result) error {
	if l.folded.state == nil {
		l.folded, _ = l.load()
	}
	steps := l.steps(ctx, until)
	err := journal.ErrPosition
	if l.folded.state != nil {
		err = l.fold(&steps)
	}
	if errors.Is(err, journal.ErrPosition) && steps.lines == 0 { // the log was replaced
		if err = l.restart(); err == nil {
			err = l.fold(&steps)
		}
	}
	r.Read, r.Damage, r.Complete = steps.read, l.o.Journal.Stats().Damage, err == nil && !steps.over
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// restart begins with an empty state at the newest segment.
func (l *Look) restart() error {
	l.slow()
	at, err := l.o.Journal.Newest()
	l.folded = folded{state: state.New(l.model, l.limits), at: at}
	return err
}

func (l *Look) fold(s *steps) error {
	if l.o.By == journal.Command {
		for rec, err := range l.o.Journal.Entries(l.folded.position()) {
			if err != nil {
				return err
			}
			l.folded.state.Apply(rec.Value, rec.Carried)
			if n := l.folded.passed(rec.Line); !s.goOn(n) {
				break
			}
		}
		return nil
	}
	if l.isMuch() {
		l.slow()
	}
	prompt := []byte(l.o.Prompt)
	for line, err := range l.o.Journal.Paced(l.folded.position(), slowReads) {
		if err != nil {
			return err
		}
		if !line.Pause {
			if len(prompt) > 0 && bytes.Contains(line.JSON, prompt) {
				break
			}
			l.folded.state.ApplyLine(line.JSON, line.Carried)
		}
		if n := l.folded.passed(line); !s.goOn(n) {
			break
		}
		if s.read > slowReads {
			l.slow()
		}
	}
	return nil
}

// isMuch reports whether the rest of the newest segment is slow to read.
func (l *Look) isMuch() bool {
	info, err := l.o.Root.Lstat(journal.Name)
	if err != nil {
		return false
	}
	left := info.Size() - l.folded.at.Offset
	return left > slowReads || left < 0 // of another segment
}

// passed advances over a folded line and the lines before it that are no entries. It
// returns the number of bytes.
func (f *folded) passed(line journal.Line) (n int64) {
	n = int64(len(line.JSON)) + 1
	next := line.Next()
	if next.Dev == f.at.Dev && next.Ino == f.at.Ino && next.Offset > f.at.Offset {
		n = next.Offset - f.at.Offset
	}
	f.at = next
	f.new += n
	f.tail = append(append(f.tail[:0], line.JSON[max(0, len(line.JSON)-markSize+1):]...), '\n')
	return n
}

func (f *folded) position() journal.Position {
	f.at.Before = string(f.tail)
	return f.at
}

// steps counts what is read and ends the reading in time.
type steps struct {
	ctx    context.Context
	until  time.Time
	limit  int64
	read   int64
	total  int64
	lines  int
	over   bool // reading ended too early
	report func(read, total int64)
}

func (l *Look) steps(ctx context.Context, until time.Time) steps {
	s := steps{ctx: ctx, until: until, report: l.o.Progress}
	if l.o.By == journal.Hook {
		s.limit = hookReads
	}
	if s.report != nil {
		s.total = l.o.Journal.Left(l.folded.at)
	}
	return s
}

func (s *steps) add(n int64) {
	s.lines++
	s.read += n
}

// due is true now and then, when it is time to read the clock. It reports progress.
func (s *steps) due() bool {
	const often, rarely = 32, 4096
	if s.report != nil && s.lines%rarely == 0 {
		s.report(s.read, s.total)
	}
	return s.lines%often == 0
}

// goOn counts a line of n bytes and reports whether there may be another.
func (s *steps) goOn(n int64) bool {
	s.add(n)
	s.over = s.limit > 0 && s.read >= s.limit ||
		s.due() && (s.ctx.Err() != nil || !s.until.IsZero() && time.Now().After(s.until))
	return !s.over
}

// StateName is the file in .oss with the state up to a position of the log. It makes a
// look quick; without it the look folds the log again.
const StateName = "workflow-state.json"

// maxState bounds that file, in bytes.
const maxState = 4 << 20

var errNoState = errors.New("no stored state")

// storing reports whether to write the state. A hook leaves it out after few new bytes:
// replacing a file costs more than folding some entries again.
func (l *Look) storing() bool {
	f := &l.folded
	return f.new > 0 && (l.o.By == journal.Command || f.new >= max(fewReads, int64(f.size/8)))
}

func (l *Look) store() error {
	if !l.storing() {
		return nil
	}
	f := &l.folded
	data := f.encode()
	if err := atomicfile.WriteRoot(l.o.Root, StateName, data, 0o600, atomicfile.Options{}); err != nil {
		return err
	}
	f.new, f.size = 0, len(data)
	return nil
}

// encode makes the file: one JSON object in one line.
func (f *folded) encode() []byte {
	var at, o logfmt.Object
	at.Str("segment", f.at.Segment).Str("dev", strconv.FormatUint(f.at.Dev, 10)).Str("ino", strconv.FormatUint(f.at.Ino, 10))
	at.Int("offset", f.at.Offset).Str("before", hex.EncodeToString(f.tail))
	head := o.Str("//", "derived from workflow.log; may be deleted").Raw("position", at.Bytes()).Bytes()
	b := make([]byte, 0, f.size+16<<10)
	b = append(append(b, head[:len(head)-1]...), beforeState...)
	return append(f.state.AppendJSON(b), "}\n"...)
}

// beforeState separates the position from the state, which is the last member and is
// read in place.
const beforeState = `,"state":`

// load reads the file that store wrote. After an error the log has to be folded again.
func (l *Look) load() (folded, error) {
	data, err := readRegular(l.o.Root, StateName, maxState)
	if err != nil {
		return folded{}, err
	}
	head, text, ok := bytes.Cut(data, []byte(beforeState))
	text, ended := bytes.CutSuffix(text, []byte("}\n"))
	head = append(head[:len(head):len(head)], '}')
	if !ok || !ended || !logfmt.Valid(head) {
		return folded{}, errNoState
	}
	f := folded{size: len(data)}
	at := gjson.GetBytes(head, "position")
	f.at = journal.Position{Segment: at.Get("segment").Str, Offset: at.Get("offset").Int()}
	f.at.Dev, _ = strconv.ParseUint(at.Get("dev").Str, 10, 64)
	f.at.Ino, _ = strconv.ParseUint(at.Get("ino").Str, 10, 64)
	f.tail, err = hex.DecodeString(at.Get("before").Str)
	if err != nil || len(f.tail) == 0 || len(f.tail) > markSize || f.at.Offset < int64(len(f.tail)) {
		return folded{}, errNoState
	}
	if f.state, err = state.Load(text, l.model, l.limits); err != nil {
		return folded{}, err
	}
	return f, nil
}

// readRegular reads a file of at most max bytes: no link, no pipe.
func readRegular(root *os.Root, name string, max int64) ([]byte, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || !os.SameFile(before, info) || info.Size() > max {
		return nil, errNoState
	}
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	return b[:n], nil
}
