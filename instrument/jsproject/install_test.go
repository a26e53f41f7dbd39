package jsproject

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// TestMain makes this test binary a package manager when it is called by the name of one.
func TestMain(m *testing.M) {
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, name) {
		os.Exit(fake(name, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fake records its arguments beside itself and adds what it is told to package.json. The file "refuse" beside it names
// packages that do not install; then it leaves a damaged package.json.
func fake(name string, args []string) int {
	self, _ := exec.LookPath(os.Args[0])
	self = filepath.Dir(self)
	dir, _ := os.Getwd()
	log, err := os.OpenFile(filepath.Join(self, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(log, filepath.Base(dir)+":", name, strings.Join(args, " "))
	refuse, _ := os.ReadFile(filepath.Join(self, "refuse"))
	list := "dependencies"
	if slices.Contains(args, "--dev") || slices.Contains(args, "--save-dev") {
		list = "devDependencies"
	}
	text, _ := os.ReadFile("package.json")
	for _, a := range args[1:] {
		at := strings.LastIndex(a, "@")
		if strings.HasPrefix(a, "-") || at < 1 {
			continue
		}
		if slices.Contains(strings.Fields(string(refuse)), a[:at]) {
			os.WriteFile("package.json", []byte("{"), 0o600)
			fmt.Fprintln(os.Stderr, "npm warn install-scripts blocked\nnpm ERR! code ERESOLVE\nnpm ERR! more")
			return 1
		}
		if text, err = withMember(text, a[:at], quoteJSON(a[at+1:]), list); err != nil {
			return 1
		}
	}
	if os.Getenv("SECRET_TOKEN") != "" || os.WriteFile("package.json", text, 0o600) != nil {
		return 1
	}
	return 0
}

// managers puts fake package managers first on PATH, and gives their folder.
func managers(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"npm", "pnpm", "yarn", "bun"} {
		if runtime.GOOS == "windows" {
			t.Skip("needs names without an extension")
		}
		if err := world.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return dir
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const sdk2 = "node_modules/@opentelemetry/sdk-node/package.json"

// TestManagers: each package manager is recognised and called in its own way, without install scripts.
func TestManagers(t *testing.T) {
	bin := managers(t)
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"npm", nil, "npm install --save-prod --ignore-scripts --no-audit --no-fund"},
		{"npm by its lock", map[string]string{"package-lock.json": "{}"}, "npm install --save-prod"},
		{"pnpm", map[string]string{"pnpm-lock.yaml": ""}, "pnpm add --save-prod --ignore-scripts"},
		{"pnpm workspace", map[string]string{"pnpm-lock.yaml": "", "pnpm-workspace.yaml": ""}, "pnpm add --save-prod --ignore-scripts --workspace-root"},
		{"yarn 1", map[string]string{"yarn.lock": "# yarn lockfile v1\n"}, "yarn add --ignore-scripts --non-interactive"},
		{"yarn berry", map[string]string{"yarn.lock": "# This file\n\n__metadata:\n  version: 8\n"}, "yarn add --mode=skip-build"},
		{"bun", map[string]string{"bun.lockb": ""}, "bun add --ignore-scripts"},
		{"packageManager wins", map[string]string{"yarn.lock": "", "package.json": `{"private": true, "packageManager": "pnpm@9.1.0"}`}, "pnpm add"},
		{"yarn by packageManager", map[string]string{"package.json": `{"private": true, "packageManager": "yarn@4.2.0"}`}, "yarn add --mode=skip-build"},
		{"yarn 1 by packageManager", map[string]string{"package.json": `{"private": true, "packageManager": "yarn@1.22.22", "workspaces": ["a"]}`},
			"yarn add --ignore-scripts --non-interactive --ignore-workspace-root-check"},
	} {
		dir := filepath.Join(t.TempDir(), "shop")
		write(t, dir, map[string]string{".git/HEAD": "", "package.json": "{\n  \"private\": true\n}\n", sdk2: `{"version": "0.223.0"}`})
		write(t, dir, c.files)
		t.Setenv("SECRET_TOKEN", "x")
		list, libs, problems := Lacks(dir, Needs{Files: []string{"src/a.js"}, Libraries: []string{"pg"}, SetUp: "src/telemetry.js"})
		if len(list) != 1 || len(libs) != 1 || len(problems) > 0 {
			t.Fatalf("%s: %v %v %v", c.name, list, libs, problems)
		}
		os.Remove(filepath.Join(bin, "log"))
		got, err := list[0].Install(t.Context(), os.Environ())
		want := "shop: " + c.want
		line := text(t, filepath.Join(bin, "log"))
		if err != nil || len(got.Failed) > 0 || !strings.HasPrefix(line, want) ||
			!strings.HasSuffix(line, " @opentelemetry/api@~1.9.1 @opentelemetry/instrumentation-pg@^0.76.0\n") {
			t.Errorf("%s: %v %v: %s", c.name, err, got, line)
		}
		if again, _, _ := Lacks(dir, Needs{Files: []string{"src/a.js"}, Libraries: []string{"pg"}, SetUp: "src/telemetry.js"}); len(again) > 0 {
			t.Errorf("%s: a second time: %v", c.name, again[0].Packages)
		}
	}
}

// TestOneByOne: when the call for all fails, each is tried alone, and what failed leaves no trace.
func TestOneByOne(t *testing.T) {
	bin := managers(t)
	dir := filepath.Join(t.TempDir(), "shop")
	write(t, dir, map[string]string{".git/HEAD": "", "package.json": "{\n    \"private\": true\n}\n", "package-lock.json": "{}", sdk2: `{"version": "0.301.0"}`})
	write(t, bin, map[string]string{"refuse": "@opentelemetry/instrumentation-redis"})
	list, _, _ := Lacks(dir, Needs{Files: []string{"a.js"}, Libraries: []string{"redis", "pg"}, SetUp: "telemetry.js"})
	got, err := list[0].Install(t.Context(), os.Environ())
	if err != nil || !slices.Equal(got.Packages, []string{"@opentelemetry/api@^1.10.0", "@opentelemetry/instrumentation-pg@^0.77.0"}) ||
		!slices.Equal(got.Failed, []string{"@opentelemetry/instrumentation-redis@^0.72.0: exit code 1: npm ERR! code ERESOLVE"}) {
		t.Errorf("%v %+v", err, got)
	}
	if n := strings.Count(text(t, filepath.Join(bin, "log")), "\n"); n != 4 {
		t.Errorf("%d calls", n)
	}
	want := "{\n    \"private\": true,\n    \"dependencies\": {\n        \"@opentelemetry/api\": \"^1.10.0\",\n        \"@opentelemetry/instrumentation-pg\": " +
		"\"^0.77.0\"\n    }\n}\n"
	if s := text(t, filepath.Join(dir, "package.json")); s != want {
		t.Error(s)
	}
}

// TestPeers: a package that others install gets peers, with a copy for its own tests; instrumentations are optional.
func TestPeers(t *testing.T) {
	managers(t)
	dir := filepath.Join(t.TempDir(), "lib")
	write(t, dir, map[string]string{".git/HEAD": "", "package.json": "{\"main\": \"index.js\", \"peerDependencies\": {}}\n", sdk2: `{"version": "0.223.0"}`})
	list, _, _ := Lacks(dir, Needs{Files: []string{"a.js"}, Libraries: []string{"pg"}, SetUp: "telemetry.js"})
	if _, err := list[0].Install(t.Context(), os.Environ()); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Dev  map[string]string                  `json:"devDependencies"`
		Peer map[string]string                  `json:"peerDependencies"`
		Meta map[string]struct{ Optional bool } `json:"peerDependenciesMeta"`
	}
	if err := json.Unmarshal([]byte(text(t, filepath.Join(dir, "package.json"))), &got); err != nil {
		t.Fatal(err)
	}
	const pg = "@opentelemetry/instrumentation-pg"
	if got.Dev[API] != "~1.9.1" || got.Peer[API] != "~1.9.1" || got.Meta[API].Optional || got.Dev[pg] == "" || got.Peer[pg] == "" || !got.Meta[pg].Optional {
		t.Errorf("%+v", got)
	}
}

// TestMonorepo: the API goes where the files are, libraries where the set-up is.
func TestMonorepo(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".git/HEAD": "", "package.json": `{"private": true, "workspaces": ["packages/*"]}`, "package-lock.json": "{}",
		sdk2:                        `{"version": "0.223.0"}`,
		"packages/api/package.json": `{"name": "api", "private": true}`, "packages/core/package.json": `{"name": "core", "main": "index.js"}`,
		"packages/done/package.json": `{"name": "done", "private": true, "dependencies": {"@opentelemetry/api": "^1.9.0"}}`})
	list, _, problems := Lacks(dir, Needs{Files: []string{"packages/core/src/a.js", "packages/core/b.js", "packages/done/c.js"},
		Libraries: []string{"pg", "nothing-known"}, SetUp: "packages/api/src/telemetry.js", Strategy: "dependencies"})
	if len(list) != 2 || list[0].Dir != "packages/api" || list[0].Peer || len(list[0].Packages) != 1 || list[1].Dir != "packages/core" || !list[1].Peer ||
		list[1].Packages[0].Name != API || list[1].Manager != NPM {
		for _, in := range list {
			t.Errorf("%+v", in)
		}
	}
	if len(problems) != 1 || !strings.Contains(problems[0], "nothing-known") {
		t.Error(problems)
	}
}

// TestNothingToStart: libraries are not installed where nothing would start them, or where all are started already.
func TestNothingToStart(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".git/HEAD": "", "package.json": `{"private": true, "dependencies": {"@opentelemetry/api": "1"}}`})
	for _, n := range []Needs{{Files: []string{"a.js"}, Libraries: []string{"pg"}}, {Libraries: []string{"pg"}, SetUp: "t.js"}} {
		if list, libs, problems := Lacks(dir, n); len(list)+len(libs) > 0 || len(problems) != 1 || !strings.Contains(problems[0], "nothing would start it") {
			t.Errorf("%v %v %v", list, libs, problems)
		}
	}
	write(t, dir,
		map[string]string{"package.json": `{"private": true, "scripts": {"start": "node --import @opentelemetry/auto-instrumentations-node/register a.js"}}`})
	if list, libs, problems := Lacks(dir, Needs{Libraries: []string{"pg"}}); len(list)+len(libs)+len(problems) > 0 {
		t.Errorf("%v %v %v", list, libs, problems)
	}
	write(t, dir, map[string]string{"package.json": `{"private": true}`, sdk2: `{"version": "0.57.0"}`})
	if _, _, problems := Lacks(dir, Needs{Files: []string{"a.js"}, Libraries: []string{"pg"}, SetUp: "t.js"}); len(problems) != 2 ||
		!strings.Contains(problems[0], "line 1") {
		t.Error(problems)
	}
}

