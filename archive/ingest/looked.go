package ingest

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/wire"
	"aburn/trace"
)

// What the last look saw is kept beside the archive, so that the next one need not search all folders. It is derived:
// without it, or with a damaged one, a look searches everything.

// looksName is its file; looksMagic its first bytes, with the version of its form. A CRC-32 of the rest follows them.
const (
	looksName  = "looks"
	looksMagic = "aburn looks 1\n"
)

// The bounds of what is kept.
const (
	// watchedStores is how many stores of an agent, the last changed ones, are looked at again. An older one that goes on
	// is found when anything else of its agent changes, or by an ingest.
	watchedStores = 300
	// fewStores is how many stores of an agent are searched for each time. Some of these change in ways that no
	// folder's time tells: a database's log that was empty, a project that was marked.
	fewStores = 20
)

// looks is what the last look saw.
type looks struct {
	device, inode int64 // of the archive that it compared with
	readers       []readerLook
}

// readerLook is what one reader's Find depended on, and what it found.
type readerLook struct {
	name    string
	asked   []asked
	folders []folderLook
	stores  []storeLook
	kept    bool // it was not searched: this is what the last look saw
	partial bool // the search ended early
	closed  bool // a folder could not be read
}

// asked is a variable that Find asked for.
type asked struct{ name, value string }

// folderLook is a folder and its time, in nanoseconds: missing if there was none, hot if it had just changed.
type folderLook struct {
	path     string
	modified int64
}

const (
	missing int64 = 0
	hot     int64 = -1
)

// storeLook is a store as it was. One that is left is not in the archive, or not as it was then.
type storeLook struct {
	trace.Store
	left bool
	// where is the folder in which a left store's session works; "" if nobody looked, or nothing says it.
	where string
}

type looksCoder struct{ wire.Coder }

func (w *looksCoder) all(l *looks) {
	w.Int64(&l.device)
	w.Int64(&l.inode)
	wire.List(w, &l.readers, nil, 4, (*looksCoder).reader)
}

func (w *looksCoder) reader(r *readerLook) {
	w.Text(&r.name)
	wire.List(w, &r.asked, nil, 2, func(w *looksCoder, a *asked) {
		w.Text(&a.name)
		w.Text(&a.value)
	})
	wire.List(w, &r.folders, nil, 2, func(w *looksCoder, f *folderLook) {
		w.Text(&f.path)
		w.Int64(&f.modified)
	})
	wire.List(w, &r.stores, nil, 7, (*looksCoder).store)
}

func (w *looksCoder) store(s *storeLook) {
	modified := s.ModTime.UnixNano()
	w.Text(&s.Path)
	w.Text(&s.Layout)
	wire.List(w, &s.Parts, nil, 1, func(w *looksCoder, part *string) { w.Text(part) })
	w.Int64(&s.Size)
	w.Int64(&modified)
	w.Bool(&s.left)
	w.Text(&s.where)
	if w.Reading() {
		s.ModTime = time.Unix(0, modified)
	}
}

// readLooks returns what is kept for the archive in dir; nothing if it is damaged, or of another archive.
func readLooks(dir string) looks {
	data, err := os.ReadFile(filepath.Join(dir, looksName))
	body, ok := strings.CutPrefix(string(data), looksMagic)
	if err != nil || !ok {
		return looks{}
	}
	w := looksCoder{wire.Reader(body)}
	if sum := w.Take(); sum != uint64(crc32.ChecksumIEEE([]byte(body[len(body)-w.Left():]))) {
		return looks{}
	}
	var l looks
	w.all(&l)
	if device, inode := archiveID(dir); w.End() != nil || l.device != device || l.inode != inode {
		return looks{}
	}
	for i := range l.readers {
		r := &l.readers[i]
		for j := range r.stores {
			r.stores[j].Reader = r.name
		}
	}
	return l
}

// write keeps l for the next look. Two at once are harmless: each is true on its own.
func (l *looks) write(dir string) error {
	l.device, l.inode = archiveID(dir)
	for i := range l.readers {
		l.readers[i].bound()
	}
	body := looksCoder{wire.Writer(nil)}
	body.all(l)
	head := wire.Writer([]byte(looksMagic))
	head.Put(uint64(crc32.ChecksumIEEE(body.Written())))
	return atomicfile.Write(filepath.Join(dir, looksName), append(head.Written(), body.Written()...), 0o600, atomicfile.Options{})
}

