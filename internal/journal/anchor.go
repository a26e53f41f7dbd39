package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"syscall"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
)

// anchor is what the file at Options.Anchor says of the log. logfmt/SPEC.md, section 11, has its
// bytes and rules.
//
// Invariants:
//   - Only a holder of the log's lock writes it, in place and with one write.
//   - It is written after the log, so it never names an entry that no write has put there.
//   - Only a command makes the file. A hook never does.
type anchor struct {
	begun     stamp
	first     logfmt.Seq // the first seq of the log when the anchor was made
	seq       logfmt.Seq // the newest numbered entry; 0 before the first
	at        stamp
	sum       [sha256.Size]byte // of its line
	accepted  logfmt.Seq        // the newest ACCEPTED entry
	unwritten uint64            // entries that failed since the last UNWRITTEN entry
	from, to  stamp             // of those
	reason    string            // of the last failure
}

// stamp is a time as the log has it. A hook copies it and never parses it.
type stamp [len(noTime)]byte

const (
	noTime     = "------------------------"
	timeForm   = "2006-01-02T15:04:05.000Z"
	anchorHead = "aburn anchor v1"
	anchorCRC  = " crc "
	anchorSize = 339
)

func stampOf(t time.Time) (s stamp) {
	copy(s[:], t.UTC().Format(timeForm))
	return s
}

// Time is the zero time without one.
func (s stamp) Time() time.Time {
	t, err := time.Parse(timeForm, string(s[:]))
	if err != nil {
		return time.Time{}
	}
	return t
}

// anchorFields calls f for each field of a, in the order of the file.
func (a *anchor) fields(f func(name string, value any)) {
	f(" begun ", &a.begun)
	f(" first ", (*uint64)(&a.first))
	f(" seq ", (*uint64)(&a.seq))
	f(" at ", &a.at)
	f(" sha256 ", &a.sum)
	f(" accepted ", (*uint64)(&a.accepted))
	f(" unwritten ", &a.unwritten)
	f(" from ", &a.from)
	f(" to ", &a.to)
	f(" reason ", &a.reason)
}

const reasonSize = 16

func (a *anchor) bytes() []byte {
	b := append(make([]byte, 0, anchorSize), anchorHead...)
	a.fields(func(name string, value any) {
		b = append(b, name...)
		switch v := value.(type) {
		case *stamp:
			b = append(b, v[:]...)
		case *uint64:
			b = appendDigits(b, *v)
		case *[sha256.Size]byte:
			b = hex.AppendEncode(b, v[:])
		case *string:
			b = append(append(b, *v...), "                "[len(*v):]...)
		}
	})
	sum := crc32.ChecksumIEEE(b)
	b = append(b, anchorCRC...)
	return append(hex.AppendEncode(b, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), '\n')
}

// appendDigits appends n with 16 digits, as many as logfmt.MaxSeq has.
func appendDigits(b []byte, n uint64) []byte {
	var d [16]byte
	for i := len(d) - 1; i >= 0; i-- {
		d[i] = '0' + byte(n%10)
		n /= 10
	}
	return append(b, d[:]...)
}

// errBadAnchor says that the anchor's file holds something else, or was cut.
var errBadAnchor = errors.New("the anchor is damaged")

func parseAnchor(b []byte) (a anchor, err error) {
	rest, ok := bytes.CutPrefix(b, []byte(anchorHead))
	if !ok || len(b) != anchorSize {
		return a, errBadAnchor
	}
	a.fields(func(name string, value any) {
		if rest, ok = bytes.CutPrefix(rest, []byte(name)); !ok {
			err = errBadAnchor
			return
		}
		n := 0
		switch v := value.(type) {
		case *stamp:
			n = copy(v[:], rest)
		case *uint64:
			n = 16
			*v, ok = digits(rest[:min(n, len(rest))])
		case *[sha256.Size]byte:
			n = 2 * len(v)
			_, herr := hex.Decode(v[:], rest[:min(n, len(rest))])
			ok = herr == nil
		case *string:
			n = reasonSize
			*v = string(bytes.TrimRight(rest[:min(n, len(rest))], " "))
		}
		if rest = rest[min(n, len(rest)):]; !ok {
			err = errBadAnchor
		}
	})
	if err == nil && !bytes.Equal(b, a.bytes()) { // the sum, and anything else that looks different
		err = errBadAnchor
	}
	return a, err
}