// TestFindSDK: the line is that of what is installed, there or above, else of what a package.json asks for.
func TestFindSDK(t *testing.T) {
	for version, line := range map[string]string{"0.57.2": "1", "0.199.9": "1", "0.200.0": "2", "0.223.0": "2", "0.301.0": "3", "1.30.1": "1", "2.12.0": "2",
		"3.0.0-rc.1": "3"} {
		dir := t.TempDir()
		write(t, dir, map[string]string{".git/HEAD": "", "package.json": `{"dependencies": {"@opentelemetry/sdk-node": "^0.301.0"}}`,
			sdk2: `{"version": "` + version + `"}`, "packages/a/package.json": "{}"})
		if sdk := FindSDK(filepath.Join(dir, "packages", "a")); sdk == nil || sdk.Line != line || !sdk.Installed || sdk.Version != version {
			t.Errorf("%s: %+v", version, sdk)
		}
		write(t, dir, map[string]string{"package.json": `{"dependencies": {"@opentelemetry/sdk-node": "^` + version + `"}}`, sdk2: `{}`})
		if sdk := FindSDK(dir); sdk == nil || sdk.Line != line || sdk.Installed || KnowsLine(sdk.Line) != (line != "1") {
			t.Errorf("asked for %s: %+v", version, sdk)
		}
	}
	if sdk := FindSDK(t.TempDir()); sdk != nil {
		t.Errorf("%+v", sdk)
	}
}

