package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// UnhurriedHook writes into dir what `go build -overlay` takes to give the supervisor's look of aburn-hook a minute. A busy machine may
// not run a process for the 30 ms that the look has otherwise, and then advice comes at a later call. Everything else is as in a
// release.
func UnhurriedHook(dir string) (overlay string, err error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	where := filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), "hooks", "hooks.go")
	code, err := os.ReadFile(where)
	if err != nil {
		return "", err
	}
	const in, now = "lookTime      = 30 * time.Millisecond", "lookTime      = time.Minute"
	if !bytes.Contains(code, []byte(in)) {
		return "", fmt.Errorf("%s does not say %s", where, in)
	}
	changed, overlay := filepath.Join(dir, "hooks.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {where: changed}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(changed, bytes.Replace(code, []byte(in), []byte(now), 1), 0o600), os.WriteFile(overlay, list, 0o600))
}
