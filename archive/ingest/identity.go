package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"aburn/archive"
	"aburn/trace"
)

// The lengths in bytes of what is hashed to recognise a file: its start, and what stands before the cursor.
const (
	headLength = 4096
	tailLength = 1024
)

// identify notes in c which file stands at its path now, as far as c.At.
func identify(c *archive.Cursor, s *trace.Store) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	c.Device, c.Inode = fileID(info)
	c.PathSize = info.Size()
	c.Parts = partsOf(s)
	if info.IsDir() {
		return nil
	}
	if c.At.Offset > c.PathSize { // it is no place in this file, so nothing shows whether what was read is still the same
		c.At = trace.Cursor{}
	}
	c.Head, c.Tail, err = hashes(f, c.At.Offset)
	return err
}

// hashes is the head's and the tail's of a file that was read up to offset. Both are empty for offset 0.
func hashes(f io.ReaderAt, offset int64) (head, tail string, err error) {
	if offset == 0 {
		return "", "", nil
	}
	if head, err = hashOf(f, 0, min(headLength, offset)); err != nil {
		return "", "", err
	}
	tail, err = hashOf(f, max(0, offset-tailLength), offset)
	return head, tail, err
}

func hashOf(f io.ReaderAt, from, to int64) (string, error) {
	buf := make([]byte, to-from)
	if _, err := f.ReadAt(buf, from); err != nil {
		return "", err
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:12]), nil
}

// partsOf is the size and time of the other files of a store.
func partsOf(s *trace.Store) string {
	if len(s.Parts) == 0 {
		return ""
	}
	var size, modified int64
	for _, part := range s.Parts {
		if info, err := os.Lstat(part); err == nil {
			size += info.Size()
			modified = max(modified, info.ModTime().UnixNano())
		}
	}
	return fmt.Sprintf("%d %d %d", len(s.Parts), size, modified)
}

// continues says whether the store s can be read on from where before ended; if not, what kind of note says why.
func continues(before *archive.Cursor, s *trace.Store) (ok bool, why NoteKind, err error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return false, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, "", err
	}
	device, inode := fileID(info)
	switch {
	case (device != before.Device || inode != before.Inode) && rotated(before, s): // the reader knows where it has gone on
		return before.At.State != nil, "", nil
	case device != before.Device || inode != before.Inode:
		return false, Replaced, nil
	case before.At.Offset == 0: // what it goes on from is the reader's own matter
		return before.At.State != nil, "", nil
	case info.Size() < before.At.Offset:
		return false, Truncated, nil
	}
	head, tail, err := hashes(f, before.At.Offset)
	switch {
	case errors.Is(err, io.EOF): // it was cut just now
		return false, Truncated, nil
	case err != nil:
		return false, "", err
	case head != before.Head || tail != before.Tail:
		return false, Rewritten, nil
	}
	return before.Parts == partsOf(s), "", nil
}

// rotated says whether the file that was read is now one of the store's other files.
func rotated(before *archive.Cursor, s *trace.Store) bool {
	for _, part := range s.Parts {
		if info, err := os.Lstat(part); err == nil && before.Inode != 0 {
			if device, inode := fileID(info); device == before.Device && inode == before.Inode {
				return true
			}
		}
	}
	return false
}
