package jsonl

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// dirent is an entry as getdents(2) gives it.
func dirent(inode uint64, kind byte, name string) []byte {
	d := make([]byte, (direntName+len(name)+1+7)/8*8)
	binary.NativeEndian.PutUint64(d, inode)
	binary.NativeEndian.PutUint16(d[direntLength:], uint16(len(d)))
	d[direntType] = kind
	copy(d[direntName:], name)
	return d
}

// Some file systems do not tell what an entry is: then it is looked at. What is gone already is no entry.
func TestUnknownEntries(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("folder", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	const want = "[{file ----------} {folder d---------} {link L---------} {pipe ?---------}]"
	if got := fmt.Sprint(folder.Entries); got != want {
		t.Errorf("told are %s", got)
	}
	var told []byte
	for _, name := range []string{".", "..", "file", "folder", "gone", "link", "pipe"} {
		told = append(told, dirent(7, unix.DT_UNKNOWN, name)...)
	}
	told = append(told, dirent(0, unix.DT_REG, "file")...)
	folder.Entries = nil
	folder.add(told)
	if got := fmt.Sprint(folder.Entries); got != want {
		t.Errorf("looked at they are %s", got)
	}
}
