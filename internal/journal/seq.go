package journal

import (
	"aburn/logfmt"
)

// nextSeq is the number of the next entry; 0 when the tail holds entries but no
// number (another tool's) and a hook may not search further.
func (j *Journal) nextSeq(f *segmentFile, t Tail) logfmt.Seq {
	entries := false
	for line := range t.Backward() {
		h, ok := logfmt.ParseHeader(line)
		if ok && h.Seq > 0 {
			return after(max(h.Seq, j.tornBlockSeq(f, &h)))
		}
		entries = entries || ok
	}
	if t.s.err != nil {
		return 0
	}
	if !entries && f.size() <= TailSize {
		return 1
	}
	if j.o.By != Command {
		return 0
	}
	return after(j.searchSeq())
}

// after is the seq that follows s; none after the last one.
func after(s logfmt.Seq) logfmt.Seq {
	if s >= logfmt.MaxSeq {
		return 0
	}
	return s + 1
}

// tornBlockSeq is the seq of the CHECKPOINT that opens f's block, if the newest
// numbered entry h could stand in it. When the rotator was killed inside
// its write the newest line is a carried one, with an old number.
func (j *Journal) tornBlockSeq(f *segmentFile, h *logfmt.Header) logfmt.Seq {
	if !logfmt.Event(h.Event).Lifecycle() {
		return 0
	}
	return blockOf(f).seq
}

// searchSeq is the newest seq anywhere in the log, 0 if there is none.
func (j *Journal) searchSeq() logfmt.Seq {
	for l, err := range j.Backward(BackwardOptions{}) {
		if err != nil {
			return 0
		}
		if h, ok := logfmt.ParseHeader(l.JSON); ok && h.Seq > 0 {
			return h.Seq
		}
	}
	return 0
}
