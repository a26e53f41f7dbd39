package jsproject

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"aburn/instrument/scan"
	"aburn/internal/atomicfile"
	"aburn/internal/run"
)

// API is what instrumented code imports.
const API = "@opentelemetry/api"

// apiRanges by the line of the SDK: the SDK wants the API of its own line. "" is no SDK.
var apiRanges = map[string]string{"2": "~1.9.1", "3": "^1.10.0", "": "^1.9.0"}

// APIFor is the API that fits a line of the SDK. Beside a line that aburn does not know, it is that of line 2: older
// lines refuse a newer API too.
func APIFor(line string) Package {
	if r := apiRanges[line]; r != "" {
		return Package{API, r}
	}
	return Package{API, apiRanges["2"]}
}

// Package is one package to install.
type Package struct {
	Name  string `json:"name"`
	Range string `json:"range"`
}

func (p Package) String() string { return p.Name + "@" + p.Range }

// Installation is what one package.json of a project lacks.
type Installation struct {
	Dir      string    `json:"dir"` // of the package.json, below the project, with /
	Manager  Manager   `json:"manager"`
	SDK      string    `json:"sdk"` // line of the SDK; "" for none
	Packages []Package `json:"packages"`
	// Peer: others install this package. What it needs stands in peerDependencies, and in devDependencies for its own
	// tests.
	Peer bool `json:"peer"`

	abs string
}

// Needs is what a project's package.json files have to name.
type Needs struct {
	Files     []string // that import the API, below the project, with /
	Libraries []string // that make spans by themselves: the covered package, or the instrumentation
	SetUp     string   // the file that sets up telemetry; "" for none
	// Strategy is where the root's package.json has them: dependencies, peerDependencies; "" is by the package's type.
	Strategy string
}

// Lacks works out what is missing below dir. libraries are those of aburn's table that the set-up has to start. problems
// are wishes that cannot be met, with reasons.
func Lacks(dir string, n Needs) (list []*Installation, libraries []scan.Library, problems []string) {
	byDir := map[string]*Installation{}
	add := func(file string, of func(line string) (Package, string)) string {
		at := nearest(dir, file)
		if at == "" {
			return "there is no package.json for " + file
		}
		in, why := byDir[at], ""
		if in == nil {
			if in, why = installationIn(dir, at, n.Strategy); why != "" {
				return why
			}
			byDir[at] = in
		}
		p, why := of(in.SDK)
		if why != "" {
			return why
		}
		if m, err := ReadManifest(in.abs); err == nil && !m.declares(p.Name) && !slices.Contains(in.Packages, p) {
			in.Packages = append(in.Packages, p)
		}
		return ""
	}
	for _, f := range n.Files {
		if nearest(dir, f) == "" { // nothing says what it needs
			continue
		}
		if why := add(f, apiOf); why != "" && !slices.Contains(problems, why) {
			problems = append(problems, why)
		}
	}
	for _, name := range n.Libraries {
		found := known(name)
		if len(found) == 0 {
			problems = append(problems, name+": aburn knows no library that makes spans for it")
		}
		for _, l := range found {
			if n.SetUp == "" && registersAll(dir) && inBundle(l) {
				continue
			}
			why := "no file sets up telemetry, so nothing would start it"
			if n.SetUp != "" {
				why = add(n.SetUp, func(line string) (Package, string) { return packageOf(l, line) })
			}
			if why != "" {
				problems = append(problems, l.Package+": "+why)
				continue
			}
			if !slices.ContainsFunc(libraries, func(o scan.Library) bool { return o.Package == l.Package }) {
				libraries = append(libraries, l)
			}
		}
	}
	for _, in := range byDir {
		if len(in.Packages) > 0 {
			list = append(list, in)
		}
	}
	slices.SortFunc(list, func(a, b *Installation) int { return strings.Compare(a.Dir, b.Dir) })
	return list, libraries, problems
}

func installationIn(dir, at, strategy string) (*Installation, string) {
	abs := filepath.Join(dir, filepath.FromSlash(at))
	m, err := ReadManifest(abs)
	if err != nil {
		return nil, filepath.ToSlash(filepath.Join(at, "package.json")) + ": " + err.Error()
	}
	in := &Installation{Dir: at, Manager: ManagerOf(abs), SDK: SDKLine(abs), Packages: []Package{}, Peer: m.isDistributable(), abs: abs}
	if at == "." && strategy != "" {
		in.Peer = strategy == "peerDependencies"
	}
	return in, ""
}

