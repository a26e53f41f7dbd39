package archive

import (
	"context"
	"errors"
	"iter"
	"path/filepath"

	"aburn/trace"
)

// Dir is where the archive is: ABURN_HOME, else aburn in XDG_DATA_HOME or ~/.local/share.
func Dir(env func(string) string) string {
	if dir := env("ABURN_HOME"); dir != "" {
		return dir
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aburn")
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "aburn")
	}
	return ""
}

// NotFound is the error of View where there is no archive.
type NotFound struct{ Dir string }

func (e *NotFound) Error() string { return "no archive in " + e.Dir }

// Hint is what to do about it.
func (e *NotFound) Hint() string { return "aburn ingest" }

// Archive is an open archive. It is for one goroutine at a time.
type Archive struct {
	dir string
}

var errNotYet = errors.New("not built yet")

// Open opens the archive in dir for reading and writing, and makes it if there is none.
func Open(ctx context.Context, dir string) (*Archive, error) { return nil, errNotYet }

// View opens the archive in dir for reading. It returns *NotFound if there is none.
func View(ctx context.Context, dir string) (*Archive, error) { return nil, &NotFound{dir} }

// Close closes it.
func (a *Archive) Close() error { return nil }

// Sessions is the sessions that f chooses, the newest first.
func (a *Archive) Sessions(ctx context.Context, f Filter) ([]Session, error) { return nil, errNotYet }

// Lookup is the sessions that name can mean: "source/id", an id, the only ids that begin so, or a sub-agent's own id.
func (a *Archive) Lookup(ctx context.Context, name string) ([]Session, error) { return nil, errNotYet }

// Trace is the trace of the session with this key.
func (a *Archive) Trace(ctx context.Context, key int64) (*trace.SessionTrace, error) {
	return nil, errNotYet
}

// Relations is all relationships between sessions.
func (a *Archive) Relations(ctx context.Context) ([]Relation, error) { return nil, errNotYet }

// Calls is the tool calls that count and that f chooses, by session and index.
func (a *Archive) Calls(ctx context.Context, f CallFilter) iter.Seq2[CallRow, error] {
	return func(yield func(CallRow, error) bool) { yield(CallRow{}, errNotYet) }
}
