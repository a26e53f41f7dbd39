package workspace

import (
	"os"
	"path/filepath"

	"aburn/internal/fault"
)

// InFolder is a path relative to dir, or an absolute one as it is.
func InFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// FolderOfC is ExistingFolder for the value of -C, which its error names.
func FolderOfC(name string) (string, error) { return existingFolder("-C: ", name) }

// ExistingFolder is the absolute path of a folder. A missing one is a mistake in the call: aburn must not go on with the
// project above it.
func ExistingFolder(name string) (string, error) { return existingFolder("", name) }

func existingFolder(said, name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fault.Usage(said + dir + " is not a folder")
	}
	return dir, nil
}
