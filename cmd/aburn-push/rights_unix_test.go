//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"aburn/cmd/aburn-push/internal/figures"
	"aburn/internal/fault"
)

// refused runs a statement that the server has to refuse for lack of a right.
func (k *team) refused(conn *pgx.Conn, sql string, args ...any) {
	k.Helper()
	tag, err := conn.Exec(k.Context(), sql, args...)
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != "42501" {
		k.Errorf("%s: %v, %v", sql, tag, err)
	}
}

// untouched runs a statement that may be allowed, and must change nothing.
func (k *team) untouched(conn *pgx.Conn, sql string, args ...any) {
	k.Helper()
	tag, err := conn.Exec(k.Context(), sql, args...)
	if err != nil || tag.RowsAffected() != 0 {
		k.Errorf("%s: %v, %v", sql, tag, err)
	}
}

// TestRowsOfOthers: by any client, a machine's role reads and writes only its own rows, and of others it sees sums without
// machine and person. A lead reads all and writes nothing. Somebody else reads nothing.
func TestRowsOfOthers(t *testing.T) {
	k := newTeam(t, "anna", "ben")
	mine, theirs := newMachine(t), newMachine(t)
	mine.fill(1, 2)
	theirs.fill(2, 2)
	mine.push(k.address("anna"))
	theirs.push(k.address("ben"), "--as", "Ben B.")
	machineOf := func(role string) string {
		return k.text(k.owner, "SELECT id::text FROM aburn.machines WHERE owner = $1", role)
	}
	before := k.contents()

	anna := k.as("anna")
	for _, table := range []string{"days", "sessions", "failures", "pushed"} {
		own := k.text(k.owner, "SELECT count(*)::text FROM aburn."+table+" WHERE machine = $1::uuid", machineOf("anna"))
		if got := k.text(anna, "SELECT count(*)::text FROM aburn."+table); got != own || own == "0" {
			t.Errorf("anna sees %s rows of %s, and owns %s", got, table, own)
		}
		k.untouched(anna, "DELETE FROM aburn."+table+" WHERE machine = $1::uuid", machineOf("ben"))
	}
	if got := k.text(anna, "SELECT id::text FROM aburn.machines"); got != machineOf("anna") {
		t.Errorf("anna sees the machines %s", got)
	}
	k.refused(anna, "INSERT INTO aburn.failures SELECT $1::uuid, day, project, agent, class, error_key || 'x', count FROM aburn.failures", machineOf("ben"))
	k.refused(anna, "UPDATE aburn.machines SET owner = 'ben'")
	k.refused(anna, "INSERT INTO aburn.machines (id, owner) VALUES (gen_random_uuid(), 'ben')")
	k.refused(anna, "SELECT * FROM aburn.machine_costs")
	k.refused(anna, "UPDATE aburn.prices SET input = 0")
	k.refused(anna, "UPDATE aburn.meta SET version = 7")
	k.refused(anna, "CREATE TABLE aburn.mine (n int)")
	k.untouched(anna, "UPDATE aburn.machines SET person = 'x' WHERE id = $1::uuid", machineOf("ben"))
	if sum, all := k.text(anna, "SELECT sum(answers)::text FROM aburn.costs"), k.text(k.owner, "SELECT sum(answers)::text FROM aburn.days"); sum != all {
		t.Errorf("anna sees a sum of %s answers, the team has %s", sum, all)
	}
	columns := k.text(k.owner, `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'aburn'
		AND table_name IN ('costs', 'outcomes', 'errors', 'freshness') AND column_name IN ('machine', 'person', 'owner', 'id')`)
	if columns != "" {
		t.Errorf("views of all name %s", columns)
	}

	lead := k.as("lead")
	if got := k.text(lead, "SELECT coalesce(person, '-') FROM aburn.machine_costs GROUP BY 1 ORDER BY 1"); got != "-\nBen B." {
		t.Errorf("the lead sees the persons %q", got)
	}
	if got, all := k.text(lead, "SELECT count(*)::text FROM aburn.sessions"), k.text(k.owner, "SELECT count(*)::text FROM aburn.sessions"); got != all {
		t.Errorf("the lead sees %s of %s sessions", got, all)
	}
	if got := k.text(lead, "SELECT count(person)::text || ' of ' || count(id) FROM aburn.machines"); got != "1 of 2" {
		t.Errorf("the lead sees persons of %s machines", got)
	}
	k.refused(lead, "SELECT owner FROM aburn.machines")
	for _, table := range []string{"machines", "days", "sessions", "failures", "pushed", "prices"} {
		k.refused(lead, "DELETE FROM aburn."+table)
	}

	k.sql("CREATE ROLE stranger LOGIN")
	stranger := k.as("stranger")
	for _, table := range []string{"machines", "days", "sessions", "failures", "costs", "prices"} {
		k.refused(stranger, "SELECT * FROM aburn."+table)
	}
	if _, errs, code := mine.run(mine.args("--yes", k.address("stranger"))...); code != fault.ExitFailed ||
		!strings.Contains(errs, "--init --add-machine stranger") {
		t.Errorf("a stranger's push: exit %d, %s", code, errs)
	}
	if _, errs, code := mine.run(mine.args("--yes", k.address("lead"))...); code != fault.ExitFailed || !strings.Contains(errs, "--add-machine lead") {
		t.Errorf("a lead's push: exit %d, %s", code, errs)
	}
	if k.contents() != before {
		t.Error("rows have changed")
	}
}

// TestCopiedMachine: an archive that was copied with its machine's number cannot change the rows of the one it came from.
func TestCopiedMachine(t *testing.T) {
	k := newTeam(t, "carl", "dora")
	first, copied := newMachine(t), newMachine(t)
	first.fill(1, 1)
	first.push(k.address("carl"))
	copied.fill(2, 1)
	text, err := os.ReadFile(filepath.Join(first.archive(), figures.MachineFile))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(copied.archive(), figures.MachineFile)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	before := k.contents()
	if _, errs, code := copied.run(copied.args("--yes", k.address("dora"))...); code != fault.ExitFailed ||
		!strings.Contains(errs, "another role owns the rows of this machine") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if k.contents() != before {
		t.Error("rows have changed")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	copied.push(k.address("dora"))
	k.equal("with a number of its own", []*machine{first, copied})
}
