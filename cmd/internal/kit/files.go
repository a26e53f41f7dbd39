package kit

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"
)

// WritePage writes a page into the file that --html names, and prints a note of what it shows. A new file is for the user
// alone, because pages name files and commands.
func (a *App) WritePage(cmd *cli.Command, html func(io.Writer) error, shows string) error {
	dir, err := Folder(cmd)
	if err != nil {
		return err
	}
	path := InFolder(dir, cmd.String("html"))
	var page bytes.Buffer
	if err := html(&page); err != nil {
		return err
	}
	err = os.WriteFile(path, page.Bytes(), 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return UsageError(err.Error(), "make the folder first, or name another one behind --html")
	case err != nil:
		return err
	}
	a.Note(path + " shows " + shows)
	return nil
}

// InFolder is a path relative to dir, or an absolute one as it is.
func InFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Folder is the folder of -C, by default the current one.
func Folder(cmd *cli.Command) (string, error) { return ExistingFolder(cmd.String("C")) }

// ExistingFolder is the absolute path of a folder. A missing one is a mistake in the call: aburn must not go on with the
// project above it.
func ExistingFolder(name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", UsageError("-C: " + dir + " is not a folder")
	}
	return dir, nil
}
