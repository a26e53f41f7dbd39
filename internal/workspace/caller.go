package workspace

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"aburn/internal/fault"
	"aburn/internal/term"
)

// Caller is who asks a question: a command that a person runs, or an agent that asks `aburn mcp`. An answer depends on a
// query and a caller. Printing it is another step.
type Caller struct {
	Dir      string // the folder that the question is about
	Env      func(string) string
	Now      time.Time
	Warn     WarnFunc
	Progress *term.Out // where long work shows its progress, if it is a terminal
	Within   string    // the only project whose sessions the caller may see; "" for all
}

// Folder is the absolute path of the folder that the question is about.
func (c *Caller) Folder() (string, error) { return FolderOfC(c.Dir) }

// Quiet is a caller for work that no person waits for: it warns nobody.
func Quiet(dir string, env func(string) string, now time.Time) *Caller {
	return &Caller{Dir: dir, Env: env, Now: now, Warn: func(string, ...string) {}, Progress: term.New(io.Discard, env, false)}
}

// WarnFunc takes a warning beside an answer, with hints of what can be done.
type WarnFunc func(msg string, hints ...string)

// InFolder is a path relative to dir, or an absolute one as it is.
func InFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// FolderOfC is ExistingFolder for the value of -C, which its error names.
func FolderOfC(name string) (string, error) { return existingFolder("-C: ", name) }

// ExistingFolder is the absolute path of a folder. A missing one is a mistake in the call: aburn must not go on with the
// project above it.
func ExistingFolder(name string) (string, error) { return existingFolder("", name) }

func existingFolder(said, name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fault.Usage(said + dir + " is not a folder")
	}
	return dir, nil
}
