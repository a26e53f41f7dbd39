package sqlitero

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lab/world"
	"aburn/internal/sqlite"
)

// TestMain is also the other processes of the tests: the program that writes the database, and readers of it.
func TestMain(m *testing.M) {
	role, path, _ := strings.Cut(os.Getenv("SQLITERO_ROLE"), " ")
	switch role {
	case "":
		os.Exit(m.Run())
	case "writer":
		write(path)
	case "reader":
		fmt.Println(report(Open(context.Background(), path)))
	case "holder": // has a copy open until it is killed
		temp, _, err := openCopy(context.Background(), path)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(temp.path)
		time.Sleep(time.Hour)
	}
}

// write makes a database with a log, says so, and then moves amounts between rows, each on a page
// of its own, whose sum stays 1000, until stdin ends.
func write(path string) {
	conn, err := sqlite.Open(path, sqlite.Create)
	if err != nil {
		panic(err)
	}
	for _, statement := range []string{
		"PRAGMA journal_mode = WAL",
		"CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER, page BLOB)", "CREATE TABLE history(n INTEGER PRIMARY KEY, text TEXT)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 1000) INSERT INTO account SELECT i, 1, randomblob(3000) FROM n",
		"PRAGMA wal_checkpoint(TRUNCATE)", "INSERT INTO history VALUES (1, 'in the log only')",
	} {
		if err := conn.Exec(statement); err != nil {
			panic(err)
		}
	}
	defer conn.Close()
	fmt.Println("ready")
	in := bufio.NewReader(os.Stdin)
	if line, _ := in.ReadString('\n'); line != "go on\n" {
		io.Copy(io.Discard, in)
		return
	}
	move := `BEGIN; UPDATE account SET amount = amount - 1 WHERE id = %d; UPDATE account SET amount = amount + 1 WHERE id = %d; COMMIT`
	for i := 1; ; i++ {
		checkpoint := "PASSIVE"
		if i%3 == 0 {
			checkpoint = "RESTART"
		}
		conn.Exec(fmt.Sprintf(move, 1+rand.IntN(1000), 1+rand.IntN(1000))) // in one transaction; whether it did, the sum shows
		conn.Exec("PRAGMA wal_checkpoint(" + checkpoint + ")")
		if rand.IntN(20) == 0 { // there is time for a copy now and then, also where a disk is fast
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
		}
	}
}

// report says in one line what a reader saw.
func report(db *DB, err error) string {
	if err != nil {
		return fmt.Sprintf("error permission=%t: %v", errors.Is(err, fs.ErrPermission), err)
	}
	defer db.Close()
	rows, err := db.Conn().Number("SELECT count(*) FROM history")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s rows=%d", db.How(), rows)
}

// role starts another process of this test. Its first line is the answer.
func role(t *testing.T, exe, role, path string, prepare func(*exec.Cmd)) (cmd *exec.Cmd, stdin io.WriteCloser, line string) {
	t.Helper()
	cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), "SQLITERO_ROLE="+role+" "+path)
	cmd.Stderr = os.Stderr
	if prepare != nil {
		prepare(cmd)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Process.Kill(); cmd.Wait() })
	line, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("%s said nothing: %v", role, err)
	}
	return cmd, stdin, strings.TrimSpace(line)
}

// hashes is the content of the database and its log.
func hashes(t *testing.T, path string) string {
	t.Helper()
	var all []string
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	return strings.Join(all, " ")
}

func TestReadsTheLogOfALiveWriterAndOfAKilledOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b#c%20.db") // a path is no URI
	writer, _, _ := role(t, os.Args[0], "writer", path, nil)
	before := hashes(t, path)
	if got := report(Open(t.Context(), path)); got != "mode=ro rows=1" {
		t.Errorf("beside the writer: %s", got)
	}
	writer.Process.Kill()
	writer.Wait()
	os.Remove(path + "-shm") // as after a restart of the machine
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, link} {
		if got := report(Open(t.Context(), p)); got != "mode=ro rows=1" {
			t.Errorf("after the writer's death: %s", got)
		}
	}
	if after := hashes(t, path); after != before {
		t.Errorf("the files changed:\n%s\n%s", before, after)
	}
}

