package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the length of a mark's random key, in bytes.
const keySize = 32

// errNoState says that there is no place for this user's state.
var errNoState = errors.New("neither XDG_STATE_HOME nor HOME is an absolute path")

// errBadMark says that a mark's file holds something else.
var errBadMark = errors.New("not a mark: it should hold 32 bytes, be this user's and readable by nobody else")

// StateDir is the folder of this user's state, on every system: $XDG_STATE_HOME/aburn, or else
// ~/.local/state/aburn. It is "" if neither variable is an absolute path. It may not exist yet.
func StateDir(env func(string) string) string { return xdg(env, "XDG_STATE_HOME", ".local/state") }

// ConfigDir is the folder of this user's settings, on every system: $XDG_CONFIG_HOME/aburn, or
// else ~/.config/aburn. It is "" if neither variable is an absolute path. It may not exist.
func ConfigDir(env func(string) string) string { return xdg(env, "XDG_CONFIG_HOME", ".config") }

func xdg(env func(string) string, name, fallback string) string {
	if dir := env(name); filepath.IsAbs(dir) {
		return filepath.Join(dir, "aburn")
	}
	home := env("HOME")
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, fallback, "aburn")
}

// markPath is the path of the mark for the project at root (a real path), or "".
func markPath(root string, env func(string) string) string {
	dir := StateDir(env)
	if dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(dir, "projects", hex.EncodeToString(sum[:16]))
}

// marked reports whether this user has marked the project at root, a real path.
func (s *search) marked(root string) bool {
	path := markPath(root, s.env)
	return s.hasMark(path, root) && ofOss(path, root)
}

// hasMark reports whether the mark at path counts for root, of whichever .oss it is.
func (s *search) hasMark(path, root string) bool {
	return path != "" && checkMark(path) == nil && s.trusts(path, root)
}

func checkMark(path string) error {
	st, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() || st.Size() != keySize || secretFrom(st) != "" {
		return errBadMark
	}
	return nil
}

// Mark trusts the project at root, as this user on this machine. Without a .oss, only its sessions are
// shown: one that comes later isn't trusted. The state folder is the one
// of this process's environment; a *HeldState is the error if it lies in the project. Marking twice
// keeps the first key. A broken mark is replaced, and so is one of another .oss that was there before.
func Mark(root string) error {
	path, root, err := markOf(root)
	if err != nil {
		return err
	}
	if err := StateIn(root, Env); err != nil {
		return err
	}
	return mark(path, root)
}

// MarkHolding is Mark for a project that holds the state folder, such as the home directory. Call
// it only at the user's explicit request.
func MarkHolding(root string) error {
	path, root, err := markOf(root)
	if err != nil {
		return err
	}
	return mark(path, root)
}

func mark(path, root string) error {
	if replaced(path, root) {
		// Another folder took the place of the trusted one. What was agreed to then is not agreed to now.
		if err := unmark(path); err != nil {
			return err
		}
	}
	if checkMark(path) != nil {
		if err := follow(path, root); err != nil {
			return err
		}
	}
	if checkMark(path) != nil {
		if err := newMark(path); err != nil {
			return err
		}
	}
	if !ofOss(path, root) {
		if err := bind(path, root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return errors.Join(remember(path, root), seal(path))
}

func newMark(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := newKey(dir)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	// If two processes mark at once, the first key stays: unlike a rename, a link does not
	// replace.
	if err := os.Link(temp, path); err == nil || checkMark(path) == nil {
		return nil
	}
	return os.Rename(temp, path)
}

// newKey writes a random key to a new file in dir, mode 0600, and returns the file's path.
func newKey(dir string) (string, error) {
	key := make([]byte, keySize)
	if err := random(key); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// Unmark withdraws the mark. A project without a mark, or one that no longer exists, is no error.
func Unmark(root string) error {
	path, _, err := markOf(root)
	if err != nil {
		return err
	}
	return unmark(path)
}

func unmark(path string) (err error) {
	for _, name := range []string{path, path + rootSuffix, path + sealSuffix, path + ossSuffix, path + anchorSuffix, path + consentSuffix, path + wasSuffix} {
		if e := os.Remove(name); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// markOf is the path of the mark for the project at root, and the root's real path.
func markOf(root string) (path, real string, err error) {
	root, err = filepath.Abs(root)
	if err != nil {
		return "", "", err
	}
	if real, err := resolve(root); err == nil {
		root = real
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	path = markPath(root, Env)
	if path == "" {
		return "", "", errNoState
	}
	return path, root, nil
}

// Key returns the random key of the project's mark, 32 bytes. Without a mark the error is
// fs.ErrNotExist.
func (p *Project) Key() ([]byte, error) {
	path := markPath(p.Root, p.env)
	if path == "" {
		return nil, errNoState
	}
	if err := checkMark(path); err != nil {
		return nil, err
	}
	if !searchIn(p.Worktree, p.env).trusts(path, p.Root) {
		return nil, &HeldState{filepath.Dir(path), p.Root}
	}
	if !ofOss(path, p.Root) {
		return nil, fmt.Errorf("the mark is of another %s: %w", OssDir, fs.ErrNotExist)
	}
	key, err := os.ReadFile(path)
	if err == nil && len(key) != keySize {
		err = errBadMark
	}
	return key, err
}

// MarkKey is the key of the mark that was found with the project; nil without one. Key checks the mark anew; a hook, which
// has just found the project, need not.
func (p *Project) MarkKey() []byte {
	if !p.Marked {
		return nil
	}
	if key, err := os.ReadFile(p.mark); err == nil && len(key) == keySize {
		return key
	}
	return nil
}

// anchorSuffix ends the name of the file beside a mark that holds the anchor of the project's log.
const anchorSuffix = ".anchor"

// Anchor is the path of the anchor of the project's log; "" without a mark. The file may not exist.
func (p *Project) Anchor() string {
	if !p.Marked {
		return ""
	}
	return p.mark + anchorSuffix
}

// consentSuffix ends the name of the file beside a mark that holds what this user permitted to be run.
const consentSuffix = ".consent"

// Consents is the path of that file; "" if there is no place for a mark. What stands in it counts only with the mark's key.
func (p *Project) Consents() string {
	if p.mark == "" {
		return ""
	}
	return p.mark + consentSuffix
}
