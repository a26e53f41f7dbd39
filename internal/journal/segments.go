package journal

import (
	"cmp"
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
	First logfmt.Seq // from its name; 0 for the newest, which has no number yet
	Size  int64

	info fs.FileInfo
}

// Segments lists the log's files, oldest first. The last one is Name itself if it exists. Links,
// pipes and folders with such names are ignored.
func (j *Journal) Segments() ([]Segment, error) {
	for {
		before, err := j.log()
		if err != nil {
			return nil, err
		}
		all, err := j.list()
		if err != nil {
			return nil, err
		}
		after, err := j.log()
		if err != nil {
			return nil, err
		}
		// A rotation meanwhile could hide a segment: its old name read before the rename, its new
		// name added where the listing had already passed.
		if before == nil && after == nil {
			return all, nil
		}
		if before != nil && after != nil && os.SameFile(before, after) {
			if after.Mode().IsRegular() {
				all = append(all, Segment{Name, 0, after.Size(), after})
			}
			return all, nil
		}
	}
}

// log describes the log itself; nil without one.
func (j *Journal) log() (fs.FileInfo, error) {
	info, err := j.root.Lstat(Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return info, err
}

// list lists the rotated segments.
func (j *Journal) list() ([]Segment, error) {
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
	slices.SortFunc(all, func(a, b Segment) int { return cmp.Compare(a.First, b.First) })
	return all, nil
}

// segmentNumber parses the number at the end of a rotated segment's name.
func segmentNumber(name string) (logfmt.Seq, bool) {
	digits, ok := strings.CutPrefix(name, Name+".")
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || strconv.FormatUint(n, 10) != digits {
		return 0, false
	}
	return logfmt.Seq(n), true
}

// rotated drops the log itself.
func rotated(all []Segment) []Segment {
	if n := len(all); n > 0 && all[n-1].Name == Name {
		return all[:n-1]
	}
	return all
}

// indexOf is the index of the segment that is the given file, or -1.
func indexOf(all []Segment, info fs.FileInfo) int {
	return slices.IndexFunc(all, func(s Segment) bool { return os.SameFile(s.info, info) })
}

// olderThan returns the segments before f, which may have been rotated, dropped or replaced since
// it was opened.
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
