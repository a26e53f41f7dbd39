package postgres

import (
	"context"
	_ "embed"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"aburn/insight/cost"
)

//go:embed schema.sql
var version1 string

//go:embed rights.sql
var rights string

// Migrations make each version of the tables out of the one before. What was released never changes: a change is one more.
var Migrations = []string{version1}

// Setup is what --init makes beside the tables.
type Setup struct {
	Machines []string // roles that may push
	Leads    []string // roles that may read all rows
	Prices   []cost.Rates
}

// The roles that hold the rights; people's roles are members of one or both.
const (
	machineGroup = "aburn_machine"
	leadGroup    = "aburn_lead"
)

// Done is what Init did.
type Done struct {
	From    int      `json:"from"` // the version of the tables before; 0 if there were none
	Version int      `json:"version"`
	Made    []string `json:"roles_made"` // roles that did not exist, and have no password yet
	Prices  int      `json:"prices"`
}

// Init makes or renews the tables, the rights and the prices, in one transaction.
func (db *DB) Init(ctx context.Context, s Setup) (*Done, error) {
	done := &Done{Version: len(Migrations), Made: []string{}, Prices: len(s.Prices)}
	err := db.transaction(ctx, func(tx pgx.Tx) (err error) {
		if err := exec(ctx, tx, "SET LOCAL lock_timeout = '50s'"); err != nil {
			return err
		}
		if err := exec(ctx, tx, "SELECT pg_advisory_xact_lock(hashtextextended('aburn --init', 0))"); err != nil {
			return err
		}
		if done.From, err = db.version(ctx, tx); err != nil {
			return err
		}
		for _, sql := range Migrations[done.From:] {
			if err := exec(ctx, tx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
		}
		err = exec(ctx, tx, "INSERT INTO aburn.meta (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = excluded.version", len(Migrations))
		if err != nil {
			return err
		}
		if done.Made, err = makeRoles(ctx, tx, s); err != nil {
			return err
		}
		if err := exec(ctx, tx, rights, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		return putPrices(ctx, tx, s.Prices)
	})
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == noRight {
		return nil, &Failed{db.Name + ": this role may not set up the database: " + said.Message,
			"a role that may create schemas and roles does it once: aburn push URL --init, with a superuser's name in the URL", err}
	}
	return done, err
}

// version is the version of the tables, 0 if there are none. Tables of a newer version are an error.
func (db *DB) version(ctx context.Context, tx pgx.Tx) (have int, err error) {
	var schema, meta bool
	err = tx.QueryRow(ctx, "SELECT to_regnamespace('aburn') IS NOT NULL, to_regclass('aburn.meta') IS NOT NULL").Scan(&schema, &meta)
	switch {
	case err != nil || !schema:
		return 0, err
	case !meta:
		return 0, &Failed{db.Name + ": there is a schema aburn that is not aburn's", "rename it, or take another database", nil}
	}
	err = tx.QueryRow(ctx, "SELECT version FROM aburn.meta").Scan(&have)
	if err == nil && have > len(Migrations) {
		err = &WrongVersion{db.Name, have, len(Migrations)}
	}
	return have, err
}

// makeRoles makes the groups and the roles that are missing, and returns the roles that it made.
func makeRoles(ctx context.Context, tx pgx.Tx, s Setup) (made []string, err error) {
	made = []string{}
	for _, group := range []string{machineGroup, leadGroup} {
		if _, err := makeRole(ctx, tx, group, "NOLOGIN"); err != nil {
			return nil, err
		}
	}
	for group, roles := range map[string][]string{machineGroup: s.Machines, leadGroup: s.Leads} {
		for _, role := range roles {
			fresh, err := makeRole(ctx, tx, role, "LOGIN")
			if err != nil {
				return nil, err
			}
			if fresh {
				made = append(made, role)
			}
			if err := exec(ctx, tx, "GRANT "+group+" TO "+pgx.Identifier{role}.Sanitize()); err != nil {
				return nil, err
			}
		}
	}
	return made, nil
}

func makeRole(ctx context.Context, tx pgx.Tx, role, how string) (fresh bool, err error) {
	var there bool
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role).Scan(&there)
	if err != nil || there {
		return false, err
	}
	return true, exec(ctx, tx, "CREATE ROLE "+pgx.Identifier{role}.Sanitize()+" "+how)
}

// putPrices replaces the table of prices.
func putPrices(ctx context.Context, tx pgx.Tx, list []cost.Rates) error {
	if err := exec(ctx, tx, "DELETE FROM aburn.prices"); err != nil {
		return err
	}
	b := batch{into: "aburn.prices", columns: []column{
		{"model", "text"}, {"tier", "text"}, {"geo", "text"}, {"long_prompt", "boolean"}, {"from_day", "date"}, {"until_day", "date"},
		{"input", "numeric"}, {"cache_read", "numeric"}, {"cache_write_5m", "numeric"}, {"cache_write_1h", "numeric"}, {"cache_write", "numeric"},
		{"output", "numeric"}, {"web_search", "numeric"}, {"write_exact", "boolean"}, {"uncertain", "boolean"}, {"search_uncertain", "boolean"}}}
	for i := range list {
		r := &list[i]
		b.add(r.Model, string(r.Tier), r.Geo, r.Long, dayOf(r.From), dayOf(r.Until), dollars(r.Input), dollars(r.CacheRead), dollars(r.Write5m), dollars(r.Write1h),
			dollars(r.Write), dollars(r.Output), dollars(r.Search), r.WriteExact, r.Uncertain, r.SearchUncertain)
	}
	return b.insert(ctx, tx)
}

// dayOf is the day that begins at a second since 1970.
func dayOf(second int64) string {
	switch second {
	case math.MinInt64:
		return "-infinity"
	case math.MaxInt64:
		return "infinity"
	}
	return time.Unix(second, 0).UTC().Format(time.DateOnly)
}

// dollars is a number of 10⁻¹⁵ dollars as PostgreSQL reads it; nil for none.
func dollars(n *int64) *string {
	if n == nil {
		return nil
	}
	digits := strings.Repeat("0", 15) + itoa(*n)
	for len(digits) > 16 && digits[0] == '0' {
		digits = digits[1:]
	}
	return new(digits[:len(digits)-15] + "." + digits[len(digits)-15:])
}
