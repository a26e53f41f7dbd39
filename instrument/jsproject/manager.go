// Package jsproject knows what stands around the code of a JavaScript project: its package.json files, its package
// manager, the file that sets up telemetry. It installs packages of aburn's own table, and adds to the set-up; it
// removes nothing and reorders nothing.
package jsproject

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Manager is a package manager.
type Manager string

const (
	NPM   Manager = "npm"
	PNPM  Manager = "pnpm"
	Yarn  Manager = "yarn" // 1
	Berry Manager = "yarn berry"
	Bun   Manager = "bun"
)

// Manifest is what matters here of a package.json.
type Manifest struct {
	Name           string            `json:"name"`
	Private        bool              `json:"private"`
	Main           string            `json:"main"`
	Bin            json.RawMessage   `json:"bin"`
	Exports        json.RawMessage   `json:"exports"`
	Type           string            `json:"type"`
	Version        string            `json:"version"`
	PackageManager string            `json:"packageManager"`
	Workspaces     json.RawMessage   `json:"workspaces"`
	Scripts        map[string]string `json:"scripts"`
	Dependencies   map[string]string `json:"dependencies"`
	Dev            map[string]string `json:"devDependencies"`
	Peer           map[string]string `json:"peerDependencies"`
	Optional       map[string]string `json:"optionalDependencies"`
}

// maxFile bounds what is read of a project, in bytes.
const maxFile = 8 << 20

// readFile reads a regular file of at most maxFile bytes: opening a pipe would wait.
func readFile(path string) ([]byte, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("is too long")
	}
	return data, err
}

// ReadManifest reads the package.json in a folder.
func ReadManifest(dir string) (*Manifest, error) {
	data, err := readFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	return &m, nil
}

// declares says whether any list of dependencies names a package.
func (m *Manifest) declares(pkg string) bool {
	return m.Dependencies[pkg] != "" || m.Dev[pkg] != "" || m.Peer[pkg] != "" || m.Optional[pkg] != ""
}

// isDistributable: others install it, so what it needs at run time is theirs to choose.
func (m *Manifest) isDistributable() bool {
	return !m.Private && (len(m.Bin) > 0 || m.Main != "" || len(m.Exports) > 0)
}

// folders are dir and what it lies in, up to the repository's folder.
func folders(dir string) (list []string) {
	for {
		list = append(list, dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return list
		}
		up := filepath.Dir(dir)
		if up == dir {
			return list
		}
		dir = up
	}
}

type lock struct {
	file    string
	manager Manager
}

// locks are the files by which a package manager is recognised, and which it writes.
var locks = []lock{{"pnpm-lock.yaml", PNPM}, {"yarn.lock", Yarn}, {"bun.lock", Bun}, {"bun.lockb", Bun}, {"package-lock.json", NPM},
	{"npm-shrinkwrap.json", NPM}}

// ManagerOf recognises the package manager of a package's folder: by packageManager of the nearest package.json that
// has it, then by the nearest lock file. npm where nothing tells.
func ManagerOf(dir string) Manager {
	for _, d := range folders(dir) {
		if m, err := ReadManifest(d); err == nil {
			name, version, _ := strings.Cut(m.PackageManager, "@")
			if name == string(Yarn) && version != "" && !strings.HasPrefix(version, "1") {
				return Berry
			}
			if slices.Contains([]Manager{NPM, PNPM, Yarn, Bun}, Manager(name)) {
				return Manager(name)
			}
		}
	}
	for _, d := range folders(dir) {
		for _, l := range locks {
			if _, err := os.Lstat(filepath.Join(d, l.file)); err != nil {
				continue
			}
			if l.manager == Yarn && isBerry(d) {
				return Berry
			}
			return l.manager
		}
	}
	return NPM
}

func isBerry(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, ".yarnrc.yml")); err == nil {
		return true
	}
	data, err := readFile(filepath.Join(dir, "yarn.lock"))
	return err == nil && strings.Contains(string(data), "\n__metadata:")
}

