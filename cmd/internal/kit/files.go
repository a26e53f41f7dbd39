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

// WritePage writes a page into the file that --html names; a new one is for the user alone, as pages name files and commands.
// What it shows is told.
func (a *App) WritePage(cmd *cli.Command, html func(io.Writer) error, shows string) error {
	dir, err := Folder(cmd)
	if err != nil {
		return err
	}
	path := cmd.String("html")
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
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

func InFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Folder is the folder that the person stands in, or named with -C.
func Folder(cmd *cli.Command) (string, error) { return ExistingFolder(cmd.String("C")) }

// ExistingFolder is the absolute path of a folder. One that is not there is a mistake: the project above it is not the one that
// was meant.
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
