package archive

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"aburn/internal/scrub"
	"aburn/internal/sqlite"
	"aburn/internal/sqlitero"
)

// Name is the archive's file in its folder.
const Name = "archive.db"

// Dir returns the archive's folder: ABURN_HOME, else aburn in XDG_DATA_HOME or ~/.local/share; "" if none of them is
// set.
func Dir(env func(string) string) string {
	if dir := env("ABURN_HOME"); dir != "" {
		return dir
	}
	if dir := env("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aburn")
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "aburn")
	}
	return ""
}

// NotFound is View's error where there is no archive.
type NotFound struct{ Dir string }

func (e *NotFound) Error() string { return "no archive in " + e.Dir }

// Hint says what to do about it.
func (e *NotFound) Hint() string { return "aburn ingest" }

// WrongSchema is the error for an archive of another version of aburn.
type WrongSchema struct {
	Path       string
	Have, Want int
}

func (e *WrongSchema) Error() string {
	age := "an older"
	if !e.Older() {
		age = "a newer"
	}
	return fmt.Sprintf("%s: %s aburn wrote it: its schema is %d, and this aburn knows only %d", e.Path, age, e.Have,
		e.Want)
}

// Older reports whether an older aburn wrote it, so that Renew can make it this one's.
func (e *WrongSchema) Older() bool { return e.Have < e.Want }

// Hint says what to do about it.
func (e *WrongSchema) Hint() string {
	if !e.Older() {
		return "use the newer aburn, or set ABURN_HOME to another folder"
	}
	return "aburn ingest  # renews it with every session in it, and keeps the older file beside it"
}

// Foreign is the error for another program's database in the archive's place.
type Foreign struct{ Path string }

func (e *Foreign) Error() string {
	return e.Path + ": a SQLite database, but not an archive of aburn's"
}

// Hint says what to do about it.
func (e *Foreign) Hint() string { return "move it away, or set ABURN_HOME to another folder" }

// NoPlace is an error of the file system at the archive's place.
type NoPlace struct{ Err error }

func (e *NoPlace) Error() string { return e.Err.Error() }
func (e *NoPlace) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *NoPlace) Hint() string {
	switch {
	case errors.Is(e.Err, syscall.ENOSPC):
		return fullHint
	case errors.Is(e.Err, fs.ErrPermission), errors.Is(e.Err, syscall.EROFS):
		return writableHint
	}
	return "the archive is a file in a folder of its own: move away what is there, or set ABURN_HOME to another folder"
}

// Archive is an open archive. It is for one goroutine at a time.
type Archive struct {
	dir  string
	path string
	conn *sqlite.Conn
	now  func() time.Time
	// within is the only project whose sessions are shown; "" for all.
	within string
	// rules is scrub.Version.
	rules int
	// asIs is set, and holds conn, where SQLite cannot read beside writers: in a read-only folder, such as an agent's
	// sandbox.
	asIs *sqlitero.DB
}

