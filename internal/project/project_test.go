package project

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	lab "aburn/internal/lab/world"
)

// world is a drawn file tree in a temp folder: "dir/", "file=content", "link->target". @ in content and targets stands
// for the world's own path.
type world struct {
	t       *testing.T
	root    string
	vars    map[string]string
	noLinks bool // the system makes none: those drawn are missing
}

func newWorld(t *testing.T, tree string) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, vars: map[string]string{"HOME": root + "/home", "XDG_STATE_HOME": root + "/state"}}
	w.draw(tree)
	return w
}

func (w *world) draw(tree string) {
	w.t.Helper()
	for line := range strings.Lines(tree) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "@", w.root)
		var err error
		if name, target, ok := strings.Cut(line, "->"); ok {
			w.above(name)
			if err = lab.Symlink(target, w.path(name)); err != nil && runtime.GOOS == "windows" {
				w.noLinks, err = true, nil
			}
		} else if name, content, ok := strings.Cut(line, "="); ok {
			w.above(name)
			err = os.WriteFile(w.path(name), []byte(content+"\n"), 0o644)
		} else if line != "" {
			err = os.MkdirAll(w.path(line), 0o755)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// link is the name of a link that was drawn, or of what it leads to where the system makes none.
func (w *world) link(name, target string) string {
	if w.noLinks {
		return target
	}
	return name
}

func (w *world) above(name string) {
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) env(name string) string { return w.vars[name] }

// setenv gives this process the world's environment: Mark and Unmark act for this process's user.
func (w *world) setenv() {
	for k, v := range w.vars {
		w.t.Setenv(k, v)
	}
}

// repo draws a git repository at main with a linked worktree at wt, both relative to the world.
func (w *world) repo(main, wt string) {
	w.draw(main + "/.git/HEAD=ref: refs/heads/main")
	w.draw(main + "/.git/worktrees/x/commondir=../..")
	w.draw(main + "/.git/worktrees/x/HEAD=ref: refs/heads/topic")
	w.draw(main + "/.git/worktrees/x/gitdir=@/" + wt + "/.git")
	w.draw(wt + "/.git=gitdir: @/" + main + "/.git/worktrees/x")
}

// found is the project as one line: its root and worktree relative to the world, Wt, and "marked".
func (w *world) found(start string) string {
	p, err := Find(w.path(start), w.env)
	if refused := (*Refused)(nil); errors.As(err, &refused) {
		return "refused: " + refused.Reason
	}
	if errors.Is(err, ErrNone) {
		return "none"
	}
	if err != nil {
		w.t.Fatal(err)
	}
	rel := func(path string) string {
		r, err := filepath.Rel(w.root, path)
		if err != nil {
			w.t.Fatal(err)
		}
		return filepath.ToSlash(r)
	}
	out := rel(p.Root)
	if p.Worktree != p.Root {
		out += " from " + rel(p.Worktree) + " as " + p.Wt
	}
	if p.Marked {
		out += " marked"
	}
	return out
}

func TestFindWalksUp(t *testing.T) {
	w := newWorld(t, `
		home/a/.oss/
		home/a/b/c/
		home/a/inner/.oss/
		home/plain/sub/
		home/file/.oss=not a folder
		home/linked/.oss->@/home/a/.oss
		home/linked/sub/
		home/a/linked/.oss->@/home/plain
		home/link->@/home/a/b
		out/side/.oss/
		out/side/x/
		.oss/
	`)
	for _, c := range []struct{ start, want string }{
		{"home/a", "home/a"},
		{"home/a/b/c", "home/a"},
		{"home/a/b/gone/and/gone", "home/a"},
		{"home/a/inner", "home/a/inner"},
		{"home/link/c", "home/a"},
		{"home/plain/sub", "none"}, // .oss above the home directory is not for what lies in it
		{"home", "none"},
		{"home/file", "refused: is not a directory"},
		{"home/linked/sub", "refused: is a symbolic link"},
		{"home/a/linked", "home/a"}, // as if the link were not there
		{"out/side/x", "out/side"},
		{"out", "."},
	} {
		if w.noLinks && strings.Contains(c.start, "link") {
			continue
		}
		if got := w.found(c.start); got != c.want {
			t.Errorf("Find(%s) = %s, want %s", c.start, got, c.want)
		}
	}
}

func TestFindHomeOnlyIfMarked(t *testing.T) {
	w := newWorld(t, "home/.oss/\nhome/work/sub/\nhome/own/.oss/")
	w.setenv()
	if got := w.found("home/work/sub"); got != "none" {
		t.Errorf("unmarked home: %s", got)
	}
	if err := Mark(w.path("home")); err != nil {
		t.Fatal(err)
	}
	if got := w.found("home/work/sub"); got != "home marked" {
		t.Errorf("marked home: %s", got)
	}
	if got := w.found("home/own"); got != "home/own" {
		t.Errorf("a project in a marked home: %s", got)
	}
	w.vars["HOME"] = w.path("other")
	w.draw("other/\nhomelink->@/home")
	if err := Unmark(w.path("home")); err != nil {
		t.Fatal(err)
	}
	if got := w.found("home/work"); got != "home" {
		t.Errorf("somebody else's home is a folder like others: %s", got)
	}
	w.vars["HOME"] = w.path("homelink")
	if w.noLinks {
		return
	}
	if got := w.found("home/work"); got != "none" {
		t.Errorf("a home that is a link: %s", got)
	}
}

func TestFindWorktrees(t *testing.T) {
	w := newWorld(t, `
		home/main/.oss/
		home/main/pkg/.oss/
		home/wt/src/
		home/wt/pkg/src/
		home/main/.claude/worktrees/y/src/
		home/bare/sub/
		home/barewt/.oss/
		home/all/.oss/
	`)
	w.repo("home/main", "home/wt")
	w.repo("home/bare", "home/barewt")
	w.repo("home/all/main", "home/all/wt")
	w.draw(`
		home/main/.git/worktrees/y/commondir=../..
		home/main/.git/worktrees/y/gitdir=../../../.claude/worktrees/y/.git
		home/main/.claude/worktrees/y/.git=gitdir: ../../../.git/worktrees/y
		home/main/module/.git=gitdir: ../.git/modules/module
		home/main/.git/modules/module/HEAD=ref: refs/heads/main
	`)
	for _, c := range []struct{ start, want string }{
		{"home/main", "home/main"},
		{"home/wt/src", "home/main from home/wt as ../wt"},
		{"home/wt/pkg/src", "home/main/pkg from home/wt/pkg as ../../wt/pkg"},
		{"home/main/.claude/worktrees/y/src", "home/main from home/main/.claude/worktrees/y as .claude/worktrees/y"},
		{"home/main/module", "home/main"},
		{"home/barewt", "home/barewt"}, // no .oss in the main checkout: the worktree's own
		{"home/bare/sub", "none"},
		{"home/all/wt", "home/all from home/all/wt as wt"},
		{"home/all/main", "home/all"},
	} {
		if got := w.found(c.start); got != c.want {
			t.Errorf("Find(%s) = %s, want %s", c.start, got, c.want)
		}
	}
}

// A folder that somebody made (an unpacked archive; git refuses to check out .git) may hold any .git file. None of these
// may lead into the victim's project.
func TestFindHostileGitFiles(t *testing.T) {
	const real = "@/home/victim/.git/worktrees/x"
	for name, tree := range map[string]string{
		"names a real worktree":    `home/evil/.git=gitdir: ` + real,
		"names the main checkout":  `home/evil/.git=gitdir: @/home/victim/.git`,
		"brings its own gitdir":    "home/evil/.git=gitdir: own\nhome/evil/own/commondir=@/home/victim/.git\nhome/evil/own/gitdir=@/home/evil/.git",
		"brings a worktrees/own":   "home/evil/.git=gitdir: worktrees/own\nhome/evil/worktrees/own/commondir=@/home/victim/.git\nhome/evil/worktrees/own/gitdir=../../.git",
		"own gitdir by a link":     "home/evil/.git=gitdir: own\nhome/evil/own->" + real,
		"its .git is a link":       "home/evil/.git->@/home/wt/.git",
		"commondir is a folder":    "home/evil/.git=gitdir: own\nhome/evil/own/commondir/\nhome/evil/own/gitdir=@/home/evil/.git",
		"gitdir outside of common": "home/evil/.git=gitdir: own/.git/worktrees/x\nhome/evil/own/.git/worktrees/x/commondir=@/home/victim/.git\nhome/evil/own/.git/worktrees/x/gitdir=@/home/evil/.git",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "home/victim/.oss/\nhome/wt/\nhome/evil/src/")
			w.repo("home/victim", "home/wt")
			w.draw(tree)
			if w.noLinks {
				t.Skip("no symbolic links here")
			}
			if got := w.found("home/evil/src"); got != "none" {
				t.Errorf("found %s", got)
			}
			if got := w.found("home/wt"); got != "home/victim from home/wt as ../wt" {
				t.Errorf("the real worktree: %s", got)
			}
		})
	}
}

