package lockfile

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// hold makes this process the holder of a lock for the test that started it.
const hold = "ABURN_LOCKFILE_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(hold); dir != "" {
		holdUntilStdinEnds(dir)
		return
	}
	os.Exit(m.Run())
}

func holdUntilStdinEnds(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	l, err := Acquire(root, "lock", time.Minute)
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("held\n")
	bufio.NewReader(os.Stdin).ReadByte()
	l.Release()
}

// holder starts a process that holds the lock, and returns it with the pipe
// whose end lets it go.
func holder(t *testing.T, dir string) (*os.Process, func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hold+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("holder said %q, %v", line, err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd.Process, func() { in.Close() }
}

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestHeldByAnotherProcess(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	_, release := holder(t, dir)
	if _, err := Acquire(root, "lock", 0); !errors.Is(err, ErrBusy) {
		t.Fatalf("acquire without waiting: %v, want ErrBusy", err)
	}
	if _, err := Acquire(root, "lock", 20*time.Millisecond); !errors.Is(err, ErrBusy) {
		t.Fatalf("acquire with 20 ms: %v, want ErrBusy", err)
	}
	release()
	l, err := Acquire(root, "lock", time.Minute)
	if err != nil {
		t.Fatalf("acquire after release: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestLateWinnerLetsGo(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	_, release := holder(t, dir)
	for range 5 { // each leaves a goroutine behind that wins later
		if _, err := Acquire(root, "lock", time.Millisecond); !errors.Is(err, ErrBusy) {
			t.Fatalf("acquire: %v, want ErrBusy", err)
		}
	}
	release()
	l, err := Acquire(root, "lock", time.Minute)
	if err != nil {
		t.Fatalf("a late winner kept the lock: %v", err)
	}
	l.Release()
}

func TestDeadHolderHoldsNothing(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	p, _ := holder(t, dir)
	p.Kill()
	l, err := Acquire(root, "lock", time.Minute)
	if err != nil {
		t.Fatalf("acquire after kill -9 of the holder: %v", err)
	}
	l.Release()
}

// A waiter whose file was deleted must not believe that it holds the lock.
func TestDeletedWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	_, release := holder(t, dir)
	got := make(chan *Lock)
	go func() {
		l, err := Acquire(root, "lock", time.Minute)
		if err != nil {
			t.Errorf("acquire: %v", err)
		}
		got <- l
	}()
	time.Sleep(20 * time.Millisecond) // let it block; if it does not, the test still holds
	removed := os.Remove(filepath.Join(dir, "lock"))
	release()
	l := <-got
	if runtime.GOOS == "windows" && removed != nil {
		l.Release()
		t.Skip("this system deletes no open lock:", removed)
	}
	if removed != nil {
		t.Fatal(removed)
	}
	if l == nil {
		return
	}
	if _, err := Acquire(root, "lock", 0); !errors.Is(err, ErrBusy) {
		t.Errorf("second acquire: %v, want ErrBusy: two hold the lock", err)
	}
	l.Release()
}

func TestOneAtATime(t *testing.T) {
	root := openRoot(t, t.TempDir())
	var inside, most atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				l, err := Acquire(root, "lock", time.Minute)
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n > most.Load() {
					most.Store(n)
				}
				inside.Add(-1)
				l.Release()
			}
		})
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d held the lock at once", most.Load())
	}
}

func TestNotRegular(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"link":         func(p string) error { return world.Symlink(filepath.Dir(p)+"/../victim", p) },
		"link inside":  func(p string) error { return world.Symlink("other", p) },
		"folder":       func(p string) error { return os.Mkdir(p, 0o700) },
		"pipe":         world.Mkfifo,
		"pipe by link": func(p string) error { return errors.Join(world.Mkfifo(p+"2"), world.Symlink("lock2", p)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "lock")
			if err := make(path); err != nil {
				t.Skipf("cannot make a %s here: %v", name, err)
			}
			if _, err := Acquire(openRoot(t, dir), "lock", time.Minute); !errors.Is(err, ErrNotRegular) {
				t.Errorf("acquire: %v, want ErrNotRegular", err)
			}
			for _, p := range []string{dir + "/../victim", dir + "/other"} {
				if _, err := os.Lstat(p); err == nil {
					t.Errorf("%s was made through the link", filepath.Base(p))
				}
			}
		})
	}
}

func TestModeAndContent(t *testing.T) {
	world.Modes(t)
	dir := t.TempDir()
	l, err := Acquire(openRoot(t, dir), "lock", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	info, err := os.Stat(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().String(); !strings.HasPrefix(got, "-rw-------") || info.Size() != 0 {
		t.Errorf("lock file: %s, %d bytes; want -rw-------, empty", got, info.Size())
	}
}

func BenchmarkAcquire(b *testing.B) {
	root, err := os.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	for b.Loop() {
		l, err := Acquire(root, "lock", time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		l.Release()
	}
}
