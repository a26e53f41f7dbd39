package project

import (
	"io/fs"
	"os"
)

// Refused is the error for a .oss that does not count.
type Refused struct {
	Path   string
	Reason string // "is a symbolic link", …
}

func (r *Refused) Error() string { return r.Path + " " + r.Reason + ": not used" }

// checkOss returns nil if dir/.oss counts, and otherwise an error that is fs.ErrNotExist, or a
// *Refused.
func checkOss(dir string) error {
	path := in(dir, OssDir)
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if reason := distrust(st); reason != "" {
		return &Refused{path, reason}
	}
	return nil
}

// distrust says what is wrong with a .oss, or "".
func distrust(st fs.FileInfo) string {
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		return "is a symbolic link"
	case !st.IsDir():
		return "is not a directory"
	}
	return foreign(st)
}

// openOss opens dir/.oss. os.OpenRoot follows a link in the last element, so what it opened must
// be what Lstat sees there. That exposes a link that replaces the directory meanwhile, in
// whichever order the two calls happen.
func openOss(dir string) (*os.Root, error) {
	path := in(dir, OssDir)
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	if err := sameOss(root, path); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

func sameOss(root *os.Root, path string) error {
	opened, err := root.Stat(".")
	if err != nil {
		return err
	}
	seen, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if reason := distrust(seen); reason != "" {
		return &Refused{path, reason}
	}
	if !os.SameFile(opened, seen) {
		return &Refused{path, "was replaced while it was opened"}
	}
	return nil
}