// registersAll says whether a script loads the set-up that needs no file.
func registersAll(dir string) bool {
	m, err := ReadManifest(dir)
	return err == nil && slices.ContainsFunc(slices.Collect(maps.Values(m.Scripts)), func(line string) bool { return strings.Contains(line, bundle+"/register") })
}

// known are the libraries of aburn's table that a plan's name means: an instrumentation, or what it covers.
func known(name string) (list []scan.Library) {
	for _, l := range scan.Libraries() {
		if l.Package == name || slices.Contains(l.Covers, name) {
			list = append(list, l)
		}
	}
	return list
}

func apiOf(line string) (Package, string) {
	r, ok := apiRanges[line]
	if !ok {
		return Package{}, "the SDK that is installed is of line " + line + "; aburn knows the lines 2 and 3"
	}
	return Package{API, r}, ""
}

func packageOf(l scan.Library, line string) (Package, string) {
	r := l.Ranges[line]
	switch {
	case line == "":
		return Package{}, "no OpenTelemetry SDK is installed, so nothing would start it; npm install @opentelemetry/sdk-node"
	case r == "":
		return Package{}, "there is none for line " + line + " of the SDK"
	}
	return Package{l.Package, r}, ""
}

// Command is the command line that installs packages.
func (in *Installation) Command(packages []Package) []string {
	argv := in.Manager.add(in.abs, in.Peer)
	for _, p := range packages {
		argv = append(argv, p.String())
	}
	return argv
}

// Consent is what a person permits: the line with a word for packages of aburn's table. Which ones is told beside it.
func (in *Installation) Consent() string {
	return strings.Join(in.Manager.add(in.abs, in.Peer), " ") + " PACKAGES"
}

// AddLine is the line of [Installation.Consent] for the package of a file.
func AddLine(dir, file, strategy string) string {
	in, _ := installationIn(dir, PackageOf(dir, file), strategy)
	if in == nil { // a package.json that cannot be read
		in = &Installation{Manager: ManagerOf(dir), abs: dir}
	}
	return in.Consent()
}

// Installed is what became of an installation.
type Installed struct {
	Packages []string // name@range
	Failed   []string // name@range: why
}

const installTime = 5 * time.Minute

// Install runs the package manager once for all, and where that fails once for each. A call that fails leaves
// package.json and the lock file as they were. The error is the context's.
func (in *Installation) Install(ctx context.Context, environ []string) (Installed, error) {
	var out Installed
	why, err := in.try(ctx, in.Packages, environ)
	if err != nil {
		return out, err
	}
	if why == "" {
		for _, p := range in.Packages {
			out.Packages = append(out.Packages, p.String())
		}
		return out, nil
	}
	for _, p := range in.Packages {
		if len(in.Packages) > 1 {
			if why, err = in.try(ctx, []Package{p}, environ); err != nil {
				return out, err
			}
		}
		if why != "" {
			out.Failed = append(out.Failed, p.String()+": "+why)
			continue
		}
		out.Packages = append(out.Packages, p.String())
	}
	return out, nil
}

// seen are variables that package managers need beside those that any program may see. None of them holds a key.
var seen = []string{
	"CI", "NODE_EXTRA_CA_CERTS", "NVM_*", "FNM_*", "VOLTA_*", "ASDF_*", "MISE_*", "COREPACK_HOME", "PNPM_HOME", "BUN_INSTALL",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"npm_config_cache", "npm_config_prefix", "npm_config_userconfig", "npm_config_globalconfig", "npm_config_registry",
}

// try installs packages. why says how it failed; err is the context's.
func (in *Installation) try(ctx context.Context, packages []Package, environ []string) (why string, err error) {
	before := in.snapshot()
	if in.Peer {
		if err := in.declarePeers(packages); err != nil {
			return err.Error(), nil
		}
	}
	r, err := run.Do(ctx, run.Program{Argv: in.Command(packages), Dir: in.abs, Env: run.Clean(environ, seen...), Timeout: installTime})
	switch {
	case ctx.Err() != nil:
		in.restore(before)
		return "", ctx.Err()
	case err != nil:
		why = err.Error()
	case r.Code != 0:
		why = fmt.Sprintf("exit code %d: %s", r.Code, firstError(string(r.Stderr), string(r.Stdout)))
	default:
		if m, err := ReadManifest(in.abs); err != nil {
			why = "package.json cannot be read afterwards: " + err.Error()
		} else if i := slices.IndexFunc(packages, func(p Package) bool { return !m.declares(p.Name) }); i >= 0 {
			why = "it succeeded, and package.json does not have it"
		}
	}
	if why != "" && !in.restore(before) {
		why += "; package.json was changed beside it, so it is as it is now"
	}
	return why, nil
}

