package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"aburn/internal/atomicfile"
)

// Settings outlive what they name. A package manager moves what it installed: npm has no aburn-hook for a second or two
// of each update, npx keeps it in a cache, a version manager changes it with the version of Node. So settings name copies
// in a folder of aburn's own, the place, wherever PATH leads to such a file or to a script in front of the executable.

// placed are the executables of the place. aburn-hook starts aburn, which it looks for in its own folder.
var placed = []string{hookName, serverName}

// versionName is the file of the place that holds the version of the copies, and nothing where none was released.
const versionName = "version"

// Place is the folder of aburn's own copies of its executables, "" without a home. It may not exist.
func Place(env func(string) string) string {
	dir, under := env("XDG_DATA_HOME"), "aburn"
	if runtime.GOOS == "windows" {
		dir = env("LOCALAPPDATA")
	}
	if !filepath.IsAbs(dir) {
		dir, under = env("HOME"), filepath.Join(".local", "share", "aburn")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, under, "bin")
}

// Copy is the renewal of the place, by files of the folder From.
type Copy struct{ From, To, version string }

// stable is the path that settings name for the program found at path: path itself, or its copy in the place if a package
// manager moves it. It is also path where the running aburn has nothing to copy.
func (o Options) stable(path, name string) string {
	place := Place(o.Env)
	if place == "" || o.Scope == Project || !moves(path) || o.natives() == "" {
		return path
	}
	return filepath.Join(place, programFile(name))
}

// natives is the folder of the executable that runs; "" if it does not hold all that the place needs.
func (o Options) natives() string {
	if o.Self == "" {
		return ""
	}
	dir := filepath.Dir(o.Self)
	if slices.ContainsFunc(placed, func(name string) bool { path := programIn(dir, name); return path == "" || isScript(path) }) {
		return ""
	}
	return dir
}

// movers are names of folders whose content a package manager moves or removes.
var movers = []string{"node_modules", "_npx", ".nvm", ".fnm", "fnm", "fnm_multishells", ".volta", "mise", ".asdf", "asdf", "Cellar"}

// moves reports whether a package manager moves path, or may: it lies in one's folder, leads into one's, or is a script
// in front of the executable. What Homebrew links outside of its Cellar stays where it is.
func moves(path string) bool {
	if inFolder(path, movers) || isScript(path) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && inFolder(real, slices.DeleteFunc(slices.Clone(movers), func(name string) bool { return name == "Cellar" }))
}

func inFolder(path string, names []string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		if slices.Contains(names, part) {
			return true
		}
	}
	return false
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var start [2]byte
	n, _ := f.Read(start[:])
	return string(start[:n]) == "#!"
}

// planCopy plans to make or renew the place, if the change names it. An explicit install also renews copies of a build
// that was never released.
func (c *Change) planCopy(o Options) {
	place := Place(o.Env)
	if slices.ContainsFunc(c.programs, func(path string) bool { return filepath.Dir(path) == place }) && Stale(o.Self, o.Env) {
		c.Copy = &Copy{o.natives(), place, o.Version}
	}
}

// Stale reports whether the executables beside self are others than their copies in the place. Copies are not stale if
// self is one of them, or nothing to copy lies beside it.
func Stale(self string, env func(string) string) bool {
	place, from := Place(env), Options{Self: self}.natives()
	if place == "" || from == "" || from == place {
		return false
	}
	return slices.ContainsFunc(placed, func(name string) bool { return !sameBytes(programIn(from, name), programIn(place, name)) })
}

// Other reports whether the hook at path differs from the one beside self. Without one beside self it is not other.
func Other(path, self string) bool {
	beside := programIn(filepath.Dir(self), hookName)
	return beside != "" && !sameBytes(path, beside)
}

