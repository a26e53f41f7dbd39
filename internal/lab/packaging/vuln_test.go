package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What the script says of each end of govulncheck: a database that cannot be reached is neither good news nor bad.
func TestVulnSaysWhatIsNotKnown(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	for name, c := range map[string]struct {
		script, says string
		code         int
	}{
		"none": {"exit 0", "", 0},
		"some": {"echo 'Vulnerability #1'; exit 3", "", 3},
		"unreachable": {`echo 'govulncheck: fetching vulnerabilities: Get "https://vuln.go.dev/index/modules.json.gz": dial tcp: no route to host' >&2; exit 1`,
			"cannot be reached", 75},
		"no build": {"echo 'govulncheck: loading packages: there are errors' >&2; exit 1", "", 1},
	} {
		fake := filepath.Join(t.TempDir(), "govulncheck")
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", filepath.Join(rootOfSource, ".ci", "vuln"))
		cmd.Env = append(os.Environ(), "GOVULNCHECK="+fake)
		out, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		code := 0
		if errors.As(err, &ended) {
			code = ended.ExitCode()
		}
		if said := strings.Contains(string(out), "cannot be reached"); code != c.code || said != (c.says != "") {
			t.Errorf("%s: exit %d, want %d: %s", name, code, c.code, out)
		}
	}
}
