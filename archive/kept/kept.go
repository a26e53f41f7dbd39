// Package kept holds the copies of sessions' own files that a person asked for (aburn keep). They are as the agent wrote them,
// with their secrets: the one exception to what the archive promises. So they lie apart, only their owner may read them, each is
// listed, and nothing makes one but a person's command.
//
// In kept/ of the archive's folder each session has a folder, named by the first 16 hex digits of the SHA-256 of "source/id":
//
//	kept.json   which session it is, and its files (Entry)
//	0.zst, …    a file of the session, compressed with zstd; or of a database the session's rows, a JSON object a line: table, key, record
//
// A folder is made under another name and renamed when it is whole.
package kept

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"aburn/internal/jsonl"
	"aburn/trace"
	"aburn/trace/contents"
)

// Folder is the name of the folder in the archive's.
const Folder = "kept"

const (
	list    = "kept.json"
	version = 1
	unready = "new-" // begins the name of a folder that is being made
)

// Entry is a kept session.
type Entry struct {
	V      int       `json:"v"`
	Source string    `json:"source"`
	ID     string    `json:"id"`
	Kept   time.Time `json:"kept"`
	Files  []File    `json:"files"`
}

// File is a file of a kept session.
type File struct {
	Path   string `json:"path"`   // of the source
	Name   string `json:"name"`   // of the copy
	Rows   int    `json:"rows"`   // how many rows of a database it has; 0 if it is a whole file
	Size   int64  `json:"size"`   // of what was copied, in bytes
	Stored int64  `json:"stored"` // of the copy
}

// Size is how much was copied, and what that takes on the disk.
func (e *Entry) Size() (copied, stored int64) {
	for _, f := range e.Files {
		copied += f.Size
		stored += f.Stored
	}
	return copied, stored
}

func folderOf(source, id string) string {
	sum := sha256.Sum256([]byte(source + "/" + id))
	return hex.EncodeToString(sum[:8])
}

// open opens the folder of all copies; fs.ErrNotExist if there is none.
func open(dir string) (*os.Root, error) { return os.OpenRoot(filepath.Join(dir, Folder)) }

