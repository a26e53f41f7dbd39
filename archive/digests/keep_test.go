package digests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/insight"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lockfile"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// missing loads the digests and says how many were not kept.
func missing(t *testing.T, dir string) (made int, all []Session) {
	t.Helper()
	all, err := Load(context.Background(), dir, archive.Filter{}, func(_, total int) { made = total })
	if err != nil {
		t.Fatal(err)
	}
	return made, all
}

// many is an archive of so many sessions.
func many(t *testing.T, n int) (dir string, a *archive.Archive) {
	t.Helper()
	var all []*trace.SessionTrace
	for i := range n {
		all = append(all, story(t, "claude", fmt.Sprint("s", i), i%60, "ask call:1 fail:1 call:2 done:2"))
	}
	return store(t, all...)
}

// execute runs SQL on the archive, as if somebody else did.
func execute(t *testing.T, dir, sql string) {
	t.Helper()
	conn, err := sqlite.Open(filepath.Join(dir, archive.Name), sqlite.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Exec(sql); err != nil {
		t.Fatal(err)
	}
}

// What was made once is kept, until the session changes or the rules do; what is kept and cannot be read is made again.
func TestKept(t *testing.T) {
	dir, a := many(t, 5)
	steps := []struct {
		what   string
		change func()
		made   int
	}{
		{"nothing was kept", func() {}, 5},
		{"nothing changed", func() {}, 0},
		{"a session grew", func() { write(t, a, story(t, "claude", "s1", 1, "ask call:1 fail:1 call:2 done:2 ask")) }, 1},
		{"hooks recorded one too", func() { write(t, a, story(t, "own", "s2", 2, "ask call:1 fail:1")) }, 1},
		{"other rules", func() { execute(t, dir, "UPDATE digests SET rules = rules - 1 WHERE key < 3") }, 2},
		{"damage", func() { execute(t, dir, "UPDATE digests SET body = substr(body, 1, 20) WHERE key = 4") }, 1},
		{"nothing changed any more", func() {}, 0},
	}
	for _, s := range steps {
		s.change()
		if made, all := missing(t, dir); made != s.made || len(all) != 5 {
			t.Errorf("%s: %d made of %d, want %d", s.what, made, len(all), s.made)
		}
	}
}

// The numbers in a digest are those of the store's trace, also where hooks put events between.
func TestNumbers(t *testing.T) {
	dir, a := store(t, story(t, "claude", "a", 1, "ask say call:1 fail:1 call:2 done:2 say"),
		story(t, "own", "a", 1, "started ask command_started:build call:1 fail:1 call:2 done:2 command_completed:build stopped"))
	_, all := list(t, dir, archive.Filter{})
	d := all[0].Digest
	if !d.Hooked || d.AskEvent != 1 || len(d.Errors) != 1 || d.Errors[0].First != 3 || d.Errors[0].Solved != 5 {
		t.Errorf("hooked %v, asked at %d, errors %+v", d.Hooked, d.AskEvent, d.Errors)
	}
	// Its beginning stands behind the prompt in the hooks' log, its end behind the last result.
	if len(d.Phases) != 1 || d.Phases[0].First != 1 || d.Phases[0].Last != 6 || d.Phases[0].Calls != 2 {
		t.Errorf("phases %+v", d.Phases)
	}
	found, err := a.Trace(context.Background(), all[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := found.Events[d.Errors[0].First-1].Body.(*trace.ToolCall); !ok || c.Call != "call-1" {
		t.Errorf("event %d is %+v", d.Errors[0].First, found.Events[d.Errors[0].First-1])
	}
}

// A trace that cannot be read is told, and all others are there.
func TestUnreadable(t *testing.T) {
	dir, _ := many(t, 5)
	execute(t, dir, "CREATE TABLE saved AS SELECT * FROM traces; UPDATE traces SET body = x'0011223344' WHERE key IN (2, 4)")
	for range 2 {
		all, err := Load(context.Background(), dir, archive.Filter{}, nil)
		var bad *Unreadable
		if !errors.As(err, &bad) || len(bad.Keys) != 2 || !strings.Contains(err.Error(), "2 sessions could not be read") || bad.Hint() == "" || len(all) != 3 {
			t.Errorf("%d sessions, %v", len(all), err)
		}
	}
	execute(t, dir, "UPDATE traces SET body = (SELECT body FROM saved s WHERE s.key = traces.key); DROP TABLE saved")
}

// When it is interrupted, what was made until then is kept.
func TestInterrupted(t *testing.T) {
	size := 300
	if tracetest.Race {
		size = 100
	}
	dir, _ := many(t, size)
	ctx, stop := context.WithCancel(context.Background())
	all, err := Load(ctx, dir, archive.Filter{}, func(done, total int) { stop() })
	if !errors.Is(err, context.Canceled) || len(all) > 0 {
		// It can have been done before it was first told.
		if made, _ := missing(t, dir); err != nil || made != 0 {
			t.Errorf("%d sessions, %v", len(all), err)
		}
	}
	missing(t, dir)
	if made, all := missing(t, dir); made != 0 || len(all) != size {
		t.Errorf("%d of %d are made again", made, len(all))
	}
}

// Who ingests keeps nobody from reading, nor from keeping; who writes right now only from keeping.
func TestBesideWriters(t *testing.T) {
	dir, _ := many(t, 3)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, "ingest.lock", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	conn, err := sqlite.Open(filepath.Join(dir, archive.Name), sqlite.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, step := range []struct {
		sql  string
		made int
	}{{"BEGIN IMMEDIATE", 3}, {"", 3}, {"ROLLBACK", 3}, {"", 0}} {
		if step.sql != "" {
			if err := conn.Exec(step.sql); err != nil {
				t.Fatal(err)
			}
		}
		if made, all := missing(t, dir); made != step.made || len(all) != 3 {
			t.Errorf("after %q: %d of %d made, want %d", step.sql, made, len(all), step.made)
		}
	}
}

// While sessions are written, what is kept is never of what they were before.
func TestBesideIngest(t *testing.T) {
	dir, a := many(t, 40)
	stop, loaded := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				close(loaded)
				return
			default:
			}
			if _, err := Load(context.Background(), dir, archive.Filter{}, nil); err != nil {
				loaded <- err
				return
			}
		}
	}()
	for round := range 60 {
		words := "ask call:1 fail:1 call:2 done:2" + strings.Repeat(" ask", round+1)
		write(t, a, story(t, "claude", fmt.Sprint("s", round%40), round%60, words), story(t, "own", fmt.Sprint("s", (round*7)%40), round%60, words))
	}
	close(stop)
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	missing(t, dir)
	made, kept := missing(t, dir)
	execute(t, dir, "DELETE FROM digests")
	if _, anew := missing(t, dir); made != 0 || !reflect.DeepEqual(kept, anew) {
		t.Errorf("%d were missing, and what was kept is what is made anew: %v", made, reflect.DeepEqual(kept, anew))
	}
}

// child runs this test again in a process of its own, by the words of args with the test's command line behind them.
func child(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	args = append(args, os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "DIGESTS_OF="+dir)
	return cmd
}

// TestChild is not a test: the others start it.
func TestChild(t *testing.T) {
	dir := os.Getenv("DIGESTS_OF")
	if dir == "" {
		t.Skip("no test started this")
	}
	made, all := missing(t, dir)
	fmt.Printf("\nmade %d of %d\n", made, len(all))
}

// In a sandbox the folder is read-only: everything is made, and nothing is kept.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	a, err := archive.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, a, story(t, "claude", "a", 1, "ask"), story(t, "claude", "b", 1, "ask"))
	a.Close() // and with it the files that SQLite keeps beside it
	if _, err := os.Stat(filepath.Join(dir, archive.Name+"-wal")); err == nil {
		t.Fatal("there is a log beside the archive")
	}
	run := child(t, dir, "unshare", "--mount", "sh", "-c", `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ! touch "$0/x" 2>/dev/null && exec "$@"`,
		dir)
	out, err := run.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "TestChild") {
		t.Skipf("no folder can be made read-only here: %v %s", err, out)
	}
	if err != nil || !strings.Contains(string(out), "made 2 of 2") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A process that is killed while it makes digests loses at most those of its last moment.
func TestKilled(t *testing.T) {
	size := 1500
	if tracetest.Race || testing.Short() {
		size = 100
	}
	dir, a := many(t, size)
	last := size
	for i := 0; i < 8 && last > 0; i++ {
		cmd := child(t, dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(2 * time.Minute); keptNow(t, a) == size-last; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing more is kept")
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		left := size - keptNow(t, a)
		if left > last {
			t.Fatalf("%d are left, after %d were", left, last)
		}
		last = left
	}
	_, all := missing(t, dir)
	execute(t, dir, "DELETE FROM digests")
	if _, again := missing(t, dir); !reflect.DeepEqual(all, again) {
		t.Error("what was kept between kills is not what is made")
	}
}

// keptNow is how many digests are kept.
func keptNow(t *testing.T, a *archive.Archive) (n int) {
	t.Helper()
	if err := a.Digests(archive.Filter{}, insight.Version, func(d archive.Digest) error {
		if d.Body != "" {
			n++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
