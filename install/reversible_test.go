package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/project"
)

// tempDir is a folder in memory where the system has one: the files are synced, and there are thousands.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "aburn-install-*")
	if err != nil || !filepath.IsAbs(dir) {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// bench is a home directory with one settings file in it.
type bench struct {
	*testing.T
	home, path string
	options    Options
}

// newBench puts data where agent a keeps its hooks; nil is no file.
func newBench(t *testing.T, a Agent, data []byte) *bench {
	t.Helper()
	b := &bench{T: t, home: tempDir(t)}
	b.options = Options{Agents: []Agent{a}, Scope: User, Dir: b.home, NoInit: true, Env: b.env}
	config, err := a.ConfigDir(b.env)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{config, filepath.Join(b.home, "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(b.home, "bin", programFile(hookName)), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	b.path, _, _ = a.settingsPath(User, b.home, b.env)
	if data != nil {
		b.write(data)
	}
	return b
}

func (b *bench) env(name string) string {
	switch name {
	case "HOME":
		return b.home
	case "PATH":
		return filepath.Join(b.home, "bin")
	}
	return ""
}

// makeRepository makes dir a git work tree.
func makeRepository(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) write(data []byte) {
	b.Helper()
	if err := os.WriteFile(b.path, data, 0o644); err != nil {
		b.Fatal(err)
	}
}

// read is the settings file, nil when there is none.
func (b *bench) read() []byte {
	b.Helper()
	data, err := os.ReadFile(b.path)
	if err != nil && !os.IsNotExist(err) {
		b.Fatal(err)
	}
	return data
}

func (b *bench) install() *Change {
	b.Helper()
	return b.do(Plan)
}

func (b *bench) uninstall() *Change {
	b.Helper()
	return b.do(PlanUninstall)
}

func (b *bench) do(plan func(Options) (*Change, error)) *Change {
	b.Helper()
	c, err := plan(b.options)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Apply(); err != nil {
		b.Fatal(err)
	}
	return c
}

// want demands bytes.
func (b *bench) want(what string, got, want []byte) {
	b.Helper()
	if !bytes.Equal(got, want) {
		b.Fatalf("%s:\n%q\nwant\n%q", what, got, want)
	}
}

// spliced are the agents whose settings files are the user's.
func spliced() []Agent {
	return slices.DeleteFunc(Agents(), func(a Agent) bool { return a.own != nil })
}

// everyFile runs the property on n drawn files of each agent.
func everyFile(t *testing.T, n int, property func(b *bench, a Agent, original []byte, seed uint64)) {
	for _, a := range spliced() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(world.Storm(n)) {
				original := draw(seed, a)
				t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
					b := newBench(t, a, original)
					b.options.AllowLog = seed%3 == 0
					property(b, a, original, seed)
				})
			}
		})
	}
}

func TestInstallKeepsEverythingAndUninstallTheBytes(t *testing.T) {
	world.Slow(t)
	everyFile(t, 260, func(b *bench, a Agent, original []byte, seed uint64) {
		b.install()
		installed := b.read()
		checkInstalled(b.T, a, original, installed)
		if b.options.AllowLog && a == Claude && !bytes.Contains(installed, []byte(AllowRule)) {
			b.Fatal("no rule")
		}
		if c := b.install(); !c.Nothing() {
			b.Fatalf("the second install changes %v", c.Diff())
		}
		b.want("twice is not once", b.read(), installed)
		c := b.uninstall()
		b.want("uninstalled", b.read(), original)
		if !c.Files[0].Exact {
			b.Error("not said to be exact")
		}
		b.empty()
	})
}

// empty demands that no record, backup or temporary file is left.
func (b *bench) empty() {
	b.Helper()
	for _, dir := range []string{filepath.Join(b.home, ".local/state/aburn/installs"), filepath.Dir(b.path)} {
		names, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) {
			b.Fatal(err)
		}
		for _, n := range names {
			if n.Name() != filepath.Base(b.path) {
				b.Errorf("left behind: %s", filepath.Join(dir, n.Name()))
			}
		}
	}
}