// bound drops all but the last changed stores of a reader, and those that are left. It also drops what lies in a folder
// that is named like a store, as sub-agents do: it changes while the store's session goes on, and then the reader searches.
func (r *readerLook) bound() {
	if !r.many() {
		return
	}
	stems := make(map[string]bool, len(r.stores))
	for _, s := range r.stores {
		stems[strings.TrimSuffix(s.Path, filepath.Ext(s.Path))] = true
	}
	inside := func(dir string) bool {
		for range 3 {
			if stems[dir] {
				return true
			}
			dir = filepath.Dir(dir)
		}
		return false
	}
	r.folders = slices.DeleteFunc(r.folders, func(f folderLook) bool { return inside(f.path) })
	var own []storeLook
	for _, s := range r.stores {
		if s.left || !inside(filepath.Dir(s.Path)) {
			own = append(own, s)
		}
	}
	if len(own) > fewStores {
		r.stores = own
	}
	slices.SortStableFunc(r.stores, func(a, b storeLook) int { return b.ModTime.Compare(a.ModTime) })
	n := 0
	r.stores = slices.DeleteFunc(r.stores, func(s storeLook) bool { n++; return n > watchedStores && !s.left })
}

// many reports whether a search takes so long that it is avoided.
func (r *readerLook) many() bool { return len(r.stores) > fewStores }

// equal reports whether r is what a look saw before. The folders do not matter where it is searched anyway.
func (r *readerLook) equal(before *readerLook) bool {
	return before != nil && !r.many() && slices.EqualFunc(r.stores, before.stores, func(a, b storeLook) bool {
		return a.Path == b.Path && a.Size == b.Size && a.ModTime.Equal(b.ModTime) && a.left == b.left && a.where == b.where
	})
}

func (l *looks) of(reader string) *readerLook {
	i := slices.IndexFunc(l.readers, func(r readerLook) bool { return r.name == reader })
	if i < 0 {
		return nil
	}
	return &l.readers[i]
}

// archiveID identifies the archive's file; zero if there is none.
func archiveID(dir string) (device, inode int64) {
	info, err := os.Stat(filepath.Join(dir, archiveName))
	if err != nil {
		return 0, 0
	}
	return fileID(info)
}

// stays reports whether Find would find the same stores again.
func (r *readerLook) stays(env func(string) string) bool {
	for _, a := range r.asked {
		if env(a.name) != a.value {
			return false
		}
	}
	for _, f := range r.folders {
		if f.modified == hot {
			return false
		}
	}
	for _, f := range r.folders {
		now := missing
		if info, err := os.Stat(f.path); err == nil {
			now = info.ModTime().UnixNano()
		}
		if now != f.modified {
			return false
		}
	}
	return true
}

// again returns the stores as they are now, without those that are gone. same is false if one of them changed that was
// not left.
func (r *readerLook) again() (list []storeLook, same bool) {
	same = true
	for _, s := range r.stores {
		info, err := os.Stat(s.Path)
		if err != nil {
			continue
		}
		size, modified := info.Size(), info.ModTime()
		for _, part := range s.Parts {
			if info, err := os.Stat(part); err == nil {
				size += info.Size()
				if info.ModTime().After(modified) {
					modified = info.ModTime()
				}
			}
		}
		same = same && (s.left || size == s.Size && modified.Equal(s.ModTime))
		s.Size, s.ModTime = size, modified
		list = append(list, s)
	}
	return list, same
}

// opened notes a folder for the next look.
func (r *readerLook) opened(dir string, modified, now time.Time) {
	f := folderLook{dir, missing}
	switch age := now.Sub(modified); {
	case modified.IsZero():
	case age < hotFor && age > -hotFor: // it may change again within the same tick of its clock
		f.modified = hot
	default:
		f.modified = modified.UnixNano()
	}
	r.folders = append(r.folders, f)
}

// ask returns env, and notes what is asked.
func (r *readerLook) ask(env func(string) string) func(string) string {
	return func(name string) string {
		value := env(name)
		if !slices.Contains(r.asked, asked{name, value}) {
			r.asked = append(r.asked, asked{name, value})
		}
		return value
	}
}
