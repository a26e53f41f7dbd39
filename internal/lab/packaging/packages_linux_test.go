package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// goreleaserVar names goreleaser v2.16.0; allVar asks for all targets. `make test-packages` sets both.
const (
	goreleaserVar = "ABURN_GORELEASER"
	allVar        = "ABURN_ALL_TARGETS"
)

// TestPackages makes the packages of the last commit and of the one before, and lives with them: it installs the older
// one, records, upgrades under a running agent, and removes it.
func TestPackages(t *testing.T) {
	goreleaser := os.Getenv(goreleaserVar)
	if goreleaser == "" {
		t.Skip("make test-packages runs this: it needs goreleaser")
	}
	needRoot(t)
	if out, err := command(rootOfSource, goreleaser, "check").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	commits := make([]string, 2) // looked up once: somebody may commit meanwhile
	for i, name := range []string{"HEAD", "HEAD~1"} {
		out, err := command(rootOfSource, "git", "rev-parse", "--verify", name).Output()
		if err != nil {
			t.Skip("this clone has no commit before the last one, to upgrade from: ", err)
		}
		commits[i] = strings.TrimSpace(string(out))
	}
	now := snapshot(t, goreleaser, commits[0], os.Getenv(allVar) != "")
	before := snapshot(t, goreleaser, commits[1], false)
	if now.number == before.number {
		t.Fatalf("both are %s", now.number)
	}
	t.Run("archive", func(t *testing.T) { archiveIsWhole(t, now) })
	t.Run("the same twice", func(t *testing.T) { sameTwice(t, now, snapshot(t, goreleaser, commits[0], false)) })
	t.Run("deb", func(t *testing.T) { debLife(t, before, now) })
	t.Run("lintian", func(t *testing.T) { lintianIsContent(t, now) })
	t.Run("rpm", func(t *testing.T) { rpmLife(t, now) })
	t.Run("apk", func(t *testing.T) { apkIsWhole(t, now) })
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "PATH="+os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin")
	return cmd
}

// made is what goreleaser made of a commit.
type made struct {
	dir, source string
	version     string // v1.2.3
	number      string // 1.2.3
}

func (m made) file(t *testing.T, end string) string {
	t.Helper()
	path := filepath.Join(m.dir, "aburn_"+m.number+"_linux_"+here.Arch+end)
	if !exists(path) {
		t.Fatalf("%s was not made", path)
	}
	return path
}