// TestNPM installs with the real npm, from a registry on this machine whose newest versions belong to the other line.
func TestNPM(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("no npm")
	}
	registry := httptest.NewServer(http.HandlerFunc(serveNPM))
	defer registry.Close()
	dir := filepath.Join(t.TempDir(), "shop")
	write(t, dir,
		map[string]string{".git/HEAD": "",
			"package.json": "{\n  \"name\": \"shop\",\n  \"private\": true,\n  \"dependencies\": {\n    \"@opentelemetry/sdk-node\": \"0.223.0\"\n  }\n}\n"})
	t.Setenv("npm_config_registry", registry.URL)
	t.Setenv("npm_config_cache", t.TempDir())
	list, libs, problems := Lacks(dir, Needs{Files: []string{"a.js"}, Libraries: []string{"pg", "redis"}, SetUp: "telemetry.js"})
	if len(list) != 1 || len(libs) != 2 || len(problems) > 0 {
		t.Fatalf("%v %v %v", list, libs, problems)
	}
	got, err := list[0].Install(t.Context(), os.Environ())
	if err != nil || !slices.Equal(got.Packages, []string{"@opentelemetry/api@~1.9.1", "@opentelemetry/instrumentation-pg@^0.76.0"}) || len(got.Failed) != 1 ||
		!strings.Contains(got.Failed[0], "redis") {
		t.Fatalf("%v %+v", err, got)
	}
	for name, want := range map[string]string{"api": "1.9.3", "instrumentation-pg": "0.76.2", "sdk-node": "0.223.0"} {
		if m, err := ReadManifest(filepath.Join(dir, "node_modules/@opentelemetry", name)); err != nil || m.Version != want {
			t.Errorf("%s: %v %+v", name, err, m)
		}
	}
	if m, _ := ReadManifest(dir); m.Dependencies[API] != "~1.9.1" || m.Dependencies["@opentelemetry/instrumentation-redis"] != "" {
		t.Errorf("%+v", m.Dependencies)
	}
}

