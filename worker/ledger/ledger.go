// Package ledger keeps what aburn did with each worker and saw of it: one append-only file a worker, outside of every
// repository, because it names processes to kill.
//
// # Invariants
//
//   - A worker's folder is made whole or not at all; who makes it owns the name.
//   - Append returns after the lines are on the disk. Only the end of the file may be torn, by a crash or a full disk.
//     The next Append closes a torn line with a newline and writes behind it. No byte is ever changed or removed.
//   - Seq grows by one a line. A reader skips lines that it cannot read and counts them.
//
// docs/formats/ledger.md is the format.
package ledger

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/internal/lockfile"
	"aburn/internal/proc"
	"aburn/worker"
)

const (
	fileName  = "ledger.jsonl"
	lockName  = "lock"
	lockWait  = 10 * time.Second
	version   = 1
	maxFile   = 64 << 20 // bytes; a worker of a year has a tenth of it
	maxHeader = 8 << 10  // bytes
	maxAhead  = 16 << 10 // entries for which room is made before they are read
)

// The errors that a caller can do something about.
var (
	ErrTaken   = errors.New("a worker has this name")
	ErrUnknown = errors.New("no worker has this name")
	ErrDamaged = errors.New("its ledger is damaged")
	ErrVersion = errors.New("a newer aburn wrote this ledger")
	ErrNoState = errors.New("there is no state folder: neither XDG_STATE_HOME nor HOME is an absolute path outside of the project")
)

// Book is one worker's ledger, and the folder that the worker's other files lie in.
type Book struct {
	Name  string
	Dir   string
	store *Store
}

// Header is the first line of the file.
type Header struct {
	Format  string `json:"aburn"`
	Version int    `json:"v"`
	Project string `json:"project"`
	Worker  string `json:"worker"`
}

// Create makes the worker's folder with an empty ledger. Of two at once one gets ErrTaken. What before makes in the
// folder is there when others see it; nil makes nothing.
func (b *Book) Create(before func(dir string) error) error {
	if err := ValidName(b.Name); err != nil {
		return err
	}
	parent := filepath.Dir(b.Dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(parent, ".new-*") // 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	head, err := json.Marshal(Header{"ledger", version, b.store.Project, b.Name})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temp, fileName), append(head, '\n'), 0o600); err != nil {
		return err
	}
	if before != nil {
		if err := before(temp); err != nil {
			return err
		}
	}
	switch err := os.Rename(temp, b.Dir); {
	case errors.Is(err, fs.ErrExist), err != nil && exists(b.Dir):
		return ErrTaken
	default:
		return err
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Remove takes the worker's folder away: for a spawn that is undone.
func (b *Book) Remove() error { return os.RemoveAll(b.Dir) }

// Contents is what a ledger says.
type Contents struct {
	Header
	Entries []Entry
	Damaged int // lines that are no entries
}

// Suppose adds entries to what was read, and writes nothing.
func (c *Contents) Suppose(fresh []Entry) { c.add(nil, fresh, stamp) }

// Facts are the facts of the entries, and more behind them.
func (c *Contents) Facts(more ...worker.Fact) []worker.Fact {
	facts := make([]worker.Fact, len(c.Entries), len(c.Entries)+len(more))
	for i := range c.Entries {
		facts[i] = c.Entries[i].Fact
	}
	return append(facts, more...)
}

// Gen is the present generation, 0 before the first request.
func (c *Contents) Gen() (gen int) {
	for i := range c.Entries {
		gen = max(gen, c.Entries[i].Gen)
	}
	return gen
}

// Last is the last entry of this kind, nil if there is none.
func (c *Contents) Last(kind worker.Kind) *Entry {
	for i := len(c.Entries) - 1; i >= 0; i-- {
		if c.Entries[i].Kind == kind {
			return &c.Entries[i]
		}
	}
	return nil
}

// Read reads the ledger; a line that is being written is left out.
func (b *Book) Read() (*Contents, error) {
	f, err := os.Open(filepath.Join(b.Dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f)
	if err != nil {
		return nil, err
	}
	c, err := parse(data)
	if err == nil {
		b.relocate(c.Project, c.Entries)
	}
	return c, err
}

// Request is the first request, the zero Entry if there is none. Nothing behind it is read.
func (b *Book) Request() (e Entry, err error) {
	f, err := os.Open(filepath.Join(b.Dir, fileName))
	if err != nil {
		return e, err
	}
	defer f.Close()
	for lines := bufio.NewReader(io.LimitReader(f, maxFile)); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return Entry{}, nil
		}
		if e = (Entry{}); e.parse(line[:len(line)-1]) == nil && e.Kind == worker.Requested {
			one := []Entry{e}
			b.relocate(b.store.projectOf(b.Name), one)
			return one[0], nil
		}
	}
}

// readAll reads a ledger as far as one may be, into room for what it has now.
func readAll(f *os.File) ([]byte, error) {
	var data bytes.Buffer
	if st, err := f.Stat(); err == nil {
		data.Grow(int(min(st.Size(), maxFile)) + bytes.MinRead)
	}
	_, err := data.ReadFrom(io.LimitReader(f, maxFile))
	return data.Bytes(), err
}

func parse(data []byte) (*Contents, error) {
	c := &Contents{}
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(first, &c.Header); err != nil || c.Format != "ledger" {
		c.Header = Header{}
		c.Damaged++ // the facts say enough
	} else if c.Version > version {
		return nil, ErrVersion
	}
	c.Entries = make([]Entry, 0, min(bytes.Count(rest, []byte("\n")), maxAhead)) // an entry is large, and a slice that grows copies all
	inOrder := true
	for len(rest) > 0 {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			break
		}
		rest = after
		n := len(c.Entries)
		c.Entries = append(c.Entries, Entry{})
		if e := &c.Entries[n]; e.parse(line) != nil {
			c.Entries = c.Entries[:n]
			c.Damaged++
		} else if n > 0 && e.Seq < c.Entries[n-1].Seq {
			inOrder = false
		}
	}
	if !inOrder {
		slices.SortStableFunc(c.Entries, func(x, y Entry) int { return cmp.Compare(x.Seq, y.Seq) })
	}
	return c, nil
}

