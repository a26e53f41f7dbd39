//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"aburn/internal/fault"
)

// held locks a table, so that a push stops in its middle, when it has written days and sessions.
func (k *team) held(table string) pgx.Tx {
	k.Helper()
	tx, err := k.as("owner").Begin(k.Context())
	if err == nil {
		_, err = tx.Exec(k.Context(), "LOCK TABLE aburn."+table+" IN ACCESS EXCLUSIVE MODE")
	}
	if err != nil {
		k.Fatal(err)
	}
	return tx
}

func (k *team) release(tx pgx.Tx) {
	k.Helper()
	if err := tx.Rollback(k.Context()); err != nil {
		k.Fatal(err)
	}
}

// awaitPushes waits until so many connections of aburn-push wait for a lock.
func (k *team) awaitPushes(n string) {
	k.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if k.text(k.owner,
			"SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'aburn-push' AND wait_event_type = 'Lock' AND datname = current_database()") == n {
			return
		}
	}
	k.Fatalf("no %s pushes wait", n)
}

func start(t *testing.T, cmd *exec.Cmd) *bytes.Buffer {
	t.Helper()
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKilledMidway: a push that is killed in its middle, or whose connection is cut there, has changed nothing; the next one
// does all.
func TestKilledMidway(t *testing.T) {
	k := newTeam(t, "killed")
	m := newMachine(t)
	m.fill(3, 2)
	m.push(k.address("killed"))
	before := k.contents()
	m.fill(4, 4)

	tx := k.held("failures")
	cmd := m.process(k.address("killed"))
	start(t, cmd)
	k.awaitPushes("1")
	cmd.Process.Kill()
	cmd.Wait()
	k.release(tx)
	if k.contents() != before {
		t.Error("a killed push changed rows")
	}

	tx = k.held("failures")
	cmd = m.process(k.address("killed"))
	out := start(t, cmd)
	k.awaitPushes("1")
	k.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'aburn-push' AND datname = current_database()")
	err := cmd.Wait()
	k.release(tx)
	if err == nil || !strings.Contains(out.String(), "the connection was lost") || !strings.Contains(out.String(), "hint: run it again") {
		t.Errorf("cut off: %v, %s", err, out)
	}
	if k.contents() != before {
		t.Error("a push that was cut off changed rows")
	}

	tx = k.held("failures")
	cmd = m.process(k.address("killed"))
	out = start(t, cmd)
	k.awaitPushes("1")
	cmd.Process.Signal(os.Interrupt)
	err = cmd.Wait()
	k.release(tx)
	if err == nil || !strings.Contains(out.String(), "stopped: nothing was changed") {
		t.Errorf("interrupted: %v, %s", err, out)
	}
	if k.contents() != before {
		t.Error("a push that was interrupted changed rows")
	}
	m.push(k.address("killed"))
	k.equal("at last", []*machine{m})
}

// TestTwoAtOnce: two pushes of a machine at once, even its first two, leave what one leaves.
func TestTwoAtOnce(t *testing.T) {
	k := newTeam(t, "twice")
	m := newMachine(t)
	m.fill(5, 2)
	tx := k.held("days")
	first, second := m.process(k.address("twice")), m.process(k.address("twice"))
	outs := []*bytes.Buffer{start(t, first), start(t, second)}
	k.awaitPushes("2")
	k.release(tx)
	for i, cmd := range []*exec.Cmd{first, second} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, outs[i])
		}
	}
	if said := outs[0].String() + outs[1].String(); strings.Count(said, "nothing is new") != 1 {
		t.Error(said)
	}
	k.equal("two at once", []*machine{m})
	if n := k.text(k.owner, "SELECT count(*)::text FROM aburn.machines"); n != "1" {
		t.Errorf("%s machines", n)
	}
}

// cutOff is a process between a push and the server: it listens at its first argument, passes on to the second, and when the
// push says the third it is gone. With a fourth argument it first passes that on, and waits until the server has answered.
func cutOff() {
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println("listening")
	client, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	server, err := net.Dial("unix", os.Args[2])
	if err != nil {
		panic(err)
	}
	for buf := make([]byte, 1<<20); ; {
		for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
			from.SetReadDeadline(time.Now().Add(time.Millisecond))
			n, err := from.Read(buf)
			if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				return
			}
			if from == client && bytes.Contains(bytes.ToLower(buf[:n]), []byte(os.Args[3])) {
				if len(os.Args) > 4 {
					server.Write(buf[:n])
					server.SetReadDeadline(time.Time{})
					server.Read(buf)
				}
				return
			}
			to.Write(buf[:n])
		}
	}
}

// TestCutOff: a connection that breaks in the middle has changed nothing. One that breaks behind the last word leaves open
// whether all was changed, and aburn says so; running it again is safe in both cases.
func TestCutOff(t *testing.T) {
	k := newTeam(t, "cora")
	m := newMachine(t)
	m.fill(3, 2)
	m.push(k.address("cora"))
	for i, c := range []struct {
		word, says string
		answered   bool
	}{{"insert into aburn.failures", "the connection was lost", false}, {"commit", "the connection was lost at the very end", false},
		{"commit", "the connection was lost at the very end", true}} {
		m.fill(uint64(10+i), 3)
		before := k.contents()
		dir, err := os.MkdirTemp("/tmp", "aburn-cut")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		socket := fmt.Sprintf("/.s.PGSQL.%d", k.port)
		args := []string{dir + socket, k.dir + socket, c.word}
		if c.answered {
			args = append(args, "answered")
		}
		cut := exec.Command("cut-off", args...)
		listening, err := cut.StdoutPipe()
		if err == nil {
			err = cut.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(listening).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		_, errs, code := m.run(m.args("--yes", strings.Replace(k.address("cora"), k.dir, dir, 1))...)
		cut.Wait()
		if code != fault.ExitFailed || !strings.Contains(errs, c.says) || !strings.Contains(errs, "hint: run it again") {
			t.Errorf("%s: exit %d, %s", c.word, code, errs)
		}
		if changed := k.contents() != before; changed != c.answered {
			t.Errorf("%s: rows have changed: %v", c.word, changed)
		}
		m.push(k.address("cora"))
		k.equal("after "+c.word, []*machine{m})
	}
}
