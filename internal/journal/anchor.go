package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// anchor is the content of the file at Options.Anchor: what it says of the log. logfmt/SPEC.md,
// section 11, has its bytes and rules. It stays in its text form, of which an append changes four
// fields in place. None of it is parsed that an append does not need.
//
// Invariants:
//   - Only a holder of the log's lock writes it, in place and with one write.
//   - It is written after the log, so it never names an entry that no write has put there.
//   - Only a command makes the file. A hook never does.
type anchor [anchorSize]byte

// field is a place in an anchor.
type field struct{ from, to int }

const (
	anchorForm = "aburn anchor v1 begun " + noTime + " first " + noNumber + " seq " + noNumber + " at " + noTime +
		" sha256 " + noSum + " accepted " + noNumber + " unwritten " + noNumber + " from " + noTime + " to " + noTime +
		" reason " + noReason + " crc 00000000\n"
	anchorSize = len(anchorForm)

	noTime   = "------------------------"
	noNumber = "0000000000000000" // as many digits as logfmt.MaxSeq has
	noSum    = noNumber + noNumber + noNumber + noNumber
	noReason = "                "
	timeForm = "2006-01-02T15:04:05.000Z"
)

// The fields, by what stands before them in anchorForm.
var (
	begunField     = field{22, 46}
	firstField     = field{53, 69} // the first seq of the log when the anchor was made
	seqField       = field{74, 90} // the newest numbered entry; 0 before the first
	atField        = field{94, 118}
	sumField       = field{126, 190} // of that entry's line
	acceptedField  = field{200, 216} // the newest ACCEPTED entry
	unwrittenField = field{227, 243} // entries that failed since the last UNWRITTEN entry
	fromField      = field{249, 273}
	toField        = field{277, 301}
	reasonField    = field{309, 325} // of the last failure
	crcField       = field{330, 338}
)

// errBadAnchor says that the anchor's file holds something else, or was cut.
var errBadAnchor = errors.New("the anchor is damaged")

// valid compares the sum and the version.
func (a *anchor) valid() bool {
	before := a.text(crcField)
	a.seal()
	return a.text(crcField) == before && string(a[:begunField.from]) == anchorForm[:begunField.from]
}

// seal sets the sum.
func (a *anchor) seal() {
	var sum [4]byte
	binary.BigEndian.PutUint32(sum[:], logfmt.Sum(a[:crcField.from-len(" crc ")]))
	hex.Encode(a[crcField.from:crcField.to], sum[:])
}

func (a *anchor) text(f field) string { return string(a[f.from:f.to]) }

// set replaces a field by s, cut or filled with blanks.
func (a *anchor) set(f field, s string) {
	n := copy(a[f.from:f.to], s)
	copy(a[f.from+n:f.to], noReason)
}

func (a *anchor) number(f field) (n uint64) {
	for _, c := range a[f.from:f.to] {
		n = 10*n + uint64(c-'0')
	}
	return n
}

func (a *anchor) setNumber(f field, n uint64) {
	for i := f.to - 1; i >= f.from; i-- {
		a[i] = '0' + byte(n%10)
		n /= 10
	}
}

// time is the zero time without one.
func (a *anchor) time(f field) time.Time {
	t, err := time.Parse(timeForm, a.text(f))
	if err != nil {
		return time.Time{}
	}
	return t
}

func (a *anchor) setTime(f field, t time.Time) { a.set(f, t.UTC().Format(timeForm)) }

func (a *anchor) seq() logfmt.Seq { return logfmt.Seq(a.number(seqField)) }

// anchored is the anchor while its file is open, under the log's lock.
type anchored struct {
	anchor
	file fixedFile
	err  error // why there is none; nothing is written then
}

var errNoAnchor = errors.New("this user has not vouched for the project on this machine")

// openAnchor reads the anchor. The error is in the result: a log without an anchor is written all
// the same.
func (j *Journal) openAnchor() *anchored {
	if j.scratch == nil {
		j.scratch = new(scratch)
	}
	a := &j.scratch.anchor
	a.err = a.open(j.o.Anchor)
	return a
}

func (a *anchored) open(path string) (err error) {
	copy(a.anchor[:], anchorForm)
	if path == "" {
		return errNoAnchor
	}
	if a.file, err = openFixed(path); err != nil {
		return err
	}
	n, err := a.file.ReadAt(a.anchor[:], 0)
	if n == anchorSize && a.valid() {
		return nil
	}
	a.file.Close()
	copy(a.anchor[:], anchorForm)
	if n > 0 || err == nil || err == io.EOF {
		return errBadAnchor
	}
	return err
}

func (a *anchored) close() {
	if a.err == nil {
		a.file.Close()
	}
}

// write replaces the file's content. If that fails the anchor stays behind the log, as a lower
// bound may.
func (a *anchored) write() error {
	if a.err != nil {
		return a.err
	}
	a.seal()
	_, err := a.file.WriteAt(a.anchor[:], 0)
	return err
}

// advance makes line, of the entry seq, the newest one.
func (a *anchor) advance(seq logfmt.Seq, line []byte) {
	if seq == 0 {
		return
	}
	sum := sha256.Sum256(line)
	a.setNumber(seqField, uint64(seq))
	hex.Encode(a[sumField.from:sumField.to], sum[:])
	copy(a[atField.from:atField.to], line[min(len(`{"ts":"`), len(line)):]) // logfmt writes ts first and in this form
}