// A value somewhere else changes, and a key is added in front: uninstall gives the original with just that.
func TestEditsInBetweenSurviveByteForByte(t *testing.T) {
	everyFile(t, 40, func(b *bench, a Agent, original []byte, seed uint64) {
		edit := func(data []byte) []byte {
			data = bytes.ReplaceAll(data, []byte(`"opus"`), []byte(`"a much longer name of a model"`))
			if at := bytes.IndexByte(data, '{') + 1; bytes.IndexByte(bytes.TrimLeft(original[at:], " \t\r\n"), '"') == 0 {
				data = bytes.Join([][]byte{data[:at], []byte(`"mine":{"hooks":[]},`), data[at:]}, nil)
			}
			return data
		}
		b.install()
		b.write(edit(b.read()))
		if c := b.install(); !c.Nothing() {
			b.Fatalf("the second install changes %v", c.Diff())
		}
		c := b.uninstall()
		b.want("uninstalled", b.read(), edit(original))
		if !c.Files[0].Exact {
			b.Errorf("not said to be exact: %q", c.Files[0].Notes)
		}
	})
}

// The agent prints the whole file anew: what uninstall leaves is what the agent would have made of the original.
func TestReprintInBetween(t *testing.T) {
	everyFile(t, 40, func(b *bench, a Agent, original []byte, seed uint64) {
		b.install()
		b.write(reprint(b.T, b.read()))
		if c := b.install(); !c.Nothing() {
			b.Fatalf("the second install changes %v", c.Diff())
		}
		b.uninstall()
		b.want("uninstalled", b.read(), reprint(b.T, original))
		b.empty()
	})
}

// reprint lays JSON out as the agents do.
func reprint(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, uncommented(data), "", "  "); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

// Somebody else's group comes behind ours in some event: after uninstall it is there, all else is as it was, and for
// Codex, where trust goes by position, it keeps its position.
func TestForeignGroupBehindOurs(t *testing.T) {
	everyFile(t, 40, func(b *bench, a Agent, original []byte, seed uint64) {
		event := a.events()[seed%uint64(len(a.events()))].Name
		b.install()
		before := load(b.T, b.read())
		b.write(appendGroup(b.T, a, b.read(), event))
		b.uninstall()
		after := load(b.T, b.read())
		groups := list(get(after, "hooks", event))
		if len(groups) == 0 || !isForeign(groups[len(groups)-1]) {
			b.Fatalf("the foreign group is gone: %v", groups)
		}
		want := len(list(get(before, "hooks", event))) // ours was the last, and either leaves an empty group or goes
		if !a.positional {
			want--
		}
		if len(groups)-1 != want {
			b.Fatalf("the foreign group is at %d, want %d: %s", len(groups)-1, want, b.read())
		}
		if bytes.Contains(b.read(), []byte("bin/aburn-hook")) {
			b.Fatalf("our handler is still there: %s", b.read())
		}
	})
}

func isForeign(group any) bool {
	handlers := list(get(group, "hooks"))
	return len(handlers) == 1 && get(handlers[0], "command") == "theirs"
}

// appendGroup adds a group with text tools only: behind the last own handler of the event.
func appendGroup(t *testing.T, a Agent, data []byte, event string) []byte {
	t.Helper()
	d, err := a.parse("", data)
	if err != nil {
		t.Fatal(err)
	}
	groups := d.root.last("hooks").under(event).value.elems
	at := groups[len(groups)-1].end
	return bytes.Join([][]byte{data[:at], []byte(`,  {"hooks": [{"type": "command", "command": "theirs"}]}`), data[at:]}, nil)
}

// Without any record (another machine, a lost state folder) own handlers still go, and nobody else's.
func TestUninstallWithoutARecord(t *testing.T) {
	everyFile(t, 40, func(b *bench, a Agent, original []byte, seed uint64) {
		b.options.AllowLog = false
		b.install()
		if err := os.RemoveAll(filepath.Join(b.home, ".local")); err != nil {
			b.Fatal(err)
		}
		b.uninstall()
		if now, want := others(a, load(b.T, b.read())), others(a, load(b.T, original)); !equalJSON(now, want) {
			b.Fatalf("%s\nbecame\n%s", original, b.read())
		}
		if bytes.Contains(b.read(), []byte("bin/aburn-hook")) {
			b.Fatal("our handler is still there")
		}
	})
}

