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
	"time"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// Search is one Find of a reader. All readers keep these rules:
//
//   - A store is one file and the parts that change with it. Its size is the sum of theirs, its time the latest of
//     theirs: an ingest reads it again when either differs.
//   - Entries come in the order of their names, the content of a folder in the folder's place, so that the order is
//     stable.
//   - A folder that is missing, or disappears meanwhile, has no entries. A file that disappears meanwhile is no file.
//   - End reports each existing folder that cannot be read once. What lies beside it is found.
//   - A place to search may be a link to a folder. A link to a folder inside a place is not followed: it can lead anywhere.
//   - An error of found ends the search. From then on there are no entries and Give does nothing, so that a reader need not
//     check calls for errors.
//
// Several goroutines may call Entries, Walk and Once at once; only one may call Give.
type Search struct {
	ctx   context.Context // ended by an error of found, which is its cause
	end   context.CancelCauseFunc
	found func(trace.Store) error
	note  func(dir string, modified time.Time) // Places.Opened; nil if nobody asks

	mu   sync.Mutex
	errs []error // folders that cannot be read
	seen map[string]bool
}

// NewSearch begins a search that gives stores to found. The caller must End it.
func NewSearch(ctx context.Context, in trace.Places, found func(trace.Store) error) *Search {
	s := &Search{found: found, note: in.Opened}
	s.ctx, s.end = context.WithCancelCause(ctx)
	return s
}

// End ends the search. It returns why the search ended early, or else all that could not be read.
func (s *Search) End() error {
	err := context.Cause(s.ctx)
	s.end(nil)
	if err != nil {
		return err
	}
	slices.SortFunc(s.errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errors.Join(slices.CompactFunc(s.errs, func(a, b error) bool { return a.Error() == b.Error() })...)
}

func (s *Search) Context() context.Context { return s.ctx }

// Give gives stores to found. After the end of the search it returns the cause.
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

// Once reports whether it is asked about a path for the first time.
func (s *Search) Once(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	first := !s.seen[path]
	s.seen[path] = true
	return first
}

// Named sorts the paths that a person named into files and folders, through links. End reports missing ones.
func (s *Search) Named(paths []string, file func(File), folder func(dir string)) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case s.ctx.Err() != nil:
			return
		case err != nil:
			s.noteError(err)
		case info.IsDir():
			folder(path)
		case info.Mode().IsRegular():
			file(fileOf(path, info))
		}
	}
}

// Entries returns what is in the folder dir.
func (s *Search) Entries(dir string) iter.Seq[Entry] {
	return s.EntriesElse(dir, func(err error) {
		if !errors.Is(err, syscall.ENOTDIR) &&
			!errors.Is(err, fs.ErrInvalid) { // systems differ in which one they return
			s.noteError(err)
		}
	})
}

// EntriesElse is Entries for a folder that the agent makes. broken takes the error if something else is in its place,
// or if it cannot be read for another reason than its permissions.
func (s *Search) EntriesElse(dir string, broken func(error)) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if s.ctx.Err() != nil {
			return
		}
		s.Opened(dir)
		folder, err := jsonl.OpenFolder(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return
		case errors.Is(err, fs.ErrPermission):
			s.noteError(err)
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

// Opened notes that the entries of the folder dir decide what is found. Entries does that itself. It looks at the folder
// before somebody reads it: what appears in between changes its time again.
func (s *Search) Opened(dir string) {
	if s.note == nil {
		return
	}
	var modified time.Time
	if info, err := os.Stat(dir); err == nil {
		modified = info.ModTime()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(dir, modified)
}

// Walk calls visit with each entry of the folder dir, and descends into folders for which visit returns true.
func (s *Search) Walk(dir string, visit func(Entry) (into bool)) {
	for e := range s.Entries(dir) {
		if visit(e) && e.IsDir() {
			s.Walk(e.Path(), visit)
		}
	}
}

func (s *Search) noteError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errs = append(s.errs, err)
}

// Entry is something in a folder, valid while the folder is being searched.
type Entry struct {
	jsonl.Entry
	folder *jsonl.Folder
	index  int
}

func (e Entry) Path() string { return e.folder.Path(e.index) }

// File returns the file that the entry is, or links to; false if there is none, or none any more.
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

// Beside returns the file of this name in the same folder; false if there is none.
func (e Entry) Beside(name string) (File, bool) {
	i, ok := slices.BinarySearchFunc(e.folder.Entries, name,
		func(e jsonl.Entry, name string) int { return strings.Compare(e.Name, name) })
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

// FileAt returns the file at path, through links; false if there is none.
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

// Name is the file's name without its extension.
func (f File) Name() string {
	return strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
}

// Store makes the store of a file and its parts, in this order. A part that does not exist, a zero File, is left out.
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
