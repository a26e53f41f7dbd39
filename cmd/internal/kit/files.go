package kit

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"aburn/internal/atomicfile"
	"aburn/internal/fault"
	"aburn/internal/workspace"
)

// pageMark stands in the first pageHead bytes of every page that aburn writes (web/common/page.html), so that it knows them again.
const (
	pageMark = `<meta name="generator" content="aburn">`
	pageHead = 512
)

// PageFlags are --html with this usage, and --force.
func PageFlags(usage string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "html", Usage: usage, TakesFile: true},
		&cli.BoolFlag{Name: "force", Usage: "with --html: overwrite FILE though aburn did not write it"},
	}
}

// CheckPageFlags is the error for --force without a page.
func CheckPageFlags(cmd *cli.Command) error {
	if cmd.Bool("force") && !cmd.IsSet("html") {
		return fault.Usage("--force goes with --html")
	}
	return nil
}

// WritePage writes a page into the file that --html names, as a whole or not at all, and prints a note of what it shows. It
// overwrites only a page of aburn's or an empty file, unless --force is given. A link is followed to such a page and to nothing
// else. A new file is for the user alone, because pages name files and commands.
func (a *App) WritePage(cmd *cli.Command, html func(io.Writer) error, shows string) error {
	dir, err := Folder(cmd)
	if err != nil {
		return err
	}
	path := workspace.InFolder(dir, cmd.String("html"))
	var page bytes.Buffer
	if err := html(&page); err != nil {
		return err
	}
	target, force, err := pageTarget(path, cmd.Bool("force"))
	if err != nil {
		return err
	}
	check := func() error {
		if force || mayOverwrite(target) {
			return nil
		}
		return fault.Usage(path+" exists and isn't a page of aburn's: nothing was written", "name another file, or add --force to overwrite it")
	}
	err = atomicfile.Write(target, page.Bytes(), 0o600, atomicfile.Options{Check: check})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.Usage(path+": no such file or directory", "make the folder first, or pass another one to --html")
	case errors.Is(err, atomicfile.ErrNotRegular):
		return fault.Usage(path+" is a folder, a pipe or a device: nothing was written", "name a file")
	case err != nil:
		return err
	}
	a.Note(path + " shows " + shows)
	return nil
}

// pageTarget is the file that path means. --force does not hold for what a link leads to: the link may be somebody else's.
func pageTarget(path string, force bool) (target string, still bool, err error) {
	st, err := os.Lstat(path)
	if err != nil || st.Mode()&fs.ModeSymlink == 0 {
		return path, force, nil // what is wrong with it, writing finds out
	}
	target, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", false, fault.Usage(path+" is a broken link: nothing was written", "name a file")
	}
	if !mayOverwrite(target) {
		return "", false, fault.Usage(path+" is a link to "+target+", which isn't a page of aburn's: nothing was written", "name a file")
	}
	return target, false, nil
}

// mayOverwrite reports whether nothing is lost with the file: it is missing, empty, or a page of aburn's.
func mayOverwrite(path string) bool {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil || !st.Mode().IsRegular() {
		return false // never open a pipe: that waits for a writer
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, pageHead))
	return err == nil && (len(head) == 0 || bytes.Contains(head, []byte(pageMark)))
}

// Folder is the folder of -C, by default the current one.
func Folder(cmd *cli.Command) (string, error) { return workspace.FolderOfC(cmd.String("C")) }