func digits(b []byte) (n uint64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + uint64(c-'0')
	}
	return n, true
}

// anchored is the anchor while its file is open, under the log's lock.
type anchored struct {
	anchor
	file fixedFile
	err  error // why there is none; nothing is written then
}

var errNoAnchor = errors.New("this user has not vouched for the project on this machine")

// openAnchor reads the anchor. The error is in the result: a log without an anchor is written all
// the same.
func (j *Journal) openAnchor() (a anchored) {
	if j.o.Anchor == "" {
		a.err = errNoAnchor
		return a
	}
	if a.file, a.err = openFixed(j.o.Anchor); a.err != nil {
		return a
	}
	var b [anchorSize + 1]byte
	n, err := a.file.ReadAt(b[:], 0)
	if n == 0 && err != nil {
		a.err = err
	} else {
		a.anchor, a.err = parseAnchor(b[:n])
	}
	if a.err != nil {
		a.file.Close()
	}
	return a
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
	_, err := a.file.WriteAt(a.bytes(), 0)
	return err
}

// advance makes line, of the entry seq, the newest one.
func (a *anchor) advance(seq logfmt.Seq, line []byte) {
	if seq == 0 {
		return
	}
	a.seq, a.sum = seq, sha256.Sum256(line)
	if i := len(`{"ts":"`); len(line) > i+len(a.at) {
		copy(a.at[:], line[i:]) // logfmt writes it first and in this form
	}
}

// fail counts entries that could not be written because of err.
func (a *anchored) fail(by By, entries []*logfmt.Entry, err error) {
	if a.err != nil || len(entries) == 0 || by == Command && relayed(err) {
		return
	}
	if a.unwritten == 0 {
		a.from = stampOf(entries[0].Time)
	}
	a.unwritten += uint64(len(entries))
	a.to = stampOf(entries[len(entries)-1].Time)
	a.reason = failure(err)
	a.write()
}

// relayed reports an error of a sandbox. `aburn log` then prints the entry, and a hook writes it.
func relayed(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// failure is a word for err, at most reasonSize bytes.
func failure(err error) string {
	switch {
	case DiskFull(err):
		return "disk full"
	case relayed(err):
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
	return Unwritten{a.unwritten, a.from.Time(), a.to.Time(), a.reason}
}

// tell returns entries, preceded by an UNWRITTEN entry if earlier ones could not be written.
func (a *anchored) tell(entries []*logfmt.Entry) []*logfmt.Entry {
	if a.err != nil || a.unwritten == 0 {
		return entries
	}
	var o logfmt.Object
	o.Int("entries", int64(a.unwritten)).Str("from", string(a.from[:])).Str("to", string(a.to[:])).Str("reason", a.reason)
	e := &logfmt.Entry{
		Time: entries[0].Time, Cmd: logfmt.SessionCmd, Event: logfmt.Unwritten,
		ID: NewID(), Source: "aburn", Data: o.Bytes(),
	}
	return append([]*logfmt.Entry{e}, entries...)
}

// told forgets what an UNWRITTEN entry has told.
func (a *anchor) told() {
	a.unwritten, a.reason = 0, ""
	copy(a.from[:], noTime)
	copy(a.to[:], noTime)
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
	var a anchor
	copy(a.at[:], noTime)
	a.told()
	a.begun, a.accepted, a.first = stampOf(now), accepted, 1
	for l, err := range j.Forward(Position{}) {
		if err != nil {
			return err
		}
		if h, ok := logfmt.ParseHeader(l.JSON); ok && h.Seq > 0 && !l.Carried {
			a.first = h.Seq
			break
		}
	}
	for l, err := range j.Backward(BackwardOptions{}) {
		if err != nil {
			return err
		}
		if e, err := logfmt.Parse(l.JSON); err == nil && e.Seq > 0 && !l.Carried {
			a.advance(e.Seq, l.JSON)
			a.at = stampOf(e.Time)
			break
		}
	}
	return atomicfile.Write(j.o.Anchor, a.bytes(), 0o600, atomicfile.Options{})
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
