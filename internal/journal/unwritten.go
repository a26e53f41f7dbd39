package journal

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"aburn/logfmt"
)

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
