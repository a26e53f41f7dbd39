//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/cmd/aburn-push/internal/postgres"
	"aburn/internal/fault"
)

// TestRefused: whatever refuses a push, aburn says what it is and what can be done, and nothing has changed.
func TestRefused(t *testing.T) {
	k := newTeam(t, "rita")
	m := newMachine(t)
	m.fill(1, 1)
	m.push(k.address("rita"))
	before := k.contents()
	empty := newDatabase(t)
	foreign := newDatabase(t)
	foreign.sql("CREATE SCHEMA aburn")
	foreign.sql("CREATE TABLE aburn.days (n int)")
	password := "hunter" + "Z4mbler"
	k.sql("CREATE ROLE secretive LOGIN PASSWORD '" + "other" + "' IN ROLE aburn_machine")
	t.Setenv("PGPASSWORD", password)
	network := func(port int, more string) string {
		return fmt.Sprintf("postgres://secretive@127.0.0.1:%d/%s%s", port, k.name, more)
	}
	for _, c := range []struct {
		name, address string
		says, hint    string
	}{
		{"nobody listens", network(freePort(), ""), "nobody answers: connection refused", "does the server run"},
		{"no socket", "postgres://rita@/" + k.name + "?host=" + m.home, "there is no socket of a server", "host="},
		{"a wrong password", network(k.port, ""), "the server refuses the password", "~/.pgpass"},
		{"a wrong password by the socket", k.address("secretive"), "the server refuses the password", "~/.pgpass"},
		{"no TLS", network(k.port, "?sslmode=disable"), "the server wants TLS", "sslmode=verify-full"},
		{"an unknown authority", network(k.port, "?sslmode=verify-full"), "nobody that this machine trusts has signed", "PGSSLROOTCERT"},
		{"no such role", k.address("nobodys"), "the server does not let this role in", "--add-machine ROLE"},
		{"no such database", k.url("rita", "nowhere"), "there is no such database", "createdb nowhere"},
		{"no tables", empty.address("rita"), "the database has no tables of aburn's", "--init"},
		{"somebody else's tables", foreign.address("rita"), "", "--init"},
	} {
		out, errs, code := m.run(m.args("--yes", c.address)...)
		if code != fault.ExitFailed || !strings.Contains(errs, c.says) || !strings.Contains(errs, c.hint) || strings.Count(errs, "error:") != 1 {
			t.Errorf("%s: exit %d: %s", c.name, code, errs)
		}
		if strings.Contains(out+errs, password) {
			t.Errorf("%s: the password is printed: %s", c.name, errs)
		}
	}
	if _, errs, code := m.run("--init", foreign.address("owner")); code != fault.ExitFailed || !strings.Contains(errs, "a schema aburn that is not aburn's") {
		t.Errorf("--init beside somebody else's tables: exit %d: %s", code, errs)
	}
	if _, errs, code := m.run("--init", empty.address("rita")); code != fault.ExitFailed || !strings.Contains(errs, "this role may not set up the database") {
		t.Errorf("--init without rights: exit %d: %s", code, errs)
	}
	k.sql("CREATE ROLE outsider LOGIN")
	for _, role := range []string{"rita", "outsider"} {
		if _, errs, code := m.run("--init", k.address(role)); code != fault.ExitFailed || !strings.Contains(errs, "this role may not set up the database") {
			t.Errorf("--init of somebody else's tables by %s: exit %d: %s", role, code, errs)
		}
	}
	if got := empty.text(empty.owner, "SELECT coalesce(to_regnamespace('aburn')::text, 'none')"); got != "none" {
		t.Errorf("a refused --init left the schema %s", got)
	}
	if log, err := os.ReadFile(filepath.Join(k.dir, "log")); err != nil || strings.Contains(string(log), password) {
		t.Errorf("the server's log holds the password, %v", err)
	}
	if k.contents() != before {
		t.Error("rows have changed")
	}
}

// TestVersions: tables of another version are left alone, by pushes and by --init.
func TestVersions(t *testing.T) {
	k := newTeam(t, "vera")
	m := newMachine(t)
	m.fill(1, 1)
	m.push(k.address("vera"))
	before := k.contents()
	for _, c := range []struct {
		version    int
		says, hint string
	}{{2, "a newer aburn made the tables: their version is 2, and this aburn writes 1", "update aburn"}, {0, "an older aburn made the tables", "--init"}} {
		k.sql(fmt.Sprint("UPDATE aburn.meta SET version = ", c.version))
		for _, args := range [][]string{m.args("--yes", k.address("vera")), {"--forget", "--yes", k.address("vera")}} {
			if _, errs, code := m.run(args...); code != fault.ExitFailed || !strings.Contains(errs, c.says) || !strings.Contains(errs, c.hint) {
				t.Errorf("version %d: exit %d: %s", c.version, code, errs)
			}
		}
	}
	k.sql("UPDATE aburn.meta SET version = 2")
	if _, errs, code := m.run("--init", k.address("owner")); code != fault.ExitFailed || !strings.Contains(errs, "a newer aburn made the tables") {
		t.Errorf("--init: exit %d: %s", code, errs)
	}
	k.sql("UPDATE aburn.meta SET version = 1")
	if k.contents() != before {
		t.Error("rows have changed")
	}
	if out := m.must("--init", "--json", k.address("owner")); out != `{"from":1,"version":1,"roles_made":[],"prices":`+
		k.text(k.owner, "SELECT count(*)::text FROM aburn.prices")+"}\n" {
		t.Error(out)
	}
	if k.contents() != before {
		t.Error("--init changed rows")
	}
}