// add is the command that adds packages to the package.json in dir. Install scripts of packages do not run.
func (m Manager) add(dir string, dev bool) []string {
	saved := func(prod, development string) string {
		if dev {
			return development
		}
		return prod
	}
	var argv []string
	switch m {
	case PNPM:
		argv = []string{"pnpm", "add", saved("--save-prod", "--save-dev"), "--ignore-scripts"}
		if _, err := os.Lstat(filepath.Join(dir, "pnpm-workspace.yaml")); err == nil {
			argv = append(argv, "--workspace-root")
		}
	case Yarn:
		argv = []string{"yarn", "add", saved("", "--dev"), "--ignore-scripts", "--non-interactive"}
		if manifest, err := ReadManifest(dir); err == nil && len(manifest.Workspaces) > 0 {
			argv = append(argv, "--ignore-workspace-root-check")
		}
	case Berry:
		argv = []string{"yarn", "add", saved("", "--dev"), "--mode=skip-build"}
	case Bun:
		argv = []string{"bun", "add", saved("", "--dev"), "--ignore-scripts"}
	default:
		argv = []string{"npm", "install", saved("--save-prod", "--save-dev"), "--ignore-scripts", "--no-audit", "--no-fund"}
	}
	return slices.DeleteFunc(argv, func(s string) bool { return s == "" })
}

// sdks are the packages whose version tells the line of the SDK.
var sdks = []string{"@opentelemetry/sdk-node", "@opentelemetry/sdk-trace-node", "@opentelemetry/sdk-trace", "@opentelemetry/sdk-trace-base"}

// SDK is the OpenTelemetry SDK that a package's folder gets.
type SDK struct {
	Package   string
	Version   string // a range where it is not installed
	Line      string // its major version
	Installed bool   // there or above; else a package.json asks for it
}

// FindSDK finds the SDK of a package's folder: by what is installed there or above, else by what a package.json asks
// for. It is nil for none.
func FindSDK(dir string) *SDK {
	for _, d := range folders(dir) {
		for _, sdk := range sdks {
			if m, err := ReadManifest(filepath.Join(d, "node_modules", filepath.FromSlash(sdk))); err == nil && lineOf(m.Version) != "" {
				return &SDK{sdk, m.Version, lineOf(m.Version), true}
			}
		}
	}
	for _, d := range folders(dir) {
		m, err := ReadManifest(d)
		if err != nil {
			continue
		}
		for _, sdk := range sdks {
			for _, deps := range []map[string]string{m.Dependencies, m.Dev, m.Peer} {
				if line := lineOf(strings.TrimLeft(deps[sdk], "^~>=v ")); line != "" {
					return &SDK{sdk, deps[sdk], line, false}
				}
			}
		}
	}
	return nil
}

// SDKLine is the major version of the SDK of a package's folder; "" for none.
func SDKLine(dir string) string {
	if sdk := FindSDK(dir); sdk != nil {
		return sdk.Line
	}
	return ""
}

// KnowsLine says whether aburn's table has libraries for a line of the SDK.
func KnowsLine(line string) bool { return line != "" && apiRanges[line] != "" }

// lineOf is the line of a version: packages that still begin with 0 were numbered from 0.200 on in line 2, and from
// 0.300 on in line 3.
func lineOf(version string) string {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return ""
	}
	if n > 0 {
		return major
	}
	if n, err = strconv.Atoi(minor); err != nil {
		return ""
	}
	switch {
	case n >= 300:
		return "3"
	case n >= 200:
		return "2"
	}
	return "1"
}

// PackageOf is the folder of the package.json that a file belongs to, below dir, with /; "." where there is none.
func PackageOf(dir, file string) string { return cmp.Or(nearest(dir, file), ".") }

// nearest is the folder of the package.json that a file belongs to, from the file's folder up to dir, with /; "" if
// there is none.
func nearest(dir, file string) string {
	for d := filepath.Dir(filepath.FromSlash(file)); ; d = filepath.Dir(d) {
		if st, err := os.Stat(filepath.Join(dir, d, "package.json")); err == nil && st.Mode().IsRegular() {
			return filepath.ToSlash(d)
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) || d == "." {
			return ""
		}
	}
}
