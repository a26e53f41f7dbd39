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

// UnhurriedHook writes into dir what `go build -overlay` takes to give the supervisor's look of aburn-hook a minute and a whole run 5 s.
// A busy machine may not run a process for the 30 ms that the look has otherwise, and then advice comes at a later call; or for the
// 800 ms of the run, and then an entry or a receipt is missing. Everything else is as in a release.
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
	for in, now := range map[string]string{"lookTime      = 30 * time.Millisecond": "lookTime      = time.Minute",
		"Deadline      = 800 * time.Millisecond": "Deadline      = 5 * time.Second"} {
		if bytes.Count(code, []byte(in)) != 1 {
			return "", fmt.Errorf("%s does not say %s", where, in)
		}
		code = bytes.Replace(code, []byte(in), []byte(now), 1)
	}
	changed, overlay := filepath.Join(dir, "hooks.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {where: changed}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(changed, code, 0o600), os.WriteFile(overlay, list, 0o600))
}
