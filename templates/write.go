package templates

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/atomicfile"
)

// Status is what Write did, or would do, with one file.
type Status string

const (
	Created Status = "created"
	Same    Status = "unchanged" // the file was up to date
	Updated Status = "updated"   // the file was as an earlier aburn wrote it
	Kept    Status = "kept"      // somebody else wrote or changed the file: left alone
	Forced  Status = "replaced"  // replaced because of Options.Force; else Kept
	Removed Status = "removed"   // by Remove: it was as aburn wrote it
)

// Written is the result for one file.
type Written struct {
	Path   string `json:"path"`
	Status Status `json:"status"`
}

// Options are the options of Write.
type Options struct {
	// Ledger is the file, relative to the folder, with the hashes of the files that Write wrote. It is committed with
	// them, so that anybody's next Write can tell an old version from a changed one.
	Ledger string
	Force  bool // replace changed files too
	DryRun bool // write nothing and only report
}

// ProjectLedger returns the ledger for ProjectFiles.
func ProjectLedger(agent *agentcli.Agent) string { return agent.Prompts.Folder + PluginLedger }

// PluginLedger is the ledger for Plugin.Files.
const PluginLedger = ".aburn-templates"

// maxExisting bounds the read of an existing file, in bytes. A larger file is not aburn's.
const maxExisting = 1 << 20

const ledgerHead = "# Files that aburn wrote next to this one. It replaces a file only if its sum still matches.\n"

// Blocked is the error for a folder that cannot be written into. Nothing was written then.
type Blocked struct {
	Path   string // as the files name it
	Reason string // "is a link …", …
}

func (e *Blocked) Error() string { return e.Path + " " + e.Reason }

// Write writes files into dir, which it makes if needed. It touches nothing outside of dir: a link that leads out is
// a *Blocked error. A file that differs both from the new text and from the ledger's hash stays, unless Force is set. The
// ledger is written last: after a crash before that, the next Write finds the new files to be the Same.
func Write(dir string, files []File, o Options) ([]Written, error) {
	if !o.DryRun {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) && o.DryRun {
		return allCreated(files), nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, f := range append(slices.Clone(files), File{Path: o.Ledger}) {
		if err := passable(root, dir, path.Dir(f.Path)); err != nil {
			return nil, err
		}
	}
	ledger := readLedger(root, o.Ledger)
	var done []Written
	for _, f := range files {
		status, err := judge(root, f, ledger[f.Path], o.Force)
		if err == nil && !o.DryRun && status != Same && status != Kept {
			err = place(root, f)
		}
		if err != nil {
			return done, err
		}
		if status != Kept {
			ledger[f.Path] = sum(f.Data)
		}
		done = append(done, Written{f.Path, status})
	}
	if o.DryRun {
		return done, nil
	}
	return done, writeLedger(root, o.Ledger, ledger)
}

// Remove takes out of dir what Write wrote for the agent and nobody changed since, the folders that are empty then, and
// the ledger once it names nothing. A changed file stays, and in the ledger.
func Remove(dir string, agent *agentcli.Agent, dryRun bool) ([]Written, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	folder, name := agent.Prompts.Folder, ProjectLedger(agent)
	ledger := readLedger(root, name)
	var done []Written
	for _, file := range slices.Sorted(maps.Keys(ledger)) {
		rest, ours := strings.CutPrefix(file, folder)
		if !ours || path.Clean(file) != file || !strings.HasPrefix(rest, "commands/") && !strings.HasPrefix(rest, "skills/") {
			continue // the ledger is in the repository: it names only what Write can have written
		}
		status, err := removeFile(root, file, ledger[file], dryRun)
		if err != nil {
			return done, err
		}
		if status != "" {
			done = append(done, Written{file, status})
		}
		if status != Kept {
			delete(ledger, file)
		}
	}
	if dryRun || len(done) == 0 {
		return done, nil
	}
	if len(ledger) > 0 {
		return done, writeLedger(root, name, ledger)
	}
	if err := root.Remove(name); err != nil {
		return done, err
	}
	removeEmpty(root, path.Dir(name))
	return done, nil
}

// removeFile removes a file if it has this hash, and the folders that are empty then. The status is "" if it was gone.
func removeFile(root *os.Root, file, hash string, dryRun bool) (Status, error) {
	data, err := readFile(root, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, atomicfile.ErrNotRegular):
		return Kept, nil
	case err != nil:
		return "", err
	case sum(data) != hash:
		return Kept, nil
	case dryRun:
		return Removed, nil
	}
	if err := root.Remove(file); err != nil {
		return "", err
	}
	removeEmpty(root, path.Dir(file))
	return Removed, nil
}