// serveNPM is a registry with a few packages; redis is none of them.
func serveNPM(w http.ResponseWriter, r *http.Request) {
	versions := map[string][]string{"@opentelemetry/api": {"1.9.1", "1.9.3", "1.10.0"}, "@opentelemetry/instrumentation-pg": {"0.76.0", "0.76.2", "0.77.0"},
		"@opentelemetry/sdk-node": {"0.223.0", "0.301.0"}}
	name, version, tarball := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/-/")
	list := versions[name]
	if list == nil {
		http.NotFound(w, r)
		return
	}
	if tarball {
		w.Write(npmTarball(name, strings.TrimSuffix(path.Base(version), ".tgz")))
		return
	}
	page := map[string]any{"name": name, "dist-tags": map[string]string{"latest": list[len(list)-1]}}
	all := map[string]any{}
	for _, v := range list {
		sum := sha512.Sum512(npmTarball(name, v))
		all[v] = map[string]any{"name": name, "version": v, "dist": map[string]string{"tarball": "http://" + r.Host + "/" + name + "/-/" + v + ".tgz",
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}
	}
	page["versions"] = all
	json.NewEncoder(w).Encode(page)
}

func npmTarball(name, version string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	text := fmt.Sprintf(`{"name": %q, "version": %q, "scripts": {"postinstall": "exit 1"}}`, name, version)
	w.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(text))})
	w.Write([]byte(text))
	w.Close()
	z.Close()
	return b.Bytes()
}
