package world

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// What a test asserts of Unix alone goes through the functions of this file. Where a system lacks it, they skip, and the
// reason stands in the output of `go test -v`.

// Modes skips a test of who may read or write a file.
func Modes(t testing.TB) {
	t.Helper()
	if !HasModes() {
		t.Skip("files have no Unix modes here")
	}
}

// HasModes reports whether a file's mode says who may read and write it.
func HasModes() bool { return runtime.GOOS != "windows" }

// Links skips a test of symbolic links.
func Links(t testing.TB) {
	t.Helper()
	if err := Symlink("nothing", t.TempDir()+"/link"); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

// Symlink is os.Symlink, and an error where nothing was made: Wine 10 reports success, real Windows asks for a privilege.
func Symlink(target, path string) error {
	if err := os.Symlink(target, path); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("symlink %s: %w", path, errors.ErrUnsupported)
	}
	return nil
}

// Appends skips a test of many that append to one file without a lock: Wine 10 looks for the end and writes there in two
// steps, so that one overwrites another. Windows appends in one.
func Appends(t testing.TB) {
	t.Helper()
	if IsWine() {
		t.Skip("Wine does not append in one step")
	}
}

// IsWine reports whether this Windows is Wine.
func IsWine() bool { return runtime.GOOS == "windows" && os.Getenv("WINEUSERNAME") != "" }

// UnixPaths skips a test whose data has absolute paths of Unix, which Windows takes for relative ones.
func UnixPaths(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("/home/user is no absolute path here")
	}
}
