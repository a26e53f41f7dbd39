package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"syscall"

	"aburn/internal/project"
	"aburn/logfmt"
)

// maxContent is how large a file may be to be hashed by a hook, in bytes.
const maxContent = 4 << 20

// Content adds what a file holds now, after an edit: its size and, up to 4 MiB,
// its hash. Only a regular file inside the worktree is looked at, and no link out
// of it is followed. rel is the path as the entry has it.
func Content(o *logfmt.Object, proj *project.Project, rel string) {
	root, err := os.OpenRoot(proj.Worktree)
	if err != nil {
		return
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not hang us
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	if st.Size() > maxContent {
		o.Int("bytes", st.Size())
		return
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxContent))
	if err != nil {
		return
	}
	o.Int("bytes", n).Str("sha256", hex.EncodeToString(h.Sum(nil)))
}
