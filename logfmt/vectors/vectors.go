// Package vectors holds classified example logs, one file a case, for the tests
// of every package that reads logs; only tests import it.
//
// A file of testdata is a text header, a blank line, and the raw bytes of a log:
//
//	expect: bad line, gap     the findings, as section 9 of SPEC.md names them,
//	                          each as often as it is found; or "ok"
//	entries: 2                entries that a reader of this file yields: neither
//	                          carried lines nor repeats
//	reads: build:START …      those entries: cmd[:phase]:EVENT[@wt][*agent type]
//	carried: plan:COMPLETE    the carried lines that a reader uses, if there are any
//	anchor: 1 42 9f86d081…    what the log's anchor says, if it has one: first, seq, sha256,
//	                          and then, unless it is the beginning of the file, size and hash
//	# why
//
// An unknown key in a header is an error: a vector that asks for more than its
// reader checks must not pass.
package vectors

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Vector is one example: the bytes of a log, and what a reader must find in it.
type Vector struct {
	Name    string
	Expect  []string // findings as section 9 of SPEC.md names them, sorted; none = ok
	Entries int      // len(Reads)
	Reads   []string // the segment's own entries in order, without repeats
	Carried []string // the carried lines in order
	Anchor  *Anchor  // nil without one
	Comment string
	Raw     []byte // the file
}

// Anchor is what section 11 of SPEC.md says of the log: the first number, the newest one, the
// SHA-256 of that entry's line, and the place.
type Anchor struct {
	First, Seq uint64
	Sum        [32]byte
	Size       int64
	Hash       [32]byte
}

//go:embed testdata
var files embed.FS

// All returns every vector, ordered by name.
func All() ([]Vector, error) {
	dir, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var all []Vector
	for _, f := range dir {
		b, err := files.ReadFile("testdata/" + f.Name())
		if err != nil {
			return nil, err
		}
		v, err := parse(f.Name(), b)
		if err != nil {
			return nil, fmt.Errorf("vector %s: %w", f.Name(), err)
		}
		all = append(all, v)
	}
	return all, nil
}

func parse(name string, b []byte) (Vector, error) {
	v := Vector{Name: name, Entries: -1}
	header, raw, ok := bytes.Cut(b, []byte("\n\n"))
	if !ok {
		return v, fmt.Errorf("no blank line behind the header")
	}
	v.Raw = raw
	expect := ""
	for _, line := range strings.Split(string(header), "\n") {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			v.Comment += comment + "\n"
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		var err error
		switch key {
		case "expect":
			expect = value
		case "entries":
			v.Entries, err = strconv.Atoi(value)
		case "reads":
			v.Reads = strings.Fields(value)
		case "carried":
			v.Carried = strings.Fields(value)
		case "anchor":
			v.Anchor, err = parseAnchor(value)
		default:
			return v, fmt.Errorf("unknown header line %q", line)
		}
		if err != nil {
			return v, err
		}
	}
	return v, v.check(expect)
}

func parseAnchor(value string) (*Anchor, error) {
	a := new(Anchor)
	var sum, hash []byte
	_, err := fmt.Sscanf(value, "%d %d %x", &a.First, &a.Seq, &sum)
	if err == nil && len(strings.Fields(value)) > 3 {
		_, err = fmt.Sscanf(value, "%d %d %x %d %x", &a.First, &a.Seq, &sum, &a.Size, &hash)
	}
	copy(a.Sum[:], sum)
	copy(a.Hash[:], hash)
	return a, err
}

// check parses the findings and checks that the header is complete.
func (v *Vector) check(expect string) error {
	if expect != "ok" {
		v.Expect = strings.Split(expect, ", ")
		slices.Sort(v.Expect)
	}
	for _, kind := range v.Expect {
		switch kind {
		case "bad line", "torn tail", "gap", "duplicate", "edited", "missing", "changed", "unwritten", "orphan", "repeat", "newer":
		default:
			return fmt.Errorf("unknown finding %q", kind)
		}
	}
	if v.Entries != len(v.Reads) {
		return fmt.Errorf("entries: %d, but reads: names %d", v.Entries, len(v.Reads))
	}
	if v.Comment == "" {
		return fmt.Errorf("no comment")
	}
	return nil
}