// TestMigrations: --init of a newer aburn brings tables up to date and keeps all rows; what fails midway changes nothing. An older
// aburn then refuses.
func TestMigrations(t *testing.T) {
	k := newTeam(t, "mia")
	m := newMachine(t)
	m.fill(1, 1)
	m.push(k.address("mia"))
	before := k.count()
	ours := postgres.Migrations
	defer func() { postgres.Migrations = ours }()
	columns := func() string {
		return k.text(k.owner,
			"SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'aburn' AND table_name = 'machines' AND column_name LIKE 'added%' ORDER BY 1")
	}
	second, third := "ALTER TABLE aburn.machines ADD COLUMN added2 text;\nUPDATE aburn.machines SET added2 = 'x';",
		"ALTER TABLE aburn.machines ADD COLUMN added3 text"

	postgres.Migrations = append(slices.Clone(ours), second, "ALTER TABLE aburn.machines ADD COLUMN added2 text")
	if _, errs, code := m.run("--init", k.address("owner")); code != fault.ExitFailed || !strings.Contains(errs, "already exists") || columns() != "" {
		t.Errorf("a migration that fails: exit %d: %s, columns %q", code, errs, columns())
	}
	postgres.Migrations = append(slices.Clone(ours), second)
	if out := m.must("--init", "--json", k.address("owner")); !strings.HasPrefix(out, `{"from":1,"version":2,`) || columns() != "added2" {
		t.Errorf("%s, columns %q", out, columns())
	}
	postgres.Migrations = append(slices.Clone(ours), second, third)
	if _, errs, code := m.run(m.args("--yes", k.address("mia"))...); code != fault.ExitFailed ||
		!strings.Contains(errs, "an older aburn made the tables: their version is 2, and this aburn writes 3") {
		t.Errorf("a push before --init: exit %d: %s", code, errs)
	}
	if out := m.must("--init", "--json", k.address("owner")); !strings.HasPrefix(out, `{"from":2,"version":3,`) || columns() != "added2\nadded3" {
		t.Errorf("%s, columns %q", out, columns())
	}
	m.push(k.address("mia"))
	if k.count() != before {
		t.Error("sums have changed")
	}
	postgres.Migrations = ours
	if _, errs, code := m.run(m.args("--yes", k.address("mia"))...); code != fault.ExitFailed || !strings.Contains(errs, "a newer aburn made the tables") {
		t.Errorf("an older aburn: exit %d: %s", code, errs)
	}
}

