package journal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"aburn/logfmt"
)

// This file is the part of Verify that compares the log with its anchor and with what a person
// has accepted.

// whyNot puts into words why a log has no anchor.
func whyNot(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the project has no anchor yet"
	case errors.Is(err, errNoAnchor), errors.Is(err, errBadAnchor):
		return err.Error()
	}
	return "its anchor cannot be written: " + err.Error()
}

// irregular finds names of the log and its segments that are no regular files. Nobody writes or
// reads those.
func (v *verifier) irregular(j *Journal) error {
	v.line, v.before = 0, time.Time{}
	dir, err := j.root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	for _, e := range entries {
		_, segment := segmentNumber(e.Name())
		if e.Name() != Name && !segment || e.Type().IsRegular() {
			continue
		}
		v.name = e.Name()
		what := "it is " + fileKind(e.Type())
		if !segment {
			what += ": hooks cannot write"
		}
		v.damage(0, NoFile, what)
	}
	return err
}

func fileKind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode.IsDir():
		return "a folder"
	}
	return "no regular file"
}

// compare looks at an own entry for what the anchor says of it.
func (v *verifier) compare(e *logfmt.Entry, line []byte, off int64) {
	if e.Seq == 0 || !v.report.Anchored {
		return
	}
	if uint64(e.Seq) == v.anchor.number(acceptedField) && e.Event == logfmt.Accepted {
		data := logfmt.ParseAccepted(e.Data)
		v.accepted, v.mark = &data, len(v.found)+v.more
	}
	if e.Seq != v.anchor.seq() || v.same || e.Edited {
		return
	}
	if sum := sha256.Sum256(line); hex.EncodeToString(sum[:]) == v.anchor.text(sumField) {
		v.same = true
	} else {
		f := v.finding(off, Changed, "entry "+text(e.Seq)+" is not the one that was written at "+v.anchor.text(atField))
		v.other = &f
	}
}

// number checks that seq follows the previous one.
func (v *verifier) number(seq logfmt.Seq, off int64) {
	last := v.report.Last
	switch {
	case v.report.First == 0:
		v.report.First = seq
		v.beginning(off)
	case seq <= last:
		v.damage(off, Duplicate, "seq "+text(seq)+" after "+text(last))
		return
	case seq > last+1:
		f := v.finding(off, Gap, "missing between "+text(last)+" and "+text(seq))
		f.Until = v.parsed.Time
		v.gaps = append(v.gaps, gap{logfmt.Range{First: last + 1, Last: seq - 1}, f})
	}
	v.report.Last = seq
}

func text(s logfmt.Seq) string { return strconv.FormatUint(uint64(s), 10) }

// named reports whether the ranges, which are few, together cover r.
func named(r logfmt.Range, ranges []logfmt.Range) bool {
	for next := r.First; ; {
		before := next
		for _, x := range ranges {
			if x.First <= next && next <= x.Last {
				next = x.Last + 1
			}
		}
		if next > r.Last {
			return true
		}
		if next == before {
			return false
		}
	}
}

// beginning is called at the first numbered entry.
func (v *verifier) beginning(off int64) {
	if first, once := v.report.First, logfmt.Seq(v.anchor.number(firstField)); v.report.Anchored && first > once {
		f := v.finding(off, Missing, "the log begins with "+text(first)+", and once began with "+text(once))
		f.Until = v.parsed.Time
		v.gaps = append(v.gaps, gap{logfmt.Range{First: once, Last: first - 1}, f})
	}
}

// judge sorts the findings into damage and notes. It runs last, because the CHECKPOINT that names
// a gap follows it.
func (v *verifier) judge() {
	v.countDropped()
	v.end()
	var gone []logfmt.Range
	for _, g := range v.gaps {
		switch {
		case named(g.missing, v.dropped):
			continue
		case v.accepted != nil && named(g.missing, v.accepted.Missing):
			v.acceptedNote(g.at)
		default:
			v.keep(&v.report.Damage, g.at)
		}
		if len(gone) < maxFindings {
			gone = append(gone, g.missing)
		} else {
			gone[len(gone)-1].Last = g.missing.Last
		}
	}
	known := 0
	if v.accepted != nil && v.mark <= v.accepted.Damage {
		known = v.mark
	}
	for i, f := range v.found {
		if i < known {
			v.acceptedNote(f)
		} else {
			v.keep(&v.report.Damage, f)
		}
	}
	v.report.accepted = logfmt.AcceptedData{Missing: gone, Damage: v.lines, Changed: v.judgeSealed()}
	v.report.Left += v.more
	v.order(v.report.Damage)
	v.order(v.report.Notes)
}

// order sorts findings by place. What is about a whole segment comes after its lines.
func (v *verifier) order(list []Finding) {
	at := make(map[string]int)
	for i, s := range v.report.Segments {
		at[s.Name] = i
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(at[a.Segment], at[b.Segment]), cmp.Compare(uint(a.Line)-1, uint(b.Line)-1))
	})
}

func (v *verifier) acceptedNote(f Finding) {
	f.Text += "; accepted"
	v.keep(&v.report.Notes, f)
}

// end compares the end of the log with the anchor.
func (v *verifier) end() {
	seq, last := v.anchor.seq(), v.report.Last
	if !v.report.Anchored {
		return
	}
	v.name = Name
	switch {
	case seq > last && last == 0:
		f := v.finding(0, Missing, "no numbered entry is left; the log had reached "+text(seq)+" at "+v.anchor.text(atField))
		v.gaps = append(v.gaps, gap{logfmt.Range{First: logfmt.Seq(v.anchor.number(firstField)), Last: seq}, f})
	case seq > last:
		f := v.finding(0, Missing, "the log ends with "+text(last)+", and had reached "+text(seq)+" at "+v.anchor.text(atField)+
			": somebody cut it off, or a power cut took what was not yet on the disk")
		v.gaps = append(v.gaps, gap{logfmt.Range{First: last + 1, Last: seq}, f})
	case v.other != nil && !v.same:
		v.add(*v.other)
	}
	v.compareCover()
	if u := v.anchor.lost(); u.Entries > 0 {
		v.lines++ // the entry that will tell it
		many := " entries"
		if u.Entries == 1 {
			many = " entry"
		}
		f := v.finding(0, Lost, strconv.FormatUint(u.Entries, 10)+many+" could not be written: "+u.Reason)
		f.Since, f.Until = u.From, u.To
		v.add(f)
	}
}
