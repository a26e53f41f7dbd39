package turns

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/git"
	lab "aburn/internal/lab/world"
	"aburn/internal/snapshot"
)

// world is a repository with a project in it.
type world struct {
	testing.TB
	dir   string
	place Place
}

func newWorld(t testing.TB) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: dir}
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "T")
	w.git("config", "user.email", "t@example.com")
	w.write("a", "one\n")
	w.write("d/b", "two\n")
	w.write(".gitignore", "*.ign\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "first")
	w.write(".oss/workflow.log", "log\n")
	w.write(".oss/snapshots/README", "")
	files, err := os.OpenRoot(filepath.Join(dir, ".oss", "snapshots"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	w.place = Place{Files: files, Dir: dir, Git: git.In(dir, os.Environ()), Now: time.Now()}
	return w
}

func (w *world) git(args ...string) string {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) write(name, text string) {
	w.Helper()
	path := filepath.Join(w.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		w.Fatal(err)
	}
}

func (w *world) take(session string) Taken {
	w.Helper()
	t, err := Take(w.Context(), w.place, session, nil, func(Taken) error { return nil })
	if err != nil {
		w.Fatal(err)
	}
	return t
}

// A snapshot holds tracked and untracked files, and neither what git ignores nor aburn's own files. It changes nothing, and the same state gives
// the same commit.
func TestTake(t *testing.T) {
	w := newWorld(t)
	w.write("a", "changed\n")
	w.write("new", "new\n")
	w.write("x.ign", "secret\n")
	w.write("large", strings.Repeat("x", snapshot.MaxUntracked+1))
	before := w.git("status", "--porcelain") + w.git("ls-files", "--stage")
	one := w.take("s/1")
	if one.Ref != "refs/aburn/turns/s_1/1" || one.Same || !slices.Equal(one.Skipped, []string{"large: more than 10 MiB"}) {
		t.Errorf("%+v", one)
	}
	if got := w.git("show", one.Commit+":a") + " " + w.git("ls-tree", "-r", "--name-only", one.Commit+"^3"); got != "changed new" {
		t.Errorf("it holds %q", got)
	}
	if after := w.git("status", "--porcelain") + w.git("ls-files", "--stage"); after != before {
		t.Errorf("the worktree is not as it was: %s", after)
	}
	w.write(".oss/workflow.log", "longer log\n")
	two := w.take("s/1")
	if !two.Same || two.Commit != one.Commit || two.Ref != one.Ref {
		t.Errorf("the same state: %+v", two)
	}
	w.write("a", "again\n")
	three := w.take("s/1")
	if three.Same || three.Ref != "refs/aburn/turns/s_1/2" {
		t.Errorf("another state: %+v", three)
	}
}

// A snapshot that comes too late gets no name.
func TestLate(t *testing.T) {
	w := newWorld(t)
	_, err := Take(t.Context(), w.place, "s", func() bool { return false }, func(Taken) error { return nil })
	if refs := w.git("for-each-ref", Refs); !errors.Is(err, ErrLate) || refs != "" {
		t.Errorf("%v, %s", err, refs)
	}
}

func TestPlacesWithoutSnapshots(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		make func(dir string)
		want error
	}{
		"no repository": {func(string) {}, ErrNoWorktree},
		"no commit":     {func(dir string) { exec.Command("git", "init", "-q", dir).Run() }, snapshot.ErrNoCommit},
		"bare":          {func(dir string) { exec.Command("git", "init", "-q", "--bare", dir).Run() }, ErrNoWorktree},
	} {
		p := w.place
		p.Dir = t.TempDir()
		c.make(p.Dir)
		if _, err := Take(t.Context(), p, "s", nil, func(Taken) error { return nil }); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Old snapshots go, but never the newest ten, nor the one that is in use.
func TestExpire(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	for i := range 15 {
		cmd := exec.Command("git", "commit-tree", "-m", "x", "HEAD^{tree}")
		cmd.Dir = w.dir
		cmd.Env = append(os.Environ(), fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", now.Add(-time.Duration(40+i)*24*time.Hour).Unix()))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		w.git("update-ref", Refs+"/s/"+strconv.Itoa(100-i), strings.TrimSpace(string(out)))
	}
	Expire(t.Context(), w.place.Git, now, Refs+"/s/"+strconv.Itoa(100-14))
	got := strings.Fields(w.git("for-each-ref", "--format=%(refname:lstrip=4)", Refs))
	if len(got) != 11 || !slices.Contains(got, "86") || slices.Contains(got, "88") {
		t.Errorf("left are %v", got)
	}
}

// helperVar makes the test's executable a helper that takes snapshots until it is killed.
const helperVar = "ABURN_TEST_TURNS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperVar); dir != "" {
		files, err := os.OpenRoot(filepath.Join(dir, ".oss", "snapshots"))
		place := Place{Files: files, Dir: dir, Git: git.In(dir, os.Environ()), Now: time.Now()}
		for err == nil {
			_, err = Take(context.Background(), place, "s", nil, func(Taken) error { return nil })
			fmt.Println("taken", err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Helpers are killed at any moment, while files change. Whatever has a name is whole, the index is as it was, and the next one works.
func TestKilledHelpers(t *testing.T) {
	lab.Slow(t)
	w := newWorld(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	index := w.git("ls-files", "--stage")
	for i := range lab.Storm(15) {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), helperVar+"="+w.dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		time.AfterFunc(time.Duration(rnd.IntN(60_000))*time.Microsecond, func() {
			cmd.Process.Kill()
			cmd.Wait()
			close(ended)
		})
		for n := 0; ; n++ {
			w.write("f"+strconv.Itoa(n%7), strconv.Itoa(i*1000+n))
			select {
			case <-ended:
			default:
				continue
			}
			break
		}
		for _, ref := range strings.Fields(w.git("for-each-ref", "--format=%(refname)", Refs)) {
			if _, err := snapshot.TreesOf(t.Context(), w.place.Git, ref); err != nil {
				t.Errorf("seed %d: %s: %v", seed, ref, err)
			}
		}
		w.git("rev-list", "--objects", "--glob="+Refs)
	}
	w.write("last", "last\n")
	last := w.take("s")
	if got := w.git("show", last.Commit+"^3:last"); got != "last" || w.git("ls-files", "--stage") != index {
		t.Errorf("seed %d: %s", seed, got)
	}
	w.git("fsck", "--connectivity-only")
}

// A git that was killed leaves the lock of a ref. Its number is skipped: else no snapshot of the session would ever get a name.
func TestStaleLock(t *testing.T) {
	w := newWorld(t)
	lock := filepath.Join(w.dir, ".git", filepath.FromSlash(Refs), "s", "1.lock")
	if err := os.MkdirAll(filepath.Dir(lock), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("a", "changed\n")
	if got := w.take("s"); got.Ref != Refs+"/s/2" {
		t.Errorf("%+v", got)
	}
}

// What can't be written gives an error and no name, and the worktree and its index stay.
func TestReadOnly(t *testing.T) {
	lab.Modes(t)
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	w := newWorld(t)
	w.write("a", "changed\n")
	objects := filepath.Join(w.dir, ".git", "objects")
	if err := os.Chmod(objects, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(objects, 0o700)
	if _, err := Take(t.Context(), w.place, "s", nil, func(Taken) error { return nil }); err == nil {
		t.Error("no error")
	}
	if refs := w.git("for-each-ref", Refs); refs != "" {
		t.Error(refs)
	}
}
