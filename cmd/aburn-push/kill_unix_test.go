//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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
	for range 1200 {
		if k.text(k.owner, "SELECT count(*)::text FROM pg_stat_activity WHERE application_name = 'aburn-push' AND wait_event_type = 'Lock' AND datname = current_database()") == n {
			return
		}
		time.Sleep(50 * time.Millisecond)
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