// Open opens the archive in dir for reading and writing, and makes both if needed. The error is *WrongSchema for an
// archive of another version, *Foreign for another program's database; both files are left as they are.
func Open(ctx context.Context, dir string) (*Archive, error) {
	path := filepath.Join(dir, Name)
	if err := refuse(ctx, dir, path); err != nil {
		return nil, err
	}
	if err := makePrivate(dir, path); err != nil {
		return nil, err
	}
	a, err := open(ctx, dir, sqlite.ReadWrite)
	if err != nil {
		return nil, err
	}
	if err = a.refuseForeign(); err == nil {
		err = a.prepare()
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// refuse returns the error for an archive of another schema. Opening such a file for writing would already change it:
// SQLite merges the log of a killed process. If the header has the right number and there is no log, nothing is opened
// twice.
func refuse(ctx context.Context, dir, path string) error {
	log, err := os.Stat(path + "-wal")
	if have := headerSchema(path); (have == schema || have == 0) && (err != nil || log.Size() == 0) {
		return nil // prepare checks again
	}
	a, err := View(ctx, dir)
	if err == nil { // the number in the log counts
		return a.Close()
	}
	if errors.As(err, new(*WrongSchema)) || errors.As(err, new(*Foreign)) {
		return err
	}
	return nil
}

// headerSchema reads user_version from the header of the database at path; 0 if it is no database.
func headerSchema(path string) int {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // opening a pipe would block
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var header [64]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || !strings.HasPrefix(string(header[:]), "SQLite format 3\x00") {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(header[60:])))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// View opens the archive in dir for reading. The error is *NotFound if there is none, *WrongSchema for an archive of
// another version.
func View(ctx context.Context, dir string) (*Archive, error) {
	path := filepath.Join(dir, Name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isFile(dir): // Windows says of a path through a file that nothing is there
		return nil, &NoPlace{fmt.Errorf("%s: not a folder", dir)}
	case errors.Is(err, fs.ErrNotExist) || dir == "":
		return nil, &NotFound{dir}
	case err != nil:
		return nil, &NoPlace{err}
	case !info.Mode().IsRegular(): // opening a pipe would block
		return nil, &NoPlace{fmt.Errorf("%s: not a regular file", path)}
	}
	a, err := open(ctx, dir, sqlite.ReadOnly)
	if err != nil {
		return nil, err
	}
	have, err := int64(0), a.refuseForeign()
	if closedFolder(err) {
		a.Close()
		if a, err = openAsIs(ctx, dir); err != nil {
			return nil, err
		}
		err = a.refuseForeign()
	}
	if err == nil {
		have, err = a.number("PRAGMA user_version")
	}
	switch {
	case err != nil:
	case have == 0: // another process is making it, or was killed before it had
		err = &NotFound{dir}
	case have != schema:
		err = &WrongSchema{path, int(have), schema}
	default:
		return a, nil
	}
	a.Close()
	return nil, err
}

func open(ctx context.Context, dir string, mode sqlite.Mode) (*Archive, error) {
	path := filepath.Join(dir, Name)
	conn, err := sqlite.Open(path, mode)
	if err != nil {
		return nil, &failure{path, err}
	}
	if mode == sqlite.ReadOnly { // writes are finished even if ctx ends
		conn.SetInterrupt(ctx)
	}
	return &Archive{dir: dir, path: path, conn: conn, now: time.Now, rules: scrub.Version}, nil
}

// closedFolder reports whether err says that SQLite can make no file in the folder, which it needs to read beside writers.
func closedFolder(err error) bool {
	code := sqlite.CodeOf(err)
	return code == sqlite.CodeCantOpen || code == sqlite.CodeReadOnly
}

// openAsIs opens the archive for reading in a folder where SQLite can make no file.
func openAsIs(ctx context.Context, dir string) (*Archive, error) {
	path := filepath.Join(dir, Name)
	db, err := sqlitero.Open(ctx, path)
	if err != nil {
		return nil, &failure{path, err}
	}
	return &Archive{dir: dir, path: path, conn: db.Conn(), now: time.Now, rules: scrub.Version, asIs: db}, nil
}

// Changed reports whether somebody wrote while the archive was read in a way that does not tolerate writers. What was
// read can then be wrong.
func (a *Archive) Changed() bool { return a.asIs != nil && a.asIs.Changed() }

// refuseForeign returns *Foreign if the file holds somebody else's tables: aburn neither reads nor writes those.
func (a *Archive) refuseForeign() error {
	version, err := a.number("PRAGMA user_version")
	if err != nil {
		return err
	}
	tables, err := a.number("SELECT count(*) FROM sqlite_schema")
	if err != nil || tables == 0 {
		return err
	}
	if version == 0 { // another process may have made the tables meanwhile, with the number in one transaction
		if version, err = a.number("PRAGMA user_version"); err != nil {
			return err
		}
	}
	traces, err := a.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'traces'")
	if err == nil && (version == 0 || traces == 0) {
		err = &Foreign{a.path}
	}
	return err
}

// makePrivate makes the folder and the file private to this user. SQLite gives its WAL the file's mode.
func makePrivate(dir, path string) error {
	if dir == "" {
		return errors.New("no place for the archive: neither ABURN_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &NoPlace{err}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return &NoPlace{err}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return &NoPlace{err}
	}
	if !info.Mode().IsRegular() {
		return &NoPlace{fmt.Errorf("%s: not a regular file", path)}
	}
	if info.Mode().Perm()&0o077 != 0 {
		return f.Chmod(0o600)
	}
	return nil
}

// Close closes the archive. What was committed stays.
func (a *Archive) Close() error {
	if a.asIs != nil {
		return a.asIs.Close()
	}
	return a.conn.Close()
}

// Reader opens the archive once more, for reading beside a.
func (a *Archive) Reader(ctx context.Context) (*Archive, error) {
	read := func() (*Archive, error) { return open(ctx, a.dir, sqlite.ReadOnly) }
	if a.asIs != nil {
		read = func() (*Archive, error) { return openAsIs(ctx, a.dir) }
	}
	beside, err := read()
	if err == nil {
		beside.within = a.within
	}
	return beside, err
}

// Within makes every question about sessions one about those of one project: its key, or a path in it. What is asked for by a
// Session's Key must have been found under it.
func (a *Archive) Within(project string) { a.within = project }
