package project

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the length of a mark's random key in bytes.
const keySize = 32

// StateDir is the folder for what aburn itself keeps about this user: $XDG_STATE_HOME/aburn, else ~/.local/state/aburn.
func StateDir(env func(string) string) string {
	return xdg(env, "XDG_STATE_HOME", ".local/state")
}

// ConfigDir is the folder of the user's own settings: $XDG_CONFIG_HOME/aburn, else ~/.config/aburn.
func ConfigDir(env func(string) string) string {
	return xdg(env, "XDG_CONFIG_HOME", ".config")
}

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

func markPath(root string, env func(string) string) string {
	dir := StateDir(env)
	if dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(dir, "projects", hex.EncodeToString(sum[:16]))
}

func marked(root string, env func(string) string) bool {
	path := markPath(root, env)
	if path == "" {
		return false
	}
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}

// Mark vouches for the project at root as this user on this machine. Marking twice keeps the first key.
func Mark(root string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	path := markPath(real, os.Getenv)
	if path == "" {
		return errors.New("mark project: neither XDG_STATE_HOME nor HOME is set")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	key := make([]byte, keySize)
	rand.Read(key)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	return errors.Join(err, f.Close())
}

// Unmark withdraws what Mark said. A project without a mark is fine.
func Unmark(root string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	err = os.Remove(markPath(real, os.Getenv))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Key is the mark's random key, 32 bytes.
func (p *Project) Key() ([]byte, error) { return os.ReadFile(markPath(p.Root, p.env)) }