// removeEmpty removes a folder and those above it, as long as they are empty.
func removeEmpty(root *os.Root, folder string) {
	for ; folder != "." && root.Remove(folder) == nil; folder = path.Dir(folder) {
	}
}

// passable returns a *Blocked if a part of the folder is no folder, or is a link that leads out of dir.
func passable(root *os.Root, dir, folder string) error {
	if folder == "." {
		return nil
	}
	if err := passable(root, dir, path.Dir(folder)); err != nil {
		return err
	}
	st, err := root.Lstat(folder)
	if err != nil {
		return nil // it is made, or making it says why not
	}
	if st.Mode()&fs.ModeSymlink == 0 {
		if !st.IsDir() {
			return &Blocked{folder, "is a file, not a folder"}
		}
		return nil
	}
	if at, err := root.Stat(folder); err == nil && at.IsDir() {
		return nil
	} else if err == nil {
		return &Blocked{folder, "is a link to a file, not to a folder"}
	}
	to, err := os.Readlink(filepath.Join(dir, filepath.FromSlash(folder)))
	if err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(folder))); err != nil {
		return &Blocked{folder, "is a link to " + to + ", which is not there"}
	}
	return &Blocked{folder, "is a link that leads out of " + dir + ", to " + to}
}

func allCreated(files []File) []Written {
	var done []Written
	for _, f := range files {
		done = append(done, Written{f.Path, Created})
	}
	return done
}

// judge decides what to do with one file. written is its hash in the ledger, "" for none.
func judge(root *os.Root, f File, written string, force bool) (Status, error) {
	old, err := readFile(root, f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Created, nil
	case errors.Is(err, atomicfile.ErrNotRegular):
		return Kept, nil // not even Force replaces a folder or a link
	case err != nil:
		return "", err
	}
	switch is := sum(old); {
	case is == sum(f.Data):
		return Same, nil
	case is == written:
		return Updated, nil
	case force:
		return Forced, nil
	}
	return Kept, nil
}

func readFile(root *os.Root, name string) ([]byte, error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: atomicfile.ErrNotRegular}
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxExisting))
}

// place writes one file and the folders above it.
func place(root *os.Root, f File) error {
	folder := path.Dir(f.Path)
	if err := root.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	sub, err := root.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer sub.Close()
	return atomicfile.WriteRoot(sub, path.Base(f.Path), f.Data, 0o644, atomicfile.Options{})
}

// sum is the hash of a text with \n line ends, because git may change them.
func sum(data []byte) string {
	h := sha256.Sum256(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(h[:])
}

// readLedger reads lines "<sha256>  <path>". It ignores other lines, which only means that files are kept.
func readLedger(root *os.Root, name string) map[string]string {
	ledger := map[string]string{}
	b, err := readFile(root, name)
	if err != nil {
		return ledger
	}
	for line := range strings.Lines(string(b)) {
		if hash, file, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && len(hash) == 2*sha256.Size {
			ledger[file] = hash
		}
	}
	return ledger
}

func writeLedger(root *os.Root, name string, ledger map[string]string) error {
	var b strings.Builder
	b.WriteString(ledgerHead)
	for _, file := range slices.Sorted(maps.Keys(ledger)) {
		fmt.Fprintf(&b, "%s  %s\n", ledger[file], file)
	}
	if old, err := readFile(root, name); err == nil && string(old) == b.String() {
		return nil
	}
	return place(root, File{name, []byte(b.String())})
}