func TestFindNamed(t *testing.T) {
	w := newWorld(t, `
		home/.oss/
		home/top/.oss/
		home/top/mid/.oss/
		home/top/mid/deep/
		home/else/
		home/main/.oss/
		home/main/pkg/.oss/
		home/wt/pkg/
		home/bad/.oss->@/home/top/.oss
		home/bad/x/.oss/
		home/toplink->@/home/top
		.oss/
	`)
	w.repo("home/main", "home/wt")
	for _, c := range []struct{ named, start, want string }{
		{"@/home/top", "home/top/mid/deep", "home/top"},
		{"@/home/toplink", "home/top/mid/deep", "home/top"},
		{"@/home/top", "home/else", "none"},                     // not mine
		{"@/home/top", "home/main", "home/main"},                // ignored
		{"@/home/top/mid/deep", "home/top/mid", "home/top/mid"}, // holds no .oss, and is below
		{"home/top", "home/top/mid", "home/top/mid"},            // relative: ignored
		{"@/home/main", "home/wt/pkg", "home/main from home/wt as ../wt"},
		{"@/home/main/pkg", "home/wt", "home/main/pkg from home/wt/pkg as ../../wt/pkg"},
		{"@/home", "home/top/mid", "home/top/mid"}, // the home directory is not marked
		{"@", "home/top/mid", "home/top/mid"},      // beyond the home directory
		{"@/home/bad", "home/bad/x", "home/bad/x"}, // does not count
		{"@/nowhere", "home/top", "home/top"},
	} {
		if w.noLinks && strings.Contains(c.named, "link") {
			continue
		}
		w.vars["ABURN_PROJECT_DIR"] = strings.ReplaceAll(c.named, "@", w.root)
		if got := w.found(c.start); got != c.want {
			t.Errorf("ABURN_PROJECT_DIR=%s Find(%s) = %s, want %s", c.named, c.start, got, c.want)
		}
	}
}

