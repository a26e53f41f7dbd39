package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/internal/project"
)

// ErrChanged means that another program wrote the settings file between plan and rename. The file was left alone.
var ErrChanged = errors.New("was changed by somebody else meanwhile, so aburn left it alone; try again")

// Done is what Apply has done.
type Done struct {
	Files []string // settings files written or removed
	Init  Init     // of InitProject, if the change includes it
}

// Apply carries out the change: first the project, then one settings file after the other. After an error, Done holds
// what was done before it.
func (c *Change) Apply() (Done, error) {
	var done Done
	var err error
	if c.Init != "" {
		if done.Init, err = InitProject(c.Init, c.env, InitOptions{}); err != nil {
			return done, err
		}
	}
	lock, err := c.lock()
	if err != nil {
		return done, err
	}
	defer lock.Release()
	if c.Copy != nil {
		if err := c.Copy.apply(); err != nil {
			return done, err
		}
	}
	for i := range c.Files {
		f := &c.Files[i]
		if err := f.apply(); err != nil {
			return done, err
		}
		if !f.Same() {
			done.Files = append(done.Files, f.Path)
		}
	}
	if c.Place != "" {
		return done, removePlace(c.Place)
	}
	return done, nil
}

const (
	lockName = "installs.lock"
	lockWait = 10 * time.Second
)

// lock excludes a second install or uninstall by this user. Both remove temporary files of killed runs and would remove
// each other's.
func (c *Change) lock() (*lockfile.Lock, error) {
	state := project.StateDir(c.env)
	if state == "" {
		return nil, fmt.Errorf("the record of the install has no place: %w", ErrNoHome)
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, lockName, lockWait)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(state, lockName), err)
	}
	return lock, nil
}

func (f *FileChange) apply() error {
	switch {
	case f.Same():
		return f.settle()
	case f.Remove:
		if err := f.unchanged(); err != nil {
			return err
		}
		if err := os.Remove(f.Real); err != nil {
			return err
		}
		f.removeFolders()
		return f.settle()
	case f.Hook == "":
		if err := f.write(); err != nil {
			return err
		}
		return f.settle()
	}
	if err := f.makeFolders(); err != nil {
		return err
	}
	if err := f.record.save(f.original); err != nil {
		return err
	}
	f.sweep()
	return f.write()
}

// settle ends an uninstall: it removes the record.
func (f *FileChange) settle() error {
	if f.Hook != "" || f.record == nil {
		return nil
	}
	f.sweep()
	return f.record.forget()
}

func (f *FileChange) write() error {
	perm := fs.FileMode(0o600)
	if f.Scope == Project {
		perm = 0o644 // committed, and read by everybody who works in the project
	}
	err := atomicfile.Write(f.Real, f.New, perm, atomicfile.Options{Sync: true, Check: f.unchanged})
	if err != nil && !errors.Is(err, ErrChanged) { // ErrChanged names the file, other errors a temporary one
		return fmt.Errorf("%s could not be written: %w", f.Real, err)
	}
	return err
}

// unchanged reads the file again just before the rename: it must be the same file with the same bytes.
func (f *FileChange) unchanged() error {
	t, err := readTarget(f.Path, f.root)
	if err != nil {
		return err
	}
	if t.real != f.Real || t.exists != f.Exists || !bytes.Equal(t.data, f.Old) {
		return fmt.Errorf("%s %w", f.Path, ErrChanged)
	}
	return nil
}

func (f *FileChange) makeFolders() error {
	perm := fs.FileMode(0o700)
	if f.Scope == Project {
		perm = 0o755
	}
	return os.MkdirAll(filepath.Dir(f.Real), perm)
}

// removeFolders removes the folders that the install made, if they are empty.
func (f *FileChange) removeFolders() {
	for i := len(f.record.Folders) - 1; i >= 0; i-- {
		if os.Remove(f.record.Folders[i]) != nil {
			return
		}
	}
}

// sweep removes temporary files that a killed run left beside the settings file. It recognises them by content: the
// beginning of bytes that this change knows. Other files stay.
func (f *FileChange) sweep() {
	dir := filepath.Dir(f.Real)
	names, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, n := range names {
		middle, ok := strings.CutPrefix(n.Name(), "."+filepath.Base(f.Real)+".")
		middle, tmp := strings.CutSuffix(middle, ".tmp")
		if !ok || !tmp || !n.Type().IsRegular() || strings.Trim(middle, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			continue
		}
		path := filepath.Join(dir, n.Name())
		data, err := os.ReadFile(path)
		if err == nil && (bytes.HasPrefix(f.New, data) || bytes.HasPrefix(f.Old, data) || bytes.HasPrefix(f.original, data)) {
			os.Remove(path)
		}
	}
}