// firstError is the line that tells most of why a package manager failed.
func firstError(stderr, stdout string) string {
	for _, mark := range []string{"ERR!", "ERR_", "error", "Error", "➤ YN"} {
		for _, text := range []string{stderr, stdout} {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); strings.Contains(line, mark) && !strings.HasSuffix(line, "ERR!") {
					return line[:min(len(line), 200)]
				}
			}
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(stderr+stdout), "\n")
	return line[:min(len(line), 200)]
}

// snapshot is the text of package.json and of the lock files, by path.
func (in *Installation) snapshot() map[string][]byte {
	out := map[string][]byte{}
	for i, d := range folders(in.abs) {
		names := []string{}
		if i == 0 {
			names = append(names, "package.json")
		}
		for _, l := range locks {
			names = append(names, l.file)
		}
		for _, name := range names {
			path := filepath.Join(d, name)
			if data, err := os.ReadFile(path); err == nil {
				out[path] = data
			}
		}
	}
	return out
}

// restore puts the files back, unless package.json was changed otherwise than a package manager does it: then all of
// them stay, because somebody else worked with them too.
func (in *Installation) restore(files map[string][]byte) bool {
	manifest := filepath.Join(in.abs, "package.json")
	if now, err := readFile(manifest); err == nil && !OnlyInstalls(files[manifest], now) {
		return false
	}
	for path, text := range files {
		if now, err := os.ReadFile(path); err == nil && !bytes.Equal(now, text) {
			_ = atomicfile.Write(path, text, 0o644, atomicfile.Options{}) // what cannot be written back git shows
		}
	}
	return true
}

// OnlyInstalls says whether a package.json differs from what it was by packages of aburn's table only, as installing
// them leaves it. One that is no JSON now is what a package manager left that failed.
func OnlyInstalls(before, now []byte) bool {
	was, err := withoutTable(before)
	is, errNow := withoutTable(now)
	return err != nil || errNow != nil || reflect.DeepEqual(was, is)
}

// withoutTable is a package.json without the packages of aburn's table, and without the mark that a package manager
// leaves of itself.
func withoutTable(text []byte) (m map[string]any, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	for _, name := range []string{"dependencies", "devDependencies", "peerDependencies", "peerDependenciesMeta"} {
		list, _ := m[name].(map[string]any)
		maps.DeleteFunc(list, func(pkg string, _ any) bool {
			return pkg == API || slices.ContainsFunc(scan.Libraries(), func(l scan.Library) bool { return l.Package == pkg })
		})
		if len(list) == 0 {
			delete(m, name)
		}
	}
	delete(m, "packageManager")
	return m, nil
}

// IsLock says whether a file is one that a package manager locks versions in.
func IsLock(file string) bool {
	return slices.ContainsFunc(locks, func(l lock) bool { return l.file == path.Base(file) })
}

// LockFiles are the files beside package.json that installing may change or make, below the project's folder, with /:
// in a workspace they may lie above it.
func (in *Installation) LockFiles() (files []string) {
	for _, d := range folders(in.abs) {
		up, err := filepath.Rel(in.abs, d)
		for _, l := range locks {
			if err == nil {
				files = append(files, path.Join(in.Dir, filepath.ToSlash(up), l.file))
			}
		}
	}
	return files
}

// declarePeers writes packages into peerDependencies. Instrumentations are optional ones: the package does without
// them. The API is not: its code would not load.
func (in *Installation) declarePeers(packages []Package) error {
	path := filepath.Join(in.abs, "package.json")
	text, err := readFile(path)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if text, err = withMember(text, p.Name, quoteJSON(p.Range), "peerDependencies"); err != nil {
			return err
		}
		if p.Name == API {
			continue
		}
		if text, err = withMember(text, p.Name, `{ "optional": true }`, "peerDependenciesMeta"); err != nil {
			return err
		}
	}
	return atomicfile.Write(path, text, 0o644, atomicfile.Options{Sync: true})
}

func quoteJSON(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return strings.NewReplacer(`\u003e`, ">", `\u003c`, "<").Replace(string(b))
}
