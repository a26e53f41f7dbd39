package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// storm makes this process replace one file over and over until it is killed.
const storm = "ABURN_ATOMICFILE_STORM"

func TestMain(m *testing.M) {
	if path := os.Getenv(storm); path != "" {
		for i := 0; ; i++ {
			if err := Write(path, version(i), 0o600, Options{}); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// version is 100 KB of one letter: a mixture of two versions shows.
func version(i int) []byte { return bytes.Repeat([]byte{'a' + byte(i%26)}, 100<<10) }

func TestWrite(t *testing.T) {
	for _, sync := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "file")
		for _, data := range []string{"first", "second, longer", ""} {
			if err := Write(path, []byte(data), 0o640, Options{Sync: sync}); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); string(got) != data {
				t.Errorf("read %q, %v; want %q", got, err, data)
			}
		}
		if names := names(t, filepath.Dir(path)); names != "file" {
			t.Errorf("folder holds %s", names)
		}
	}
}

func TestModeStays(t *testing.T) {
	world.Modes(t)
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o664, 0o755, 0o777} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, []byte("new"), 0o600, Options{}); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != mode {
			t.Errorf("mode %v became %v", mode, info.Mode().Perm())
		}
	}
}

// What is no regular file is left exactly as it was.
func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/victim", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	world.Links(t)
	if err := errors.Join(os.Symlink("victim", dir+"/link"), os.Symlink("nothing", dir+"/dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/folder", 0o700); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	for _, name := range []string{"link", "dangling", "folder"} {
		if err := Write(filepath.Join(dir, name), []byte("new"), 0o600, Options{}); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v, want ErrNotRegular", name, err)
		}
	}
	if got, _ := os.ReadFile(dir + "/victim"); string(got) != "mine" {
		t.Errorf("written through the link: %q", got)
	}
	if after := names(t, dir); after != before {
		t.Errorf("folder held %s, now %s", before, after)
	}
}

func TestUnwritableFolder(t *testing.T) {
	world.Modes(t)
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Chmod(dir, 0o500)
	defer os.Chmod(dir, 0o700)
	if err := Write(dir+"/file", []byte("new"), 0o600, Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("write: %v, want ErrPermission", err)
	}
	if got, _ := os.ReadFile(dir + "/file"); string(got) != "old" {
		t.Errorf("file is now %q", got)
	}
}

// kill -9 at any moment leaves one whole version, and a reader never sees less.
func TestKilledWriters(t *testing.T) {
	world.Slow(t)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, version(0), 0o600); err != nil {
		t.Fatal(err)
	}
	for round := range 15 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), storm+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end := time.Now().Add(time.Duration(10+7*round) * time.Millisecond)
		for time.Now().Before(end) {
			whole(t, path)
		}
		cmd.Process.Kill()
		cmd.Wait()
		whole(t, path)
	}
}

func whole(t *testing.T, path string) {
	t.Helper()
	root, err := os.OpenRoot(filepath.Dir(path)) // as aburn reads: what is opened so, Windows lets others replace
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	got, err := root.ReadFile(filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 100<<10 || bytes.Count(got, got[:1]) != len(got) {
		t.Fatalf("read %d bytes of %d kinds", len(got), len(bytes.Fields(got)))
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

// The check comes when the new bytes are there and the old ones still in place; what it refuses leaves no trace.
func TestCheckComesLast(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	for _, want := range []error{refused, nil} {
		err := Write(path, []byte("new"), 0o600, Options{Check: func() error {
			if got, _ := os.ReadFile(path); string(got) != "old" {
				t.Errorf("at the check the file is %q", got)
			}
			entries, _ := os.ReadDir(filepath.Dir(path))
			if len(entries) != 2 {
				t.Errorf("at the check there are %d files, not 2", len(entries))
			}
			return want
		}})
		if err != want {
			t.Errorf("error %v, want %v", err, want)
		}
		got, _ := os.ReadFile(path)
		if want := map[error]string{refused: "old", nil: "new"}[want]; string(got) != want {
			t.Errorf("the file is %q, want %q", got, want)
		}
		if names := names(t, filepath.Dir(path)); names != "file" {
			t.Errorf("folder holds %s", names)
		}
	}
}
