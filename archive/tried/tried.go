// Package tried keeps the remedies that a user says to have tried: applied.jsonl in the user's data folder, one JSON
// object per line, only ever appended to. It measures nothing: package insight/remedy does.
//
// Invariants:
//
//   - One write under the lock writes a whole line, which is synced before it is acknowledged. A process that is killed
//     meanwhile leaves at most a torn last line, which the next one ends before it writes its own.
//   - A note is scrubbed before it is written, and on one line.
//   - Unreadable lines are counted and left in place.
package tried

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"aburn/insight/remedy"
	"aburn/internal/lockfile"
	"aburn/internal/scrub"
)

// Name is the file in the data folder, LockName the lock that writers hold.
const (
	Name     = "applied.jsonl"
	LockName = "applied.lock"
)

// version is the v of a line.
const version = 1

// MaxNote bounds a stored note, in bytes.
const MaxNote = 500

// wait is how long Append waits for another writer, which takes a millisecond.
const wait = 5 * time.Second

// The bounds of reading, in bytes. Real lines are much shorter, and a person writes them.
const (
	maxFile = 16 << 20
	maxLine = 4 << 10
)

// ErrNotRegular says that something other than a regular file has the file's name.
var ErrNotRegular = errors.New("not a regular file")

// Append records that a remedy was tried at the time at against the failure with key, and returns what was written. It
// makes dir if needed.
func Append(dir, key, note string, at time.Time) (remedy.Applied, error) {
	a := remedy.Applied{V: version, Key: key, Time: at.UTC().Truncate(time.Millisecond), Note: scrub.Head(note, MaxNote)}
	line, err := json.Marshal(a)
	if err != nil {
		return a, err
	}
	if dir == "" {
		return a, errors.New("no place for " + Name + ": neither ABURN_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return a, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return a, err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, LockName, wait)
	if err != nil {
		return a, fmt.Errorf("%s: %w", filepath.Join(dir, LockName), err)
	}
	defer lock.Release()
	if err := write(root, append(line, '\n')); err != nil {
		return a, fmt.Errorf("%s: %w", filepath.Join(dir, Name), err)
	}
	return a, nil
}

// write appends a line. It first ends a torn one.
func write(root *os.Root, line []byte) error {
	f, err := open(root, os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := tooLarge(f); err != nil {
		return err
	}
	torn, err := isTorn(f)
	if err != nil {
		return err
	}
	if torn {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	return f.Sync()
}

// open opens the file without blocking on a pipe of that name.
func open(root *os.Root, flags int) (*os.File, error) {
	f, err := root.OpenFile(Name, flags|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, ErrNotRegular)
	}
	return f, nil
}

// tooLarge is the error for a file that is larger than any notes: Read could not read what is appended to it.
func tooLarge(f *os.File) error {
	st, err := f.Stat()
	if err == nil && st.Size() > maxFile {
		err = fmt.Errorf("larger than %d MiB, which nobody has written with notes", maxFile>>20)
	}
	return err
}

// isTorn reports whether the last line has no line break.
func isTorn(f *os.File) (bool, error) {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return false, err
	}
	last := []byte{0}
	_, err = f.ReadAt(last, st.Size()-1)
	return last[0] != '\n', err
}

// Read returns all records in dir, in order and each once; none if there is no file. skipped counts unreadable lines.
func Read(dir string) (list []remedy.Applied, skipped int, err error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) || dir == "" {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	f, err := open(root, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", filepath.Join(dir, Name), err)
	}
	defer f.Close()
	if err := tooLarge(f); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", filepath.Join(dir, Name), err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", filepath.Join(dir, Name), err)
	}
	seen := map[remedy.Applied]bool{} // equal lines are copies: nobody applies anything twice in a millisecond
	for line := range bytes.Lines(data) {
		if a, ok := parse(line); ok {
			if !seen[a] {
				seen[a] = true
				list = append(list, a)
			}
		} else if len(bytes.TrimSpace(line)) > 0 {
			skipped++
		}
	}
	return list, skipped, nil
}

// parse reads a line, and what it knows of a line of a later version. It scrubs the note again, because anybody could
// have written it.
func parse(line []byte) (a remedy.Applied, ok bool) {
	if len(line) > maxLine || json.Unmarshal(line, &a) != nil {
		return a, false
	}
	a.Time, a.Note = a.Time.UTC(), scrub.Head(a.Note, MaxNote)
	return a, a.V >= version && isKey(a.Key) && !a.Time.IsZero()
}

// isKey reports whether key looks like a key of present or later rules: a kind, a dash, digits.
func isKey(key string) bool {
	kind, digits, cut := strings.Cut(key, "-")
	return cut && kind != "" && digits != "" && len(key) <= 64 && strings.Trim(kind+digits, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
