// Package postgres keeps a team's rows in a PostgreSQL database: its tables, who may read them, and how a machine's rows get
// there. A push is one transaction, so what is interrupted has changed nothing.
package postgres

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// patience is how long a statement may take before the connection counts as lost.
const patience = time.Minute

// Target is where rows go.
type Target struct {
	config *pgx.ConnConfig
	// Name is role@host:port/database, for people.
	Name string
}

// Refused is the error for an address that aburn does not connect to. It repeats no part of one that may hold a password.
type Refused struct{ Msg, hint string }

func (e *Refused) Error() string { return e.Msg }

// Hint says what to do about it.
func (e *Refused) Hint() string { return e.hint }

const passwordHint = "put it into ~/.pgpass (host:port:database:role:password, mode 0600), PGPASSFILE or PGPASSWORD"

// Parse reads an address. The environment (PGUSER, PGPASSFILE, PGSERVICE …) adds what it lacks, as it does for psql.
func Parse(address string) (*Target, error) {
	if err := refuse(address); err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(address)
	if err == nil && !safe(config) {
		if word := statedMode(address); word != "" {
			return nil, &Refused{"sslmode=" + word + " does not prove who answers at " + strings.Join(remote(config), ", "),
				"leave sslmode out, or set it to verify-full; PGSSLROOTCERT names the file of your own certificate authority"}
		}
		config, err = pgx.ParseConfig(withMode(address))
	}
	if err != nil {
		return nil, &Refused{"the database's address cannot be read: " + cause(err).Error(), "postgres://ROLE@HOST/DATABASE"}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 15 * time.Second
	}
	config.RuntimeParams["application_name"] = "aburn-push"
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // poolers keep no prepared statements
	host := config.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(host, fmt.Sprint(config.Port))
	}
	return &Target{config, config.User + "@" + host + "/" + config.Database}, nil
}

// refuse refuses what is no URL of PostgreSQL, and a URL that holds a password: shells and process lists keep it.
func refuse(address string) error {
	scheme, rest, _ := strings.Cut(address, "://")
	if scheme != "postgres" && scheme != "postgresql" {
		return &Refused{"the database's address is no postgres:// URL", "postgres://ROLE@HOST/DATABASE"}
	}
	before, _, _ := strings.Cut(rest, "?")
	if at := strings.LastIndexByte(before, '@'); at >= 0 && strings.Contains(before[:at], ":") {
		return &Refused{"the URL holds a password, which shells and process lists keep", passwordHint}
	}
	u, err := url.Parse(address)
	if err != nil {
		return &Refused{"the database's address is no URL", "postgres://ROLE@HOST/DATABASE"}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return &Refused{"the database's address is no URL", "postgres://ROLE@HOST/DATABASE"}
	}
	for key := range query {
		if strings.Contains(strings.ToLower(key), "password") {
			return &Refused{"the URL holds a password, which shells and process lists keep", passwordHint}
		}
	}
	return nil
}

// safe reports whether every connection that the config allows stays on this machine, or proves who answers.
func safe(c *pgx.ConnConfig) bool {
	proven := func(host string, t *tls.Config) bool { return local(host) || t != nil && !t.InsecureSkipVerify }
	for _, f := range c.Fallbacks {
		if !proven(f.Host, f.TLSConfig) {
			return false
		}
	}
	return proven(c.Host, c.TLSConfig)
}

// local reports whether a host is a socket's folder or this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") || host == "localhost" || ip != nil && ip.IsLoopback()
}

func remote(c *pgx.ConnConfig) (hosts []string) {
	for _, host := range append([]string{c.Host}, func() (more []string) {
		for _, f := range c.Fallbacks {
			more = append(more, f.Host)
		}
		return more
	}()...) {
		if !local(host) && (len(hosts) == 0 || hosts[len(hosts)-1] != host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// statedMode is the sslmode that the user wrote; empty if none, or if it is the one that aburn asks for.
func statedMode(address string) string {
	u, _ := url.Parse(address)
	word := u.Query().Get("sslmode")
	if word == "" {
		word = os.Getenv("PGSSLMODE")
	}
	return word
}

func withMode(address string) string {
	u, _ := url.Parse(address)
	q := u.Query()
	q.Set("sslmode", "verify-full")
	u.RawQuery = q.Encode()
	return u.String()
}

// DB is a connection to a database.
type DB struct {
	*Target
	conn *pgx.Conn
}

// Connect connects. Its errors say what a person can do.
func (t *Target) Connect(ctx context.Context) (*DB, error) {
	conn, err := pgx.ConnectConfig(ctx, t.config)
	if err != nil {
		return nil, t.explain(err)
	}
	db := &DB{t, conn}
	if err := t.recent(conn.PgConn().ParameterStatus("server_version")); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Close closes the connection.
func (db *DB) Close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	db.conn.Close(ctx)
}

// oldest is the oldest PostgreSQL that has all that the tables and pushes use.
const oldest = 11

// recent refuses a server that is too old. A version that is no number passes: the server is then something like PostgreSQL.
func (t *Target) recent(version string) error {
	word, _, _ := strings.Cut(version, ".")
	if major, err := strconv.Atoi(word); err == nil && major < oldest {
		return &Failed{fmt.Sprintf("%s: the server is PostgreSQL %s, and aburn needs %d", t.Name, version, oldest), "", nil}
	}
	return nil
}

// transaction runs f in a transaction. Unless it returns nil, nothing was changed, or the error says that this is not known.
func (db *DB) transaction(ctx context.Context, f func(pgx.Tx) error) error {
	begin, stop := context.WithTimeout(ctx, patience)
	defer stop()
	tx, err := db.conn.Begin(begin)
	if err != nil {
		return db.explain(err)
	}
	defer func() { // ctx may be over; the server rolls back by itself if the connection is
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		tx.Rollback(ctx)
	}()
	if err := f(tx); err != nil {
		return db.explain(err)
	}
	end, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := tx.Commit(end); err != nil && lost(err) {
		return &Failed{db.Name + ": the connection was lost at the very end: nobody knows whether all or nothing was changed",
			"run it again: what is there already is not sent twice", err}
	} else {
		return db.explain(err)
	}
}

// exec runs one statement of a transaction within a bounded time.
func exec(ctx context.Context, tx pgx.Tx, sql string, args ...any) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, err := tx.Exec(ctx, sql, args...)
	return err
}

// Database is the name of the database alone.
func (t *Target) Database() string { return path.Base(t.Name) }