// Keep copies the files of a session into the archive's folder dir. An older copy is replaced. moved and rows are those of
// contents.From. The error is fs.ErrNotExist if none of its files is there.
func Keep(ctx context.Context, dir string, t *trace.SessionTrace, moved string, rows contents.Rows, now time.Time) (*Entry, error) {
	if err := os.MkdirAll(filepath.Join(dir, Folder), 0o700); err != nil {
		return nil, err
	}
	root, err := open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := folderOf(t.Source, t.ID)
	temp := fmt.Sprintf("%s%s-%d", unready, name, os.Getpid())
	if err := root.Mkdir(temp, 0o700); err != nil {
		return nil, err
	}
	defer root.RemoveAll(temp)
	e := &Entry{V: version, Source: t.Source, ID: t.ID, Kept: now.UTC().Truncate(time.Second)}
	c := copier{ctx: ctx, root: root, dir: temp, trace: t, rows: rows}
	for i, f := range t.Sources {
		at := ""
		if i == 0 {
			at = moved
		}
		file, err := c.copy(i, f.Path, at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e.Files = append(e.Files, file)
	}
	if len(e.Files) == 0 {
		return nil, fmt.Errorf("the agent's file is gone: %w", fs.ErrNotExist)
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := root.WriteFile(temp+"/"+list, append(text, '\n'), 0o600); err != nil {
		return nil, err
	}
	if err := root.RemoveAll(name); err != nil {
		return nil, err
	}
	return e, root.Rename(temp, name)
}

// copier copies the files of one session.
type copier struct {
	ctx   context.Context
	root  *os.Root
	dir   string
	trace *trace.SessionTrace
	rows  contents.Rows
}

func (c *copier) copy(i int, path, moved string) (f File, err error) {
	f = File{Path: path, Name: fmt.Sprintf("%d%s", i, contents.Compressed)}
	refs := c.refs(i)
	var from io.Reader
	if len(refs) == 0 {
		r, err := contents.Open(path, moved)
		if err != nil {
			return f, err
		}
		defer r.Close()
		from = r
	} else if c.rows == nil {
		return f, fmt.Errorf("%s: aburn cannot read single records of it", path)
	}
	out, err := c.root.OpenFile(c.dir+"/"+f.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return f, err
	}
	if from != nil {
		f.Size, err = io.Copy(z, reader{c.ctx, from})
	} else {
		err = c.copyRows(&f, path, refs, z)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return f, err
	}
	info, err := out.Stat()
	if err == nil {
		f.Stored = info.Size()
	}
	return f, err
}

// refs are the rows of a file that the trace leads to, each once; none if its records are lines.
func (c *copier) refs(file int) (refs []trace.Ref) {
	seen := map[trace.Ref]bool{}
	for i := range c.trace.Events {
		ref := c.trace.Events[i].Ref
		if ref.File != file || ref.Table == "" || seen[ref] {
			continue
		}
		seen[ref] = true
		refs = append(refs, ref)
	}
	return refs
}

// row is a row of a database.
type row struct {
	Table  string `json:"table"`
	Key    string `json:"key"`
	Record string `json:"record"`
}

func (c *copier) copyRows(f *File, path string, refs []trace.Ref, w io.Writer) error {
	var first error
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	err := c.rows(c.ctx, path, refs, func(i int, record []byte, err error) {
		if err == nil && first == nil {
			f.Rows++
			f.Size += int64(len(record))
			first = to.Encode(row{refs[i].Table, refs[i].Key, string(record)})
		}
	})
	if err = errors.Join(err, first); err == nil && f.Rows == 0 {
		return fs.ErrNotExist
	}
	return err
}

// reader ends with its context.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// List is all kept sessions, the newest first. What is in the folder beside them is passed over.
func List(dir string) (all []Entry, err error) {
	root, err := open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	folders, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, d := range folders {
		if e, err := read(root, d.Name()); err == nil {
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		if c := b.Kept.Compare(a.Kept); c != 0 {
			return c
		}
		return strings.Compare(a.Source+"/"+a.ID, b.Source+"/"+b.ID)
	})
	return all, nil
}

func read(root *os.Root, name string) (*Entry, error) {
	text, err := root.ReadFile(name + "/" + list)
	if err != nil {
		return nil, err
	}
	e := &Entry{}
	if err := json.Unmarshal(text, e); err != nil {
		return nil, err
	}
	if e.V != version || folderOf(e.Source, e.ID) != name {
		return nil, fmt.Errorf("%s: it is no copy of this version", name)
	}
	return e, nil
}

// Remove deletes the copy of a session; fs.ErrNotExist if there is none.
func Remove(dir, source, id string) error {
	root, err := open(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := folderOf(source, id)
	if _, err := root.Stat(name); err != nil {
		return err
	}
	return root.RemoveAll(name)
}

// Of is the kept copy of a session, nil if there is none.
func Of(dir, source, id string) *Entry {
	root, err := open(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	e, _ := read(root, folderOf(source, id))
	return e
}

// Records reads records of the source at path from the copy of a session. It is what contents.From.Kept asks for.
func (e *Entry) Records(ctx context.Context, dir, path string, refs []trace.Ref, each func(i int, record []byte, err error)) error {
	at := slices.IndexFunc(e.Files, func(f File) bool { return f.Path == path })
	if at < 0 {
		return fs.ErrNotExist
	}
	root, err := open(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.Open(folderOf(e.Source, e.ID) + "/" + filepath.Base(e.Files[at].Name))
	if err != nil {
		return err
	}
	defer f.Close()
	if e.Files[at].Rows == 0 {
		return contents.Lines(ctx, f, true, refs, each)
	}
	return rowsOf(ctx, f, refs, each)
}

func rowsOf(ctx context.Context, f io.Reader, refs []trace.Ref, each func(i int, record []byte, err error)) error {
	z, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(jsonl.MaxLine))
	if err != nil {
		return err
	}
	defer z.Close()
	wanted := map[[2]string]int{}
	for i, ref := range refs {
		wanted[[2]string{ref.Table, ref.Key}] = i
	}
	d := json.NewDecoder(bufio.NewReader(z))
	for len(wanted) > 0 && ctx.Err() == nil {
		var r row
		if err := d.Decode(&r); err != nil {
			break
		}
		if i, ok := wanted[[2]string{r.Table, r.Key}]; ok {
			delete(wanted, [2]string{r.Table, r.Key})
			each(i, []byte(r.Record), nil)
		}
	}
	for _, i := range wanted {
		each(i, nil, fs.ErrNotExist)
	}
	return ctx.Err()
}
