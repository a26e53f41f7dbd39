package contents

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"aburn/trace"
)

// Query is words of which a text must hold all, whatever their case.
type Query struct {
	words  []string
	anchor anchor
}

// NewQuery returns the query of a text; nil if it has no word that can be searched for.
func NewQuery(text string) *Query {
	q := &Query{words: strings.Fields(strings.ToLower(text))}
	longest := ""
	for _, w := range q.words {
		if part := plainest(w); len(part) > len(longest) {
			longest = part
		}
	}
	if len(longest) < minAnchor {
		return nil
	}
	q.anchor = newAnchor(longest)
	return q
}

// Match reports whether a text holds all words, and where the first of them stands in it.
func (q *Query) Match(text string) (at, length int, ok bool) {
	low := strings.ToLower(text)
	for i, w := range q.words {
		n := strings.Index(low, w)
		if n < 0 {
			return 0, 0, false
		}
		if i == 0 {
			at, length = n, len(w)
		}
	}
	if len(low) != len(text) { // other cases of some letters have other lengths
		at, length = 0, 0
	}
	return at, length, true
}

// minAnchor is the length of the shortest word that is searched for.
const minAnchor = 2

// plainest is the longest part of a word that stands in JSON as it is: no quote, no backslash, nothing that some writers escape.
// Letters beyond ASCII count only where a word has no others.
func plainest(word string) string {
	best, from := "", 0
	for i := 0; i <= len(word); i++ {
		if i < len(word) && word[i] > ' ' && word[i] < 0x7f && !strings.ContainsRune(`"\/<>&'`, rune(word[i])) {
			continue
		}
		if i-from > len(best) {
			best = word[from:i]
		}
		from = i + 1
	}
	if best == "" && !strings.ContainsAny(word, `"\/<>&'`) {
		return word
	}
	return best
}

// anchor finds a word in bytes, whatever the case of its ASCII letters. It looks for its rarest letter, at memory speed.
type anchor struct {
	word         []byte // in lower case
	rare         int    // the place of the rarest letter
	lower, upper byte
}

// common are the bytes of programs and prose, the most frequent first.
const common = ` etaoinsrlcdmupfghbyw"_.-,:(0v1{}k)2=x/;5364'7898j*zq`

func newAnchor(word string) anchor {
	a := anchor{word: []byte(word)}
	rarest := -1
	for i := range len(word) {
		n := strings.IndexByte(common, word[i])
		if n < 0 {
			n = len(common)
		}
		if n > rarest {
			rarest, a.rare = n, i
		}
	}
	a.lower = word[a.rare]
	a.upper = a.lower
	if 'a' <= a.lower && a.lower <= 'z' {
		a.upper -= 'a' - 'A'
	}
	return a
}

// index is where the word stands first in b, -1 if nowhere.
func (a *anchor) index(b []byte) int {
	low, up := -1, -1
	for from := 0; from < len(b); {
		if low < from {
			low = next(b, from, a.lower)
		}
		if a.upper == a.lower {
			up = len(b)
		} else if up < from {
			up = next(b, from, a.upper)
		}
		at := min(low, up)
		if at >= len(b) {
			return -1
		}
		if start := at - a.rare; start >= 0 && start+len(a.word) <= len(b) && a.equal(b[start:start+len(a.word)]) {
			return start
		}
		from = at + 1
	}
	return -1
}

func next(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

func (a *anchor) equal(b []byte) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != a.word[i] {
			return false
		}
	}
	return true
}

// Hit is a text that holds all words of a query.
type Hit struct {
	Event int // its number in the trace
	Text  []byte
}

// maxRecords bounds the records of one session that are looked into. Others are counted in Searched.More.
const maxRecords = 400

// Searched says what a search of one session looked at.
type Searched struct {
	Bytes int64
	More  int // records that hold the rarest word and were not looked into
}