// fail counts entries that could not be written because of err.
func (a *anchored) fail(by By, entries []*logfmt.Entry, err error) {
	if a.err != nil || len(entries) == 0 || by == Command && ReadOnly(err) {
		return
	}
	before := a.number(unwrittenField)
	if before == 0 {
		a.setTime(fromField, entries[0].Time)
	}
	a.setNumber(unwrittenField, before+uint64(len(entries)))
	a.setTime(toField, entries[len(entries)-1].Time)
	a.set(reasonField, failure(err))
	a.write()
}

// ReadOnly reports an error of a process that may not write here, most likely because of an agent's sandbox. `aburn log` then prints
// the entry, and a hook writes it.
func ReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// failure is a word for err, at most reasonSize bytes.
func failure(err error) string {
	switch {
	case DiskFull(err):
		return "disk full"
	case ReadOnly(err):
		return "denied"
	case errors.Is(err, ErrNotRegular):
		return "no regular file"
	}
	return "other"
}

// Unwritten is what the anchor counts since the last UNWRITTEN entry: a lower bound of what is lost.
type Unwritten struct {
	Entries  uint64
	From, To time.Time // of the first and the last of them
	Reason   string    // of the last failure
}

// Unwritten returns what could not be written and what no entry tells yet.
func (j *Journal) Unwritten() Unwritten {
	a := j.openAnchor()
	a.close()
	return a.lost()
}

func (a *anchor) lost() Unwritten {
	return Unwritten{a.number(unwrittenField), a.time(fromField), a.time(toField), strings.TrimRight(a.text(reasonField), " ")}
}

// tell returns entries, preceded by an UNWRITTEN entry if earlier ones could not be written.
func (a *anchored) tell(entries []*logfmt.Entry) []*logfmt.Entry {
	if a.err != nil || a.number(unwrittenField) == 0 {
		return entries
	}
	u := a.lost()
	var o logfmt.Object
	o.Int("entries", int64(u.Entries)).Str("from", a.text(fromField)).Str("to", a.text(toField)).Str("reason", u.Reason)
	e := &logfmt.Entry{
		Time: entries[0].Time, Cmd: logfmt.SessionCmd, Event: logfmt.Unwritten,
		ID: NewID(), Source: "aburn", Data: o.Bytes(),
	}
	return append([]*logfmt.Entry{e}, entries...)
}

// told forgets what an UNWRITTEN entry has told.
func (a *anchor) told() {
	from, to := unwrittenField.from, reasonField.to
	copy(a[from:to], anchorForm[from:to])
}

// BeginAnchor makes the anchor if its file does not exist, and reports whether it did. The log
// counts as whole as it is now. It does nothing without Options.Anchor.
func (j *Journal) BeginAnchor(now time.Time) (made bool, err error) {
	if j.o.Anchor == "" {
		return false, nil
	}
	a := j.openAnchor()
	a.close()
	if !errors.Is(a.err, fs.ErrNotExist) {
		return false, nil // there, or there is something that only Accept may replace
	}
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if err != nil {
		return false, fmt.Errorf("anchor: %w", err)
	}
	defer lock.Release()
	a = j.openAnchor() // another process may have made it
	a.close()
	if !errors.Is(a.err, fs.ErrNotExist) {
		return false, nil
	}
	err = j.makeAnchor(0, now)
	return err == nil, err
}

// makeAnchor writes an anchor for the log as it is. The caller holds the lock.
func (j *Journal) makeAnchor(accepted logfmt.Seq, now time.Time) error {
	a := anchor([]byte(anchorForm))
	a.setTime(begunField, now)
	a.setNumber(firstField, 1)
	a.setNumber(acceptedField, uint64(accepted))
	for l, err := range j.Forward(Position{}) {
		if err != nil {
			return err
		}
		if h, ok := logfmt.ParseHeader(l.JSON); ok && h.Seq > 0 && !l.Carried {
			a.setNumber(firstField, uint64(h.Seq))
			break
		}
	}
	for l, err := range j.Backward(BackwardOptions{}) {
		if err != nil {
			return err
		}
		if e, err := logfmt.Parse(l.JSON); err == nil && e.Seq > 0 && !l.Carried {
			a.advance(e.Seq, l.JSON)
			a.setTime(atField, e.Time)
			break
		}
	}
	a.seal()
	return atomicfile.Write(j.o.Anchor, a[:], 0o600, atomicfile.Options{})
}

// errUnnumbered says that the log could not be read far enough back to number an entry.
var errUnnumbered = errors.New("the entry could not be numbered")

// Accept appends an ACCEPTED entry for the damage in r, which Verify found, and makes the anchor
// anew. From then on that damage is a note.
func (j *Journal) Accept(r Report, now time.Time) error {
	if j.o.Anchor == "" {
		return errNoAnchor
	}
	receipt, err := j.Append(func(Tail) []*logfmt.Entry {
		return []*logfmt.Entry{{
			Time: now, Cmd: logfmt.SessionCmd, Event: logfmt.Accepted, Source: "aburn", Data: r.accepted.Bytes(),
		}}
	})
	if err != nil {
		return err
	}
	seq := receipt.Entries[0].Seq
	if seq == 0 {
		return errUnnumbered
	}
	lock, err := lockfile.Acquire(j.root, LockName, j.o.Wait)
	if err != nil {
		return fmt.Errorf("anchor: %w", err)
	}
	defer lock.Release()
	return j.makeAnchor(seq, now)
}
