package queue

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// openRegular opens the regular file called name in root. os.Root follows links inside its
// folder, so openRegular looks at the name first and compares it with the opened file.
func openRegular(root *os.Root, name string, flags int) (*os.File, fs.FileInfo, error) {
	for range 8 { // one attempt for each replacement meanwhile
		before, err := root.Lstat(name)
		if err != nil {
			return nil, nil, err
		}
		if !before.Mode().IsRegular() {
			return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
		}
		f, err := root.OpenFile(name, flags, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		info, err := f.Stat()
		if err == nil && os.SameFile(before, info) {
			return f, info, nil
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrChanged}
}

// readRegular reads a file of at most maxFile bytes. A missing file gives nil and no error.
func readRegular(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, info, err := openRegular(root, name, readFlags)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return nil, info, &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err == io.ErrUnexpectedEOF || err == io.EOF { // truncated meanwhile
		err = nil
	}
	return data[:n], info, err
}

// unchanged reports whether name still means info's file in its state then. A nil info means that
// there was no file.
func unchanged(root *os.Root, name string, info fs.FileInfo) bool {
	now, err := root.Lstat(name)
	if info == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(now, info) && now.Size() == info.Size() && now.ModTime().Equal(info.ModTime())
}
