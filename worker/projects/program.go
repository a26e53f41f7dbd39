package projects

import (
	"os"
	"os/exec"
	"path/filepath"

	"aburn/internal/fault"
)

// Program is the path of one of aburn's other executables: beside this one, or on PATH.
func Program(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if path := filepath.Join(filepath.Dir(self), name); executable(path) {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fault.Failed("there is no "+name+", neither next to aburn nor on PATH", "reinstall aburn: all of its executables must be in one folder")
	}
	return path, nil
}

func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}
