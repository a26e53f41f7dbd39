package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"time"

	"aburn/logfmt"
)

// anchor is the content of the file at Options.Anchor: what it says of the log. logfmt/SPEC.md,
// section 11, has its bytes and rules. It stays in its text form, of which an append changes a few
// fields in place. None of it is parsed that an append does not need.
//
// Invariants:
//   - Only a holder of the log's lock writes it, in place and with one write.
//   - It is written after the log, so it never names an entry that no write has put there.
//   - Its place never goes back, and its hash is continued, never computed from what stands before the
//     place: no append hides a change of what was covered.
//   - Only a command makes the file. A hook never does.
type anchor [anchorSize]byte

// field is a place in an anchor.
type field struct{ from, to int }

const (
	anchorForm = "aburn anchor v1 begun " + noTime + " first " + noNumber + " ours " + noNumber + " seq " + noNumber + " at " + noTime +
		" sha256 " + noSum + " file " + noNumber + " size " + noNumber + " hash " + noSum + " broke " + noNumber + " written " + noTime +
		" found " + noTime + " accepted " + noNumber + " unwritten " + noNumber + " from " + noTime + " to " + noTime +
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
	firstField     = field{53, 69}  // the first seq of the log when the anchor was made
	oursField      = field{75, 91}  // the first seq after the anchor was first made
	seqField       = field{96, 112} // the newest numbered entry; 0 before the first
	atField        = field{116, 140}
	sumField       = field{148, 212} // of that entry's line
	fileField      = field{218, 234} // the place: the segment's inode in hex,
	sizeField      = field{240, 256} // how many of its bytes are covered,
	hashField      = field{262, 326} // and the hash of the lines in them
	brokeField     = field{333, 349} // the entry that a writer missed, or that was the newest when it missed the place
	writtenField   = field{358, 382} // its ts
	foundField     = field{389, 413} // when the writer missed it; noTime = nobody did
	acceptedField  = field{423, 439} // the newest ACCEPTED entry
	unwrittenField = field{450, 466} // entries that failed since the last UNWRITTEN entry
	fromField      = field{472, 496}
	toField        = field{500, 524}
	reasonField    = field{532, 548} // of the last failure
	crcField       = field{553, 561}
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

var errNoAnchor = errors.New("this user has not trusted the project on this machine")

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

// follow makes the anchor follow an append to f, whose last entry is e. at says where the place was
// before.
func (a *anchored) follow(at where, f *segmentFile, w written, e *logfmt.Entry, limit int64) {
	switch at {
	case here:
		l := a.place()
		a.absorb(f, &l, w.own, w.end, limit)
		a.advance(e.Seq, w.line)
	case lost:
		a.lose(e.Time)
		a.advance(e.Seq, w.line)
	}
	a.write()
}

// absorbs is how many bytes of others an append may read to move the anchor's place.
func (j *Journal) absorbs() int64 {
	if j.o.By == Command {
		return math.MaxInt64
	}
	return hookAbsorb
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
