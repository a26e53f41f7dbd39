package vectors

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"testing"

	"aburn/logfmt"
)

// reader is the format read as simply as one can: line by line, in memory.
type reader struct {
	found, reads, carried []string
	last                  logfmt.Seq
	first                 bool
	ids                   map[string]logfmt.Seq
	dropped               []logfmt.Range
	gaps                  []logfmt.Range
	paired                bool
	block                 logfmt.Block
	anchor                *Anchor
	begun                 bool // a numbered entry was met
	anchored              string
	start                 logfmt.Range // missing before the first numbered entry
	own                   logfmt.Seq   // the first own number
	size                  int64        // of the lines before this one
	pending, good         []string     // carried lines of the block that is open, and those with a crc that matches
	sum                   []byte       // those lines
	carrying              int          // how many there should be; -1 = no block is open
}

func read(log []byte, anchor *Anchor) *reader {
	r := &reader{anchor: anchor, ids: map[string]logfmt.Seq{}, first: true, carrying: -1}
	rest := string(log)
	for {
		line, tail, ok := strings.Cut(rest, "\n")
		if !ok {
			break
		}
		r.line([]byte(line))
		r.first, rest = false, tail
		r.size += int64(len(line) + 1)
	}
	if rest != "" {
		r.found = append(r.found, "torn tail")
	}
	r.torn()
	r.place(log)
	for _, g := range r.gaps {
		if !r.named(g) {
			r.found = append(r.found, "gap")
		}
	}
	r.end()
	slices.Sort(r.found)
	return r
}

func (r *reader) line(line []byte) {
	carried := r.block.Step(line)
	was := r.paired
	r.paired = false
	switch logfmt.Classify(line) {
	case logfmt.Damage:
		r.found = append(r.found, "bad line")
	case logfmt.Comment:
		switch {
		case r.first && strings.Contains(string(line), "# aburn workflow log v2"):
			r.found = append(r.found, "newer")
		case !r.first && !was:
			r.found = append(r.found, "orphan")
		}
	case logfmt.EntryLine:
		e, err := logfmt.Parse(line)
		if err == nil {
			err = logfmt.Check(line)
		}
		if r.paired = err == nil; !r.paired {
			r.found = append(r.found, "bad line")
		} else if carried {
			r.sum = append(append(r.sum, line...), '\n')
			r.pending = append(r.pending, word(&e))
			if !e.Edited && strings.Contains(string(line), `,"crc":"`) {
				r.good = append(r.good, word(&e))
			}
		} else {
			r.checkpoint(&e)
			r.entry(&e)
			r.compare(&e, line)
		}
	}
}

// checkpoint opens and closes blocks.
func (r *reader) checkpoint(e *logfmt.Entry) {
	c, ok := logfmt.ParseCheckpoint(e.Data)
	if ok = ok && e.Event == logfmt.Checkpoint; !ok || !c.Closing {
		r.torn()
	}
	switch {
	case ok && !c.Closing && e.Seq > 0:
		r.pending, r.good, r.sum, r.carrying = nil, nil, nil, c.Carried
	case ok && c.Closing:
		if n := strings.Count(string(r.sum), "\n"); n == r.carrying && n == c.Carried && sha256.Sum256(r.sum) == c.Sum {
			r.carried = append(r.carried, r.pending...)
		} else {
			r.found = append(r.found, "changed")
		}
		r.pending, r.good, r.carrying = nil, nil, -1
	}
}

// torn ends a block without its closing CHECKPOINT.
func (r *reader) torn() {
	r.carried = append(r.carried, r.good...)
	r.pending, r.good, r.carrying = nil, nil, -1
}

// place looks for the anchor's place.
func (r *reader) place(log []byte) {
	if r.anchor == nil || r.anchor.Seq > uint64(r.last) || r.anchored != "" {
		return
	}
	var hash [32]byte
	size := int64(0)
	for line := range bytes.Lines(log) {
		if size == r.anchor.Size || !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		size += int64(len(line))
		hash = sha256.Sum256(append(hash[:], line...))
	}
	if size != r.anchor.Size || hash != r.anchor.Hash {
		r.anchored = "changed"
	}
}

// compare looks at an entry for the anchor's sake.
func (r *reader) compare(e *logfmt.Entry, line []byte) {
	if r.anchor == nil || e.Seq == 0 {
		return
	}
	if !r.begun && uint64(e.Seq) > r.anchor.First {
		r.start = logfmt.Range{First: logfmt.Seq(r.anchor.First), Last: e.Seq - 1}
	}
	r.begun = true
	if uint64(e.Seq) == r.anchor.Seq && sha256.Sum256(line) != r.anchor.Sum {
		r.anchored = "changed"
	}
}