// TestPasswords: every way of PostgreSQL's to give a password works, and so does TLS with an authority of one's own.
func TestPasswords(t *testing.T) {
	k := newTeam(t)
	password := "hunter" + "Q2ambler"
	k.sql("DROP ROLE IF EXISTS secretive")
	k.sql("CREATE ROLE secretive LOGIN PASSWORD '" + password + "' IN ROLE aburn_machine")
	m := newMachine(t)
	m.fill(1, 1)
	write := func(name, text string) string {
		path := filepath.Join(m.home, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, err := os.ReadFile(filepath.Join(k.dir, "data/server.crt"))
	if err != nil {
		t.Fatal(err)
	}
	byNetwork := fmt.Sprintf("postgres://secretive@127.0.0.1:%d/%s?sslmode=verify-full", k.port, k.name)
	for _, c := range []struct{ name, variable, value, address string }{
		{"variable", "PGPASSWORD", password, k.address("secretive")},
		{"file", "PGPASSFILE", write("pass", "*:*:*:secretive:"+password+"\n"), byNetwork},
		{"service", "PGSERVICEFILE", write("service", "[team]\nhost="+k.dir+"\nport="+fmt.Sprint(k.port)+"\ndbname="+k.name+"\nuser=secretive\npassword="+password+
			"\n"), "postgres:///?service=team"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("PGSSLROOTCERT", write("root.crt", string(cert)))
			t.Setenv(c.variable, c.value)
			out, errs, code := m.run(m.args("--yes", c.address)...)
			if code != fault.ExitOK || !strings.HasPrefix(out, "secretive@") || strings.Contains(out+errs, password) {
				t.Errorf("exit %d: %s%s", code, out, errs)
			}
		})
	}
	k.equal("pushed with a password", []*machine{m})
}

// TestSince: with --since, days before stay as they are; a push of all brings them up to date. An archive without rows removes
// nothing.
func TestSince(t *testing.T) {
	k := newTeam(t, "sine")
	m := newMachine(t)
	m.fill(6, 20)
	m.push(k.address("sine"))
	day := k.text(k.owner, "SELECT day::text FROM aburn.days GROUP BY day ORDER BY day OFFSET (SELECT count(DISTINCT day) / 2 FROM aburn.days) LIMIT 1")
	early := func() string {
		return k.text(k.owner, "SELECT d::text FROM aburn.days d WHERE day < $1::date UNION ALL SELECT s::text FROM aburn.sessions s WHERE day < $1::date ORDER BY 1",
			day)
	}
	before := early()
	m.fill(9, 10) // other sessions, on all days
	m.push(k.address("sine"), "--since", day)
	if early() != before || before == "" {
		t.Error("--since changed days before")
	}
	var dry struct{ Days, Sessions, Failures []struct{ Day string } }
	m.json(&dry, m.args("--dry-run", "--json", "--since", day)...)
	if got := k.text(k.owner,
		"SELECT concat_ws(' ', (SELECT count(*) FROM aburn.days WHERE day >= $1::date), (SELECT count(*) FROM aburn.sessions WHERE day >= $1::date), (SELECT "+
			"count(*) FROM aburn.failures WHERE day >= $1::date))", day); got != fmt.Sprint(len(dry.Days), len(dry.Sessions), len(dry.Failures)) {
		t.Errorf("the database has %s rows, --dry-run shows %d, %d, %d", got, len(dry.Days), len(dry.Sessions), len(dry.Failures))
	}
	m.push(k.address("sine"))
	k.equal("all of it", []*machine{m})

	all := k.contents()
	nothing := append([]string{"--yes", k.address("sine")}, "--project", "/nowhere=x")
	if _, errs, code := m.run(nothing...); code != fault.ExitFailed || !strings.Contains(errs, "here are no rows at all: nothing was changed") ||
		k.contents() != all {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestSinceMoves: a session that goes on to a day that is sent leaves nothing on the day that is not, neither its row nor its
// failures.
func TestSinceMoves(t *testing.T) {
	k := newTeam(t, "sine")
	m := newMachine(t)
	dir := filepath.Join(m.home, "agents/.claude/projects/-work-shop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(id string, days ...int) {
		text := ""
		for n, day := range days {
			record := func(kind, content string) {
				text += fmt.Sprintf(`{"uuid":"%s%d%s","parentUuid":null,"sessionId":"%s","cwd":"/work/shop","timestamp":"2026-11-%02dT20:00:0%dZ","version":"2.1.329",`+
					`"type":"%s","message":{"role":"%s",%s}}`+"\n",
					id, n, kind, id, day, len(kind)%9, kind, kind, content)
			}
			record("user", `"content":"go on"`)
			record("assistant",
				fmt.Sprintf(`"id":"m%s%d","model":"claude-opus-4-8","content":[{"type":"tool_use","id":"t%s%d","name":"Bash","input":{"command":"make"}}],`+
					`"usage":{"input_tokens":1,"output_tokens":1}`, id, n, id, n))
			record("user", fmt.Sprintf(`"content":[{"type":"tool_result","tool_use_id":"t%s%d","is_error":true,"content":"Exit code 2\nmake: no rule"}]`, id, n))
		}
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("11111111-0000-4000-8000-000000000001", 3)
	write("22222222-0000-4000-8000-000000000002", 3)
	m.ingest(filepath.Join(m.home, "agents"))
	m.names = []string{"/work/shop=shop"}
	m.push(k.address("sine"))
	write("11111111-0000-4000-8000-000000000001", 3, 9)
	m.ingest(filepath.Join(m.home, "agents"))
	m.push(k.address("sine"), "--since", "2026-11-08")
	if got := k.text(k.owner, "SELECT string_agg(concat(day, ' ', count), ', ' ORDER BY day) FROM aburn.failures"); got != "2026-11-03 1, 2026-11-09 2" {
		t.Errorf("failures: %s", got)
	}
	since := k.contents()
	if m.push(k.address("sine")); k.contents() != since {
		t.Error("a push of all changes what --since sent")
	}
}

// TestPermission: nothing is sent before a person permitted it, and a change of place, projects or name asks again.
func TestPermission(t *testing.T) {
	k := newTeam(t, "petra")
	m := newMachine(t)
	m.fill(1, 1)
	refused := func(when string, args ...string) {
		t.Helper()
		if _, errs, code := m.run(args...); code != fault.ExitUsage || !strings.Contains(errs, "nobody has permitted yet") || !strings.Contains(errs, "--yes") {
			t.Errorf("%s: exit %d: %s", when, code, errs)
		}
	}
	address := k.address("petra")
	refused("at first", m.args(address)...)
	if k.contents() != "" {
		t.Error("something was sent")
	}
	m.push(address)
	m.must(m.args(address)...)
	refused("with a name", m.args(address, "--as", "petra")...)
	refused("another place", m.args(newTeam(t, "petra2").address("petra2"))...)
	m.names = append(m.names, "/somewhere=else")
	refused("another project", m.args(address)...)
	if st, err := os.Stat(filepath.Join(m.archive(), "push-machine.json")); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the machine's file: %v, %v", st, err)
	}
}
