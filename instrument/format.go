package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"aburn/internal/run"
	"aburn/internal/scrub"
)

// manifest is what matters of a package.json.
type manifest struct {
	Name           string            `json:"name"`
	Type           string            `json:"type"`
	Private        bool              `json:"private"`
	Main           string            `json:"main"`
	Bin            json.RawMessage   `json:"bin"`
	Exports        json.RawMessage   `json:"exports"`
	PackageManager string            `json:"packageManager"`
	Scripts        map[string]string `json:"scripts"`
	Dependencies   map[string]string `json:"dependencies"`
	Dev            map[string]string `json:"devDependencies"`
	Peer           map[string]string `json:"peerDependencies"`
}

// readManifest reads the package.json of a folder below root.
func readManifest(root *os.Root, dir string) (*manifest, error) {
	data, err := readIn(root, path.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("package.json is no valid JSON: %w", err)
	}
	return &m, nil
}

// Formatter is the project's own Prettier. A nil one formats nothing.
type Formatter struct {
	Dir  string
	Line []string // the program and its first arguments
	Env  []string
}

const formatTime = time.Minute

// FindFormatter finds the Prettier that is installed in dir, without starting it; nil if
// there is none.
func FindFormatter(dir string, environ []string) *Formatter {
	bin := installedBin(dir, "prettier")
	if bin == "" {
		return nil
	}
	return &Formatter{dir, []string{"node", bin}, environ}
}

// format prints source as the project does, if it printed before so too. text is nil
// where it did not; why is what went wrong.
func (f *Formatter) format(ctx context.Context, name string, before, source []byte) (text []byte, why string) {
	if f == nil {
		return nil, ""
	}
	printed, err := f.print(ctx, name, before)
	if err == nil && !bytes.Equal(printed, before) {
		return nil, "the file was not printed by the project's formatter before, so it is not now"
	}
	if err == nil {
		printed, err = f.print(ctx, name, source)
	}
	if err != nil {
		return nil, "the formatter failed, so the file is as aburn wrote it: " + err.Error()
	}
	return printed, ""
}

func (f *Formatter) print(ctx context.Context, name string, source []byte) ([]byte, error) {
	r, err := run.Do(ctx, run.Program{
		Argv: append(append([]string{}, f.Line...), "--stdin-filepath", name), Dir: f.Dir, Env: run.Clean(f.Env), Stdin: bytes.NewReader(source), Timeout: formatTime,
		Output: 4 << 20,
	})
	switch {
	case err != nil:
		return nil, err
	case r.Code != 0:
		return nil, fmt.Errorf("exit code %d: %s", r.Code, firstLine(r.Stderr))
	case r.Cut || len(r.Stdout) == 0:
		return nil, errors.New("it printed too much or nothing")
	}
	return r.Stdout, nil
}

// firstLine is the beginning of what a program of the project says, without secrets.
func firstLine(said []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	line, _ = scrub.Text(line)
	return fmt.Sprintf("%.200s", line)
}
