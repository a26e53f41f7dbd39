package world

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// CountGit puts a git before the others of PATH that writes down how it was called and is the real one for the rest. calls gives the
// arguments of each call since the last time, without what all of aburn's calls begin with.
func CountGit(t testing.TB) (calls func() []string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	list := filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\nout=\nfor a; do case $a in -c|core.*=*|gc.auto=*|maintenance.auto=*|commit.gpgSign=*|advice.*=*) ;; *) out=\"$out $a\" "+
		";; esac; done\n"+
		"printf '%%s\\n' \"$(echo $out)\" >>'%s'\nexec '%s' \"$@\"\n", list, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		data, _ := os.ReadFile(list)
		os.Remove(list)
		return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[:strings.Count(string(data), "\n")]
	}
}