// snapshot makes the packages of a commit in a clone; for this machine only, unless all are wanted.
func snapshot(t *testing.T, goreleaser, commit string, all bool) made {
	t.Helper()
	source, err := filepath.Abs(rootOfSource)
	if err != nil {
		t.Fatal(err)
	}
	m := made{source: filepath.Join(t.TempDir(), "aburn")}
	m.dir = filepath.Join(m.source, "dist")
	succeed(t, command(source, "git", "clone", "-q", "--shared", source, m.source))
	succeed(t, command(m.source, "git", "checkout", "-q", "--detach", commit))
	config, err := os.ReadFile(filepath.Join(m.source, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !all {
		config = regexp.MustCompile(`goos: \[.*\]`).ReplaceAll(config, []byte("goos: [linux]"))
		config = regexp.MustCompile(`goarch: \[.*\]`).ReplaceAll(config, []byte("goarch: ["+here.Arch+"]"))
	}
	path := filepath.Join(m.source, "..", "goreleaser.yaml")
	if err := os.WriteFile(path, config, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := newRelease(t.Context(), m.source, "")
	if err != nil {
		t.Fatal(err)
	}
	m.version, m.number = r.Version, r.Number()
	cmd := command(m.source, goreleaser, "release", "--snapshot", "--clean", "--skip=sign,publish", "-f", path)
	cmd.Env = append(cmd.Env, "ABURN_VERSION="+r.Version)
	succeed(t, cmd)
	succeed(t, command(m.dir, "sha256sum", "--check", "--strict", "--ignore-missing", "checksums.txt"))
	return m
}

// sameTwice compares the archives that two clones of a commit gave: so anybody can check a release.
func sameTwice(t *testing.T, now, again made) {
	for _, end := range []string{".tar.gz", ".tar.gz" + sbomEnd} {
		var sums [2]string
		for i, m := range []made{now, again} {
			sums[i] = strings.Fields(succeed(t, command(m.dir, "sha256sum", m.file(t, end))))[0]
		}
		if sums[0] != sums[1] {
			t.Errorf("%s has other bytes in another folder", filepath.Base(now.file(t, end)))
		}
	}
}

// archiveIsWhole unpacks the archive and runs what is in it.
func archiveIsWhole(t *testing.T, m made) {
	c, err := readConfig(m.source)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(m.file(t, ".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := write(dir, unpack(t, data)); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, strings.TrimSuffix(filepath.Base(m.file(t, ".tar.gz")), ".tar.gz"))
	names := []string{"CHANGELOG.md", "LICENSE", "README.md", othersFile, "man/aburn.1", "completions/aburn.bash", "completions/_aburn", "completions/aburn.fish"}
	for _, name := range append(names, c.executables()...) {
		if !exists(filepath.Join(folder, name)) {
			t.Errorf("there is no %s", name)
		}
	}
	if out := succeed(t, command(folder, "./aburn", "version")); !strings.HasPrefix(out, "aburn version "+m.version+" ") {
		t.Errorf("the archive is %s, and says %s", m.version, out)
	}
}

func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(dir, path); err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// newRoot is a root with a person's home and project, and without a single program.
func newRoot(t *testing.T) rooted {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"root/.claude", "root/project/.git/refs", "var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp", "dev"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	files := []file{{"root/project/.git/HEAD", 0o644, []byte("ref: refs/heads/main\n")}, {"var/lib/dpkg/status", 0o644, nil},
		{"var/lib/dpkg/available", 0o644, nil}}
	if err := write(root, files); err != nil {
		t.Fatal(err)
	}
	for name, minor := range map[string]int{"null": 3, "urandom": 9} {
		if err := syscall.Mknod(filepath.Join(root, "dev", name), syscall.S_IFCHR|0o666, 1<<8|minor); err != nil {
			t.Fatal(err)
		}
	}
	return rooted{t, root, "/root/project", []string{"HOME=/root", "PATH=/usr/bin", "TMPDIR=/tmp"}}
}

// packaged are the files of the root but those of the person and of the package manager.
func (r rooted) packaged() []string {
	r.t.Helper()
	return slices.DeleteFunc(filesBelow(r.t, r.root), func(name string) bool {
		return strings.HasPrefix(name, "root/") || strings.HasPrefix(name, "var/lib/") || strings.HasPrefix(name, "dev/")
	})
}

// isWhole checks that everything of a package came, and that aburn says what it is.
func (r rooted) isWhole(m made) {
	r.t.Helper()
	files := r.packaged()
	c, err := readConfig(m.source)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range c.executables() {
		if !slices.Contains(files, "usr/bin/"+name) {
			r.t.Errorf("there is no usr/bin/%s", name)
		}
	}
	for _, name := range []string{"usr/share/man/man1/aburn.1", "usr/share/man/man1/aburn-install-hooks.1", "usr/share/man/man1/aburn-hook.1",
		"usr/share/bash-completion/completions/aburn", "usr/share/fish/vendor_completions.d/aburn.fish", "usr/share/doc/aburn/copyright"} {
		if !slices.Contains(files, name) && !slices.Contains(files, name+".gz") {
			r.t.Errorf("there is no %s", name)
		}
	}
	if !slices.ContainsFunc(files, func(name string) bool { return filepath.Base(name) == "_aburn" }) {
		r.t.Error("zsh gets no completions")
	}
	if out := r.must("/usr/bin/aburn", "version"); !strings.HasPrefix(out, "aburn version "+m.version+" ") {
		r.t.Errorf("the package is %s, and says %s", m.version, out)
	}
}

func (r rooted) project() string { return filepath.Join(r.root, r.dir) }

func dpkg(r rooted, args ...string) *exec.Cmd {
	return command(r.root, "dpkg", append([]string{"--root=" + r.root}, args...)...)
}

func debLife(t *testing.T, before, now made) {
	t.Run("five minutes", func(t *testing.T) {
		r := newRoot(t)
		succeed(t, dpkg(r, "-i", now.file(t, ".deb")))
		r.isWhole(now)
		fiveMinutes(t, r, "/usr/bin/aburn", r.dir, r.project())
	})
	t.Run("upgrade and removal", func(t *testing.T) {
		r := newRoot(t)
		settings := "{\n  \"model\": \"opus\"\n}\n"
		if err := write(r.root, []file{{"root/.claude/settings.json", 0o644, []byte(settings)}}); err != nil {
			t.Fatal(err)
		}
		sessions := filepath.Join(rootOfSource, "trace/claude/testdata/runs/subagents")
		if err := os.CopyFS(filepath.Join(r.root, "root/.claude/projects"), os.DirFS(sessions)); err != nil {
			t.Fatal(err)
		}
		succeed(t, dpkg(r, "-i", before.file(t, ".deb")))
		r.isWhole(before)
		r.must("/usr/bin/aburn", "install-hooks", "--agent", "claude", "--yes")
		if hook := hookCommand(t, filepath.Join(r.root, "root/.claude/settings.json"))[0]; hook != "/usr/bin/aburn-hook" {
			t.Errorf("the settings call %s", hook)
		}
		r.must("/usr/bin/aburn", "ingest")
		archived := r.must("/usr/bin/aburn", "show", "f01408c0", "--calls")
		upgraded := make(chan error, 1)
		go func() {
			out, err := dpkg(r, "-i", now.file(t, ".deb")).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			upgraded <- err
		}()
		n := 0
		for done := false; n < 200 || !done; n++ {
			payload := fmt.Sprintf(`{"session_id":"5b0c2f91-0000-4000-8000-000000000001","cwd":%q,"hook_event_name":"UserPromptSubmit","prompt":"hook %d"}`, r.dir, n)
			hook := hookCommand(t, filepath.Join(r.root, "root/.claude/settings.json"))
			if out, code := r.run(payload, hook[0], hook[1:]...); code != 0 || out != "" {
				t.Fatalf("hook %d: exit %d: %s", n, code, out)
			}
			select {
			case err := <-upgraded:
				if done = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
		}
		r.isWhole(now)
		if got := prompts(t, r.project()); got != n {
			t.Errorf("%d of %d hooks were recorded", got, n)
		}
		r.must("/usr/bin/aburn", "verify")
		if got := r.must("/usr/bin/aburn", "show", "f01408c0", "--calls"); got != archived {
			t.Errorf("the archived session was\n%s\nand is\n%s", archived, got)
		}
		r.must("/usr/bin/aburn", "uninstall-hooks", "--yes")
		succeed(t, dpkg(r, "--purge", "aburn"))
		if left := r.packaged(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if data, err := os.ReadFile(filepath.Join(r.root, "root/.claude/settings.json")); err != nil || string(data) != settings {
			t.Errorf("the settings are %s %v", data, err)
		}
	})
}

// lintianIsContent accepts no error and no warning: what is meant stands in the package's overrides.
func lintianIsContent(t *testing.T, m made) {
	if _, err := exec.LookPath("lintian"); err != nil {
		t.Skip("no lintian here")
	}
	out := succeed(t, command(m.dir, "lintian", "--allow-root", "--no-cfg", "--fail-on=none", "--tag-display-limit=0", m.file(t, ".deb")))
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "E:") || strings.HasPrefix(line, "W:") {
			t.Error(strings.TrimSpace(line))
		}
	}
}

// rpm installs into a root of its own as dpkg does.
func rpmLife(t *testing.T, m made) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("no rpm here")
	}
	r := newRoot(t)
	rpm := func(args ...string) string {
		return succeed(t, command(r.root, "rpm", append([]string{"--root=" + r.root, "--dbpath=/var/lib/rpm", "--nosignature"}, args...)...))
	}
	if needs := rpm("-qp", "--requires", m.file(t, ".rpm")); strings.Contains(strings.ReplaceAll(needs, "rpmlib(", ""), "(") {
		t.Errorf("it needs %s", needs)
	}
	rpm("-i", m.file(t, ".rpm"))
	r.isWhole(m)
	fiveMinutes(t, r, "/usr/bin/aburn", r.dir, r.project())
	rpm("-e", "aburn")
	if left := r.packaged(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// apk is not to be had on Debian, so its package is only unpacked.
func apkIsWhole(t *testing.T, m made) {
	r := newRoot(t)
	succeed(t, command(r.root, "tar", "-xzf", m.file(t, ".apk"), "--warning=no-unknown-keyword"))
	data, err := os.ReadFile(filepath.Join(r.root, ".PKGINFO"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if key, _, ok := strings.Cut(line, " = "); !ok || strings.Contains(key, " ") {
			t.Errorf(".PKGINFO has the line %q", line)
		}
	}
	if !strings.Contains(string(data), "pkgname = aburn\n") {
		t.Errorf(".PKGINFO is %s", data)
	}
	r.isWhole(m)
}