// Append writes entries with the next numbers. It fills in the time, and the machine's clock, where they are missing.
func (b *Book) Append(entries ...Entry) error {
	_, err := b.Update(func(*Contents) ([]Entry, error) { return entries, nil })
	return err
}

// Update appends what decide makes of the present contents, under the lock, so that of two who see the same only one
// acts. It returns the contents with what was appended.
func (b *Book) Update(decide func(*Contents) ([]Entry, error)) (*Contents, error) {
	root, err := os.OpenRoot(b.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, lockName, lockWait)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	f, err := root.OpenFile(fileName, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f)
	if err != nil {
		return nil, err
	}
	var out []byte
	if n := len(data); n > 0 && data[n-1] != '\n' {
		out = append(out, '\n')
		data = append(data, '\n')
	}
	c, err := parse(data)
	if err != nil {
		return nil, err
	}
	b.relocate(c.Project, c.Entries)
	fresh, err := decide(c)
	if err != nil || len(fresh) == 0 {
		return c, err
	}
	clock := stamp
	if b.store != nil && b.store.Clock != nil {
		clock = b.store.Clock
	}
	if out, err = c.add(out, fresh, clock); err != nil {
		return nil, err
	}
	if _, err := f.Write(out); err != nil {
		return nil, err
	}
	return c, f.Sync()
}

// add numbers and stamps entries, takes them into the contents and appends their lines.
func (c *Contents) add(lines []byte, fresh []Entry, clock func(*worker.Fact)) ([]byte, error) {
	seq := uint64(0)
	if n := len(c.Entries); n > 0 {
		seq = c.Entries[n-1].Seq
	}
	for _, e := range fresh {
		seq++
		e.Seq, e.File = seq, worker.Ledger
		clock(&e.Fact)
		line, err := Encode(e)
		if err != nil {
			return nil, err
		}
		lines = append(append(lines, line...), '\n')
		c.Entries = append(c.Entries, e)
	}
	return lines, nil
}

func stamp(f *worker.Fact) {
	if f.At.IsZero() {
		f.At = time.Now()
	}
	f.At = f.At.UTC().Truncate(time.Millisecond)
	if f.Host == "" {
		f.Host = proc.Host()
		f.Boot, f.Up = proc.Clock()
		f.Up = f.Up.Truncate(time.Millisecond)
	}
}