func equalJSON(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// The executable moved: the paths change where the handlers stand, also behind edits, and uninstall still goes back.
func TestMovedExecutable(t *testing.T) {
	everyFile(t, 40, func(b *bench, a Agent, original []byte, seed uint64) {
		b.install()
		installed := b.read()
		moved := filepath.Join(b.home, "it's here")
		if err := os.Rename(filepath.Join(b.home, "bin"), moved); err != nil {
			b.Fatal(err)
		}
		b.options.Env = func(name string) string {
			if name == "PATH" {
				return moved
			}
			return b.env(name)
		}
		c := b.install()
		if n := len(a.events()); c.Files[0].Moved != n {
			b.Fatalf("moved %d handlers, want %d", c.Files[0].Moved, n)
		}
		folders := project.FolderArgs(b.env)
		old := call{agent: a, path: filepath.Join(b.home, "bin", programFile(hookName)), folders: folders}
		now := call{agent: a, path: filepath.Join(moved, programFile(hookName)), folders: folders}
		b.want("moved", b.read(), []byte(strings.ReplaceAll(string(installed), quote(old.command()), quote(now.command()))))
		b.uninstall()
		b.want("uninstalled", b.read(), original)
	})
}

func TestModesLinksAndBackups(t *testing.T) {
	world.Modes(t)
	world.Links(t)
	everyFile(t, 40, func(b *bench, a Agent, original []byte, seed uint64) {
		mode := []fs.FileMode{0o600, 0o644, 0o640, 0o400, 0o666, 0o444}[seed%6]
		real := b.linked(seed, original)
		if err := os.Chmod(real, mode); err != nil {
			b.Fatal(err)
		}
		links := b.links()
		b.install()
		checkInstalled(b.T, a, original, b.read())
		b.ownerOnly()
		b.uninstall()
		b.want("uninstalled", b.read(), original)
		if now := b.links(); now != links {
			b.Errorf("links were %s, are %s", links, now)
		}
		if st, err := os.Lstat(real); err != nil || st.Mode() != mode {
			b.Errorf("mode %v, %v; want %v", st.Mode(), err, mode)
		}
	})
}

// linked makes the settings file be reached through links of some kind and returns its real path.
func (b *bench) linked(seed uint64, data []byte) string {
	b.Helper()
	dots := filepath.Join(b.home, "dotfiles")
	real := filepath.Join(dots, "claude", "x.json")
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	switch seed % 4 {
	case 0:
		return b.path
	case 1: // the file is a link, absolute
		must(os.MkdirAll(filepath.Dir(real), 0o700))
		must(os.Rename(b.path, real))
		must(os.Symlink(real, b.path))
	case 2: // a relative link to a link
		must(os.MkdirAll(filepath.Dir(real), 0o700))
		must(os.Rename(b.path, real))
		must(os.Symlink("claude/x.json", filepath.Join(dots, "y.json")))
		must(os.Symlink("../dotfiles/y.json", b.path))
	case 3: // the folder is a link
		must(os.Rename(filepath.Dir(b.path), dots))
		must(os.Symlink(dots, filepath.Dir(b.path)))
		return filepath.Join(dots, filepath.Base(b.path))
	}
	return real
}

// links is every link below home with its target.
func (b *bench) links() string {
	b.Helper()
	var out []string
	err := filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(path)
			out = append(out, path+" -> "+target)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return strings.Join(out, "; ")
}

// ownerOnly demands that nobody else can read the state folder: backups hold whatever settings hold.
func (b *bench) ownerOnly() {
	b.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join(b.home, ".local/state/aburn"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil && st.Mode().Perm()&0o077 != 0 {
			b.Errorf("%s has mode %v", path, st.Mode())
		}
		n++
		return err
	})
	if err != nil || n < 4 {
		b.Errorf("%d files and folders of state, %v", n, err)
	}
}
