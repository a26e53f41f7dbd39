package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// registry answers npm as a registry does, with packages of a folder. Only the tests' npm knows it.
type registry struct {
	*httptest.Server
	mu       sync.Mutex
	packages map[string]map[string]any // the newest manifests, by name and version
	tags     map[string]string
	tarballs map[string][]byte
	fetched  []string
}

func newRegistry(t *testing.T) *registry {
	r := &registry{packages: map[string]map[string]any{}, tags: map[string]string{}, tarballs: map[string][]byte{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// publish takes all packages of a folder, as the version that tag names.
func (r *registry) publish(t *testing.T, dir, tag string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no packages in %s: %v", dir, err)
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first := firstFile(t, data)
		var m map[string]any
		if first.name != "package/package.json" || json.Unmarshal(first.data, &m) != nil {
			t.Fatalf("%s begins with %s", path, first.name)
		}
		sum := sha512.Sum512(data)
		name, version := m["name"].(string), m["version"].(string)
		m["dist"] = map[string]any{"tarball": r.URL + "/-/" + filepath.Base(path), "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		if r.packages[name] == nil {
			r.packages[name] = map[string]any{}
		}
		r.packages[name][version], r.tags[tag], r.tarballs[filepath.Base(path)] = m, version, data
	}
}

// firstFile is the first file of a package: what comes after it is large.
func firstFile(t *testing.T, data []byte) file {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			return file{h.Name, h.FileInfo().Mode(), read(t, r)}
		}
	}
}

func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := strings.TrimPrefix(q.URL.Path, "/")
	if tarball, ok := strings.CutPrefix(name, "-/"); ok && r.tarballs[tarball] != nil {
		r.fetched = append(r.fetched, tarball)
		w.Write(r.tarballs[tarball])
		return
	}
	if versions := r.packages[name]; versions != nil {
		json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": r.tags, "versions": versions})
		return
	}
	http.NotFound(w, q)
}

// person has a home, npm, and nothing else of this machine's environment.
type person struct {
	t                     *testing.T
	home, project, prefix string
	env                   []string
}

func newPerson(t *testing.T, registry string) *person {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, home: home, project: filepath.Join(home, "project"), prefix: filepath.Join(home, ".npm-global")}
	for _, dir := range []string{filepath.Join(p.project, ".git", "refs"), filepath.Join(home, ".claude")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(p.project, []file{{".git/HEAD", 0o644, []byte("ref: refs/heads/main\n")}}); err != nil {
		t.Fatal(err)
	}
	p.env = []string{"HOME=" + home, "PATH=" + filepath.Join(p.prefix, "bin") + ":" + os.Getenv("PATH"), "npm_config_registry=" + registry,
		"npm_config_prefix=" + p.prefix, "npm_config_cache=" + filepath.Join(home, ".npm"), "npm_config_update_notifier=false",
		"npm_config_audit=false", "npm_config_fund=false", "npm_config_yes=true"}
	return p
}