// end compares with the anchor what only the whole log tells.
func (r *reader) end() {
	if r.start.Last > 0 && !r.named(r.start) {
		r.found = append(r.found, "missing")
	}
	if r.anchor != nil && r.anchor.Seq > uint64(r.last) {
		r.found = append(r.found, "missing")
	} else if r.anchored != "" {
		r.found = append(r.found, r.anchored)
	}
}

func (r *reader) entry(e *logfmt.Entry) {
	if e.Edited {
		r.found = append(r.found, "edited")
	}
	if e.Event == logfmt.Unwritten {
		r.found = append(r.found, "unwritten")
	}
	if e.Seq > 0 && r.own == 0 {
		r.own = e.Seq
	}
	if c, ok := logfmt.ParseCheckpoint(e.Data); ok && e.Event == logfmt.Checkpoint && e.Seq > 0 {
		if r.anchor == nil {
			r.dropped = append(r.dropped, c.DroppedBefore(r.own)...)
		} else if !c.Closing && r.size < r.anchor.Size {
			r.dropped = c.DroppedBefore(r.own)
		}
	}
	seq, again := r.ids[e.ID]
	if again = again && e.ID != ""; again && (e.Seq == 0 || e.Seq != seq) {
		r.found = append(r.found, "repeat")
	} else if !again {
		r.ids[e.ID] = e.Seq
		r.reads = append(r.reads, word(e))
	}
	switch {
	case e.Seq == 0:
		return
	case r.last > 0 && e.Seq <= r.last:
		r.found = append(r.found, "duplicate")
		return
	case r.last > 0 && e.Seq > r.last+1:
		r.gaps = append(r.gaps, logfmt.Range{First: r.last + 1, Last: e.Seq - 1})
	}
	r.last = e.Seq
}

func (r *reader) named(g logfmt.Range) bool {
	for seq := g.First; seq <= g.Last; seq++ {
		if !slices.ContainsFunc(r.dropped, func(d logfmt.Range) bool { return d.First <= seq && seq <= d.Last }) {
			return false
		}
	}
	return true
}

func word(e *logfmt.Entry) string {
	w := e.Cmd
	if e.Phase != "" {
		w += ":" + e.Phase
	}
	w += ":" + string(e.Event)
	if e.Wt != "" {
		w += "@" + e.Wt
	}
	if e.Agent != nil {
		w += "*" + e.Agent.Type
	}
	return w
}

func TestVectors(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 70 {
		t.Fatalf("only %d vectors", len(all))
	}
	seen := map[string]bool{}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			r := read(v.Raw, v.Anchor)
			if !slices.Equal(r.found, v.Expect) {
				t.Errorf("found %q, expect %q", r.found, v.Expect)
			}
			if !slices.Equal(r.reads, v.Reads) {
				t.Errorf("read %q, want %q", r.reads, v.Reads)
			}
			if !slices.Equal(r.carried, v.Carried) {
				t.Errorf("carried %q, want %q", r.carried, v.Carried)
			}
		})
		kind := "ok"
		if len(v.Expect) > 0 {
			kind = v.Expect[0]
		}
		for _, k := range append(v.Expect, kind) {
			seen[k] = true
		}
		if !strings.HasPrefix(v.Name, strings.ReplaceAll(kind, " ", "-")) && !anyPrefix(v) {
			t.Errorf("%s is named after none of its findings %q", v.Name, v.Expect)
		}
	}
	for _, kind := range []string{"ok", "bad line", "torn tail", "gap", "duplicate", "edited", "missing", "changed", "unwritten", "orphan", "repeat", "newer"} {
		if !seen[kind] {
			t.Errorf("no vector for %q", kind)
		}
	}
}

func anyPrefix(v Vector) bool {
	return slices.ContainsFunc(v.Expect, func(kind string) bool {
		return strings.HasPrefix(v.Name, strings.ReplaceAll(kind, " ", "-"))
	})
}

func TestHeaderIsStrict(t *testing.T) {
	for header, why := range map[string]string{
		"expect: ok\nentries: 0\n# c\n":                   "no blank line",
		"expect: ok\nentries: 0\nsize: 5\n# c\n\n":        "unknown header line",
		"expect: broken\nentries: 0\n# c\n\n":             "unknown finding",
		"expect: ok\nentries: 1\n# c\n\n":                 "reads: names 0",
		"expect: ok\nentries: one\nreads: a:B\n# c\n\n":   "invalid syntax",
		"expect: ok\nentries: 0\n\n":                      "no comment",
		"expect: ok\nentries: 1\nreads: a:B c:D\n# c\n\n": "reads: names 2",
		"entries: 1\nreads: a:B\n# c\n\n":                 "unknown finding",
	} {
		if _, err := parse("x", []byte(header)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %s", header, err, why)
		}
	}
}
