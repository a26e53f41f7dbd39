package project

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A mark is of one .oss folder, not of a path: `rm -rf p && git clone somebody p` leaves the path, and brings another log. So beside the mark
// stands which folder it is of: its inode number, and the random name of an empty file in it. An inode number may be given again to a new folder,
// and a copy may bring the name along, so both must be the same. The device is left out, because it may change whenever the machine starts.
// The name is in no file's content, so that a hook needs no read in a folder that somebody else may have filled.

// ossSuffix ends the name of the file beside a mark that says which .oss the mark is of.
const ossSuffix = ".oss"

// idPrefix begins the name of the file in .oss whose name is random.
const idPrefix = "id."

// ofOss reports whether the mark at path is of the .oss that root has now.
func ofOss(path, root string) bool {
	note, err := os.ReadFile(path + ossSuffix)
	if err != nil {
		return false
	}
	inode, id, ok := strings.Cut(string(note), " ")
	oss := in(root, OssDir)
	st, err := os.Lstat(oss)
	if !ok || err != nil || !st.IsDir() || inode != inodeText(st) {
		return false
	}
	st, err = os.Lstat(in(oss, idPrefix+id))
	return err == nil && st.Mode().IsRegular()
}

// replaced reports whether the mark at path is of another .oss than root has now.
func replaced(path, root string) bool {
	_, err := os.Lstat(path + ossSuffix)
	return err == nil && !ofOss(path, root)
}

// Moved reports whether this user has trusted the .oss that root has now, under another path on this machine: somebody moved the project, or mounted
// it here too.
func Moved(root string) bool {
	path, root, err := markOf(root)
	return err == nil && markOfOss(filepath.Dir(path), root) != ""
}

// markOfOss is the path of a mark in dir that is of root's .oss, or "".
func markOfOss(dir, root string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ossSuffix); ok {
			if path := filepath.Join(dir, name); ofOss(path, root) && checkMark(path) == nil {
				return path
			}
		}
	}
	return ""
}

// follow brings the mark of root's .oss, with all that is beside it, to path, if the project has moved away from where it was marked.
func follow(path, root string) error {
	old := markOfOss(filepath.Dir(path), root)
	if old == "" {
		return nil
	}
	if was, err := os.ReadFile(old + rootSuffix); err != nil || ofOss(old, string(was)) {
		return nil // it is still there too
	}
	former, _ := os.ReadFile(old + wasSuffix)
	was, _ := os.ReadFile(old + rootSuffix)
	if err := beside(path+wasSuffix, string(former)+string(was)+"\n"); err != nil { // whose workers are still recorded there
		return err
	}
	for _, suffix := range [...]string{anchorSuffix, consentSuffix, ossSuffix, sealSuffix, ""} { // the mark last: it counts
		if err := os.Rename(old+suffix, path+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	os.Remove(old + wasSuffix)
	return os.Remove(old + rootSuffix)
}

// bind makes the mark at path one of the .oss that root has now.
func bind(path, root string) error {
	oss, err := openOss(root)
	if err != nil {
		return err
	}
	defer oss.Close()
	st, err := oss.Stat(".")
	if err != nil {
		return err
	}
	key := make([]byte, 16)
	if err := random(key); err != nil {
		return err
	}
	id := hex.EncodeToString(key)
	f, err := oss.OpenFile(idPrefix+id, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), beside(path+ossSuffix, inodeText(st)+" "+id))
}

// inodeText is "-" on a system without inode numbers. Only the random name counts there.
func inodeText(st fs.FileInfo) string {
	n, ok := inode(st)
	if !ok {
		return "-"
	}
	return strconv.FormatUint(n, 10)
}