func TestFindFrom(t *testing.T) {
	w := newWorld(t, "home/a/.oss/\nhome/b/.oss/\nhome/c/.oss/")
	t.Chdir(w.path("home/c"))
	for _, c := range []struct{ start, want string }{
		{"@/home/a", "home/a"},
		{"", "home/c"},
		{"a", "home/c"},
		{"../b", "home/c"},
	} {
		p, err := FindFrom(strings.ReplaceAll(c.start, "@", w.root), w.env)
		if err != nil {
			t.Fatal(err)
		}
		if p.Root != w.path(c.want) {
			t.Errorf("FindFrom(%s): %s, want %s", c.start, p.Root, c.want)
		}
	}
}

func TestAt(t *testing.T) {
	w := newWorld(t, "home/.oss/\nhome/a/\nhome/b/.oss->@/home/.oss")
	if p, err := At(w.path("home"), w.env); err != nil || p.Root != w.path("home") || p.Worktree != p.Root || p.Marked {
		t.Errorf("At(home) = %+v, %v", p, err)
	}
	if _, err := At(w.path("home/a"), w.env); !errors.Is(err, ErrNone) {
		t.Errorf("At looks only there: %v", err)
	}
	if _, err := At(w.path("home/b"), w.env); !w.noLinks && !errors.As(err, new(*Refused)) {
		t.Errorf("At believes a link: %v", err)
	}
}

// The kernel's name for this process's folder must be the one that following links gives.
func TestFindFromOwnFolderThroughLinks(t *testing.T) {
	lab.Links(t)
	w := newWorld(t, "home/a/.oss/\nhome/a/b/\nhome/link->@/home/a/b")
	t.Chdir(w.path("home/link"))
	for _, start := range []string{"home/link", "home/a/b"} {
		if got := w.found(start); got != "home/a" {
			t.Errorf("Find(%s) = %s", start, got)
		}
	}
	if p, err := Find(".", w.env); err != nil || p.Root != w.path("home/a") {
		t.Errorf("Find(.) = %+v, %v", p, err)
	}
}
