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
	"slices"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/atomicfile"
)

// Status says what Write did, or would do, with one file.
type Status string

const (
	Created Status = "created"
	Same    Status = "unchanged" // it was there as it should be
	Updated Status = "updated"   // it was as an earlier aburn wrote it
	Kept    Status = "kept"      // somebody changed it, or it is not ours: left alone
	Forced  Status = "replaced"  // as Kept, but replaced because of Options.Force
)

// Written is the fate of one file.
type Written struct {
	Path   string `json:"path"`
	Status Status `json:"status"`
}

// Options are for Write.
type Options struct {
	// Ledger is the file, relative to the folder, in which Write remembers the hash of what it wrote. It travels with
	// the files (in a repository, say), so that anybody's next Write can tell an old version from a changed one.
	Ledger string
	Force  bool // replace changed files too
	DryRun bool // only say what would happen
}

// ProjectLedger is the ledger for ProjectFiles; PluginLedger that for Plugin.Files.
func ProjectLedger(agent *agentcli.Agent) string { return agent.Prompts.Folder + PluginLedger }

// PluginLedger is the name of a ledger.
const PluginLedger = ".aburn-templates"

// maxExisting bounds what is read of a file that stands where one of ours goes; a larger one is not ours.
const maxExisting = 1 << 20

const ledgerHead = "# What aburn wrote beside this file. It replaces a file only while the sum still fits.\n"

// Write puts files into dir, which is created if need be, and touches nothing outside of it: a link that leads out is an
// error. A file that is neither as we would write it nor as the ledger says we wrote it stays, unless Force is set.
// The ledger is written last: after a crash in between, files that are as they should be are found to be the Same.
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

func allCreated(files []File) []Written {
	var done []Written
	for _, f := range files {
		done = append(done, Written{f.Path, Created})
	}
	return done
}

// judge decides the fate of one file; written is its sum in the ledger, "" if it has none.
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

// place writes one file, and the folders above it.
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

// sum is the hash of a text whatever line ends git gave it.
func sum(data []byte) string {
	h := sha256.Sum256(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(h[:])
}

// readLedger reads lines "<sha256>  <path>"; what it does not understand it ignores: then files are kept.
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
