package journal

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"aburn/logfmt"
)

// Segment is one file of the log.
type Segment struct {
	Name  string
	First logfmt.Seq // by its name; 0 for the newest, which has no number yet
	Size  int64

	info fs.FileInfo
}

// Segments lists the log's files, oldest first; the last one is Name itself if
// it exists. Links, pipes and folders with such names are not the log's.
func (j *Journal) Segments() ([]Segment, error) {
	dir, err := j.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	dir.Close()
	if err != nil {
		return nil, err
	}
	var all []Segment
	for _, name := range names {
		first, ok := segmentNumber(name)
		if !ok {
			continue
		}
		info, err := j.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // dropped by a rotation
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().IsRegular() {
			all = append(all, Segment{name, first, info.Size(), info})
		}
	}
	slices.SortFunc(all, bySegment)
	return all, nil
}

// segmentNumber reads the number behind Name; the log itself has none.
func segmentNumber(name string) (logfmt.Seq, bool) {
	rest, ok := strings.CutPrefix(name, Name)
	if !ok || rest == "" {
		return 0, ok
	}
	digits, ok := strings.CutPrefix(rest, ".")
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || strconv.FormatUint(n, 10) != digits {
		return 0, false
	}
	return logfmt.Seq(n), true
}

func bySegment(a, b Segment) int {
	switch {
	case a.Name == Name:
		return 1
	case b.Name == Name:
		return -1
	case a.First < b.First:
		return -1
	}
	return 1
}

// rotated are the segments but for the log itself.
func rotated(all []Segment) []Segment {
	if n := len(all); n > 0 && all[n-1].Name == Name {
		return all[:n-1]
	}
	return all
}

// indexOf finds the segment that is the given file, -1 if none is.
func indexOf(all []Segment, info fs.FileInfo) int {
	return slices.IndexFunc(all, func(s Segment) bool { return os.SameFile(s.info, info) })
}

// olderThan are the segments before f, which may have been rotated, dropped or
// even replaced since it was opened.
func olderThan(all []Segment, f *segmentFile) []Segment {
	if i := indexOf(all, f.info); i >= 0 {
		return all[:i]
	}
	all = rotated(all)
	if n, _ := segmentNumber(f.name); f.name != Name {
		return slices.DeleteFunc(all, func(s Segment) bool { return s.First >= n })
	}
	return all
}
