// Package contents reads the texts of a session where its agent wrote them, and proves each by the digest that the trace
// holds of it. It keeps nothing, and it knows no agent: a record is searched for the text with that length and hash.
//
// What it returns is as the agent wrote it, with its secrets. Whoever shows it scrubs it first.
package contents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"aburn/trace"
)

// Want is a text that an event's record holds.
type Want struct {
	Ref    trace.Ref
	Record string // the id of the record, "" if it has none
	Digest trace.Digest
}

// State says what became of a Want.
type State int

const (
	// Proved: Text has the digest.
	Proved State = iota
	// Changed: the record is another one now, or holds no text with this digest.
	Changed
	// Gone: there is no file.
	Gone
	// Unreadable: the file is there and cannot be read, or the record is longer than what is held.
	Unreadable
)

// Content is what was found of a Want.
type Content struct {
	State State
	Text  []byte
	// Record is the whole record that Text is from.
	Record []byte
	// Kept says that the text is from the user's own copy (aburn keep).
	Kept bool
	Err  error
}

// Rows reads records from tables: each is called with the index of a ref and its record, or why it cannot be read. An
// error of Rows is one of the whole store.
type Rows func(ctx context.Context, path string, refs []trace.Ref, each func(i int, record []byte, err error)) error

// From says where the files of a trace are.
type From struct {
	Sources []trace.File
	// Moved is where the first source is now, if that is known; else "".
	Moved string
	// Rows reads what is no line; nil if all records of the agent are lines.
	Rows Rows
	// Kept reads records from the user's own copy of a source, as Rows does; nil if there is none. It is asked for what
	// the source does not hold any more.
	Kept func(ctx context.Context, file int, refs []trace.Ref, each func(i int, record []byte, err error)) error
}

// Read finds all wants, each file in one pass from its first record that is wanted to its last. The result has their
// order.
func Read(ctx context.Context, from From, wants []Want) ([]Content, error) {
	found := make([]Content, len(wants))
	for file := range from.Sources {
		var of []int
		for i := range wants {
			switch w := &wants[i]; {
			case w.Ref.File != file:
			default:
				of = append(of, i)
			}
		}
		if len(of) == 0 {
			continue
		}
		if err := readFile(ctx, from, file, wants, of, found); err != nil {
			return nil, err
		}
	}
	return found, ctx.Err()
}

