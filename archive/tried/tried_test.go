package tried

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/insight/remedy"
)

// With ABURN_TEST_APPLY this process appends, over and over, until it is killed or has written so many.
func TestMain(m *testing.M) {
	dir, many := os.Getenv("ABURN_TEST_APPLY"), os.Getenv("ABURN_TEST_TIMES")
	if dir == "" {
		os.Exit(m.Run())
	}
	n, _ := strconv.Atoi(many)
	for i := range n {
		if _, err := Append(dir, "e1-0123456789ab", fmt.Sprintf("%d of %d", i, os.Getpid()), time.Now()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

func appender(t *testing.T, dir string, times int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ABURN_TEST_APPLY="+dir, "ABURN_TEST_TIMES="+strconv.Itoa(times))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func read(t *testing.T, dir string) ([]remedy.Applied, int) {
	t.Helper()
	list, skipped, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list, skipped
}

func TestAppendAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if list, skipped := read(t, dir); len(list)+skipped > 0 {
		t.Error("something of nothing")
	}
	at := time.Date(2026, 11, 21, 10, 3, 7, 123456789, time.FixedZone("", 3600))
	secret := "ghp_" + "x7Rk2Lm9Qw4Tz8Vb3Np6" + "Yc5Hd1Jf0Sg2Ua7E"
	got, err := Append(dir, "s1-0123456789ab", "token "+secret+"\nsecond\x1b[31m line", at)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.Note, secret) || strings.ContainsAny(got.Note, "\n\x1b") || !strings.Contains(got.Note, "second") {
		t.Errorf("note %q", got.Note)
	}
	list, skipped := read(t, dir)
	want := time.Date(2026, 11, 21, 9, 3, 7, 123000000, time.UTC)
	if len(list) != 1 || skipped != 0 || list[0].Key != "s1-0123456789ab" || !list[0].Time.Equal(want) || list[0].Note != got.Note {
		t.Errorf("%+v, %d skipped", list, skipped)
	}
	for name, mode := range map[string]os.FileMode{Name: 0o600, LockName: 0o600, ".": 0o700 | os.ModeDir} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Mode() != mode {
			t.Errorf("%s: %v %v", name, st.Mode(), err)
		}
	}
}

// A torn last line is ended, not written on to, and does not hide what stands around it; foreign lines stay.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	good := `{"v":2,"key":"f1-0123456789ab","time":"2026-11-21T10:00:00Z","note":"n","more":[1]}` + "\n"
	if err := os.WriteFile(path, []byte(good+"{\"v\":1}\n\nnot JSON\n"+good[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, skipped := read(t, dir); len(list) != 1 || skipped != 3 {
		t.Errorf("%d lines, %d skipped", len(list), skipped)
	}
	if _, err := Append(dir, "e1-0123456789ab", "", time.Now()); err != nil {
		t.Fatal(err)
	}
	list, skipped := read(t, dir)
	if len(list) != 2 || skipped != 3 || list[1].Key != "e1-0123456789ab" {
		t.Errorf("%+v, %d skipped", list, skipped)
	}
	data, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(data), good+"{\"v\":1}\n\nnot JSON\n"+good[:20]+"\n{") {
		t.Errorf("what was there changed:\n%s", data)
	}
}

// TestForeignLines: a line that somebody copied counts once, a note that somebody wrote by hand is scrubbed, bounded and on one
// line, and what is no key is skipped.
func TestForeignLines(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	if _, err := Append(dir, "e1-0123456789ab", "once", at); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	secret := "ghp_" + "x7Rk2Lm9Qw4Tz8Vb3Np6" + "Yc5Hd1Jf0Sg2Ua7E"
	foreign := `{"v":1,"key":"f1-0123456789ab","time":"2026-11-21T11:00:00+01:00","note":"` + secret + `\u001b[2J\n# heading ` + strings.Repeat("x", 2000) + `"}` +
		"\n"
	for _, key := range []string{"", "-", "f1-", "-0", "f1 0", "F1-0", "f1-0\u0060", "f1-0\\n", "f1-" + strings.Repeat("0", 62)} {
		foreign += `{"v":1,"key":"` + key + `","time":"2026-11-21T10:00:00Z","note":"no key"}` + "\n"
	}
	other := strings.Replace(string(data), "once", "again", 1)
	if err := os.WriteFile(path, []byte(string(data)+other+string(data)+foreign+string(data)), 0o600); err != nil {
		t.Fatal(err)
	}
	list, skipped := read(t, dir)
	if len(list) != 3 || skipped != 9 || list[0].Note != "once" || list[1].Note != "again" {
		t.Fatalf("%+v, %d skipped", list, skipped)
	}
	if n := list[2].Note; strings.Contains(n, secret) || strings.ContainsAny(n, "\x1b\n") || len(n) > MaxNote || !list[2].Time.Equal(at) {
		t.Errorf("%v %q", list[2].Time, n)
	}
}

// Processes that append at once lose nothing, and one that is killed leaves at most a torn line.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	const each, many = 50, 4
	var all []*exec.Cmd
	for range many {
		all = append(all, appender(t, dir, each))
	}
	victim := appender(t, dir, 1_000_000)
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	victim.Process.Signal(syscall.SIGKILL)
	victim.Wait()
	list, skipped := read(t, dir)
	count := map[string]int{}
	for _, a := range list {
		_, pid, _ := strings.Cut(a.Note, " of ")
		count[pid]++
	}
	for _, cmd := range all {
		if n := count[strconv.Itoa(cmd.Process.Pid)]; n != each {
			t.Errorf("%d of %d lines of one process", n, each)
		}
	}
	if skipped > 1 {
		t.Errorf("%d torn lines of one killed process", skipped)
	}
	if _, err := Append(dir, "e1-0123456789ab", "after", time.Now()); err != nil {
		t.Error(err)
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Name), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Append("", "e1-0123456789ab", "", time.Now()); err == nil {
		t.Error("no folder is no error")
	}
}

// A file that is too large to be anybody's notes is an error: cut off, it would lose the newest ones and say nothing.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	if _, err := Append(dir, "e1-0123456789ab", "first", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, Name), maxFile+1); err != nil {
		t.Fatal(err)
	}
	if list, _, err := Read(dir); err == nil || len(list) > 0 {
		t.Errorf("%d lines, error %v", len(list), err)
	}
	if _, err := Append(dir, "e1-0123456789ab", "second", time.Now()); err == nil {
		t.Error("a note was added that nobody can read")
	}
}
