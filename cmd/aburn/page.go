package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"
)

// writePage writes a page into the file that --html names; a new one is for the user alone, as pages name files and commands.
// What it shows is told.
func (a *app) writePage(cmd *cli.Command, html func(io.Writer) error, shows string) error {
	dir, err := folder(cmd)
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
		return usageError(err.Error(), "make the folder first, or name another one behind --html")
	case err != nil:
		return err
	}
	a.note(path + " shows " + shows)
	return nil
}

func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// folder is the folder that the person stands in, or named with -C.
func folder(cmd *cli.Command) (string, error) { return existingFolder(cmd.String("C")) }

// existingFolder is the absolute path of a folder. One that is not there is a mistake: the project above it is not the one that
// was meant.
func existingFolder(name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", usageError("-C: " + dir + " is not a folder")
	}
	return dir, nil
}
