package queue

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
)

// load reads and parses the file. Without a file, both results are nil.
func (q *Queue) load() (*document, fs.FileInfo, error) {
	data, info, err := readRegular(q.root, Name)
	if err != nil || info == nil {
		return nil, info, err
	}
	doc, err := parseDocument(data)
	if err != nil {
		return nil, info, &fs.PathError{Op: "read", Path: Name, Err: err}
	}
	return doc, info, nil
}

// Lock takes the queue's lock and reads the file. It waits at most wait (0: try once, then
// ErrBusy). A file that cannot be read at all is an error (ErrTooLarge, ErrVersion,
// ErrNotRegular, …) and leaves no lock held. Broken reports a broken file.
func (q *Queue) Lock(wait time.Duration) (*Desk, error) {
	lock, err := lockfile.Acquire(q.root, LockName, wait)
	if err != nil {
		return nil, err
	}
	d := &Desk{q: q, lock: lock, doc: &document{}}
	doc, info, err := q.load()
	d.info = info
	switch {
	case errors.Is(err, ErrBroken):
		d.broken = err
	case err != nil:
		lock.Release()
		return nil, err
	case doc != nil:
		d.doc = doc
	}
	return d, nil
}

// Desk is the queue while its lock is held. Its methods change it in memory; Close writes it.
type Desk struct {
	q       *Queue
	lock    *lockfile.Lock // nil once closed
	doc     *document
	info    fs.FileInfo // of the file as read; nil without one
	broken  error
	movedTo string // new name of a broken file
	archive []byte // lines to append to the archive
	changed time.Time
	sync    bool
}

// Broken says why the file is no queue (ErrBroken), or nil. A broken queue has no tasks; only Put
// works on it.
func (d *Desk) Broken() error { return d.broken }

// Tasks returns the tasks as they are now, in the order of the file.
func (d *Desk) Tasks() []Task { return d.doc.tasks() }

// Close writes the changes in one replacement and releases the lock. After an error nothing was
// changed, and no claimed task may be printed. A second Close does nothing.
func (d *Desk) Close() error {
	if d.lock == nil {
		return nil
	}
	defer func() {
		d.lock.Release()
		d.lock = nil
	}()
	if d.changed.IsZero() {
		return nil
	}
	return d.write()
}

// write appends to the archive, then replaces the file. A process killed in between leaves a task
// in both; then the queue counts.
func (d *Desk) write() error {
	data := d.doc.bytes(d.changed)
	if len(data) > maxFile && len(data) > len(d.doc.data) {
		return &fs.PathError{Op: "write", Path: Name, Err: ErrTooLarge}
	}
	if !unchanged(d.q.root, Name, d.info) {
		return &fs.PathError{Op: "write", Path: Name, Err: ErrChanged}
	}
	if len(d.archive) > 0 {
		if err := d.q.appendArchive(d.archive, d.sync); err != nil {
			return err
		}
	}
	return atomicfile.WriteRoot(d.q.root, Name, data, 0o600, atomicfile.Options{Sync: d.sync, Check: d.check})
}

// check is the last look before the new file replaces the old one. Only now a broken file is
// moved aside.
func (d *Desk) check() error {
	if !unchanged(d.q.root, Name, d.info) {
		return &fs.PathError{Op: "write", Path: Name, Err: ErrChanged}
	}
	if d.movedTo == "" {
		return nil
	}
	return d.q.root.Rename(Name, d.movedTo)
}

// change replaces members of item i, both in the task and in its bytes.
func (d *Desk) change(i int, now time.Time, members ...member) {
	it := &d.doc.items[i]
	it.raw = setMembers(it.raw, members...)
	it.task = parseTask(it.raw)
	d.touch(now)
}

func (d *Desk) touch(now time.Time) { d.changed = stamp(now) }

func (d *Desk) drop(i int, reason string, now time.Time) Task {
	it := d.doc.items[i]
	d.archive = append(d.archive, archiveLine(it.raw, reason, now)...)
	d.doc.remove(i)
	d.touch(now)
	return it.task
}

const maxAside = 9

// freshFile is the age below which somebody may still be writing a broken file.
const freshFile = 2 * time.Second

// makeWay lets a new file replace a broken one, which Close renames.
func (d *Desk) makeWay(now time.Time) error {
	if d.broken == nil || d.movedTo != "" {
		return nil
	}
	if age := now.Sub(d.info.ModTime()); age >= 0 && age < freshFile {
		return d.broken
	}
	for n := 1; n <= maxAside; n++ {
		name := Name + ".broken-" + strconv.Itoa(n)
		if _, err := d.q.root.Lstat(name); errors.Is(err, os.ErrNotExist) {
			d.movedTo = name
			return nil
		}
	}
	return d.broken
}