func (p *person) command(stdin, name string, args ...string) *exec.Cmd {
	if path := filepath.Join(p.prefix, "bin", name); exists(path) {
		name = path
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.project, p.env, strings.NewReader(stdin)
	return cmd
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// run returns what the program said, and its exit code.
func (p *person) run(stdin, name string, args ...string) (string, int) {
	p.t.Helper()
	cmd := p.command(stdin, name, args...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		p.t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (p *person) must(name string, args ...string) string {
	p.t.Helper()
	out, code := p.run("", name, args...)
	if code != 0 {
		p.t.Fatalf("%s %v: exit %d: %s", name, args, code, out)
	}
	return out
}

// hookCommand is what Claude Code's settings call.
func hookCommand(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string
				Args    []string
			}
		}
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		t.Fatal(err)
	}
	h := settings.Hooks["UserPromptSubmit"][0].Hooks[0]
	return append([]string{h.Command}, h.Args...)
}

// hook sends one prompt, as Claude Code does.
func (p *person) hook(command []string, n int) error {
	payload := fmt.Sprintf(`{"session_id":"5b0c2f91-0000-4000-8000-000000000001","cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"hook %d"}`, p.project, n)
	cmd := exec.Command("/bin/sh", append([]string{"-c", command[0] + ` "$@"`, "sh"}, command[1:]...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.project, p.env, strings.NewReader(payload)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		return fmt.Errorf("hook %d: %v %s", n, err, out)
	}
	return nil
}

// prompts is how many prompts a project's log holds.
func prompts(t *testing.T, project string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(project, ".oss", "workflow.log"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte(`"PROMPT"`))
}

// left are the files in the home but those of npm's cache, of the project, and the person's own state of aburn.
func (p *person) left() (names []string) {
	filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(p.home, path)
		if slices.Contains([]string{".npm", "project", ".local/state/aburn"}, filepath.ToSlash(name)) {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return nil
	})
	return names
}

// npmRelease writes npm packages with real executables for this machine, and ones that must not be taken for others.
func npmRelease(t *testing.T, version string) string {
	t.Helper()
	r, err := newRelease(context.Background(), rootOfSource, version)
	if err != nil {
		t.Fatal(err)
	}
	shared := testRelease(t)
	r.licences = shared.licences
	if r.built[here], err = shared.native(t.Context(), here); err != nil {
		t.Fatal(err)
	}
	if shared.Version != version { // what tells one release from the next is the version that aburn, the first, says
		anew := r
		anew.Executables, anew.config.Builds, anew.built = r.Executables[:1], r.config.Builds[:1], map[Target][]file{}
		aburn, err := anew.native(t.Context(), here)
		if err != nil {
			t.Fatal(err)
		}
		r.built[here][0] = aburn[0]
	}
	for _, other := range r.Targets {
		if other != here {
			r.built[other] = []file{{other.exe("aburn"), 0o755, []byte("not for this machine")}}
		}
	}
	dir := t.TempDir()
	if err := npm(t.Context(), r, dir, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A person installs aburn from npm, records, updates it while an agent works, and removes it.
func TestNpm(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("npm"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no npm here that this test can drive")
	}
	reg := newRegistry(t)
	reg.publish(t, npmRelease(t, "v0.2.0-rc.1"), "next")
	reg.publish(t, npmRelease(t, "v0.1.0"), "latest")
	t.Run("install, update, remove", func(t *testing.T) { npmLife(t, reg) })
	t.Run("five minutes", func(t *testing.T) {
		p := newPerson(t, reg.URL)
		p.must("npm", "install", "-g", "aburn")
		fiveMinutes(t, p, "aburn", p.project, p.project)
	})
	t.Run("npx", func(t *testing.T) {
		p := newPerson(t, reg.URL)
		if out := p.must("npx", "aburn", "version"); !strings.HasPrefix(out, "aburn version v0.1.0 ") {
			t.Errorf("aburn version: %s", out)
		}
		p.must("npx", "aburn", "install-hooks", "--agent", "claude", "--yes")
		p.inPlace()
	})
	t.Run("without optional packages", func(t *testing.T) {
		p := newPerson(t, reg.URL)
		p.must("npm", "install", "--omit=optional", "aburn") // with -g npm 11 omits nothing
		out, code := p.run("", filepath.Join(p.project, "node_modules", ".bin", "aburn"), "version")
		want := "aburn: error: the package @aburn/" + npmPlatform(here) + " is missing, which holds the executables for this platform\n" +
			"aburn: hint: install aburn again without --omit=optional, on the machine that runs it\n"
		if code != 1 || out != want {
			t.Errorf("exit %d: %s", code, out)
		}
	})
}

// addsInstrument starts an executable that has a package of its own, does what aburn says then, and starts it again.
func (p *person) addsInstrument() {
	p.t.Helper()
	out, code := p.run("", "aburn", "instrument", "check", "a.js", "b.js")
	name := "@aburn/instrument-" + npmPlatform(here)
	want := "aburn: error: aburn instrument needs the package " + name + ", which is not installed\naburn: hint: npm install -g " + name + "@0.1.0\n"
	if code != 2 || out != want {
		p.t.Errorf("exit %d: %s", code, out)
	}
	p.must("npm", "install", "-g", name+"@0.1.0")
	if out := p.must("aburn", "instrument", "--help"); !strings.Contains(out, "approve") {
		p.t.Errorf("aburn instrument --help: %s", out)
	}
	p.must("npm", "uninstall", "-g", name)
}

func npmLife(t *testing.T, reg *registry) {
	p := newPerson(t, reg.URL)
	settings := []byte("{\n  \"model\": \"opus\"\n}\n")
	if err := write(p.home, []file{{".claude/settings.json", 0o644, settings}}); err != nil {
		t.Fatal(err)
	}
	p.must("npm", "install", "-g", "aburn")
	if want := []string{"aburn-0.1.0.tgz", "aburn-" + npmPlatform(here) + "-0.1.0.tgz"}; !slices.Equal(slices.Sorted(slices.Values(reg.fetched)), want) {
		t.Errorf("npm fetched %v", reg.fetched)
	}
	if out := p.must("aburn", "version"); !strings.HasPrefix(out, "aburn version v0.1.0 ") {
		t.Errorf("aburn version: %s", out)
	}
	if out, code := p.run("", "aburn", "no-such-command"); code != 2 {
		t.Errorf("a mistake ends with %d: %s", code, out)
	}
	if exists(filepath.Join(p.prefix, "bin", "aburn-hook")) {
		t.Error("npm put a script where hooks are looked for")
	}
	p.must("aburn", "install-hooks", "--agent", "claude", "--yes")
	if out, code := p.run("be quick", "aburn", "queue", "add", "--project", "-"); code != 0 || !strings.Contains(p.must("aburn", "queue", "list"), "be quick") {
		t.Errorf("what is piped in does not arrive: exit %d: %s", code, out)
	}
	if err := os.Remove(filepath.Join(p.project, ".oss", "queue.json")); err != nil {
		t.Fatal(err)
	}
	p.addsInstrument()
	p.signalled()
	command := p.inPlace()
	updated := make(chan error, 1)
	go func() {
		out, err := p.command("", "npm", "install", "-g", "aburn@next").CombinedOutput()
		if err == nil {
			out, err = p.command("", "aburn", "version").CombinedOutput()
		}
		if err == nil && !strings.Contains(string(out), " v0.2.0-rc.1 ") {
			err = fmt.Errorf("aburn version: %s", out)
		}
		updated <- err
	}()
	n, done := 0, false
	for n < world.Storm(100) || !done {
		if err := p.hook(command, n); err != nil {
			t.Fatal(err)
		}
		n++
		select {
		case err := <-updated:
			if done = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
	if got := prompts(t, p.project) - 1; got != n {
		t.Errorf("%d of %d hooks were recorded", got, n)
	}
	p.must("aburn", "verify")
	if out, err := exec.Command(filepath.Join(filepath.Dir(command[0]), "aburn"), "version").Output(); err != nil ||
		!strings.Contains(string(out), " v0.2.0-rc.1 ") {
		t.Errorf("the copy is %s %v", out, err)
	}
	p.must("aburn", "plugin", "write", filepath.Join(p.project, "plugin"))
	for _, name := range []string{".claude-plugin/plugin.json", "plugins/aburn/.codex-plugin/plugin.json"} {
		if data, err := os.ReadFile(filepath.Join(p.project, "plugin", name)); err != nil || !bytes.Contains(data, []byte(`"version": "0.2.0-rc.1"`)) {
			t.Errorf("%s of the release: %v %s", name, err, data)
		}
	}

	p.must("aburn", "uninstall-hooks", "--yes")
	p.must("npm", "uninstall", "-g", "aburn")
	if data, err := os.ReadFile(filepath.Join(p.home, ".claude", "settings.json")); err != nil || !bytes.Equal(data, settings) {
		t.Errorf("the settings are %s %v", data, err)
	}
	if left := p.left(); !slices.Equal(left, []string{".claude/settings.json"}) {
		t.Errorf("left behind: %v", left)
	}
}

// inPlace checks that the settings call a native executable where npm moves nothing, makes that call once and returns it.
func (p *person) inPlace() []string {
	p.t.Helper()
	command := hookCommand(p.t, filepath.Join(p.home, ".claude", "settings.json"))
	if want := filepath.Join(p.home, ".local", "share", "aburn", "bin", "aburn-hook"); !strings.Contains(command[0], want) {
		p.t.Fatalf("the settings call %s", command)
	}
	if err := p.hook(command, -1); err != nil {
		p.t.Fatal(err)
	}
	return command
}

// signalled ends the launcher and sees that the native aburn ends with it.
func (p *person) signalled() {
	p.t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	cmd := p.command("", "aburn", "tail", "-f")
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	children := fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid)
	child := 0
	for ; child == 0; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(children)
		if err != nil {
			p.t.Fatal(err)
		}
		for field := range strings.FieldsSeq(string(data)) {
			if exe, _ := os.Readlink("/proc/" + field + "/exe"); filepath.Base(exe) == "aburn" {
				child, _ = strconv.Atoi(field)
			}
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	cmd.Wait()
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); err == nil {
		p.t.Errorf("%s goes on without its launcher", exe)
	}
}

// Every platform has its package, and aburn asks for all of them in its own version.
func TestNpmPackagesFitTogether(t *testing.T) {
	r := configured(t, "v1.2.3")
	r.Root = rootOfSource
	for _, target := range r.Targets {
		r.built[target] = []file{{target.exe("aburn"), 0o755, []byte("x")}}
	}
	dir := t.TempDir()
	if err := npm(t.Context(), r, dir, nil); err != nil {
		t.Fatal(err)
	}
	manifests := map[string]manifest{}
	found, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var m manifest
		files := unpack(t, data)
		if err := json.Unmarshal(files[0].data, &m); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(files[0].data), "scripts") {
			t.Errorf("%s runs scripts", path)
		}
		manifests[m.Name] = m
	}
	main := manifests["aburn"]
	delete(manifests, "aburn")
	want := []string{"@aburn/darwin-arm64", "@aburn/darwin-x64", "@aburn/linux-arm64", "@aburn/linux-x64", "@aburn/win32-arm64", "@aburn/win32-x64"}
	if got := slices.Sorted(maps.Keys(manifests)); !slices.Equal(got, want) || !slices.Equal(slices.Sorted(maps.Keys(main.Optional)), want) {
		t.Errorf("there are %v, and aburn wants %v", got, main.Optional)
	}
	for name, m := range manifests {
		if m.Version != main.Optional[name] || m.Version != "1.2.3" || name != "@aburn/"+m.OS[0]+"-"+m.CPU[0] {
			t.Errorf("%s: %+v, and aburn wants %s", name, m, main.Optional[name])
		}
	}
}
