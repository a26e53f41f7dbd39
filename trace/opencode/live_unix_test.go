//go:build unix

package opencode

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// TestMain is also the other processes of these tests.
func TestMain(m *testing.M) {
	role, path, _ := strings.Cut(os.Getenv("OPENCODE_TEST_ROLE"), " ")
	switch role {
	case "":
		os.Exit(m.Run())
	case "writer": // writes a session as opencode does, and stays
		fmt.Println(writeSession(path))
		select {}
	case "reader":
		fmt.Println(readSessions(path))
	}
}

// writeSession adds a session, which then stands in the log only.
func writeSession(path string) error {
	conn, err := sqlite.Open(path, sqlite.ReadWrite)
	if err != nil {
		return err
	}
	return conn.Exec(`PRAGMA journal_mode = WAL; BEGIN;
INSERT INTO session SELECT 'ses_new', project_id, workspace_id, NULL, slug, directory, path, 'new', version, NULL, NULL, NULL, NULL, NULL, NULL,
 0, 0, 0, 0, 0, 0, NULL, NULL, agent, model, 1795249000000, 1795249000000, NULL, NULL FROM session WHERE id = '` + origin + `';
INSERT INTO message VALUES ('msg_new', 'ses_new', 1795249000001, 1795249000001, '{"role":"user","time":{"created":1795249000001}}');
INSERT INTO part VALUES ('prt_new', 'msg_new', 'ses_new', 1795249000001, 1795249000001, '{"type":"text","text":"new"}'); COMMIT`)
}

// readSessions reads all sessions, and says how many, and how.
func readSessions(path string) string {
	g := &given{Sink: tracetest.NewSink(), traces: map[string]*trace.SessionTrace{}}
	if err := New().Read(context.Background(), trace.Store{Reader: name, Path: path, Layout: layoutDatabase}, g); err != nil {
		return err.Error()
	}
	if g.traces["ses_new"] == nil {
		return fmt.Sprintf("%d sessions, the new one is not among them", len(g.traces))
	}
	return fmt.Sprintf("%d sessions, %s", len(g.traces), g.traces["ses_new"].Sources[0].How)
}

// process starts another process of this test. Its first line is the answer.
func process(t *testing.T, exe, role, path string, attr *syscall.SysProcAttr, env ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), "OPENCODE_TEST_ROLE="+role+" "+path), env...)
	cmd.Stderr, cmd.SysProcAttr, cmd.Dir = os.Stderr, attr, filepath.Dir(path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s said nothing: %v", role, err)
	}
	return cmd, strings.TrimSpace(said)
}

// TestUnprivilegedReaderOfAReadOnlyFolder: as nobody, in a folder of root's, with a log that its writer left behind.
func TestUnprivilegedReaderOfAReadOnlyFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user; and root's own reads are never refused")
	}
	const nobody = 65534
	base, err := os.MkdirTemp("", "opencode-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	exe, temp, store := filepath.Join(base, "exe"), filepath.Join(base, "temp"), filepath.Join(base, "store")
	for dir, mode := range map[string]os.FileMode{base: 0o755, store: 0o755, temp: 0o700} {
		os.Mkdir(dir, mode)
		os.Chmod(dir, mode)
	}
	os.Chown(temp, nobody, nobody)
	path := filepath.Join(store, "opencode.db")
	for to, from := range map[string]string{exe: os.Args[0], path: fixture(t)} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	writer, said := process(t, os.Args[0], "writer", path, nil)
	if said != "<nil>" {
		t.Fatal(said)
	}
	for _, end := range []string{"-wal", "-shm"} {
		os.Chmod(path+end, 0o644)
	}
	as := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	check := func(want string) {
		t.Helper()
		before := hashOf(t, path) + hashOf(t, path+"-wal")
		if _, got := process(t, exe, "reader", path, as, "TMPDIR="+temp); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if hashOf(t, path)+hashOf(t, path+"-wal") != before {
			t.Error("reading changed the store")
		}
		if left, _ := os.ReadDir(temp); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	check("27 sessions, mode=ro") // while the writer lives
	writer.Process.Kill()
	writer.Wait()
	os.Remove(path + "-shm")
	check("27 sessions, copy of db and wal")
}

func hashOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}