// Search finds the texts of a session whose records are lines, and that hold all words of q. It scans the session's file as it is,
// and only where the longest word stands it asks for the trace, and proves and gives the texts of these records. A file that is
// gone has none.
func Search(ctx context.Context, q *Query, path string, load func() (*trace.SessionTrace, From, error), each func(Hit)) (s Searched, err error) {
	at := map[int64]bool{}
	if err := q.scan(ctx, path, at, &s); err != nil || len(at) == 0 {
		return s, err
	}
	t, from, err := load()
	if err != nil {
		return s, err
	}
	var wants []Want
	var events []int
	for i := range t.Events {
		e := &t.Events[i]
		if e.Ref.File != 0 || e.Ref.Table != "" || !at[e.Ref.Offset] || e.Copied != "" {
			continue
		}
		if w, ok := Of(t, e); ok {
			wants, events = append(wants, w), append(events, e.Seq)
		}
	}
	for len(wants) > 0 { // in parts, so that few texts are held at once
		n := min(len(wants), maxRecords/4)
		got, err := Read(ctx, from, wants[:n])
		if err != nil {
			return s, err
		}
		for i, c := range got {
			if c.State != Proved {
				continue
			}
			if _, _, ok := q.Match(string(c.Text)); ok {
				each(Hit{events[i], c.Text})
			}
		}
		wants, events = wants[n:], events[n:]
	}
	return s, nil
}

// SearchRows is Search for sessions whose records are rows of the store at path. It opens the store once for all of them, and reads
// every row. each is told which of the traces has the text.
func SearchRows(ctx context.Context, q *Query, path string, rows Rows, traces []*trace.SessionTrace, each func(i int, h Hit)) (s Searched, err error) {
	type place struct{ trace, event int }
	var refs []trace.Ref
	var places [][]place
	known := map[trace.Ref]int{}
	for i, t := range traces {
		for k := range t.Events {
			e := &t.Events[k]
			if w, ok := Of(t, e); !ok || e.Copied != "" || w.Digest.Length < int64(len(q.anchor.word)) {
				continue
			}
			at, seen := known[e.Ref]
			if !seen {
				at = len(refs)
				known[e.Ref] = at
				refs, places = append(refs, e.Ref), append(places, nil)
			}
			places[at] = append(places[at], place{i, k})
		}
	}
	err = rows(ctx, path, refs, func(at int, record []byte, err error) {
		s.Bytes += int64(len(record))
		if err != nil || q.anchor.index(record) < 0 {
			return
		}
		for _, p := range places[at] {
			e := &traces[p.trace].Events[p.event]
			w, _ := Of(traces[p.trace], e)
			text := Find(record, []trace.Digest{w.Digest})[0]
			if _, _, ok := q.Match(string(text)); text != nil && ok {
				each(p.trace, Hit{e.Seq, text})
			}
		}
	})
	return s, err
}

// scanChunk is how much of a file is read at once.
const scanChunk = 1 << 20

// chunks holds buffers of files that were scanned: most files are smaller than one.
var chunks sync.Pool

// longestAnchor is the room for most anchors beside a chunk.
const longestAnchor = 200

// scan notes in at where the lines begin that hold the anchor.
func (q *Query) scan(ctx context.Context, path string, at map[int64]bool, s *Searched) error {
	f, err := Open(path, "")
	if err != nil {
		return err
	}
	defer f.Close()
	held, _ := chunks.Get().(*[]byte)
	if held == nil {
		held = new([]byte)
	}
	buf := *held
	if cap(buf) < scanChunk+len(q.anchor.word) {
		buf = make([]byte, 0, scanChunk+len(q.anchor.word)+longestAnchor)
	}
	buf = buf[:0]
	defer func() {
		*held = buf
		chunks.Put(held)
	}()
	line := int64(0)   // where the current line begins
	offset := int64(0) // of buf[0]
	noted := int64(-1) // the line that was noted last
	for ctx.Err() == nil {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		s.Bytes += int64(n)
		for from := 0; ; {
			hit := q.anchor.index(buf[from:])
			end := len(buf)
			if hit >= 0 {
				end = from + hit
			}
			if last := bytes.LastIndexByte(buf[from:end], '\n'); last >= 0 {
				line = offset + int64(from+last) + 1
			}
			if hit < 0 {
				break
			}
			if noted != line {
				noted = line
				if len(at) >= maxRecords {
					s.More++
				} else {
					at[line] = true
				}
			}
			if next := bytes.IndexByte(buf[end:], '\n'); next >= 0 {
				from = end + next // at the line's end, which the next round sees
			} else {
				break
			}
		}
		keep := min(len(buf), len(q.anchor.word)-1)
		offset += int64(len(buf) - keep)
		buf = buf[:copy(buf, buf[len(buf)-keep:])]
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
	return ctx.Err()
}