// readFile finds the wants with the indices of, which are all of one file.
func readFile(ctx context.Context, from From, file int, wants []Want, of []int, found []Content) error {
	take := taker{wants: wants, found: found}
	refs := take.group(of)
	path := from.Sources[file].Path
	var err error
	if refs[0].Table != "" {
		err = fmt.Errorf("its rows cannot be read: %w", errors.ErrUnsupported)
		if from.Rows != nil {
			err = from.Rows(ctx, path, refs, take.record)
		}
	} else {
		moved := ""
		if file == 0 {
			moved = from.Moved
		}
		err = lines(ctx, path, moved, refs, take.record)
		if err == nil {
			err = take.later(ctx, path, moved)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	take.rest(err)
	if from.Kept == nil || !take.missing() {
		return nil
	}
	take.kept = true
	from.Kept(ctx, file, refs, take.record) // where it fails, what the file itself said stays
	return ctx.Err()
}

// taker gives records to the wants.
type taker struct {
	wants  []Want
	found  []Content
	groups [][]int // by the index of a ref: the wants of that record
	kept   bool
	// rewritten are wants whose record has its id and not their text.
	rewritten []int
}

// group sorts the wants by their place, and returns each place once.
func (t *taker) group(of []int) (refs []trace.Ref) {
	slices.SortStableFunc(of, func(a, b int) int {
		x, y := t.wants[a].Ref, t.wants[b].Ref
		if x.Offset != y.Offset {
			return int(min(max(x.Offset-y.Offset, -1), 1))
		}
		if x.Table != y.Table {
			return compare(x.Table, y.Table)
		}
		return compare(x.Key, y.Key)
	})
	for _, i := range of {
		ref := t.wants[i].Ref
		if n := len(refs); n > 0 && refs[n-1].Offset == ref.Offset && refs[n-1].Table == ref.Table && refs[n-1].Key == ref.Key {
			t.groups[n-1] = append(t.groups[n-1], i)
			continue
		}
		refs = append(refs, ref)
		t.groups = append(t.groups, []int{i})
	}
	for _, group := range t.groups {
		for _, i := range group {
			if t.wants[i].Digest.Length == 0 {
				t.found[i] = Content{Text: []byte{}}
				continue
			}
			t.found[i].State = -1 // nobody has said anything yet
		}
	}
	return refs
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// record takes the record of a ref, which is valid until the next one.
func (t *taker) record(i int, record []byte, err error) {
	var open []int
	for _, k := range t.groups[i] {
		switch {
		case t.found[k].State != Proved:
			open = append(open, k)
		case t.wants[k].Digest.Length == 0 && len(Images(record)) > 0: // a message of nothing but images
			t.found[k].Record = slices.Clone(record)
		}
	}
	if err != nil {
		for _, k := range open {
			if !t.kept {
				t.found[k] = failed(err)
			}
		}
		return
	}
	digests := make([]trace.Digest, len(open))
	for n, k := range open {
		digests[n] = t.wants[k].Digest
	}
	var held []byte
	for n, text := range Find(record, digests) {
		switch k := open[n]; {
		case text != nil:
			if held == nil {
				held = slices.Clone(record)
			}
			t.found[k] = Content{State: Proved, Text: text, Record: held, Kept: t.kept}
		case !t.kept:
			t.found[k] = Content{State: Changed}
			if id := t.wants[k].Record; id != "" && bytes.Contains(record, []byte(id)) {
				t.rewritten = append(t.rewritten, k)
			}
		}
	}
}

// The bounds of the search for later records of the same id.
const (
	mostRewritten = 32
	laterLines    = 200
	laterBytes    = 16 << 20
)

// later looks for texts whose record is there without them in the next records with its id: some agents write a message again
// as it grows.
func (t *taker) later(ctx context.Context, path, moved string) error {
	for _, k := range t.rewritten[:min(len(t.rewritten), mostRewritten)] {
		w := &t.wants[k]
		err := eachLine(ctx, path, moved, w.Ref.Offset, func(n int, offset int64, line []byte) bool {
			if n > 0 && bytes.Contains(line, []byte(w.Record)) {
				if text := Find(line, []trace.Digest{w.Digest})[0]; text != nil {
					t.found[k] = Content{State: Proved, Text: text, Record: slices.Clone(line)}
					return false
				}
			}
			return n < laterLines && offset-w.Ref.Offset < laterBytes
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rest settles the wants of which nobody has said anything.
func (t *taker) rest(err error) {
	for _, group := range t.groups {
		for _, k := range group {
			if t.found[k].State >= 0 {
				continue
			}
			if t.found[k] = (Content{State: Changed}); err != nil {
				t.found[k] = failed(err)
			}
		}
	}
}

func (t *taker) missing() bool {
	for _, group := range t.groups {
		for _, k := range group {
			if t.found[k].State != Proved {
				return true
			}
		}
	}
	return false
}

func failed(err error) Content {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Content{State: Gone, Err: err}
	case errors.Is(err, errShort):
		return Content{State: Changed, Err: err}
	}
	return Content{State: Unreadable, Err: err}
}

// Of are the texts of an event, in the order in which a reader wants them: of a call its input. The texts of its results are
// those of the results' events.
func Of(t *trace.SessionTrace, e *trace.Event) (w Want, ok bool) {
	w.Ref, w.Record = e.Ref, e.Record
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		w.Digest = b.Digest
	case *trace.AgentMessage:
		w.Digest = b.Digest
	case *trace.ToolCall:
		w.Digest = b.Input
	case *trace.ToolResult:
		w.Digest = t.Results[b.Result].Content
	case *trace.Error:
		w.Digest = b.Digest
	default:
		return w, false
	}
	return w, w.Digest.Hash != ""
}
