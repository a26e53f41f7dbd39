package workspace

import (
	"io"
	"time"

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
