package jsonl

import (
	"encoding/binary"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// handle is a file descriptor. An os.File costs four more system calls per folder.
type handle struct{ fd int }

// listingBuffers hold what the system returns of a folder: most folders fit at once.
var listingBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// open opens path if it is a folder. Without O_DIRECTORY it would block on a pipe.
func (d *Folder) open(path string) (err error) {
	d.handle.fd, err = retryInterrupted(func() (int,
		error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}

func (d *Folder) read(path string) error {
	buf := listingBuffers.Get().(*[32 << 10]byte)
	defer listingBuffers.Put(buf)
	for {
		n, err := retryInterrupted(func() (int, error) { return unix.ReadDirent(d.handle.fd, buf[:]) })
		if err != nil {
			return &fs.PathError{Op: "getdents", Path: path, Err: err}
		}
		if n == 0 {
			break
		}
		d.add(buf[:n])
	}
	slices.SortFunc(d.Entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// The offsets in struct linux_dirent64: see getdents(2).
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// add adds the entries that getdents has put into buf.
func (d *Folder) add(buf []byte) {
	text := string(buf) // all names share it
	d.Entries = slices.Grow(d.Entries, len(buf)/48)
	for at, next := 0, 0; at+direntName < len(buf); at = next {
		next = at + int(binary.NativeEndian.Uint16(buf[at+direntLength:]))
		name, _, _ := strings.Cut(text[at+direntName:next], "\x00")
		if name == "." || name == ".." || binary.NativeEndian.Uint64(buf[at:]) == 0 { // without an inode the file is gone
			continue
		}
		e := Entry{name, typeOf(uint32(buf[at+direntType]) << 12)}
		if buf[at+direntType] == unix.DT_UNKNOWN {
			var s unix.Stat_t
			if d.stat(name, &s) != nil {
				continue // the file is gone
			}
			e.Type = typeOf(s.Mode)
		}
		d.Entries = append(d.Entries, e)
	}
}

// typeOf returns the type bits of a mode. Those of a directory entry are the same, shifted.
func typeOf(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}

// Stat looks at the i-th entry itself, not at what it links to.
func (d *Folder) Stat(i int) (Stat, error) {
	var s unix.Stat_t
	if err := d.stat(d.Entries[i].Name, &s); err != nil {
		return Stat{}, &fs.PathError{Op: "fstatat", Path: d.Entries[i].Name, Err: err}
	}
	return Stat{s.Size, time.Unix(s.Mtim.Unix())}, nil
}

func (d *Folder) stat(name string, s *unix.Stat_t) error {
	for {
		if err := unix.Fstatat(d.handle.fd, name, s, unix.AT_SYMLINK_NOFOLLOW); err != unix.EINTR {
			return err
		}
	}
}

// Close closes the folder.
func (d *Folder) Close() error { return syscall.Close(d.handle.fd) }

// retryInterrupted calls f until no signal interrupts it.
func retryInterrupted(f func() (int, error)) (int, error) {
	for {
		if n, err := f(); err != unix.EINTR {
			return n, err
		}
	}
}
