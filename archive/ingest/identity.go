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

// The bytes that are hashed to recognise a file: its first ones, and those before the cursor.
const (
	headLength = 4096
	tailLength = 1024
)

// identify notes in c which file stands at its path now, with hashes up to c.At.
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
	if c.At.Offset > c.PathSize { // the offset is not in this file: nothing shows whether the part that was read is still the same
		c.At = trace.Cursor{}
	}
	c.Head, c.Tail, err = hashes(f, c.At.Offset)
	return err
}

// hashes returns the hashes of a file's head and of the tail before offset; both are empty for offset 0.
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

// partsOf returns the sizes and times of the store's other files.
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

// continues reports whether s can be read on from where before ended. If not, why is the kind of note.
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
	case (device != before.Device || inode != before.Inode) && rotated(before, s): // the reader knows the rotated file
		return before.At.State != nil, "", nil
	case device != before.Device || inode != before.Inode:
		return false, Replaced, nil
	case before.At.Offset == 0: // the reader itself knows where to continue
		return before.At.State != nil, "", nil
	case info.Size() < before.At.Offset:
		return false, Truncated, nil
	}
	head, tail, err := hashes(f, before.At.Offset)
	switch {
	case errors.Is(err, io.EOF): // it was just truncated
		return false, Truncated, nil
	case err != nil:
		return false, "", err
	case head != before.Head || tail != before.Tail:
		return false, Rewritten, nil
	}
	return before.Parts == partsOf(s), "", nil
}

// rotated reports whether the file that was read is now one of the store's other files.
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