func sameBytes(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	as, err := os.Stat(a)
	bs, err2 := os.Stat(b)
	if err != nil || err2 != nil || as.Size() != bs.Size() {
		return false
	}
	x, err := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// apply replaces one file after the other as a whole: a hook that starts meanwhile is the old one or the new one. The
// version is written last, so that a copy that was killed is made again.
func (c *Copy) apply() error {
	if err := os.MkdirAll(c.To, 0o755); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(c.To, versionName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range placed {
		data, err := os.ReadFile(filepath.Join(c.From, programFile(name)))
		if err != nil {
			return err
		}
		if err := replaceProgram(filepath.Join(c.To, programFile(name)), data); err != nil {
			return fmt.Errorf("%s could not be copied to %s: %w", name, c.To, err)
		}
	}
	return atomicfile.Write(filepath.Join(c.To, versionName), []byte(c.version+"\n"), 0o644, atomicfile.Options{Sync: true})
}

// replaceProgram replaces an executable, which may be running. Windows lets nobody overwrite or remove it then, but move
// it: for that moment nothing is at its path.
func replaceProgram(path string, data []byte) error {
	write := func(check func() error) error {
		return atomicfile.Write(path, data, 0o755, atomicfile.Options{Sync: true, Check: check})
	}
	err := write(nil)
	if !errors.Is(err, fs.ErrPermission) || runtime.GOOS != "windows" {
		return err
	}
	aside := asideOf(path)
	if err = write(func() error { return os.Rename(path, aside) }); err != nil && !exists(path) {
		return errors.Join(err, os.Rename(aside, path))
	}
	return err
}

// removeProgram removes an executable, which may be running.
func removeProgram(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrPermission) && runtime.GOOS == "windows" {
		return os.Rename(path, asideOf(path))
	}
	return err
}

// asideOf is a new path for a running executable, in the folder for temporary files: nobody calls it there.
func asideOf(path string) string {
	return filepath.Join(os.TempDir(), filepath.Base(path)+"-"+strconv.FormatUint(rand.Uint64(), 36)+".old")
}

// Renew renews the place with the executables beside self if there is a place, and its copies are of an older release
// than version. A version that was not released renews nothing. An error leaves each copy whole.
func Renew(self, version string, env func(string) string) error {
	place := Place(env)
	if place == "" || self == "" || !Released(version) {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(place, versionName))
	if err != nil {
		return nil // no place, or one that another process is renewing
	}
	if have := strings.TrimSpace(string(data)); Released(have) && semver.Compare(have, version) >= 0 {
		return nil
	}
	from := Options{Self: self}.natives()
	if from == "" || from == place {
		return nil
	}
	return (&Copy{from, place, version}).apply()
}

// Released reports whether version is one of a release, as Go writes them: v1.2.3 or v1.2.3-rc.1.
func Released(version string) bool {
	return semver.IsValid(version) && semver.Build(version) == "" && !module.IsPseudoVersion(version)
}

// planNoPlace plans to remove the place if no settings file names it any more that an install has recorded, after this
// change. A server that Codex registered by itself has no record: it is looked up.
func (c *Change) planNoPlace(o Options) {
	place := Place(o.Env)
	if place == "" || programIn(place, hookName) == "" {
		return
	}
	for _, r := range records(o.Env) {
		if filepath.Dir(r.Hook) == place && !slices.ContainsFunc(c.Files, func(f FileChange) bool { return f.Real == r.Real }) && exists(r.Real) {
			return
		}
	}
	for _, a := range Agents() {
		for _, s := range Servers(a, o.Dir, o.Env) {
			if filepath.Dir(s.Command) == place && !(o.MCP && slices.Contains(o.Agents, a)) {
				return
			}
		}
	}
	c.Place = place
}

// removePlace removes aburn's own files from the place, and the folder if nothing else is in it.
func removePlace(place string) error {
	for _, name := range append([]string{versionName}, programFile(placed[0]), programFile(placed[1])) {
		if err := removeProgram(filepath.Join(place, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(place)
	return nil
}