// TestLeavesNoContentBehind: of a database that its writer closed, which has no log any more.
func TestLeavesNoContentBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	writer, stdin, _ := role(t, os.Args[0], "writer", path, nil)
	stdin.Close()
	writer.Wait()
	before := hashes(t, path)
	if got := report(Open(t.Context(), path)); got != "mode=ro rows=1" {
		t.Error(got)
	}
	if after := hashes(t, path); after != before { // no log and an empty one are the same here
		t.Errorf("the files changed:\n%s\n%s", before, after)
	}
}

func TestNothingCanBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	role(t, os.Args[0], "writer", path, nil)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Conn().Exec("DELETE FROM history"); sqlite.CodeOf(err) != sqlite.CodeReadOnly {
		t.Errorf("DELETE: %v", err)
	}
}

func TestCopyIsOfOneState(t *testing.T) {
	world.Slow(t)
	path := filepath.Join(t.TempDir(), "x.db")
	_, stdin, _ := role(t, os.Args[0], "writer", path, nil)
	io.WriteString(stdin, "go on\n")
	good, tries := 0, 12
	for range tries {
		temp, conn, err := openCopy(t.Context(), path)
		if errors.Is(err, errUnsettled) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		sum, err := conn.Number("SELECT sum(amount) FROM account")
		if err != nil || sum != 1000 {
			t.Errorf("the sum is %d, %v", sum, err)
		}
		good++
		if err := errors.Join(conn.Close(), temp.remove()); err != nil {
			t.Error(err)
		}
	}
	if good == 0 {
		t.Error("no copy came about")
	}
	t.Logf("%d of %d copies were taken while the writer checkpointed after each transaction", good, tries)
}

func TestCopyIsPrivateAndGoesAway(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	path := filepath.Join(t.TempDir(), "x.db")
	role(t, os.Args[0], "writer", path, nil)
	dir, conn, err := openCopy(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir.path, "x.db*"))
	for _, f := range append(files, dir.path) {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", f, info.Mode(), err)
		}
	}
	if len(files) < 2 {
		t.Errorf("copied %v, want the database and its log", files)
	}
	conn.Close()
	dir.remove()
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSweepsCopiesOfTheKilledOnly(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	path := filepath.Join(t.TempDir(), "x.db")
	role(t, os.Args[0], "writer", path, nil)
	killed, _, killedDir := role(t, os.Args[0], "holder", path, nil)
	_, _, heldDir := role(t, os.Args[0], "holder", path, nil)
	killed.Process.Kill()
	killed.Wait()

	exists := func(dir string) bool { _, err := os.Stat(dir); return err == nil }
	sweep(temp, time.Now())
	if !exists(killedDir) {
		t.Error("a folder was swept that could be one just made")
	}
	sweep(temp, time.Now().Add(2*atomicfile.Abandoned))
	if exists(killedDir) || !exists(heldDir) {
		t.Errorf("the killed one's is there: %t, the living one's: %t", exists(killedDir), exists(heldDir))
	}
}

func TestRefusesWhatIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database at all\n", 200)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]func(error) bool{
		text:                            func(err error) bool { return sqlite.CodeOf(err) == sqlite.CodeNotADB },
		filepath.Join(dir, "absent.db"): func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
		dir:                             func(err error) bool { return strings.Contains(err.Error(), "no regular file") },
	} {
		if _, err := Open(t.Context(), path); err == nil || !want(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("files were made: %v", entries)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	role(t, os.Args[0], "writer", path, nil)
	ctx, cancel := context.WithCancel(t.Context())
	db, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	time.AfterFunc(50*time.Millisecond, cancel)
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	if err := db.Conn().Exec(endless); sqlite.CodeOf(err) != sqlite.CodeInterrupt {
		t.Errorf("an endless query ended with %v", err)
	}
}
