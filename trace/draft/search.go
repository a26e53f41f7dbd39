package draft

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// Search is one Find of a reader. All readers keep to this:
//
//   - A store is one file and the parts that change with it. Its size is the sum of theirs, its time the latest of theirs:
//     an ingest reads it again when either differs.
//   - Entries come in the order of their names, and what is in a folder comes in its place, so that the order is stable.
//   - A folder that is not there, or goes meanwhile, has no entries. A file that goes meanwhile is no file.
//   - A folder that is there and cannot be read is told once, by End. What lies beside it is found.
//   - A place to look at can be a link to a folder. A link to a folder inside of it is not followed: it can lead anywhere.
//   - An error of found ends the search. From then on there are no entries and Give does nothing, so that a reader asks no call
//     for an error.
//
// Entries, Walk and Once can be called by several goroutines at once; Give by one.
type Search struct {
	ctx   context.Context // ended by an error of found, which is its cause
	end   context.CancelCauseFunc
	found func(trace.Store) error

	mu     sync.Mutex
	unread []error // of folders
	taken  map[string]bool
}

// NewSearch begins a search for stores, which found takes. End it.
func NewSearch(ctx context.Context, found func(trace.Store) error) *Search {
	s := &Search{found: found}
	s.ctx, s.end = context.WithCancelCause(ctx)
	return s
}

// End ends the search. Its error is why the search was ended early, or else all that could not be read.
func (s *Search) End() error {
	err := context.Cause(s.ctx)
	s.end(nil)
	if err != nil {
		return err
	}
	slices.SortFunc(s.unread, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(slices.CompactFunc(s.unread, func(a, b error) bool { return a.Error() == b.Error() })...)
}

// Context is done when the search has ended.
func (s *Search) Context() context.Context { return s.ctx }

// Give gives stores to found, until the search has ended; the error is why.
func (s *Search) Give(stores ...trace.Store) error {
	for _, store := range stores {
		if s.ctx.Err() != nil {
			break
		}
		if err := s.found(store); err != nil {
			s.end(err)
		}
	}
	return context.Cause(s.ctx)
}

// Once says whether it is asked about a path for the first time.
func (s *Search) Once(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken = map[string]bool{}
	}
	first := !s.taken[path]
	s.taken[path] = true
	return first
}

// Named looks at the paths that a person named: file takes those of files and folder those of folders, through links too. One
// that is not there is told by End.
func (s *Search) Named(paths []string, file func(File), folder func(dir string)) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case s.ctx.Err() != nil:
			return
		case err != nil:
			s.tell(err)
		case info.IsDir():
			folder(path)
		case info.Mode().IsRegular():
			file(fileOf(path, info))
		}
	}
}

// Entries is what is in the folder dir.
func (s *Search) Entries(dir string) iter.Seq[Entry] {
	return s.EntriesElse(dir, func(err error) {
		if !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, fs.ErrInvalid) { // which of the two depends on the system
			s.tell(err)
		}
	})
}

// EntriesElse is Entries for a folder that the agent makes. If there is something else in its place, or it cannot be read for
// another reason than its permissions, broken takes the error.
func (s *Search) EntriesElse(dir string, broken func(error)) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if s.ctx.Err() != nil {
			return
		}
		folder, err := jsonl.OpenFolder(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return
		case errors.Is(err, fs.ErrPermission):
			s.tell(err)
			return
		case err != nil:
			broken(err)
			return
		}
		defer folder.Close()
		for i, e := range folder.Entries {
			if s.ctx.Err() != nil || !yield(Entry{e, folder, i}) {
				return
			}
		}
	}
}

// Walk calls visit with each entry of the folder dir, and, where visit says so of a folder, with what is in that at any depth.
func (s *Search) Walk(dir string, visit func(Entry) (into bool)) {
	for e := range s.Entries(dir) {
		if visit(e) && e.IsDir() {
			s.Walk(e.Path(), visit)
		}
	}
}

func (s *Search) tell(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unread = append(s.unread, err)
}

// Entry is something in a folder that is looked through, for as long as that lasts.
type Entry struct {
	jsonl.Entry
	folder *jsonl.Folder
	index  int
}

// Path is where it is.
func (e Entry) Path() string { return e.folder.Path(e.index) }

// File is the file that it is, or that it links to; false if there is none, or none any more.
func (e Entry) File() (File, bool) {
	if !e.IsRegular() {
		return FileAt(e.Path())
	}
	stat, err := e.folder.Stat(e.index)
	if err != nil {
		return File{}, false
	}
	return File{e.Path(), stat}, true
}

// Beside is the file of this name in the same folder; false if there is none.
func (e Entry) Beside(name string) (File, bool) {
	i, ok := slices.BinarySearchFunc(e.folder.Entries, name, func(e jsonl.Entry, name string) int { return strings.Compare(e.Name, name) })
	if !ok {
		return File{}, false
	}
	return Entry{e.folder.Entries[i], e.folder, i}.File()
}

// File is a file as it was when it was looked at.
type File struct {
	Path string
	jsonl.Stat
}

// FileAt is the file at path, or that a link there leads to; false if there is none.
func FileAt(path string) (File, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return File{}, false
	}
	return fileOf(path, info), true
}

func fileOf(path string, info fs.FileInfo) File {
	return File{path, jsonl.Stat{Size: info.Size(), ModTime: info.ModTime()}}
}

// Name is the file's name without its end.
func (f File) Name() string {
	return strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
}

// Store is the store of a file and its parts, in this order. A part that is not there, a zero File, is left out.
func Store(reader, layout string, main File, parts ...File) trace.Store {
	s := trace.Store{Reader: reader, Layout: layout, Path: main.Path, Size: main.Size, ModTime: main.ModTime}
	for _, p := range parts {
		if p.Path == "" {
			continue
		}
		s.Parts = append(s.Parts, p.Path)
		s.Size += p.Size
		if p.ModTime.After(s.ModTime) {
			s.ModTime = p.ModTime
		}
	}
	return s
}
