package journal

import (
	"errors"
	"io/fs"
	"os"
)

// ErrNotRegular says that the log, or a segment of it, is a link, a pipe or a folder. It is
// neither read nor written.
var ErrNotRegular error = notRegular{}

type notRegular struct{}

func (notRegular) Error() string { return "not a regular file" }

// Hint tells a person what to do about it.
func (notRegular) Hint() string { return "hooks cannot write either; aburn verify says what it is" }

// segmentFile is one open file of the log.
type segmentFile struct {
	*os.File
	name     string      // as opened; a rotation may rename the file later
	info     fs.FileInfo // as of the opening
	dev, ino uint64
	made     bool // we created it
}

func newSegmentFile(f *os.File, name string, info fs.FileInfo, made bool) *segmentFile {
	s := &segmentFile{File: f, name: name, info: info, made: made}
	s.dev, s.ino = fileID(f, info)
	return s
}

func (s *segmentFile) size() int64 { return s.info.Size() }

func (s *segmentFile) sizeNow() (int64, error) {
	info, err := s.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// refresh looks at the file's size again.
func (s *segmentFile) refresh() error {
	info, err := s.Stat()
	if err == nil {
		s.info = info
	}
	return err
}

// endsTorn reports whether the file ends with something other than a newline.
func (s *segmentFile) endsTorn() (bool, error) {
	if s.size() == 0 {
		return false, nil
	}
	var last [1]byte
	_, err := s.ReadAt(last[:], s.size()-1)
	return last[0] != '\n', err
}

// isNamed reports whether the file's name in root still means this file.
func (s *segmentFile) isNamed(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && os.SameFile(info, s.info)
}

// open opens the file name with flags. os.Root follows links inside its folder, so open looks at
// the name first and compares it with the opened file.
func (j *Journal) open(name string, flags int) (*segmentFile, error) {
	for {
		before, err := j.root.Lstat(name)
		if err != nil {
			return nil, err
		}
		if !before.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
		}
		f, err := j.root.OpenFile(name, flags, 0)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil && os.SameFile(before, info) {
			return newSegmentFile(f, name, info, false), nil
		}
		f.Close() // rotated or replaced meanwhile: look again
		if err != nil {
			return nil, err
		}
	}
}

// openAppend opens the log for appending, and creates it if necessary.
func (j *Journal) openAppend() (*segmentFile, error) {
	for {
		f, err := j.open(Name, appendFlags)
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		// O_EXCL never follows a link. Whoever loses the race looks again.
		f, err = j.create(Name)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func (j *Journal) create(name string) (*segmentFile, error) {
	f, err := j.root.OpenFile(name, appendFlags|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return newSegmentFile(f, name, info, true), nil
}
